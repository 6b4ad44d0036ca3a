// SPDX-License-Identifier: Apache-2.0
#include <ashlar/sched/tasks/continuation.h>

#include "sched/arena/arena.h"

namespace ashlar::inline v1::sched {

continuation::continuation(entry e, slot& s, context* group) noexcept
    : job{e}, where_(&s.home()), group_(group), key_(running_key(s.key())) {
  where_->retain();
}

continuation::~continuation() { where_->release(); }

void continuation::resume() noexcept {
  slot& here = this_slot();
  // Once the continuation is spawned it may end; the arena stays for this call.
  arena& a = *where_;
  a.retain();
  try {
    if (&here.home() == &a) {
      here.spawn(*this, key_);
    } else {
      a.enqueue(*this, 1);
    }
  } catch (...) {
    here.run(this, key_);
  }
  a.release();
}

}  // namespace ashlar::inline v1::sched
