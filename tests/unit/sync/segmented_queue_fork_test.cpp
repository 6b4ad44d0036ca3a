// SPDX-License-Identifier: Apache-2.0
// A queue in the child of a fork: whatever the other threads were about to do, the only one left can go on.
#include "support/death.h"

#include "sync/orphaned_queue.h"

#include <doctest/doctest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace {

struct element {
  int value;
};

}  // namespace

// Segments end at every third element.
template <>
inline constexpr std::size_t ashlar::sync::segment_lap<element> = 4;

namespace {

using queue = ashlar::sync::segmented_queue<element>;

// 0: what is left comes out, and the queue is as good as new.
int use_in_child(queue& q) {
  ashlar::sync::orphaned_queue::forget_threads(q);
  element e{};
  int left = 0;
  while (q.try_pop(e)) ++left;
  if (left > 1000 || !q.empty()) return 1;
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 20; ++i) q.push(element{i});
    if (q.size() != 20) return 2;
    for (int i = 0; i < 20; ++i) {
      if (!q.try_pop(e) || e.value != i) return 3;
    }
    if (q.try_pop(e)) return 4;
  }
  return 0;
}

}  // namespace

// A sanitizer's allocator is of no use in the child if another thread was in it.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif

TEST_CASE("segmented_queue: the child of a fork goes on, whatever others were about to do" * doctest::skip(sanitized)) {
  queue q;
  std::atomic<bool> over{false};
  std::atomic<int> held{0};
  std::vector<std::thread> others;
  for (int k = 0; k < 2; ++k) {
    others.emplace_back([&] {
      while (!over) {
        if (held < 500) {
          ++held;
          q.push(element{7});
        }
      }
    });
    others.emplace_back([&] {
      for (element e{}; !over;) {
        if (q.try_pop(e)) --held;
      }
    });
  }
  for (int i = 0; i < 200; ++i) {
    test::death const child = test::run_in_child([&] {
      alarm(60);
      _exit(use_in_child(q));
    });
    CHECK(child.exited);
    CHECK(child.code == 0);
    if (!child.exited) break;
  }
  over = true;
  for (auto& t : others) t.join();
}

TEST_CASE("segmented_queue: forgetting nobody changes nothing") {
  queue q;
  ashlar::sync::orphaned_queue::forget_threads(q);
  for (int n = 1; n < 12; ++n) {
    for (int i = 0; i < n; ++i) q.push(element{i});
    element e{};
    REQUIRE(q.try_pop(e));
    ashlar::sync::orphaned_queue::forget_threads(q);
    REQUIRE(q.size() == static_cast<std::size_t>(n - 1));
    for (int i = 1; i < n; ++i) {
      REQUIRE(q.try_pop(e));
      REQUIRE(e.value == i);
    }
    REQUIRE(q.empty());
    ashlar::sync::orphaned_queue::forget_threads(q);
  }
}
