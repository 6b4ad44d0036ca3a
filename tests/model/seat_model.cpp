// SPDX-License-Identifier: Apache-2.0
// Who leaves a seat and who has to know of it: an arena is freed once, when nobody is in it and nobody refers to it,
// and a thread that waits for a seat is told. sched/core/seat.h, reference_count.h and the parking lot are the real
// ones;
// arena::note_occupants, arena::vacate and the loop of delegate.cpp are repeated, with a switch for each way to get
// them wrong.
#include "scenes.h"

#include <engine/os.h>

#include "sched/arena/reference_count.h"

#include <ashlar/sched/core/seat.h>

#include <mutex>

#include <parking_lot.h>

using namespace ashlar;

namespace {

enum class mistake { none, no_fence, no_reference, unlocked, not_told, looks_first };
mistake wrong = mistake::none;

struct place;
using visitor = std::uintptr_t;
constexpr visitor first = 8;
constexpr visitor second = 16;

struct place {
  sched::parking_lot& lot;
  sched::seat seat;
  std::mutex notes;
  sched::reference_count references;
  atomic<unsigned> seekers{0};
  model::var<bool> tells{false};  // the occupant's

  place(sched::parking_lot& l, unsigned n) : lot(l), references(n) {
    model::label(seat, "seat");
    model::label(notes, "lock of notes");
    model::label(references, "references");
    model::label(seekers, "seekers");
  }
  sched::arena& id() { return *reinterpret_cast<sched::arena*>(this); }

  void release() {
    if (references.release()) delete this;
  }
  bool sit(visitor who) {
    if (!seat.take(who)) return false;
    bool const told = seekers.load(mo::seq_cst) != 0;
    tells.set(told);
    if (told) references.retain();
    return true;
  }
  void vacate() {
    bool const told = tells.get();
    if (!told && seat.leave()) return;
    unsigned n = told ? 1 : 0;
    if (wrong == mistake::unlocked) {
      n += seat.leave_noted();
    } else {
      std::lock_guard const guard(notes);
      n += seat.leave_noted();
    }
    if (wrong != mistake::not_told && seekers.load(mo::relaxed) != 0) lot.wake_seeker(id());
    while (n-- != 0) release();
  }
  void note() {
    std::lock_guard const guard(notes);
    if (!seat.note(true)) return;
    if (wrong != mistake::no_reference) references.retain();
    if (wrong != mistake::no_fence) os::heavy_fence();
    if (!seat.stands([] { cpu_pause(); })) references.take_back();
  }
  // A handle goes.
  void drop() {
    note();
    release();
  }
  // Gets the seat in the end, and leaves it.
  void seek(visitor who) {
    sched::sleeper bed;
    references.retain();
    seekers.fetch_add(1, mo::seq_cst);
    while (!sit(who)) {
      if (wrong == mistake::looks_first && seat.free()) continue;
      lot.enter_seeker(bed, id(), nullptr);
      note();
      if (wrong != mistake::looks_first && seat.free()) {
        lot.leave(bed);
      } else {
        bed.sleep();
      }
    }
    vacate();
    seekers.fetch_sub(1, mo::relaxed);
    release();
  }
};

void handle_goes() {
  model::parking_lot lot;
  auto* const p = new place(lot, 1);
  p->sit(first);
  model::thread inside("visitor", [p] { p->vacate(); });
  p->drop();
  inside.join();
}

// The second visitor comes with a handle of its own, which goes while it is inside.
void two_handles() {
  model::parking_lot lot;
  auto* const p = new place(lot, 2);
  p->sit(first);
  model::thread a("first visitor", [p] { p->vacate(); });
  model::thread b("second visitor", [p] {
    bool const inside = p->sit(second);
    p->drop();
    if (inside) p->vacate();
  });
  p->drop();
  a.join();
  b.join();
}

void one_seeks() {
  model::parking_lot lot;
  auto* const p = new place(lot, 1);
  p->sit(first);
  model::thread a("visitor", [p] { p->vacate(); });
  model::thread b("other visitor", [p] {
    if (p->sit(second)) p->vacate();
  });
  p->seek(24);
  a.join();
  b.join();
  p->drop();
}

constexpr model::scene scenes[] = {
    {"a handle goes", handle_goes, 4}, {"two handles", two_handles, 3}, {"one seeks", one_seeks, 2}};

void finds(mistake m) {
  wrong = m;
  bool found = false;
  for (model::scene const& s : scenes) found = found || model::check_scene(s, {}).failed;
  wrong = mistake::none;
  CHECK(found);
}

}  // namespace

TEST_CASE("an arena ends once, after everybody has left, and seekers are told") { model::check_all(scenes); }

TEST_CASE("the same without a heavy fence") {
  heavy_fence_missing = true;
  model::check_all(scenes);
  heavy_fence_missing = false;
}

TEST_CASE("each order is needed") {
  // The light fence is nothing to the checker: the heavy one is left out below.
  model::check_each_order(scenes, {"include/ashlar/sched/core/seat.h"}, {"A6"});
}

TEST_CASE("each step is needed") {
  finds(mistake::no_fence);
  finds(mistake::no_reference);
  finds(mistake::unlocked);
  finds(mistake::not_told);
  finds(mistake::looks_first);
}
