// SPDX-License-Identifier: Apache-2.0
// Producers and consumers, more than processors, with failing constructors: every element that was pushed is popped
// exactly once, and each consumer sees the elements of one producer in order.
#include <ashlar/sync/segmented_queue.h>

#include <doctest/doctest.h>

#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

namespace {

struct item {
  static inline std::atomic<long> live{0};

  item(int from, long number, bool fail) : producer(from), serial(number) {
    if (fail) throw std::runtime_error("item");
    live.fetch_add(1, std::memory_order_relaxed);
  }
  item(item const& o) : producer(o.producer), serial(o.serial) { live.fetch_add(1, std::memory_order_relaxed); }
  item& operator=(item const&) = default;
  ~item() { live.fetch_sub(1, std::memory_order_relaxed); }

  int producer;
  long serial;
};

}  // namespace

template <>
inline constexpr std::size_t ashlar::sync::segment_lap<item> = 8;

namespace {

void hurry(int producers, int consumers, long per_producer, bool failures) {
  ashlar::sync::segmented_queue<item> q;
  std::atomic<long> good{0};
  std::atomic<int> producing{producers};
  std::atomic<long> popped{0};
  std::atomic<bool> disorder{false};
  std::vector<std::thread> threads;
  for (int p = 0; p < producers; ++p) {
    threads.emplace_back([&, p] {
      unsigned seed = static_cast<unsigned>(p) * 2654435761u + 1;
      for (long i = 0; i < per_producer; ++i) {
        seed = seed * 1664525u + 1013904223u;
        bool const fail = failures && seed >> 28 == 0;
        try {
          q.emplace(p, i, fail);
          good.fetch_add(1, std::memory_order_relaxed);
        } catch (std::runtime_error const&) {
          if (!fail) disorder = true;
        }
      }
      producing.fetch_sub(1);
    });
  }
  for (int c = 0; c < consumers; ++c) {
    threads.emplace_back([&] {
      std::vector<long> last(static_cast<std::size_t>(producers), -1);
      for (;;) {
        bool const final_round = producing.load() == 0;
        bool any = false;
        while (q.pop_with([&](item& got) {
          long& before = last[static_cast<std::size_t>(got.producer)];
          if (got.serial <= before) disorder = true;
          before = got.serial;
        })) {
          popped.fetch_add(1, std::memory_order_relaxed);
          any = true;
        }
        if (final_round && !any) return;
        if (!any) std::this_thread::yield();
      }
    });
  }
  for (auto& t : threads) t.join();
  CHECK_FALSE(disorder.load());
  CHECK(popped.load() == good.load());
  CHECK(q.empty());
}

}  // namespace

TEST_CASE("segmented_queue under load") {
  for (int round = 0; round < 5; ++round) {
    hurry(1, 1, 500'000, false);
    hurry(4, 4, 100'000, true);
    hurry(7, 1, 30'000, true);
    hurry(1, 7, 200'000, true);
  }
  CHECK(item::live.load() == 0);
}
