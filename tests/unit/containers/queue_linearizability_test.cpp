// SPDX-License-Identifier: Apache-2.0
// Short recorded histories of the queues, checked against sequential queues by exhaustive search.
#include <tbb/concurrent_priority_queue.h>
#include <tbb/concurrent_queue.h>

#include <doctest/doctest.h>
#include <support/linearizability.h>

#include <thread>
#include <tuple>
#include <vector>

namespace {

// A number in segments of three cells.
struct number {
  int value = 0;
  friend bool operator<(number a, number b) { return a.value < b.value; }
};

}  // namespace

template <>
inline constexpr std::size_t ashlar::sync::segment_lap<number> = 4;

namespace {

struct operation {
  bool is_push;
  bool done;  // false: the queue was full or empty
  int value;
};

// A queue of that capacity, or one from which the greatest leaves first.
template <std::size_t Capacity, bool Greatest>
struct sequential_queue {
  using operation = ::operation;
  std::vector<int> elements;

  bool apply(operation const& op) {
    if (op.is_push) {
      bool const room = elements.size() < Capacity;
      if (room) elements.push_back(op.value);
      return room == op.done;
    }
    if (elements.empty()) return !op.done;
    auto first = elements.begin();
    for (auto i = first; Greatest && i != elements.end(); ++i) {
      if (*i > *first) first = i;
    }
    bool const right = op.done && op.value == *first;
    elements.erase(first);
    return right;
  }
  friend bool operator<(sequential_queue const& a, sequential_queue const& b) { return a.elements < b.elements; }
};

bool try_push(tbb::concurrent_queue<number>& q, int v) { return q.push(number{v}), true; }
bool try_push(tbb::concurrent_priority_queue<number>& q, int v) { return q.push(number{v}), true; }
bool try_push(tbb::concurrent_bounded_queue<number>& q, int v) { return q.try_push(number{v}); }

template <typename Specification, typename Queue, typename Prepare>
void check_histories(Prepare const& prepare) {
  constexpr unsigned threads = 3;
  for (int round = 0; round < 200; ++round) {
    Queue q;
    prepare(q);
    auto const history = test::record_history<Specification>(threads, [&](unsigned thread, auto& record) {
      unsigned dice = thread * 7919u + static_cast<unsigned>(round) * 104729u + 1;
      for (int i = 0; i < 6; ++i) {
        dice = dice * 1664525u + 1013904223u;
        if (dice >> 31) {
          int const value = static_cast<int>(dice >> 8 & 0xffff);
          record([&] { return operation{true, try_push(q, value), value}; });
        } else {
          record([&] {
            number n;
            bool const done = q.try_pop(n);
            return operation{false, done, n.value};
          });
        }
        if (dice >> 29 & 1) std::this_thread::yield();
      }
    });
    REQUIRE(test::linearizable<Specification>(history));
  }
}

}  // namespace

TEST_CASE("concurrent_queue is linearizable") {
  check_histories<sequential_queue<1000, false>, tbb::concurrent_queue<number>>([](auto&) {});
}
TEST_CASE("concurrent_bounded_queue is linearizable") {
  check_histories<sequential_queue<2, false>, tbb::concurrent_bounded_queue<number>>(
      [](auto& q) { q.set_capacity(2); });
}
TEST_CASE("concurrent_priority_queue is linearizable") {
  check_histories<sequential_queue<1000, true>, tbb::concurrent_priority_queue<number>>([](auto&) {});
}
