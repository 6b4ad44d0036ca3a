// SPDX-License-Identifier: Apache-2.0
// enumerable_thread_specific under threads that come and go while containers are made, cleared and destroyed.
#include <tbb/enumerable_thread_specific.h>

#include <doctest/doctest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

namespace {

constexpr unsigned threads = 8;

template <typename Body>
void run_team(Body const& body) {
  std::vector<std::thread> team;
  for (unsigned t = 0; t != threads; ++t) team.emplace_back([&body, t] { body(t); });
  for (std::thread& member : team) member.join();
}

TEST_CASE("counts of all threads add up, in new and in reused containers") {
  tbb::enumerable_thread_specific<long> kept;
  for (int round = 0; round != 60; ++round) {
    tbb::enumerable_thread_specific<long> fresh(100L);
    std::atomic<int> new_elements{0};
    run_team([&](unsigned) {
      bool exists;
      fresh.local(exists);
      if (!exists) ++new_elements;
      for (int i = 0; i != 200; ++i) {
        ++fresh.local();
        ++kept.local();
      }
    });
    auto const plus = [](long a, long b) { return a + b; };
    REQUIRE(new_elements == static_cast<int>(fresh.size()));
    REQUIRE(fresh.size() <= threads);
    REQUIRE(fresh.combine(plus) == 100 * new_elements + 200L * threads);
    REQUIRE(kept.combine(plus) == static_cast<long>(threads) * 200);
    if (round % 2 == 0) {
      kept.clear();
    } else {
      kept = tbb::enumerable_thread_specific<long>();
    }
  }
}

TEST_CASE("containers made and destroyed by all threads never see each other's elements") {
  tbb::enumerable_thread_specific<long> shared;
  run_team([&](unsigned t) {
    for (long i = 0; i != 300; ++i) {
      std::vector<std::unique_ptr<tbb::enumerable_thread_specific<long>>> mine;
      for (long k = 0; k != i % 12; ++k) {
        mine.push_back(std::make_unique<tbb::enumerable_thread_specific<long>>(k));
      }
      for (long k = 0; k != static_cast<long>(mine.size()); ++k) {
        auto& e = *mine[static_cast<std::size_t>(k)];
        if (e.local() != k) FAIL("a stale element");
        e.local() = -static_cast<long>(t) - 1;
      }
      ++shared.local();
    }
  });
  REQUIRE(shared.size() <= threads);  // one that comes late may go on with the element of one that has ended
  REQUIRE(shared.combine([](long a, long b) { return a + b; }) == 300L * threads);
}

TEST_CASE("elements may be read while others are made") {
  tbb::enumerable_thread_specific<std::atomic<long>> e;
  std::atomic<bool> done{false};
  std::thread reader([&] {
    while (!done) {
      long sum = 0;
      for (auto const& n : e) sum += n;
      if (sum > 40L * threads) FAIL("too much");
    }
  });
  for (int round = 0; round != 40; ++round) run_team([&](unsigned) { ++e.local(); });
  done = true;
  reader.join();
  REQUIRE(e.size() <= threads);
  long sum = 0;
  for (auto const& n : e) sum += n;
  REQUIRE(sum == 40L * threads);
}

TEST_CASE("elements go from threads that end to new ones while containers are cleared, copied, moved and destroyed") {
  struct plain {
    long uses = 0;
    long check = 0;
  };
  using storage = tbb::enumerable_thread_specific<plain>;
  storage kept;
  for (int round = 0; round != 200; ++round) {
    auto other = std::make_unique<storage>();
    std::vector<std::thread> ending;
    for (unsigned t = 0; t != threads; ++t) {
      ending.emplace_back([&] {
        for (storage* s : {&kept, other.get()}) {
          plain& mine = s->local();
          if (mine.uses != mine.check) FAIL("an element of two threads");
          ++mine.uses;
          ++mine.check;
        }
      });
      if (t % 3 == 0) ending.back().join();
    }
    for (std::thread& t : ending) {
      if (t.joinable()) t.join();
    }
    storage copy(*other);
    storage moved(std::move(copy));
    std::thread last([&] { ++moved.local().uses; });
    other.reset();
    last.join();
    long uses = 0;
    moved.combine_each([&](plain const& p) { uses += p.uses; });
    REQUIRE(uses == static_cast<long>(threads) + 1);
    REQUIRE(moved.size() <= threads);
  }
  long uses = 0;
  kept.combine_each([&](plain const& p) { uses += p.uses; });
  REQUIRE(uses == 200L * threads);
  REQUIRE(kept.size() <= threads);
}

}  // namespace
