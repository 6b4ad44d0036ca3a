// SPDX-License-Identifier: Apache-2.0
#include <ashlar/sched/deque.h>

#include <new>

namespace ashlar::sched {

namespace {
#ifdef ASHLAR_MODEL
constexpr deque::index first_capacity = 2;  // so that a model of three pushes grows the ring
#else
constexpr deque::index first_capacity = 256;
#endif
}

void deque::make_room(index b) {
  ring* const old = ring_.load(mo::relaxed);
  index const t = top_.load(mo::acquire);  // [D6]
  index const capacity = old == nullptr ? 0 : old->mask + 1;
  if (old != nullptr && b - t < capacity) {
    limit_ = t + capacity;
    return;
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

deque::~deque() {
  ring* r = ring_.load(mo::relaxed);
  while (r != nullptr) {
    ring* const older = r->older;
    ::operator delete(r);
    r = older;
  }
}

}  // namespace ashlar::sched
