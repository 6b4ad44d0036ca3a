// SPDX-License-Identifier: Apache-2.0
// oneTBB's speculative locks: hardware transactions by sync/speculative_mutex.h, and our plain spin locks in the first
// word of the program's object where there are none. The program reads the lock's state to see whether it holds, and as
// what.
#include "contract.h"

#include <ashlar/sync/speculative_mutex.h>

namespace tbb::detail::r1 {

namespace {

namespace sync = ashlar::sync;

tbb::spin_mutex& real(d1::rtm_mutex& m) noexcept { return reinterpret_cast<tbb::spin_mutex&>(m.word); }
tbb::spin_rw_mutex& real(d1::rtm_rw_mutex& m) noexcept { return reinterpret_cast<tbb::spin_rw_mutex&>(m.word); }
static_assert(sizeof(tbb::spin_mutex) == 1 && sizeof(tbb::spin_rw_mutex) == 8);

// A transaction reads the whole word: it ends when somebody really takes the lock. A spin_rw_mutex counts its readers
// in the upper half; the lower half is the writer's.
template <typename Word>
Word read(Word const& w) noexcept {
  return reinterpret_cast<ashlar::atomic<Word> const&>(w).load(ashlar::mo::relaxed);
}
bool is_free(d1::rtm_mutex const& m) noexcept { return read(m.word) == 0; }
bool is_free(d1::rtm_rw_mutex const& m, bool write) noexcept {
  std::uint64_t const word = read(m.word);
  return write ? word == 0 : static_cast<std::uint32_t>(word) == 0;
}

template <typename Lock, typename Mutex>
void hold(Lock& l, Mutex& m, int state) noexcept {
  l.mutex = &m;
  l.state = state;
}

// A lock that is held already, and stays held.
class held : public tbb::spin_rw_mutex::scoped_lock {
 public:
  held(tbb::spin_rw_mutex& m, bool as_writer) noexcept {
    mutex_ = &m;
    writer_ = as_writer;
  }
  ~held() { mutex_ = nullptr; }
};

using lock = d1::rtm_mutex::scoped_lock;
using rw_lock = d1::rtm_rw_mutex::scoped_lock;

bool speculate(d1::rtm_mutex& m, lock& l, bool patient) noexcept {
  if (!sync::speculate([&m]() noexcept { return is_free(m); }, patient)) return false;
  hold(l, m, lock::transacting);
  return true;
}
bool speculate(d1::rtm_rw_mutex& m, rw_lock& l, bool write, bool patient) noexcept {
  auto const held_by_writer = [&m]() noexcept { return !is_free(m, false); };
  if (!sync::speculate([&m, write]() noexcept { return is_free(m, write); }, patient, held_by_writer)) return false;
  hold(l, m, write ? rw_lock::transacting_writer : rw_lock::transacting_reader);
  return true;
}

}  // namespace

ASHLAR_EXPORT void acquire(d1::rtm_mutex& m, lock& l, bool only_speculate) {
  if (speculate(m, l, !only_speculate) || only_speculate) return;
  real(m).lock();
  hold(l, m, lock::real);
}
ASHLAR_EXPORT bool try_acquire(d1::rtm_mutex& m, lock& l) {
  if (speculate(m, l, false)) return true;
  if (!real(m).try_lock()) return false;
  hold(l, m, lock::real);
  return true;
}
ASHLAR_EXPORT void release(lock& l) {
  d1::rtm_mutex& m = *l.mutex;
  bool const speculative = l.state == lock::transacting;
  l = {nullptr, lock::none};
  speculative ? sync::rtm::end() : real(m).unlock();
}

ASHLAR_EXPORT void acquire_writer(d1::rtm_rw_mutex& m, rw_lock& l, bool only_speculate) {
  if (speculate(m, l, true, !only_speculate) || only_speculate) return;
  real(m).lock();
  hold(l, m, rw_lock::real_writer);
}
ASHLAR_EXPORT void acquire_reader(d1::rtm_rw_mutex& m, rw_lock& l, bool only_speculate) {
  if (speculate(m, l, false, !only_speculate) || only_speculate) return;
  real(m).lock_shared();
  hold(l, m, rw_lock::real_reader);
}
ASHLAR_EXPORT bool try_acquire_writer(d1::rtm_rw_mutex& m, rw_lock& l) {
  if (speculate(m, l, true, false)) return true;
  if (!real(m).try_lock()) return false;
  hold(l, m, rw_lock::real_writer);
  return true;
}
ASHLAR_EXPORT bool try_acquire_reader(d1::rtm_rw_mutex& m, rw_lock& l) {
  if (speculate(m, l, false, false)) return true;
  if (!real(m).try_lock_shared()) return false;
  hold(l, m, rw_lock::real_reader);
  return true;
}
ASHLAR_EXPORT void release(rw_lock& l) {
  d1::rtm_rw_mutex& m = *l.mutex;
  int const state = l.state;
  l = {nullptr, rw_lock::none};
  if (state == rw_lock::real_writer) return real(m).unlock();
  if (state == rw_lock::real_reader) return real(m).unlock_shared();
  sync::rtm::end();
}
// False if the lock was released on the way.
ASHLAR_EXPORT bool upgrade(rw_lock& l) {
  d1::rtm_rw_mutex& m = *l.mutex;
  if (l.state == rw_lock::transacting_reader) {
    // Real readers exclude a writer: the section runs again from where it began.
    if (!is_free(m, true)) sync::rtm::abort();
    l.state = rw_lock::transacting_writer;
    return true;
  }
  l.state = rw_lock::real_writer;
  return held(real(m), false).upgrade_to_writer();
}
ASHLAR_EXPORT bool downgrade(rw_lock& l) {
  if (l.state == rw_lock::transacting_writer) {
    l.state = rw_lock::transacting_reader;
    return true;
  }
  l.state = rw_lock::real_reader;
  return held(real(*l.mutex), true).downgrade_to_reader();
}

}  // namespace tbb::detail::r1
