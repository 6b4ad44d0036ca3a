// SPDX-License-Identifier: Apache-2.0
// concurrent_queue, concurrent_bounded_queue and concurrent_priority_queue, each beside another one.
#include "subjects.h"

#if DIFFER_ONETBB  // TBB 2020's have neither assignments nor allocators like these
#include "containers.h"

#include <tbb/concurrent_priority_queue.h>
#include <tbb/concurrent_queue.h>
#include <tbb/parallel_for.h>

namespace differ {

namespace {

template <typename T>
using unbounded = tbb::concurrent_queue<T, memory<T>>;
template <typename T>
using bounded = tbb::concurrent_bounded_queue<T, memory<T>>;
// Which comes first is a property of the object, which goes with its elements: the largest or the smallest.
struct direction {
  bool falls = false;
  template <typename T>
  bool operator()(T const& a, T const& b) const {
    return falls ? b < a : a < b;
  }
};
template <typename T>
using priority = tbb::concurrent_priority_queue<T, direction, memory<T>>;
template <typename Queue>
using element = typename Queue::value_type;
template <typename Queue>
constexpr bool is_priority = std::is_same_v<Queue, priority<element<Queue>>>;
template <typename Queue>
constexpr bool is_bounded = std::is_same_v<Queue, bounded<element<Queue>>>;

template <typename Queue>
struct two_queues {
  using allocator = typename Queue::allocator_type;
  explicit two_queues(step const& program)
      : x(std::make_unique<Queue>(allocator(program.a % 2))), y(std::make_unique<Queue>(allocator(program.b % 2))) {}
  std::unique_ptr<Queue> x, y;
};

template <typename Queue>
std::vector<int> drained(Queue& q) {
  std::vector<int> all;
  for (element<Queue> c; q.try_pop(c);) all.push_back(c.value);
  return all;
}

// What a queue holds, oldest first; it does so afterwards, too.
template <typename Queue>
std::vector<int> contents(Queue& q) {
  std::vector<int> all;
  for (auto i = q.unsafe_begin(); i != q.unsafe_end(); ++i) all.push_back(i->value);
  return all;
}
template <typename T, typename Compare, typename Allocator>
std::vector<int> contents(tbb::concurrent_priority_queue<T, Compare, Allocator>& q) {
  std::vector<int> const all = drained(q);
  for (int const i : all) q.push(T(i));
  return all;
}

template <typename Queue>
void take(Queue& q, std::string const& path, book& told) {
  element<Queue> c(-5);
  bool const taken = q.try_pop(c);
  told.tell(path + " popped", text(taken) + " " + std::to_string(taken ? c.value : 0));
}

// Made in every way: with a range, a list, a size, a comparison.
template <typename Queue>
std::unique_ptr<Queue> made(step const& s) {
  using T = element<Queue>;
  typename Queue::allocator_type const from(s.b % 2);
  std::vector<T> const some(static_cast<std::size_t>(s.n), T(s.a));
  if constexpr (is_priority<Queue>) {
    direction const by{s.b / 2 % 2 == 0};
    switch (s.a % 6) {
      case 0:
        return std::make_unique<Queue>(by, from);
      case 1:
        return std::make_unique<Queue>(static_cast<std::size_t>(s.n), by, from);
      case 2:
        return std::make_unique<Queue>(some.begin(), some.end(), by, from);
      case 3:
        return std::make_unique<Queue>(std::initializer_list<T>{T(s.a), T(7), T(s.b)}, by, from);
      case 4:
        return std::make_unique<Queue>(some.begin(), some.end(), from);
      default:
        return std::make_unique<Queue>(static_cast<std::size_t>(s.n), from);
    }
  } else {
    if (s.a % 3 == 0) return std::make_unique<Queue>(some.begin(), some.end(), from);
    if (s.a % 3 == 1) return std::make_unique<Queue>(std::initializer_list<T>{T(s.a), T(7), T(s.b)}, from);
    return std::make_unique<Queue>(from);
  }
}

// A bounded queue's limit after all that was done to the whole of it.
template <typename Queue>
void tell_limits(two_queues<Queue>& q, step const& s, std::string const& path, book& told) {
  if constexpr (is_bounded<Queue>) {
    auto const limit = [](Queue const& one) {  // what stands for no limit is not the same everywhere
      return one.capacity() > std::ptrdiff_t(1) << 60 ? "none" : text(one.capacity());
    };
    std::string const both = limit(*q.x) + " " + limit(*q.y);
    if (s.kind != "move_assign" && s.kind != "move_with") return told.tell(path + " capacities", both);
    told.known("moved capacity", path + " capacities", both);
    q.x->set_capacity(1000000);
    q.y->set_capacity(1000000);
  }
}

// The allocators of both may then differ between libraries, so that the queue goes on with one that does not.
template <typename Queue>
void assign(two_queues<Queue>& q, step const& s, std::string const& path, book& told) {
  using allocator = typename Queue::allocator_type;
  if (s.kind == "copy_assign") {
    *q.x = *q.y;
  } else {
    *q.x = std::move(*q.y);
    told.known("moved unequal", path + " moved from is empty", q.y->empty());
    q.y->clear();
  }
  told.known("queue takes the allocator", path + " allocator", q.x->get_allocator().number);
  q.x = std::make_unique<Queue>(*q.x, allocator(s.b % 2));
}

template <typename Queue>
void break_push(two_queues<Queue>& q, step const& s, std::string const& path, book& told) {
  element<Queue> const value(s.a);
  copies_left = 0;
  std::string const out = thrown([&] { q.x->push(value); });
  copies_left = -1;
  if (is_priority<Queue>) {
    told.known("failed push", path + " threw", out);
  } else {
    told.tell(path + " threw", out);
  }
  // In oneTBB's bounded queue the failed element keeps its place of the capacity (docs/differences.md).
  if (is_bounded<Queue>) {
    std::vector<int> const held = drained(*q.x);
    q.x = std::make_unique<Queue>(q.x->get_allocator());
    for (int const i : held) q.x->push(element<Queue>(i));
  }
}

template <typename Queue>
bool common(two_queues<Queue>& q, step const& s, std::string const& path, book& told) {
  bool const assigned = s.kind == "copy_assign" || s.kind == "move_assign";
  if (assigned) {
    assign(q, s, path, told);
    return true;
  }
  if (s.kind == "move" && is_priority<Queue>) {
    q.x = std::make_unique<Queue>(std::move(*q.y));
    told.known("moved priority queue", path + " moved from is empty", q.y->empty());
    q.y->clear();
    return true;
  }
  if (change_whole(q.x, q.y, s, path, told)) {
    if (planted("copied queue is not whole") && s.kind == "copy") q.x->push(element<Queue>(0));
    return true;
  }
  if (s.kind == "make") {
    q.x = made<Queue>(s);
    return true;
  }
  if (s.kind == "pop") {
    for (int i = 0; i < s.n; ++i) take(*q.x, path, told);
  } else if (s.kind == "push_many") {
    for (int i = 0; i < s.n; ++i) q.x->push(element<Queue>(s.a + i));
  } else if (s.kind == "emplace") {
    q.x->emplace(s.a);
  } else if (s.kind == "broken_push") {
    break_push(q, s, path, told);
  } else if (s.kind == "parallel") {
    tbb::parallel_for(0, s.n, [&](int i) { q.x->push(element<Queue>(i)); });
    std::atomic<int> popped{0};
    tbb::parallel_for(0, s.n, [&](int) {
      element<Queue> c;
      if (q.x->try_pop(c)) ++popped;
    });
    told.tell(path + " popped", popped.load());
    auto left = drained(*q.x);
    told.tell(path + " left", left.size());
  } else {
    return false;
  }
  return true;
}

template <typename T>
void own(two_queues<unbounded<T>>& q, step const& s, std::string const& path, book& told) {
  if (s.kind == "size") told.tell(path + " size", std::to_string(q.x->unsafe_size()) + text(q.x->empty()));
}

template <typename T>
void own(two_queues<bounded<T>>& q, step const& s, std::string const& path, book& told) {
  if (s.kind == "capacity") {
    // What is above the capacity stays. Not below what it holds and not 0, for then pushes of other steps would wait
    // for ever.
    q.x->set_capacity(static_cast<std::ptrdiff_t>(100000 + s.a));
    told.tell(path + " capacity", q.x->capacity());
    if (s.b % 4 != 0) return;
    q.x->set_capacity(static_cast<std::ptrdiff_t>(-1 - s.a));
    told.known("negative capacity", path + " has no limit", q.x->capacity() > 1000000);
    q.x->set_capacity(static_cast<std::ptrdiff_t>(100000 + s.a));
  } else if (s.kind == "try_push") {
    q.x->set_capacity(static_cast<std::ptrdiff_t>(s.a % 20));
    int taken = 0;
    for (int i = 0; i < s.n; ++i) taken += q.x->try_push(T(i)) ? 1 : 0;
    taken += s.b % 2 == 0 && q.x->try_emplace(s.b) ? 1 : 0;
    told.tell(path + " taken", taken);
    q.x->set_capacity(1000000);
  } else if (s.kind == "size") {
    told.tell(path + " size", std::to_string(q.x->size()) + text(q.x->empty()));
  } else if (s.kind == "abort") {
    q.x->abort();
  }
}

template <typename T>
void own(two_queues<priority<T>>& q, step const& s, std::string const& path, book& told) {
  if (s.kind == "size") told.tell(path + " size", std::to_string(q.x->size()) + text(q.x->empty()));
#if DIFFER_ONETBB
  if (s.kind == "compare") told.known("order of equals", path + " ==", text(*q.x == *q.y) + text(*q.x != *q.y));
#endif
  if (s.kind == "assign") {
    std::vector<T> const some(static_cast<std::size_t>(s.n), T(s.a));
    if (s.b % 3 == 0) return q.x->assign(some.begin(), some.end());
    if (s.b % 3 == 1) return q.x->assign({T(s.a), T(s.b), T(3)});
    *q.x = {T(s.b), T(s.a)};
  }
}

template <typename Queue>
void play(step const& program, book& told) {
  two_queues<Queue> q(program);
  for (std::size_t i = 0; i < program.body.size(); ++i) {
    step const& s = program.body[i];
    std::string const path = std::to_string(i) + " " + s.kind;
    turn(q.x, q.y, s);
    if (!common(q, s, path, told)) own(q, s, path, told);
    tell_limits(q, s, path, told);
    // To look into a priority queue is to take all out, and it is as new then.
    if (is_priority<Queue> && s.b % 4 != 0) continue;
    std::vector<int> held = contents(*q.x);
    if (planted("queue loses an element") && held.size() > 10) held.pop_back();
    told.tell(path + " holds", held);
  }
  told.tell("in the end", drained(*q.x));
  told.tell("in the end the other", drained(*q.y));
}

// n: of which elements.
template <template <typename> typename Queue>
void either(step const& program, book& told) {
  program.n % 2 == 0 ? play<Queue<plain>>(program, told) : play<Queue<counted>>(program, told);
}

}  // namespace

void add_queues(subjects& table) {
  table["queue"] = either<unbounded>;
  table["bounded_queue"] = either<bounded>;
  table["priority_queue"] = either<priority>;
}

}  // namespace differ
#endif
