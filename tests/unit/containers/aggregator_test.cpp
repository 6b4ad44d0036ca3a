// SPDX-License-Identifier: Apache-2.0
#include <tbb/aggregator.h>

#include <doctest/doctest.h>
#include <support/linearizability.h>

#include <stdexcept>
#include <thread>
#include <type_traits>
#include <vector>

namespace {

constexpr int threads = 8;
constexpr int rounds = 2000;

template <typename F>
void in_threads(F const& f) {
  std::vector<std::thread> team;
  for (int t = 0; t < threads; ++t) {
    team.emplace_back([&f] {
      for (int i = 0; i < rounds; ++i) f(i);
    });
  }
  for (auto& t : team) t.join();
}

struct addition : tbb::aggregator_operation {
  explicit addition(int n) : summand(n) {}
  int summand;
  long sum_after = 0;
};

struct adder {
  long* sum;
  void operator()(tbb::aggregator_operation* first) const {
    while (first != nullptr) {
      auto* const op = static_cast<addition*>(first);
      first = first->next();
      op->start();
      *sum += op->summand;
      op->sum_after = *sum;
      op->finish();
    }
  }
};

}  // namespace

TEST_CASE("aggregator: bodies run one at a time") {
  static_assert(!std::is_copy_constructible_v<tbb::aggregator>);
  tbb::aggregator a;
  long sum = 0;
  in_threads([&](int i) { a.execute([&] { sum += i; }); });
  CHECK(sum == long{threads} * rounds * (rounds - 1) / 2);
  CHECK_THROWS_AS(a.execute([] { throw std::runtime_error("body"); }), std::runtime_error);
  a.execute([&] { sum = 0; });
  CHECK(sum == 0);
}

TEST_CASE("aggregator_ext: the handler gets every operation once") {
  long sum = 0;
  tbb::aggregator_ext<adder> a(adder{&sum});
  in_threads([&](int i) {
    addition op(i + 1);
    a.process(&op);
    if (op.sum_after < op.summand) throw std::logic_error("not performed");
  });
  CHECK(sum == long{threads} * rounds * (rounds + 1) / 2);
}

TEST_CASE("aggregator_ext: an operation can be used again; lists can be made by hand") {
  long sum = 0;
  tbb::aggregator_ext<adder> a(adder{&sum});
  addition op(3);
  a.process(&op);
  a.process(&op);
  CHECK(sum == 6);
  addition second(1);
  op.set_next(&second);
  CHECK(op.next() == &second);
}

namespace {

// A sum; the result of an addition is the sum after it.
struct sequential_sum {
  struct operation {
    int summand;
    long sum_after;
  };
  long sum = 0;

  bool apply(operation const& op) { return (sum += op.summand) == op.sum_after; }
  friend bool operator<(sequential_sum const& a, sequential_sum const& b) { return a.sum < b.sum; }
};

// add(n) adds to a sum that begins with 0 and returns the new one.
template <typename Add>
void check_history(int round, Add const& add) {
  auto const history = test::record_history<sequential_sum>(3, [&](unsigned thread, auto& record) {
    for (int i = 0; i < 6; ++i) {
      int const n = 1 << (6 * static_cast<int>(thread) + i);
      record([&] { return sequential_sum::operation{n, add(n)}; });
      if ((round + i) % 3 == 0) std::this_thread::yield();
    }
  });
  REQUIRE(test::linearizable<sequential_sum>(history));
}

}  // namespace

TEST_CASE("aggregators are linearizable") {
  for (int round = 0; round < 200; ++round) {
    long sum = 0;
    tbb::aggregator plain;
    check_history(round, [&](int n) {
      long after = 0;
      plain.execute([&] { after = sum += n; });
      return after;
    });
    long served_sum = 0;
    tbb::aggregator_ext<adder> served(adder{&served_sum});
    check_history(round, [&](int n) {
      addition op(n);
      served.process(&op);
      return op.sum_after;
    });
  }
}
