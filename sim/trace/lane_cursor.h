// SPDX-License-Identifier: Apache-2.0
// A lane's events one after the other, and those of all lanes in the order of time. A file is read in small pieces, so
// that a trace of any length takes little memory. read_trace has validated it: what has become impossible since ends
// the lane.
#pragma once

#include "trace/trace_file.h"

#include <queue>
#include <utility>
#include <vector>

namespace ashlar::sim {

class lane_cursor {
 public:
  lane_cursor(trace const& t, std::size_t lane);
  // False at the end; moments are passed over.
  bool next(event& e);

 private:
  bool open_chunk();
  bool fill();
  // The next word of the chunk; 0 at its end.
  std::uint64_t word() { return at_ != words_.size() || fill() ? words_[at_++] : 0; }
  std::uint64_t read_name(std::uint64_t length);

  trace const& trace_;
  lane const& lane_;
  std::size_t made_up_ = 0;   // of a trace that is made up: the next event
  std::size_t chunk_ = 0;     // the next one
  std::uint64_t offset_ = 0;  // of the words
  std::uint64_t end_ = 0;     // of the chunk
  std::uint64_t start_ = 0;   // ticks
  std::uint64_t clock_ = 0;
  std::size_t at_ = 0;
  std::size_t const piece_;  // words
  std::vector<std::uint64_t> words_;
};

// The lane whose event is next, and that event. The lower lane comes first among events of one time.
class merged_events {
 public:
  explicit merged_events(trace const& t);
  bool next(std::uint32_t& lane, event& e);

 private:
  using entry = std::pair<std::uint64_t, std::uint32_t>;
  std::vector<lane_cursor> lanes_;
  std::vector<event> ahead_;  // each lane's next event
  std::priority_queue<entry, std::vector<entry>, std::greater<>> order_;
  std::uint32_t current_ = ~0u;  // its next event is not in `order_`
};

}  // namespace ashlar::sim
