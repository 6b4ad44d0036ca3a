// SPDX-License-Identifier: Apache-2.0
// Reading a trace (src/obs/trace_format.h) with full validation. A program that crashed leaves a file that ends where
// it stopped, and a full disk one that is cut off: that is no error, what is there is read. The events stay in the
// file; trace/lane_cursor.h reads them one by one.
#pragma once

#include "obs/trace_format.h"
#include "program/bad_input.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ashlar::sim {

using obs::trace_event;

struct event {
  std::uint64_t ticks;    // since the start of the trace
  std::uint64_t payload;  // addresses are shifted right by 3, except a label's; a region: index into names, no_name or
                          // named_by_code
  std::uint32_t word;     // where it lies in the file, in units of 8 bytes
  trace_event kind;
};

struct lane {
  std::uint32_t thread = 0;           // the kernel's number
  std::vector<event> events;          // of a trace that is made up
  std::vector<std::uint64_t> chunks;  // of a file: where they lie, in the order of time
};

// A file that is open for reading; closed with its last owner.
class open_file {
 public:
  explicit open_file(std::string const& path);  // throws bad_input
  ~open_file();
  open_file(open_file const&) = delete;
  open_file& operator=(open_file const&) = delete;
  // How many bytes were there to be read.
  std::size_t read(std::uint64_t offset, void* to, std::size_t bytes) const;
  std::uint64_t size() const noexcept { return size_; }

 private:
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
};

struct module_place {
  std::uint64_t base;
  std::string path;
};

struct trace {
  static constexpr std::uint64_t no_name = ~std::uint64_t{0};
  static constexpr std::uint64_t named_by_code = no_name - 1;  // the label before it tells

  // Of tbb::profiling::event.
  struct moment {
    std::uint64_t ticks;
    std::size_t lane;
    std::uint64_t name;
  };

  std::string file;
  std::string program;
  std::uint32_t processors = 0;
  double ticks_per_ns = 1;
  double event_ns = 0;  // the recorder's cost
  std::uint64_t start_ticks = 0;
  std::uint64_t end_ticks = 0;  // since the start
  bool complete = false;        // false: the program crashed, or the file reached its limit
  std::uint64_t cut_off = 0;    // the length of the file, if it ends inside a chunk
  std::uint64_t events = 0;     // in the file
  std::vector<lane> lanes;
  std::vector<std::string> names;  // of regions and moments
  std::vector<moment> moments;
  std::vector<module_place> modules;
  std::shared_ptr<open_file const> content;                        // null for a trace that is made up
  std::map<std::string, std::uint64_t, std::less<>> name_numbers;  // of a file's names

  // Throws bad_input, "FILE:OFFSET: what".
  [[noreturn]] void reject(std::uint64_t offset, std::string const& what) const;
};

// Throws bad_input for a file that can't be read, is none of ours, of another version, cut off in its header or
// damaged.
trace read_trace(std::string const& path);

}  // namespace ashlar::sim
