// SPDX-License-Identifier: Apache-2.0
// The flag of collaborative_call_once. One word says how far the call is, which attempt it is and how many threads are
// about to join it. The thread that makes the call names its arena and its isolation tag in the flag; whoever comes
// meanwhile takes a slot in that arena and works on tasks with that tag until the attempt is over. The arena is alive
// as long as the caller sits in it, so the caller leaves only when nobody is about to join.
//
// Ordering   [CO1] word to `open`: release (arena, tag) -> [O2] a joining thread's add: acquire
//            [O3] a joining thread has its slot: word down, acq_rel -> [O4] the caller's wait for that: acquire
//            [O5] the attempt's end: compare-exchange, acq_rel -> [O6] is_done, and who waits: acquire
// Model      tests/model/call_once_model.cpp
#pragma once

#include <ashlar/sched/arena/arena_handle.h>
#include <ashlar/sched/core/words_scope.h>

namespace ashlar {
inline namespace v1 {
namespace algo {

class once_state {
 public:
  once_state() noexcept = default;
  once_state(once_state const&) = delete;
  once_state& operator=(once_state const&) = delete;

  bool is_done() const noexcept { return (word_.load(mo::acquire) & phase_mask) == done; }  // [O6]

  /// Makes the call, or takes part in another thread's and returns when that is over: then the caller looks again.
  template <typename Call>
  void run(Call const& call) {
    if (!begin()) {
      join();
      return tsan::acquire(&word_);
    }
    tsan::acquire(&word_);
    ASHLAR_TRY {
      sched::slot& s = sched::this_slot();
      sched::isolation_scope const scope(s, sched::new_isolation_tag());
      open(s);
      sched::words_scope const words(s);
      call();
    }
    ASHLAR_CATCH_ALL {
      tsan::release(&word_);
      end(idle);
      ASHLAR_RETHROW;
    }
    tsan::release(&word_);
    end(done);
  }

 private:
  enum phase : std::uint64_t { idle, closed, opened, done };  // closed: the call is being made, but nobody can join

  static constexpr std::uint64_t phase_mask = 3;
  static constexpr std::uint64_t one_joining = 4;
  static constexpr std::uint64_t joining_mask = 0xfffffffc;
  static constexpr std::uint64_t one_attempt = std::uint64_t{1} << 32;
  static constexpr std::uint64_t sleeper = std::uint64_t{1} << 63;
  static constexpr std::uint64_t attempt_mask = ~(sleeper | (one_attempt - 1));

  ASHLAR_EXPORT bool begin() noexcept;
  ASHLAR_EXPORT void open(sched::slot& s) noexcept;
  ASHLAR_EXPORT void end(std::uint64_t next) noexcept;
  ASHLAR_EXPORT void join();
  void wait_for(std::uint64_t attempt, sched::slot& s) noexcept;

  atomic<std::uint64_t> word_{idle};
  sched::arena* arena_ = nullptr;
  std::uint32_t tag_ = 0;
};

}  // namespace algo
}  // namespace v1
}  // namespace ashlar
