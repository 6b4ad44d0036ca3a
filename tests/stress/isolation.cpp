// SPDX-License-Identifier: Apache-2.0
// Isolated groups that all threads of an arena share: each thread adds tasks to random ones, tasks add to others, and
// each waits for a random group. Nothing is lost, nobody is left asleep, and no thread that waits for a group runs
// another one's tasks.
//
// ASHLAR_STRESS_ROUNDS: waits of each thread (default: 400).
#define TBB_PREVIEW_ISOLATED_TASK_GROUP 1
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <doctest/doctest.h>

#include "support/thread_team.h"

#include <atomic>
#include <cstdlib>
#include <random>
#include <thread>
#include <vector>

namespace {

constexpr int groups = 8;
thread_local int waits_for = -1;  // the group whose tasks alone may run now, or -1

class crowd {
 public:
  void add(int group, int depth) {
    ++added_;
    groups_[group].run([this, group, depth] { work(group, depth); });
  }
  void live(int index, int rounds) {
    std::minstd_rand random(static_cast<unsigned>(index + 1));
    for (int i = 0; i < rounds; ++i) {
      for (unsigned k = random() % 4; k > 0; --k) {
        add(static_cast<int>(random() % groups), static_cast<int>(random() % 3));
      }
      waits_for = static_cast<int>(random() % groups);
      groups_[waits_for].wait();
      waits_for = -1;
    }
  }
  void end() {
    for (int round = 0; round < 4; ++round) {
      for (auto& g : groups_) g.wait();
    }
  }
  long lost() const { return added_ - ran_; }
  long strangers() const { return strangers_; }

 private:
  void work(int group, int depth) {
    strangers_ += waits_for != -1 && waits_for != group;
    ++ran_;
    int const outer = waits_for;
    waits_for = -1;
    if (depth > 0) {
      add((group * 5 + depth) % groups, depth - 1);
      add(group, depth - 1);
    }
    if (depth == 2) {
      tbb::this_task_arena::isolate(
          [this] { tbb::parallel_for(0, 8, [this](int) { ++ran_, ++added_; }, tbb::simple_partitioner()); });
      tbb::isolated_task_group own;
      for (int i = 0; i < 3; ++i) {
        ++added_;
        own.run([this] {
          ++ran_;
          add(3, 0);
        });
      }
      own.wait();
    }
    waits_for = outer;
  }

  tbb::isolated_task_group groups_[groups];
  std::atomic<long> added_{0}, ran_{0}, strangers_{0};
};

}  // namespace

TEST_CASE("threads wait for random isolated groups that all of them share") {
  char const* const asked = std::getenv("ASHLAR_STRESS_ROUNDS");
  for (int threads : {2, 4, 16, 64}) {
    CAPTURE(threads);
    int const rounds = (asked != nullptr ? std::atoi(asked) : 400) * 2 / threads;
    auto const many = static_cast<std::size_t>(threads);
    test::thread_team const allow(many);
    crowd all;
    tbb::task_arena arena(threads, static_cast<unsigned>(threads));
    std::vector<std::thread> members;
    for (int i = 0; i < threads; ++i) {
      members.emplace_back([&, i] { arena.execute([&, i] { all.live(i, rounds); }); });
    }
    for (std::thread& m : members) m.join();
    arena.execute([&] { all.end(); });
    CHECK(all.lost() == 0);
    CHECK(all.strangers() == 0);
  }
}
