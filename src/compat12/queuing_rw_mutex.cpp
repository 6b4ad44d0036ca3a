// SPDX-License-Identifier: Apache-2.0
// oneTBB's queuing_rw_mutex: our own fits into its word, and our lock into its lock, whose first word is the mutex in
// both.
#include "contract.h"

#include <ashlar/sync/queuing_rw_mutex.h>

namespace tbb::detail::r1 {

using own_mutex = tbb::queuing_rw_mutex;
using own_lock = own_mutex::scoped_lock;
static_assert(sizeof(own_mutex) == sizeof(d1::queuing_rw_mutex) &&
              sizeof(own_lock) <= sizeof(d1::queuing_rw_mutex::scoped_lock));

static own_mutex& own(d1::queuing_rw_mutex& m) { return reinterpret_cast<own_mutex&>(m); }
static own_lock& own(d1::queuing_rw_mutex::scoped_lock& l) { return *std::launder(reinterpret_cast<own_lock*>(&l)); }

ASHLAR_EXPORT void construct(d1::queuing_rw_mutex& m) { new (&m) own_mutex; }
ASHLAR_EXPORT void acquire(d1::queuing_rw_mutex& m, d1::queuing_rw_mutex::scoped_lock& l, bool write) {
  (new (&l) own_lock)->acquire(own(m), write);
}
ASHLAR_EXPORT bool try_acquire(d1::queuing_rw_mutex& m, d1::queuing_rw_mutex::scoped_lock& l, bool write) {
  return (new (&l) own_lock)->try_acquire(own(m), write);
}
ASHLAR_EXPORT void release(d1::queuing_rw_mutex::scoped_lock& l) { own(l).release(); }
ASHLAR_EXPORT bool upgrade_to_writer(d1::queuing_rw_mutex::scoped_lock& l) { return own(l).upgrade_to_writer(); }
ASHLAR_EXPORT bool downgrade_to_reader(d1::queuing_rw_mutex::scoped_lock& l) { return own(l).downgrade_to_reader(); }
ASHLAR_EXPORT bool is_writer(d1::queuing_rw_mutex::scoped_lock const& l) {
  return own(const_cast<d1::queuing_rw_mutex::scoped_lock&>(l)).is_writer();
}

}  // namespace tbb::detail::r1
