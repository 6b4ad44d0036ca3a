// SPDX-License-Identifier: Apache-2.0
// Traversals: a range algorithm that counts only stolen jobs completes exactly once, after everything is done, and
// nobody touches a counter that is gone. algo/join_counter.h, the deque and the parking lot are the real ones.
#include <doctest/doctest.h>

#include <engine/model.h>
#include <engine/os.h>

#include <ashlar/algo/join_counter.h>

#include <utility>

#include <parking_lot.h>
#include "sched/queue/deque.cpp"

using namespace ashlar;

namespace {

model::parking_lot* the_lot = nullptr;  // of the execution
bool arm_late = false;                  // mistake: enter the lot after the last look

}  // namespace

// What the library's slot does when a wait finds nothing else to run: dispatch.cpp, park_waiter.
namespace ashlar::inline v1::sched {

slot::~slot() = default;  // no stacks

void slot::wait(wait_target const& target) noexcept {
  sleeper own;
  arena& here = *reinterpret_cast<arena*>(this);
  while (!target.done()) {
    if (!arm_late) the_lot->enter_waiter(own, here, target.address, true);
    bool const announced = target.announce();
    if (announced) os::heavy_fence();
    if (!announced || target.done()) {
      if (!arm_late) the_lot->leave(own);
      continue;
    }
    if (arm_late) the_lot->enter_waiter(own, here, target.address, true);
    own.sleep();
  }
}

void wake_waiters(void const* address) noexcept { the_lot->wake_address(address); }

void context::retire() noexcept { model::require(false, "no context is cancelled here"); }

}  // namespace ashlar::inline v1::sched

namespace {

struct scene;

// A part of the range on offer, and the counter of the traversal that it becomes when it is stolen.
struct part : sched::job, algo::join_counter {
  part(algo::join_counter& of, int number) : job{nullptr}, join_counter(&of), index(number) {}
  int index;
};

constexpr int parts = 3;  // 0 (and 1) are offered by the caller, 2 by whoever runs 0

struct place {
  sched::deque queue;
  std::int64_t out = 0;
};

struct scene {
  model::parking_lot lot;
  sched::slot here;  // stands for the caller's slot
  place places[3];
  model::var<int> done[parts];
  bool const nested;

  explicit scene(bool n) : nested(n) {
    the_lot = &lot;
    for (place& at : places) {
      at.queue.make_room(0);
      model::label(at.queue, "deque");
    }
    model::label(lot, "lot");
  }
  void offer(place& at, algo::join_counter& of, int number) {
    at.queue.push(new part(of, number), 0);
    ++at.out;
  }
  void run(place& at, algo::join_counter& record, int number) {
    done[number].set(done[number].get() + 1);
    if (number == 0 && nested) offer(at, record, 2);
  }
  // Takes back what was not stolen. Returns how much was.
  std::int64_t take_back(place& at, algo::join_counter& record) {
    while (sched::job* const popped = at.queue.pop()) {
      --at.out;
      run(at, record, static_cast<part*>(popped)->index);
      delete static_cast<part*>(popped);
    }
    return std::exchange(at.out, 0);
  }
  void steal(place& from, place& at) {
    sched::job* what = nullptr;
    sched::job_key key = 0;
    if (from.queue.steal(what, key, [](auto...) { return true; }) != sched::deque::outcome::taken) return;
    auto* const mine = static_cast<part*>(what);
    run(at, *mine, mine->index);
    if (mine->close(take_back(at, *mine))) completed(mine);
  }
  static void completed(algo::join_counter* r) {
    for (;;) {
      algo::join_counter* const from = r->from;
      delete static_cast<part*>(r);
      if (!from->job_over()) return;
      r = from;
    }
  }
};

// The caller offers two parts, or (nested) one that offers another. The second thief steals from the caller, too, or
// from the first thief.
model::result run(bool nested, bool chain, std::vector<model::site> weaken = {}) {
  model::options how;
  how.weaken = std::move(weaken);
  how.preemptions = 3;
  return model::check(how, [=] {
    scene s(nested);
    model::thread first("thief 1", [&] { s.steal(s.places[0], s.places[1]); });
    model::thread second("thief 2", [&] { s.steal(s.places[chain ? 1 : 0], s.places[2]); });
    {
      algo::root_join root;
      model::label(root, "root");
      s.offer(s.places[0], root, 0);
      if (!nested) s.offer(s.places[0], root, 1);
      if (std::int64_t const stolen = s.take_back(s.places[0], root)) root.wait(s.here, stolen);
      for (int i = 0; i < parts; ++i) {
        bool const offered = nested ? i != 1 : i != 2;
        model::require(s.done[i].get() == (offered ? 1 : 0), "every part is done once when the wait is over");
      }
    }
    first.join();
    second.join();
  });
}

void hold(model::result const& r) {
  INFO(r.report);
  CHECK(!r.failed);
  CHECK(r.complete);
  CHECK(r.executions > 100);
}

}  // namespace

TEST_CASE("a range algorithm completes once, after everything is done") {
  hold(run(false, false));
  hold(run(true, true));
}

TEST_CASE("each order is needed") {
  char const* const file = "include/ashlar/algo/join_counter.h";
  for (std::string const& tag : model::tags_of(file)) {
    CAPTURE(tag);
    std::vector<model::site> const lines = model::tagged(file, tag);
    CHECK((run(false, false, lines).failed || run(true, true, lines).failed));
  }
}

TEST_CASE("a caller that enters the parking lot after its last look is never woken") {
  arm_late = true;
  CHECK(run(false, false).kind == "deadlock");
  arm_late = false;
}
