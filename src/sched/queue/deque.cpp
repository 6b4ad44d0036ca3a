// SPDX-License-Identifier: Apache-2.0
#include <ashlar/sched/queue/deque.h>

#include "os/membarrier.h"

#include <algorithm>
#include <limits>
#include <new>

namespace ashlar::inline v1::sched {

namespace {
#ifdef ASHLAR_MODEL
constexpr deque::index first_capacity = 2;  // so that a model of three pushes grows the ring
#else
constexpr deque::index first_capacity = 256;
#endif
constexpr deque::index none = -1;

// How many pops below split cost as much as a heavy fence: a locked exchange takes some sixteen ticks everywhere.
deque::index pops_for_a_fence() noexcept { return static_cast<deque::index>(os::heavy_fence_ticks() / 16); }

}  // namespace

void deque::make_room(index b) {
  ring* const old = ring_.load(mo::relaxed);
  index const t = top_.load(mo::acquire);  // [D6]
  index const capacity = old == nullptr ? 0 : old->mask + 1;
  if (old != nullptr && b - t < capacity) {
    limit_ = t + capacity;
    return;
  }
  if (old == nullptr && !os::heavy_fence_available()) {
    constexpr index all = std::numeric_limits<index>::max();
    split_.store(all, mo::relaxed);
    published_.store(all, mo::relaxed);
  }
  index const wider = old == nullptr ? first_capacity : capacity * 2;
  void* const memory = ::operator new(sizeof(ring) + static_cast<std::size_t>(wider) * sizeof(cell));
  auto* const grown = new (memory) ring{old, wider - 1};
  for (index i = 0; i < wider; ++i) new (&grown->at(i)) cell;
  for (index i = t; i < b; ++i) {
    cell& from = old->at(i);
    cell& to = grown->at(i);
    to.what.store(from.what.load(mo::relaxed), mo::relaxed);
    to.key.store(from.key.load(mo::relaxed), mo::relaxed);
  }
  ring_.store(grown, mo::release);  // [D7]
  limit_ = t + wider;
}

deque::index deque::take_shared(index b) noexcept {
  // A job that is gone can be seen without waiting for the line of bottom.
  index t = top_.load(mo::relaxed);
  if (ASHLAR_LIKELY(t <= b)) {
    index const same = bottom_.exchange(b, mo::seq_cst);  // [D3]
    t = top_.load(mo::seq_cst);                           // [D3]
    if (ASHLAR_LIKELY(t < b)) {
      ++fenced_;
      return same;  // b; it lies in the register of the result already
    }
  }
  return take_last(b, t);
}

// The bounds seldom move: what moves them is apart, so that the usual case keeps nothing across a call.
deque::index deque::take_last(index b, index t) noexcept {
  index const split = split_.load(mo::relaxed);
  index const taken = t == b && top_.compare_exchange(t, b + 1, mo::seq_cst, mo::relaxed) ? b : none;  // [D5]
  if (ASHLAR_UNLIKELY(split != followed_ || margin_ != margin || split <= b + 1)) return leave_empty(b + 1, taken);
  bottom_.store(b + 1, mo::release);  // [D11]
  return taken;
}

deque::index deque::leave_empty(index b, index taken) noexcept {
  follow(b);
  bottom_.store(b, mo::release);  // [D11]
  return taken;
}

void deque::follow(index b) noexcept {
  // A thief raises split first, and published after its fence, when the owner may have raised that, too.
  index const split = split_.load(mo::relaxed);
  if (ASHLAR_UNLIKELY(split != followed_)) {
    margin_ = std::min(margin_ * 2, most_margin);
    followed_ = split;
    fenced_ = 0;
  } else if (ASHLAR_UNLIKELY(margin_ != margin) && ++fenced_ > pops_for_a_fence()) {
    margin_ /= 2;
    fenced_ = 0;
  }
  if (split <= b + margin_ - margin) raise_both(b + margin_);
}

// What the owner pops later lies above the bounds or is popped with a fence, so no heavy fence is needed.
void deque::raise_both(index to) noexcept {
  followed_ = to;
  raise(split_, to, mo::relaxed);
  raise(published_, to, mo::release);  // [D10]
}

// The bound takes in all jobs of a deque that holds few, and half of those of a deque that holds many: its owner works
// through these.
deque::index deque::raise_split() noexcept {
  constexpr index few = 16;
  index const t = top_.load(mo::relaxed);
  index const b = bottom_.load(mo::relaxed);
  index const bound = b - t <= few ? b : t + 1 + (b - t) / 2;
  raise(split_, bound, mo::relaxed);
  return bound;
}

void deque::publish_ahead(index jobs) noexcept {
  index const bound = bottom_.load_own() + jobs;
  if (published_.load(mo::relaxed) < bound) raise_both(bound);
}

void deque::fence_heavily() noexcept { os::heavy_fence(); }  // [D9]

deque::~deque() {
  ring* r = ring_.load(mo::relaxed);
  while (r != nullptr) {
    ring* const older = r->older;
    ::operator delete(r);
    r = older;
  }
}

}  // namespace ashlar::inline v1::sched
