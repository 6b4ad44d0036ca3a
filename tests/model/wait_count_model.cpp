// SPDX-License-Identifier: Apache-2.0
// A count of things under way: every wait ends once the count is zero, and sees what was done before each release; the
// count may be gone right after. wait_count.cpp and the parking lot are the real ones.
#include <scenes.h>

#include <parking_lot.h>
#include "sched/queue/deque.cpp"
#include "sched/tasks/wait_count.cpp"

#include <parked_slot.h>

#include <memory>

using namespace ashlar;

namespace ashlar::inline v1::sched {

void wake_waiters(void const* address) noexcept { model::the_lot->wake_address(address); }

// No job is run here.
void slot::switch_fp(fp_settings const*) noexcept { model::require(false, "no job has settings"); }
bool slot::run_newest_specially() noexcept { return model::require(false, "no job is urgent"), false; }
void slot::run(job*, job_key) noexcept { model::require(false, "there is no job"); }

}  // namespace ashlar::inline v1::sched

namespace {

struct scene {
  model::parking_lot lot;
  sched::slot here, there;
  std::unique_ptr<sched::wait_count> count;
  model::var<int> done[3];

  explicit scene(std::uint64_t n) : count(std::make_unique<sched::wait_count>(n)) {
    model::the_lot = &lot;
    model::label(lot, "lot");
    model::label(*count, "count");
  }
  void finish(int i) {
    done[i].set(1);
    count->release();
  }
  void finished(int n) {
    for (int i = 0; i < n; ++i) model::require(done[i].get() == 1, "a wait ends after what it waits for");
  }
  // The count ends with the wait.
  void wait_and_drop(int n) {
    count->wait(here);
    finished(n);
    count.reset();
  }
};

void one_release() {
  scene s(1);
  model::thread a("releases", [&] { s.finish(0); });
  s.wait_and_drop(1);
  a.join();
}

void two_releases() {
  scene s(2);
  model::thread a("releases 1", [&] { s.finish(0); });
  model::thread b("releases 2", [&] { s.finish(1); });
  s.wait_and_drop(2);
  a.join();
  b.join();
}

void reserved_meanwhile() {
  scene s(1);
  model::thread a("reserves", [&] {
    s.count->reserve();
    s.finish(0);
    s.finish(1);
  });
  s.wait_and_drop(2);
  a.join();
}

void two_waiters() {
  scene s(1);
  model::thread a("releases", [&] { s.finish(0); });
  model::thread b("waits", [&] {
    s.count->wait(s.there);
    s.finished(1);
  });
  s.count->wait(s.here);
  s.finished(1);
  a.join();
  b.join();
}

// The count is used again after all waits have ended.
void used_again() {
  scene s(1);
  model::thread a("releases", [&] { s.finish(0); });
  s.count->wait(s.here);
  s.count->reserve();
  model::thread b("releases again", [&] { s.finish(1); });
  s.wait_and_drop(2);
  a.join();
  b.join();
}

model::scene const scenes[] = {{"one release", one_release},
                               {"two releases", two_releases, 3},
                               {"reserved meanwhile", reserved_meanwhile, 3},
                               {"two waiters", two_waiters, 2},
                               {"used again", used_again, 2}};

}  // namespace

TEST_CASE("waits end, and after what they wait for") { model::check_all(scenes, {}, 2); }

// A waiter that sets the bit of [WC3] has had the parking lot's lock before, and who sees the bit takes the lock: that
// orders the two already.
TEST_CASE("each order is needed") {
  model::check_each_order(scenes, {"include/ashlar/sched/tasks/wait_count.h", "src/sched/tasks/wait_count.cpp"},
                          {"WC3"});
}
