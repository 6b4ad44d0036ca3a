// SPDX-License-Identifier: Apache-2.0
#include <tbb/atomic.h>

#include <doctest/doctest.h>

#include <climits>
#include <thread>
#include <type_traits>
#include <vector>

namespace {

tbb::atomic<int> static_zero;
tbb::atomic<long> constant(7);

enum colour { red, green, blue };
enum class scoped : unsigned char { a, b };
struct pair {
  short first;
  short second;
  bool operator==(pair const& o) const { return first == o.first && second == o.second; }
};

}  // namespace

TEST_CASE_TEMPLATE("atomic integers", T, char, signed char, unsigned char, short, unsigned short, int, unsigned, long,
                   unsigned long, long long, unsigned long long, wchar_t) {
  static_assert(sizeof(tbb::atomic<T>) == sizeof(T));
  static_assert(std::is_trivially_default_constructible<tbb::atomic<T>>::value);
  static_assert(std::is_same<typename tbb::atomic<T>::value_type, T>::value);
  tbb::atomic<T> a;
  a = T(5);
  CHECK(a == T(5));
  CHECK((a = T(6)) == T(6));
  CHECK(a++ == T(6));
  CHECK(++a == T(8));
  CHECK(a-- == T(8));
  CHECK(--a == T(6));
  CHECK((a += T(10)) == T(16));
  CHECK((a -= T(4)) == T(12));
  CHECK(a.fetch_and_add(T(3)) == T(12));
  CHECK(a.template fetch_and_add<tbb::relaxed>(T(1)) == T(15));
  CHECK(a.fetch_and_increment() == T(16));
  CHECK(a.template fetch_and_increment<tbb::acquire>() == T(17));
  CHECK(a.fetch_and_decrement() == T(18));
  CHECK(a.template fetch_and_decrement<tbb::release>() == T(17));
  CHECK(a.fetch_and_store(T(1)) == T(16));
  CHECK(a.template fetch_and_store<tbb::release>(T(2)) == T(1));
  // New value first, the old one comes back.
  CHECK(a.compare_and_swap(T(9), T(3)) == T(2));
  CHECK(a == T(2));
  CHECK(a.compare_and_swap(T(9), T(2)) == T(2));
  CHECK(a == T(9));
  CHECK(a.template compare_and_swap<tbb::acquire>(T(8), T(9)) == T(9));
  CHECK(a.template compare_and_swap<tbb::relaxed>(T(7), T(9)) == T(8));
  CHECK(a.template compare_and_swap<tbb::release>(T(7), T(8)) == T(8));
  CHECK(a.load() == T(7));
  CHECK(a.template load<tbb::full_fence>() == T(7));
  CHECK(tbb::load<tbb::relaxed>(a) == T(7));
  a.store(T(1));
  a.template store<tbb::full_fence>(T(2));
  tbb::store<tbb::relaxed>(a, T(3));
  CHECK(a == T(3));
  tbb::atomic<T> b(a);
  CHECK(b == T(3));
  b = T(4);
  a = b;
  CHECK(a == T(4));
  a = T(0);
  CHECK(--a == static_cast<T>(-1));
}

TEST_CASE("atomic integers wrap around") {
  tbb::atomic<int> a(INT_MAX);
  CHECK(++a == INT_MIN);
  CHECK(--a == INT_MAX);
  tbb::atomic<signed char> c(SCHAR_MIN);
  CHECK(--c == SCHAR_MAX);
  tbb::atomic<long> l(0);
  CHECK((l -= LONG_MIN) == LONG_MIN);
}

TEST_CASE("atomic pointers count in elements") {
  double array[10];
  tbb::atomic<double*> p;
  p = array;
  CHECK(p++ == array);
  CHECK(++p == array + 2);
  CHECK((p += 5) == array + 7);
  CHECK((p -= 3) == array + 4);
  CHECK(p-- == array + 4);
  CHECK(--p == array + 2);
  CHECK(p.fetch_and_add(-2) == array + 2);
  CHECK(p.fetch_and_increment() == array);
  CHECK(p.fetch_and_decrement() == array + 1);
  CHECK(p.compare_and_swap(array + 9, array) == array);
  CHECK(*p.load() == array[9]);
  pair some{1, 2};
  tbb::atomic<pair*> q(&some);
  CHECK(q->second == 2);
  tbb::atomic<void*> v;
  v = array;
  CHECK(v == array);
  CHECK(v.fetch_and_store(nullptr) == array);
  CHECK(v.compare_and_swap(&some, nullptr) == nullptr);
}

