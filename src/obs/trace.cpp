// SPDX-License-Identifier: Apache-2.0
#include "obs/trace.h"

#include "os/clock.h"
#include "os/fork.h"
#include "os/modules.h"
#include "os/pages.h"
#include "os/process.h"
#include "os/record_file.h"
#include "os/thread.h"
#include "os/thread_activity.h"
#include "os/topology.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <new>
#include <utility>

namespace ashlar::inline v1::obs {

// [TR1] start_trace: release, after the file is there -> [TR2] a thread's first event: acquire
atomic<bool> trace_is_on{false};

namespace {

struct trace_file {
  os::record_file on_disk;
  trace_header* header = nullptr;
  atomic<std::uint64_t> used{0};  // bytes
  std::uint64_t limit = 0;
  double ticks_per_ns = 1;
  atomic<std::uint32_t> lanes{0};
};
trace_file file;

ASHLAR_INITIAL_EXEC __thread trace_lane* own_lane = nullptr;
ASHLAR_INITIAL_EXEC __thread bool lane_over = false;  // or there is no memory for one

void complain(char const* path, char const* what) noexcept {
  std::fprintf(stderr, "ashlar: ASHLAR_TRACE=%s: %s; no trace is recorded\n", path, what);
}

// Recording ends for all threads. The first caller tells why.
void stop(trace_state why, char const* text) noexcept {
  if (!trace_is_on.exchange(false, mo::relaxed)) return;
  file.header->state = why;
  file.header->end_ticks = os::ticks();
  if (text != nullptr) std::fprintf(stderr, "ashlar: ASHLAR_TRACE: %s; recording ends here\n", text);
}

void list_module(char const* path, std::uintptr_t begin, void* data) {
  auto& h = *static_cast<trace_header*>(data);
  if (*path == 0) path = h.program;
  std::size_t const room = sizeof h.modules - h.modules_size;
  int const n =
      std::snprintf(h.modules + h.modules_size, room, "%llx %s\n", static_cast<unsigned long long>(begin), path);
  if (n > 0 && static_cast<std::size_t>(n) < room) h.modules_size += static_cast<std::uint32_t>(n);
}

void list_modules() noexcept {
  file.header->modules_size = 0;
  os::for_each_module(&list_module, file.header);
}

void forget_in_child() noexcept {
  trace_is_on.store(false, mo::relaxed);
  own_lane = nullptr;
  lane_over = true;
}

// What an event costs, as a thread pays it that has a lane: the best of a few rounds.
double measure_event_ns(double ticks_per_ns) noexcept {
  trace_lane* const lane = this_trace_lane();
  if (lane == nullptr) return 0;
  constexpr unsigned n = 400;
  std::uint64_t best = ~std::uint64_t{0};
  for (int round = 0; round < 5; ++round) {
    std::uint64_t const start = os::ticks();
    for (unsigned i = 0; i < n; ++i) lane->write(trace_event::occupy, 0);
    std::uint64_t const took = os::ticks() - start;
    if (took < best) best = took;
    lane->rewind();
  }
  return static_cast<double>(best) / n / ticks_per_ns;
}

}  // namespace

trace_lane* this_trace_lane() noexcept {
  if (ASHLAR_LIKELY(own_lane != nullptr)) return own_lane;
  if (lane_over || !trace_is_on.load(mo::acquire)) return nullptr;  // [TR2]
  auto* const lane = new (std::nothrow) trace_lane;
  if (lane == nullptr || !lane->open()) {
    delete lane;
    lane_over = true;
    return nullptr;
  }
  return own_lane = lane;
}

void end_trace_lane() noexcept {
  if (own_lane == nullptr) return;
  own_lane->write(trace_event::occupy, 0);  // or nobody knew if the thread had a processor since its last event
  own_lane->close();
  delete own_lane;
  own_lane = nullptr;
}

bool trace_lane::open() noexcept {
  number_ = file.lanes.fetch_add(1, mo::relaxed);
  last_ = os::ticks();
  switches_ = os::own_switches();
  queued_ns_ = os::own_queued_ns();
  return next_chunk();
}

void trace_lane::rewind() noexcept {
  std::memset(chunk_->events, 0, static_cast<std::size_t>(at_ - chunk_->events) * sizeof *at_);
  at_ = chunk_->events;
  chunk_->start_ticks = last_;
}

void trace_lane::close() noexcept {
  if (chunk_ != nullptr) os::unmap_pages(chunk_, trace_chunk_size);
  chunk_ = nullptr;
}

// The lane goes on in a new chunk. False if recording is over.
bool trace_lane::next_chunk() noexcept {
  close();
  at_ = end_ = nullptr;
  if (!trace_is_on.load(mo::relaxed)) return false;
  std::uint64_t const offset = file.used.fetch_add(trace_chunk_size, mo::relaxed);
  if (offset + trace_chunk_size > file.limit) {
    stop(trace_state::full, "the file has reached ASHLAR_TRACE_LIMIT");
    return false;
  }
  chunk_ = static_cast<trace_chunk*>(file.on_disk.map(offset, trace_chunk_size));
  if (chunk_ == nullptr) {
    stop(trace_state::full, std::strerror(errno));
    return false;
  }
  chunk_->lane = number_;
  chunk_->sequence = chunks_++;
  chunk_->thread = static_cast<std::uint32_t>(os::thread_id());
  chunk_->start_ticks = last_;
  chunk_->start_cpu_ns = cpu_ns_ = os::thread_cpu_ns();
  cpu_ticks_ = os::ticks();
  chunk_->magic = trace_chunk_magic;
  at_ = chunk_->events;
  end_ = chunk_->events + trace_chunk::capacity;
  label_ = nullptr;
  return true;
}

// How long the thread was without a processor since the last reading, if that is worth telling: a thread that has slept
// and waited for a processor, too, has lost the wait only.
trace_lane::gap trace_lane::off_processor(std::uint64_t now) noexcept {
  std::uint64_t const cpu = os::thread_cpu_ns();
  auto const had = static_cast<std::uint64_t>(static_cast<double>(cpu - cpu_ns_) * file.ticks_per_ns);
  std::uint64_t const passed = now - cpu_ticks_;
  cpu_ns_ = cpu;
  cpu_ticks_ = now;
  constexpr double least = 5000;
  // Below that it is the clocks' resolution, and what interrupts take.
  std::uint64_t const off = passed < had ? 0 : passed - had;
  if (static_cast<double>(off) < least * file.ticks_per_ns) {
    untold_ += off;
    return {};
  }
  os::switches const now_made = os::own_switches(), made = std::exchange(switches_, now_made);
  bool const slept = made.voluntary != now_made.voluntary;
  bool const driven_off = made.involuntary != now_made.involuntary;
  std::uint64_t const queued = os::own_queued_ns(), before = std::exchange(queued_ns_, queued),
                      untold = std::exchange(untold_, 0);
  if (!slept) return {off, 0};
  if (queued == os::unknown_wait) return driven_off ? gap{off, 0} : gap{0, off};
  auto const waited = static_cast<std::uint64_t>(static_cast<double>(queued - before) * file.ticks_per_ns);
  if (waited < untold || static_cast<double>(waited - untold) < least * file.ticks_per_ns) return {0, off};
  std::uint64_t const lost = waited - untold < off ? waited - untold : off;
  return {lost, off - lost};
}

void trace_lane::write_slowly(trace_event what, std::uint64_t payload, std::uint64_t now) noexcept {
  if (!trace_is_on.load(mo::relaxed)) return;
  gap off = off_processor(now);
  off.lost = off.lost < now - last_ ? off.lost : now - last_;
  off.blocked = off.blocked < now - last_ - off.lost ? off.blocked : now - last_ - off.lost;
  if (at_ == nullptr || at_ + reserve > end_) {
    if (!next_chunk()) return;
    // The time that the file took is no task's.
    std::uint64_t const later = os::ticks();
    off.lost += later - now;
    now = later;
  }
  std::uint64_t delta = now - last_;
  if (delta >> trace_delta_bits != 0) {
    annotate(trace_event::time, delta);
    delta = 0;
  }
  for (bool const voluntary : {false, true}) {
    std::uint64_t const time = voluntary ? off.blocked : off.lost;
    if (time == 0) continue;
    std::uint64_t const told = time * 2 + (voluntary ? 1 : 0);
    put(trace_event::lost, delta, told < trace_payload_most ? told : trace_payload_most);
    delta = 0;
  }
  put(what, delta, payload);
  last_ = now;
}

void trace_lane::name(char const* text, std::uint64_t more) noexcept {
  std::size_t const length = strnlen(text, trace_name_most);
  std::size_t const words = (length + 7) / 8;
  if (at_ == nullptr || static_cast<std::size_t>(end_ - at_) < words + 2 * reserve) {
    at_ = end_;  // the name lies in one chunk
  }
  write(trace_event::region, length + more);
  if (at_ == nullptr) return;
  std::memset(at_, 0, words * 8);
  std::memcpy(at_, text, length);
  at_ += words;
}

bool start_trace(char const* path, std::uint64_t limit) noexcept {
  if (char const* const why = file.on_disk.open(path)) {
    complain(path, why);
    return false;
  }
  void* const first = file.on_disk.map(0, trace_chunk_size);
  if (first == nullptr || !os::add_fork_hooks({nullptr, nullptr, &forget_in_child})) {
    complain(path, first == nullptr ? std::strerror(errno) : "fork() can't be watched");
    file.on_disk.close();
    return false;
  }
  file.header = static_cast<trace_header*>(first);
  file.used.store(trace_chunk_size, mo::relaxed);
  file.limit = limit;
  file.ticks_per_ns = os::ticks_per_ns();
  trace_header& h = *file.header;
  h.version = trace_version;
  h.chunk_size = trace_chunk_size;
  h.start_ticks = os::ticks();
  h.ticks_per_ns = file.ticks_per_ns;
  h.process = static_cast<std::uint32_t>(os::process_id());
  h.processors = static_cast<std::uint32_t>(os::processors_on_line());
  os::program_path(h.program, sizeof h.program);
  list_modules();
  trace_is_on.store(true, mo::release);  // [TR1]
  h.event_ns = measure_event_ns(file.ticks_per_ns);
  std::memcpy(h.magic, trace_magic, sizeof h.magic);
  return true;
}

void finish_trace() noexcept {
  if (!trace_is_on.load(mo::relaxed)) return;
  if (own_lane != nullptr) own_lane->write(trace_event::occupy, 0);
  list_modules();  // with those that were loaded since
  file.header->ticks_per_ns = os::ticks_per_ns();
  stop(trace_state::complete, nullptr);
}

void begin_trace_region(char const* name) noexcept {
  if (trace_lane* const lane = tracing() ? this_trace_lane() : nullptr) lane->name(*name != 0 ? name : "?", 0);
}
void begin_code_region(void const* code) noexcept {
  trace_lane* const lane = tracing() ? this_trace_lane() : nullptr;
  if (lane == nullptr) return;
  lane->label(code);
  lane->write(trace_event::region, trace_region_of_code);
}
void end_trace_region() noexcept { trace(trace_event::region, nullptr); }
void trace_moment_named(char const* name) noexcept {
  trace_lane* const lane = tracing() ? this_trace_lane() : nullptr;
  if (lane != nullptr && *name != 0) lane->name(name, trace_moment);
}

}  // namespace ashlar::inline v1::obs
