// SPDX-License-Identifier: Apache-2.0
// References of an arena that the market lists without one: the arena is freed once, after everything that was done
// with it, and nobody uses it afterwards; jobs that are left keep it. sched/arena/reference_count.h is the real one;
// the market's lock and list, and arena::destroy, are the scene's.
#include <scenes.h>

#include <engine/os.h>

#include "sched/arena/reference_count.h"

#include <mutex>
#include <utility>

using namespace ashlar;

namespace {

enum class mistake { none, plain_retain, freed_listed, freed_with_jobs };
mistake wrong = mistake::none;

struct referred;

struct market {
  std::mutex lock;
  referred* listed = nullptr;
  market() { model::label(lock, "market's lock"); }
};

struct referred {
  market& by;
  sched::reference_count references;
  model::var<int> done[3];  // by each of those who refer to it
  int jobs = 0;             // under the market's lock
  bool abandoned = false;

  referred(market& m, unsigned n) : by(m), references(n) {
    model::label(references, "references");
    m.listed = this;
  }
  void release() {
    if (references.release()) destroy();
  }
  // arena::destroy, market::abandon.
  void destroy() {
    int sum = 0;
    for (auto& d : done) sum += d.get();
    {
      std::lock_guard const guard(by.lock);
      if (jobs != 0 && wrong != mistake::freed_with_jobs) {
        references.adopt();
        abandoned = true;
        return;
      }
      model::require(jobs == 0, "an arena with jobs is kept");
      if (wrong != mistake::freed_listed) by.listed = nullptr;
    }
    delete this;
  }
  // A thread that has a reference goes.
  void leave(int who) {
    done[who].set(1);
    release();
  }
};

// market::assign, then the worker's stay, and market::leave.
void work(market& m) {
  referred* found;
  {
    std::lock_guard const guard(m.lock);
    found = m.listed;
    if (found == nullptr) return;
    if (wrong == mistake::plain_retain) {
      found->references.retain();
    } else if (!found->references.try_retain()) {
      return;
    }
  }
  found->done[2].set(1);
  bool last_job;
  {
    std::lock_guard const guard(m.lock);
    found->jobs = 0;
    last_job = std::exchange(found->abandoned, false);
  }
  if (last_job) found->release();
  found->release();
}

void handles_and_worker() {
  market m;
  auto* const a = new referred(m, 2);
  model::thread one("first handle", [a] { a->leave(0); });
  model::thread worker("worker", [&m] { work(m); });
  a->leave(1);
  one.join();
  worker.join();
}

void jobs_are_left() {
  market m;
  auto* const a = new referred(m, 1);
  a->jobs = 1;
  model::thread worker("worker", [&m] { work(m); });
  a->leave(0);
  worker.join();
  // The next worker comes for them.
  work(m);
}

constexpr model::scene scenes[] = {{"handles and a worker", handles_and_worker, 4},
                                   {"jobs are left", jobs_are_left, 4}};

bool fails(mistake m) {
  wrong = m;
  bool failed = false;
  for (model::scene const& s : scenes) failed = failed || model::check_scene(s, {}).failed;
  wrong = mistake::none;
  return failed;
}

}  // namespace

TEST_CASE("an arena is freed once, and is used by nobody afterwards") { model::check_all(scenes); }

TEST_CASE("each step is needed") {
  CHECK(fails(mistake::plain_retain));
  CHECK(fails(mistake::freed_listed));
  CHECK(fails(mistake::freed_with_jobs));
}

TEST_CASE("each order is needed") { model::check_each_order(scenes, {"src/sched/arena/reference_count.h"}); }
