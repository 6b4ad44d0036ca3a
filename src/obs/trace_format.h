// SPDX-License-Identifier: Apache-2.0
// The file that ASHLAR_TRACE=file makes: one header block, then chunks, each of `trace_chunk_size` bytes. A chunk holds
// events of one lane (a thread), 8 bytes each, in the order of time; the first zero word ends it. The file grows chunk
// by chunk and is mapped into memory, so whatever was written is there after a crash. docs/tracing.md describes it.
//
// An event's word, from bit 0: 4 bits kind, then
//   timed kinds    16 bits ticks since the lane's event before, 44 bits payload (an address is shifted right by 3)
//   untimed kinds  60 bits payload
#pragma once

#include <cstddef>
#include <cstdint>

namespace ashlar {
inline namespace v1 {
namespace obs {

inline constexpr std::uint32_t trace_version = 3;
inline constexpr std::uint32_t oldest_trace_version = 2;  // that is still read: slots don't tell their arena there
inline constexpr std::size_t trace_chunk_size = std::size_t{1} << 16;
inline constexpr char trace_magic[8] = {'A', 'S', 'H', 'T', 'R', 'A', 'C', 'E'};
inline constexpr std::uint32_t trace_chunk_magic = 0x4b434841;  // "AHCK"

enum class trace_event : unsigned {
  none,        // the end of a chunk's events
  time,        // untimed: ticks to add to the lane's clock, when 16 bits don't do
  spawn,       // a job was made available to others
  begin,       // the thread starts to run a job
  end,         // the job is over
  wait_begin,  // the running task starts to wait; payload: an address that tells for what
  wait_end,    // what it waited for is over; payload 0: everything that it has spawned is over
  join,        // the job, which the running task had spawned, is over
  steal,       // payload: the victim's slot. The job's begin follows
  park,        // the thread goes to sleep
  wake,        // it goes on
  occupy,      // the thread sits down in a slot (the payload; parent: its arena); 0: it leaves its slot
  label,       // untimed: the address of code or of a virtual table that names the kind of the jobs begun from here on
  parent,      // untimed: the job that waits for the end of the one that has just begun; after a slot: the arena,
               // its address shifted right by 3 and above bit 44 its concurrency
  region,      // payload: the length of a name, which follows in whole words; 0: the innermost region ends;
               // trace_region_of_code; or a moment's name, with trace_moment added to its length
  lost,        // payload: 2 * ticks + voluntary: so much of the gap before it the thread didn't have a processor
  count
};

constexpr bool is_timed(trace_event e) noexcept {
  return e != trace_event::time && e != trace_event::label && e != trace_event::parent;
}

inline constexpr int trace_kind_bits = 4;
inline constexpr int trace_delta_bits = 16;
inline constexpr int trace_payload_shift = trace_kind_bits + trace_delta_bits;
inline constexpr int trace_address_shift = 3;
inline constexpr std::uint64_t trace_payload_most = (std::uint64_t{1} << (64 - trace_payload_shift)) - 1;
inline constexpr std::size_t trace_name_most = 200;  // bytes of a region's name
// As a region's payload: it is named by the label before it.
inline constexpr std::uint64_t trace_region_of_code = trace_payload_most;
// Added to the length of a name: it is no region but a moment (tbb::profiling::event).
inline constexpr std::uint64_t trace_moment = std::uint64_t{1} << 16;

constexpr bool is_moment(std::uint64_t region_payload) noexcept {
  return (region_payload & ~(trace_moment - 1)) == trace_moment;
}
inline constexpr int trace_arena_bits = 44;

enum class trace_state : std::uint32_t { running, complete, full };

struct trace_header {
  char magic[8];
  std::uint32_t version;
  std::uint32_t chunk_size;
  std::uint64_t start_ticks;
  std::uint64_t end_ticks;  // 0 until the end
  double ticks_per_ns;
  double event_ns;  // what one event costs the recording thread, measured when the file was made
  std::uint32_t process;
  trace_state state;
  std::uint32_t processors;
  std::uint32_t modules_size;  // bytes of `modules`
  char program[256];
  // Lines "load-address-in-hex path": where the addresses of labels belong.
  char modules[trace_chunk_size - 320];
};
static_assert(sizeof(trace_header) <= trace_chunk_size);

struct trace_chunk {
  std::uint32_t magic;
  std::uint32_t lane;
  std::uint32_t sequence;  // of the lane's chunks, from 0
  std::uint32_t thread;    // the kernel's number
  std::uint64_t start_ticks;
  std::uint64_t start_cpu_ns;  // the thread's processor time
  static constexpr std::size_t capacity = trace_chunk_size / 8 - 4;
  std::uint64_t events[capacity];
};
static_assert(sizeof(trace_chunk) == trace_chunk_size);

}  // namespace obs
}  // namespace v1
}  // namespace ashlar