TEST_CASE("atomic pointers to classes that are not complete yet, to functions and to void") {
  struct node {
    tbb::atomic<node*> next;
    int value;
  };
  node chain[3];
  chain[0].next = chain + 1;
  chain[0].next->value = 4;
  CHECK(chain[1].value == 4);
  CHECK(++chain[0].next == chain + 2);
  tbb::atomic<struct nowhere_defined*> o;
  o = nullptr;
  CHECK(!o);
  CHECK(o.compare_and_swap(nullptr, nullptr) == nullptr);
  tbb::atomic<int (*)(int)> f;
  f = [](int i) { return 2 * i; };
  CHECK(f(21) == 42);
  tbb::atomic<void const*> v(chain);
  CHECK(v.fetch_and_store(&o) == chain);
  CHECK(v == &o);
}

TEST_CASE("atomic enumerations count in their underlying type") {
  tbb::atomic<colour> c;
  c = red;
  CHECK(c++ == red);
  CHECK(c == green);
  CHECK((c += 1) == blue);
  CHECK(c + 1 == 3);
  CHECK(c.fetch_and_decrement() == blue);
  CHECK((c -= 1) == red);
  tbb::atomic<scoped> s(scoped::a);
  CHECK(s.fetch_and_add(1) == scoped::a);
  CHECK(s.load() == scoped::b);
  CHECK(--s == scoped::a);
}

TEST_CASE("atomic enumerations, bool, floating point and small classes") {
  tbb::atomic<colour> c;
  c = green;
  CHECK(c.compare_and_swap(blue, green) == green);
  CHECK(c == blue);
  CHECK(c.fetch_and_store(red) == blue);
  tbb::atomic<scoped> s(scoped::b);
  CHECK(s.load() == scoped::b);
  tbb::atomic<bool> b;
  b = true;
  CHECK(b.compare_and_swap(false, true) == true);
  CHECK(!b);
  tbb::atomic<float> f(1.5F);
  CHECK(f.compare_and_swap(2.5F, 1.5F) == 1.5F);
  CHECK(f == 2.5F);
  tbb::atomic<double> d;
  d = 0.25;
  CHECK(d.fetch_and_store(0.5) == 0.25);
  tbb::atomic<pair> p;
  p = pair{1, 2};
  CHECK(p.compare_and_swap(pair{3, 4}, pair{1, 2}) == pair{1, 2});
  CHECK(p.load() == pair{3, 4});
}

TEST_CASE("make_atomic, as_atomic, swap, static objects") {
  CHECK(static_zero == 0);
  CHECK(constant == 7);
  auto a = tbb::make_atomic(5L);
  static_assert(std::is_same<decltype(a), tbb::atomic<long>>::value);
  auto b = tbb::interface6::make_atomic(6L);
  tbb::internal::swap<tbb::relaxed>(a, b);
  CHECK(a == 6);
  CHECK(b == 5);
  int plain = 1;
  CHECK(tbb::internal::as_atomic(plain).fetch_and_add(2) == 1);
  CHECK(plain == 3);
  tbb::atomic<int> const volatile& v = static_zero;
  CHECK(static_cast<int>(v) == 0);
}

TEST_CASE("atomic: threads") {
  tbb::atomic<int> sum(0);
  tbb::atomic<int> turn(0);
  int guarded = 0;
  std::vector<std::thread> team;
  for (int t = 0; t < 4; ++t) {
    team.emplace_back([&, t] {
      for (int i = 0; i < 20'000; ++i) sum += 1;
      while (turn.compare_and_swap(-1, t) != t) std::this_thread::yield();
      ++guarded;
      turn = t + 1;
    });
  }
  for (auto& t : team) t.join();
  CHECK(sum == 80'000);
  CHECK(guarded == 4);
}
