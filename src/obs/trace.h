// SPDX-License-Identifier: Apache-2.0
// Recording what the scheduler does (ASHLAR_TRACE). Each thread writes to a lane of its own: chunks of a file mapped
// into memory (trace_format.h). The scheduler calls this only from paths that it takes while attention_observe is up,
// or that are slow anyway.
//
// Threads    every function writes to the calling thread's lane.
// Cost       off: a load and a branch. On: the clock and two stores; a system call when the thread's last event is more
//            than 2^16 ticks ago, and a mapping per chunk.
// Fork       a child records nothing; the parent's file is left alone.
#pragma once

#include "obs/trace_format.h"
#include "os/clock.h"
#include "os/thread_activity.h"

#include <ashlar/obs/trace_region.h>

#include <cstdint>

namespace ashlar {
inline namespace v1 {
namespace obs {

class trace_lane {
 public:
  // A trace event with a payload below 2^44.
  ASHLAR_ALWAYS_INLINE void write(trace_event what, std::uint64_t payload) noexcept {
    std::uint64_t const now = os::ticks();
    std::uint64_t const delta = now - last_;
    if (ASHLAR_UNLIKELY(delta >> trace_delta_bits != 0) || ASHLAR_UNLIKELY(at_ + reserve > end_)) {
      return write_slowly(what, payload, now);
    }
    *at_++ = static_cast<std::uint64_t>(what) | delta << trace_kind_bits | payload << trace_payload_shift;
    last_ = now;
  }
  // One without time; it belongs to the event before or to those after it.
  ASHLAR_ALWAYS_INLINE void annotate(trace_event what, std::uint64_t payload) noexcept {
    if (at_ != end_) *at_++ = static_cast<std::uint64_t>(what) | payload << trace_kind_bits;
  }
  // `more`: 0 for a region, trace_moment for a moment.
  void name(char const* text, std::uint64_t more) noexcept;
  void label(void const* address) noexcept {
    if (label_ == address) return;
    label_ = address;
    annotate(trace_event::label, reinterpret_cast<std::uintptr_t>(address));
  }

  bool open() noexcept;
  void close() noexcept;
  // Forgets what is in the lane's first chunk.
  void rewind() noexcept;

 private:
  // Before each timed event there is room for it, a time, a loss, and two annotations.
  static constexpr std::ptrdiff_t reserve = 5;

  ASHLAR_COLD void write_slowly(trace_event what, std::uint64_t payload, std::uint64_t now) noexcept;
  bool next_chunk() noexcept;
  void put(trace_event what, std::uint64_t delta, std::uint64_t payload) noexcept {
    *at_++ = static_cast<std::uint64_t>(what) | delta << trace_kind_bits | payload << trace_payload_shift;
  }
  struct gap {
    std::uint64_t lost = 0;     // ticks that others had the processor
    std::uint64_t blocked = 0;  // ticks that the thread slept
  };
  gap off_processor(std::uint64_t now) noexcept;

  std::uint64_t* at_ = nullptr;
  std::uint64_t* end_ = nullptr;
  std::uint64_t last_ = 0;
  void const* label_ = nullptr;
  trace_chunk* chunk_ = nullptr;
  std::uint32_t number_ = 0;
  std::uint32_t chunks_ = 0;
  // The last reading of the thread's processor time, and the clock then.
  std::uint64_t cpu_ns_ = 0;
  std::uint64_t cpu_ticks_ = 0;
  // The same of what was told last: context switches, and the wait for a processor.
  os::switches switches_;
  std::uint64_t queued_ns_ = 0;
  std::uint64_t untold_ = 0;  // ticks without a processor since
};

// The calling thread's lane, or null if it can't have one.
trace_lane* this_trace_lane() noexcept;

// Starts recording into the file. False, after one line on stderr, if that is not possible. `limit`: bytes of the file;
// when they are used up, recording ends.
bool start_trace(char const* path, std::uint64_t limit) noexcept;
// The process ends: what is written from here on is not read.
void finish_trace() noexcept;
// The calling thread ends.
void end_trace_lane() noexcept;

#ifdef ASHLAR_MODEL
// A trace is part of no protocol.
constexpr bool tracing() noexcept { return false; }
#else
ASHLAR_ALWAYS_INLINE bool tracing() noexcept { return ASHLAR_UNLIKELY(trace_is_on.load(mo::relaxed)); }
#endif

ASHLAR_ALWAYS_INLINE void trace(trace_event what, void const* address) noexcept {
  if (!tracing()) return;
  if (trace_lane* const lane = this_trace_lane()) {
    lane->write(what, (reinterpret_cast<std::uintptr_t>(address) >> trace_address_shift) & trace_payload_most);
  }
}

// The thread sits down in a slot of the arena.
inline void trace_occupy(void const* slot, void const* arena, unsigned slots) noexcept {
  if (!tracing()) return;
  trace(trace_event::occupy, slot);
  if (trace_lane* const lane = this_trace_lane()) {
    std::uint64_t const address = reinterpret_cast<std::uintptr_t>(arena) >> trace_address_shift;
    lane->annotate(trace_event::parent, address | std::uint64_t{slots} << trace_arena_bits);
  }
}

}  // namespace obs
}  // namespace v1
}  // namespace ashlar
