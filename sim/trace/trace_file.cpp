// SPDX-License-Identifier: Apache-2.0
#include "trace/trace_file.h"

#include "program/printable.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <unordered_map>

namespace ashlar::sim {

namespace {

constexpr std::size_t block_size = obs::trace_chunk_size;
constexpr std::uint64_t most_size = std::uint64_t(8) << 32;  // an event's place is a number of 32 bits
constexpr std::uint64_t most_without_chunk = 4096;
constexpr std::size_t chunk_head = offsetof(obs::trace_chunk, events);

// Reads chunk after chunk into the lanes.
class reader {
 public:
  explicit reader(std::string const& path) : in_(std::make_shared<open_file>(path)) {
    made_.file = path;
    made_.content = in_;
    if (in_->size() > most_size) made_.reject(most_size, "the file is too large");
  }

  trace read() {
    read_header();
    for (std::uint64_t at = block_size; at < in_->size(); at += block_size) {
      std::size_t const got = in_->read(at, block_, block_size);
      if (got < block_size) {
        made_.cut_off = in_->size();
        if (got < chunk_head) break;
        // The rest reads as never written, and the chunk's last word may be half of one.
        std::memset(block_ + got / 8 * 8, 0, block_size - got / 8 * 8);
      }
      read_chunk(at);
    }
    if (made_.cut_off != 0) made_.complete = false;
    if (!made_.complete) made_.end_ticks = last_;
    return std::move(made_);
  }

 private:
  template <typename T>
  T at(std::size_t offset) const {
    T value;
    std::memcpy(&value, block_ + offset, sizeof value);
    return value;
  }
  std::uint64_t word(std::size_t i) const { return at<std::uint64_t>(chunk_head + 8 * i); }

  std::string text(std::size_t offset, std::size_t room) const {
    return printable(std::string(block_ + offset, strnlen(block_ + offset, room)));
  }

  void read_header() {
    using obs::trace_header;
    std::size_t const got = in_->read(0, block_, block_size);
    if (got < sizeof obs::trace_magic) made_.reject(0, "not a trace: too short");
    if (std::memcmp(block_, obs::trace_magic, sizeof obs::trace_magic) != 0) made_.reject(0, "not a trace");
    if (got < block_size) made_.reject(got, "the file is cut off: it ends inside the header");
    constexpr std::size_t version = offsetof(trace_header, version);
    auto const found = at<std::uint32_t>(version);
    if (found < obs::oldest_trace_version || found > obs::trace_version) {
      made_.reject(version, "version " + std::to_string(found) + " is not known; this reads versions " +
                                std::to_string(obs::oldest_trace_version) + " to " +
                                std::to_string(obs::trace_version));
    }
    constexpr std::size_t chunk_size = offsetof(trace_header, chunk_size);
    if (at<std::uint32_t>(chunk_size) != block_size) made_.reject(chunk_size, "an impossible size of chunks");
    read_clocks();
    auto const state = at<obs::trace_state>(offsetof(trace_header, state));
    if (state > obs::trace_state::full) made_.reject(offsetof(trace_header, state), "an unknown state");
    made_.complete = state == obs::trace_state::complete;
    made_.processors = at<std::uint32_t>(offsetof(trace_header, processors));
    made_.program = text(offsetof(trace_header, program), sizeof(trace_header::program));
    read_modules();
  }

  void read_clocks() {
    using obs::trace_header;
    made_.ticks_per_ns = at<double>(offsetof(trace_header, ticks_per_ns));
    if (!(made_.ticks_per_ns > 0.01 && made_.ticks_per_ns < 1e3)) {
      made_.reject(offsetof(trace_header, ticks_per_ns), "an impossible clock rate");
    }
    made_.event_ns = at<double>(offsetof(trace_header, event_ns));
    if (!(made_.event_ns >= 0 && made_.event_ns < 1e6)) {
      made_.reject(offsetof(trace_header, event_ns), "an impossible cost of an event");
    }
    made_.start_ticks = start_ = at<std::uint64_t>(offsetof(trace_header, start_ticks));
    auto const end = at<std::uint64_t>(offsetof(trace_header, end_ticks));
    if (end != 0 && end < start_) made_.reject(offsetof(trace_header, end_ticks), "the end lies before the start");
    made_.end_ticks = end == 0 ? 0 : end - start_;
    if (made_.end_ticks > longest()) made_.reject(offsetof(trace_header, end_ticks), "a run of more than 100 days");
  }

  void read_modules() {
    using obs::trace_header;
    constexpr std::size_t size_at = offsetof(trace_header, modules_size);
    if (at<std::uint32_t>(size_at) > sizeof(trace_header::modules)) {
      made_.reject(size_at, "an impossible list of modules");
    }
    std::string const list(block_ + offsetof(trace_header, modules), at<std::uint32_t>(size_at));
    for (std::size_t i = 0; i < list.size();) {
      std::size_t const end = std::min(list.find('\n', i), list.size());
      char* rest = nullptr;
      std::uint64_t const base = std::strtoull(list.c_str() + i, &rest, 16);
      auto const path = static_cast<std::size_t>(rest - list.c_str());
      if (path >= end) made_.reject(offsetof(trace_header, modules) + i, "an impossible entry of the list of modules");
      made_.modules.push_back({base, printable(list.substr(path + 1, end - path - 1))});
      i = end + 1;
    }
  }

