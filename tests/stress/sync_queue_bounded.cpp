// SPDX-License-Identifier: Apache-2.0
// Blocking producers and consumers of a small bounded queue, more of them than processors: every element arrives once,
// the elements of one producer in order, and nobody sleeps for ever.
#include <tbb/concurrent_queue.h>

#include <doctest/doctest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace {

constexpr int sides = 4;
constexpr long each = 20'000;

void hurry(std::ptrdiff_t capacity) {
  tbb::concurrent_bounded_queue<long> q;
  q.set_capacity(capacity);
  std::vector<std::atomic<int>> seen(sides * each);
  std::atomic<bool> disorder{false};
  std::vector<std::thread> team;
  for (int t = 0; t < sides; ++t) {
    team.emplace_back([&, t] {
      for (long i = 0; i < each; ++i) q.push(t * each + i);
    });
    team.emplace_back([&] {
      std::vector<long> last(sides, -1);
      for (long i = 0; i < each; ++i) {
        long v = 0;
        q.pop(v);
        long& before = last[static_cast<std::size_t>(v / each)];
        if (v <= before) disorder = true;
        before = v;
        seen[static_cast<std::size_t>(v)].fetch_add(1, std::memory_order_relaxed);
      }
    });
  }
  for (auto& t : team) t.join();
  long wrong = 0;
  for (auto const& n : seen) wrong += n.load() != 1;
  CHECK(wrong == 0);
  CHECK(!disorder);
  CHECK(q.size() == 0);
}

}  // namespace

TEST_CASE("bounded queue under pressure") {
  for (std::ptrdiff_t capacity : {1, 7, 1024}) hurry(capacity);
}
