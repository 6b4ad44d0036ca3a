// SPDX-License-Identifier: Apache-2.0
// Work that is refused a worker, because busy application threads take up the processors, is not forgotten when these
// have become idle: src/sched/README.md, 'Busy application threads'. The parking lot is the real one; the parts of the
// market, of worker.cpp and of sentinel.h are repeated here statement by statement, with a switch for each way to get
// them wrong. Where a worker sleeps without a time-out while a job is left, the checker reports a deadlock.
#include <doctest/doctest.h>

#include <engine/model.h>
#include <engine/os.h>

#include "sched/park/parking.cpp"

using namespace ashlar;
using sched::sleeper;

namespace {

enum class mistake {
  none,
  nobody_told,  // a refusal leaves it at that although no sentinel is on duty
  off_blindly,  // the sentinel goes off duty without another look
  off_if_shut,  // its other look doesn't count work that is refused
  two_looks     // it asks first for work that is open, then for work that is refused
};

constexpr std::uint32_t wake_bit = 1;

struct scene {
  mistake const wrong;
  int jobs_left = 0;
  atomic<int> visible{0};   // jobs in the deque
  bool busy = true;         // what the processor clocks tell; under the market's lock
  atomic<bool> sentinel{false};
  atomic<std::uint32_t> attention{wake_bit};
  sched::parking_lot lot;
  std::mutex market;

  explicit scene(mistake m) : wrong(m) {
    model::label(visible, "visible");
    model::label(sentinel, "sentinel");
    model::label(attention, "attention");
    model::label(lot, "lot");
    model::label(market, "market");
    model::may_rest([this] { return jobs_left == 0; });
  }
  sched::arena& here() { return *reinterpret_cast<sched::arena*>(this); }
  bool unless(mistake m) const { return wrong != m; }

  // --- slot.h, market.cpp: the owner
  void push() {
    ++jobs_left;
    visible.fetch_add(1, mo::release);
    fence_light();
    if (attention.load(mo::relaxed) == 0) return;
    attention.fetch_and(~wake_bit, mo::relaxed);
    sleeper* chosen;
    {
      std::lock_guard guard(market);
      bool const refused = busy;
      bool const worker = !refused || (unless(mistake::nobody_told) && !sentinel.load(mo::relaxed));
      chosen = lot.take_for(here(), worker, true);
    }
    if (chosen != nullptr) chosen->unpark();
  }

  void rest() {
    std::lock_guard guard(market);
    busy = false;
  }

  // --- market.cpp: the worker
  enum class outlook { no_work, refused, open };
  outlook look_for_work() {
    std::lock_guard guard(market);
    if (visible.load(mo::relaxed) == 0) return outlook::no_work;
    return busy ? outlook::refused : outlook::open;
  }
  void arm_all() {
    std::lock_guard guard(market);
    if ((attention.load(mo::relaxed) & wake_bit) == 0) attention.fetch_or(wake_bit, mo::seq_cst);
  }
  bool work() {
    if (look_for_work() != outlook::open) return false;
    int n = visible.load(mo::relaxed);
    while (n != 0 && !visible.compare_exchange(n, n - 1, mo::acq_rel, mo::relaxed)) {
    }
    jobs_left -= n != 0;
    return n != 0;
  }

  // --- sentinel.h
  bool look(bool& on_duty) {
    outlook const one = look_for_work();
    if (one != outlook::no_work) return one == outlook::open;
    sentinel.store(false, mo::seq_cst);
    on_duty = false;
    os::heavy_fence();
    if (!unless(mistake::off_blindly)) return false;
    if (!unless(mistake::two_looks)) {
      if (look_for_work() == outlook::open) return true;
    }
    outlook const two = look_for_work();
    if (two == outlook::open) return unless(mistake::two_looks);
    if (two == outlook::no_work || !unless(mistake::off_if_shut)) return false;
    on_duty = !sentinel.exchange(true, mo::seq_cst);
    return !on_duty;
  }

  // --- worker.cpp
  // True if another worker has to take over the watch.
  bool sleep_as_worker(sleeper& bed) {
    bool on_duty = !sentinel.exchange(true, mo::seq_cst);
    lot.enter_worker(bed);
    arm_all();
    os::heavy_fence();
    if (look_for_work() == outlook::open) {
      lot.leave(bed);
    } else {
      while (!bed.sleep(on_duty ? 1 : 0)) {
        if (!look(on_duty)) continue;
        lot.leave(bed);
        break;
      }
    }
    bool const missed = on_duty && look_for_work() == outlook::refused;
    if (on_duty) sentinel.store(false, mo::seq_cst);
    return missed;
  }
  void worker() {
    sleeper bed;
    model::label(bed, "bed");
    for (;;) {
      if (!work() && sleep_as_worker(bed)) lot.wake_worker();
    }
  }
};

// The application's threads push so many jobs, and are idle then or between.
model::result watch(mistake wrong, int before, int after, model::options how = {}) {
  return model::check(how, [=] {
    scene s(wrong);
    model::thread worker("worker", [&s] { s.worker(); });
    for (int i = 0; i < before; ++i) s.push();
    s.rest();
    for (int i = 0; i < after; ++i) s.push();
    worker.join();
  });
}

model::options bounded(int preemptions, int timeouts) {
  model::options how;
  how.preemptions = preemptions;
  how.timeouts = timeouts;
  how.trim = true;
  return how;
}

void hold(model::result const& r) {
  INFO(r.report);
  CHECK(!r.failed);
  CHECK(r.complete);
  CHECK(r.executions > 20);
}

}  // namespace

TEST_CASE("work that was refused is done once the processors are free") {
  hold(watch(mistake::none, 1, 0, bounded(3, 1)));
  hold(watch(mistake::none, 2, 0, bounded(2, 2)));
  hold(watch(mistake::none, 1, 1, bounded(2, 1)));
}

TEST_CASE("each step of the watch is needed") {
  CHECK(watch(mistake::nobody_told, 1, 0, bounded(3, 1)).kind == "deadlock");
  CHECK(watch(mistake::off_blindly, 1, 0, bounded(3, 1)).kind == "deadlock");
  CHECK(watch(mistake::off_if_shut, 1, 0, bounded(3, 1)).kind == "deadlock");
  CHECK(watch(mistake::two_looks, 1, 0, bounded(3, 1)).kind == "deadlock");
}