  void read_chunk(std::uint64_t offset) {
    auto const magic = at<std::uint32_t>(offsetof(obs::trace_chunk, magic));
    if (magic == 0) return check_empty(offset, 0, "the header of a chunk is damaged");  // claimed, and then a crash
    if (magic != obs::trace_chunk_magic) made_.reject(offset, "the header of a chunk is damaged");
    auto const number = at<std::uint32_t>(offsetof(obs::trace_chunk, lane));
    // Each lane has chunks; some threads may just have taken a number when recording ended.
    if (number >= in_->size() / block_size + most_without_chunk) {
      made_.reject(offset + 4, "an impossible number of a lane");
    }
    if (number >= made_.lanes.size()) made_.lanes.resize(number + 1);
    auto const sequence = at<std::uint32_t>(offsetof(obs::trace_chunk, sequence));
    if (sequence != chunks_[number]++) made_.reject(offset + 8, "a chunk of the lane is missing before this one");
    made_.lanes[number].thread = at<std::uint32_t>(offsetof(obs::trace_chunk, thread));
    auto const start = at<std::uint64_t>(offsetof(obs::trace_chunk, start_ticks));
    if (start < start_ || (sequence != 0 && start - start_ < clocks_[number])) {
      made_.reject(offset + 16, "the chunk starts before the one that it follows");
    }
    clocks_[number] = start - start_;
    made_.lanes[number].chunks.push_back(offset);
    read_events(number, clocks_[number], offset);
    last_ = std::max(last_, clocks_[number]);
  }

  void check_empty(std::uint64_t offset, std::size_t from, char const* what) const {
    for (std::size_t i = from; i < obs::trace_chunk::capacity; ++i) {
      if (word(i) != 0) made_.reject(offset + chunk_head + 8 * i, what);
    }
  }

  void read_events(std::size_t number, std::uint64_t& clock, std::uint64_t offset) {
    for (std::size_t i = 0; i < obs::trace_chunk::capacity; ++i) {
      std::uint64_t const w = word(i);
      std::uint64_t const where = offset + chunk_head + 8 * i;
      auto const kind = static_cast<trace_event>(w & ((1u << obs::trace_kind_bits) - 1));
      if (kind == trace_event::none) {
        if (w != 0) made_.reject(where, "an unknown event");
        return check_empty(offset, i, "events behind the end of a chunk");
      }
      bool const timed = obs::is_timed(kind);
      std::uint64_t payload = timed ? w >> obs::trace_payload_shift : w >> obs::trace_kind_bits;
      if (timed) clock += w >> obs::trace_kind_bits & ((1u << obs::trace_delta_bits) - 1);
      if (kind == trace_event::time) clock += payload;
      if (clock > most_ticks()) made_.reject(where, "an event after the end of the trace");
      if (kind == trace_event::time) continue;
      if (kind == trace_event::region) {
        bool const moment = obs::is_moment(payload);
        payload = read_name(moment ? payload - obs::trace_moment : payload, i, where);
        if (moment) {
          made_.moments.push_back({clock, number, payload});
          continue;
        }
      }
      ++made_.events;
    }
  }

  // What follows the end of recording is not much: a thread that was about to write.
  std::uint64_t most_ticks() const {
    auto const second = static_cast<std::uint64_t>(made_.ticks_per_ns * 1e9);
    return made_.end_ticks != 0 ? made_.end_ticks + second : longest();
  }
  // Half of what a number of picoseconds can tell.
  std::uint64_t longest() const { return static_cast<std::uint64_t>(made_.ticks_per_ns * 1e9 * 86400 * 100); }

  std::uint64_t read_name(std::uint64_t length, std::size_t& i, std::uint64_t where) {
    if (length == 0) return trace::no_name;
    if (length == obs::trace_region_of_code) return trace::named_by_code;
    std::size_t const words = (length + 7) / 8;
    if (length > obs::trace_name_most || i + words >= obs::trace_chunk::capacity) {
      made_.reject(where, "an impossible length of a name");
    }
    std::string name = text(chunk_head + 8 * (i + 1), length);
    i += words;
    auto const found = made_.name_numbers.try_emplace(std::move(name), made_.names.size());
    if (found.second) made_.names.push_back(found.first->first);
    return found.first->second;
  }

  std::shared_ptr<open_file const> in_;
  trace made_;
  std::uint64_t start_ = 0;
  std::uint64_t last_ = 0;
  std::unordered_map<std::uint32_t, std::uint32_t> chunks_;
  std::unordered_map<std::uint32_t, std::uint64_t> clocks_;
  char block_[block_size] = {};
};

}  // namespace

open_file::open_file(std::string const& path) : descriptor_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
  if (descriptor_ < 0) throw bad_input::of(path, ": can't be opened: ", std::strerror(errno));
  struct stat about{};
  bool const known = fstat(descriptor_, &about) == 0;
  if (known && S_ISREG(about.st_mode)) {
    size_ = static_cast<std::uint64_t>(about.st_size);
    return;
  }
  close(descriptor_);
  throw bad_input::of(path, known && S_ISDIR(about.st_mode) ? ": is a folder, not a trace" : ": is not a regular file");
}

open_file::~open_file() { close(descriptor_); }

std::size_t open_file::read(std::uint64_t offset, void* to, std::size_t bytes) const {
  std::size_t got = 0;
  while (got < bytes) {
    ssize_t const n = pread(descriptor_, static_cast<char*>(to) + got, bytes - got, static_cast<off_t>(offset + got));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    got += static_cast<std::size_t>(n);
  }
  return got;
}

void trace::reject(std::uint64_t offset, std::string const& what) const {
  throw bad_input(file + ":" + std::to_string(offset) + ": " + what);
}

trace read_trace(std::string const& path) { return reader(path).read(); }

}  // namespace ashlar::sim
