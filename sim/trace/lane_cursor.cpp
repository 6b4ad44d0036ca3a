// SPDX-License-Identifier: Apache-2.0
#include "trace/lane_cursor.h"

#include "program/printable.h"

#include <algorithm>
#include <cstring>

namespace ashlar::sim {

namespace {

constexpr std::size_t chunk_head = offsetof(obs::trace_chunk, events);
constexpr std::size_t all_pieces = std::size_t{1} << 21;  // words of all lanes' pieces together

}  // namespace

lane_cursor::lane_cursor(trace const& t, std::size_t lane)
    : trace_(t),
      lane_(t.lanes[lane]),
      piece_(std::clamp<std::size_t>(all_pieces / t.lanes.size(), 256, obs::trace_chunk::capacity)) {}

bool lane_cursor::open_chunk() {
  if (chunk_ == lane_.chunks.size()) return false;
  std::uint64_t const at = lane_.chunks[chunk_++];
  std::uint64_t ticks = 0;
  if (trace_.content->read(at + offsetof(obs::trace_chunk, start_ticks), &ticks, sizeof ticks) != sizeof ticks) {
    return false;
  }
  clock_ = ticks - trace_.start_ticks;
  offset_ = at + chunk_head;
  end_ = at + sizeof(obs::trace_chunk);
  words_.clear();
  at_ = 0;
  return true;
}

bool lane_cursor::fill() {
  offset_ += 8 * words_.size();
  words_.resize(std::min<std::uint64_t>(piece_, (end_ - offset_) / 8));
  words_.resize(trace_.content->read(offset_, words_.data(), 8 * words_.size()) / 8);
  at_ = 0;
  return !words_.empty();
}

std::uint64_t lane_cursor::read_name(std::uint64_t length) {
  if (length == 0) return trace::no_name;
  if (length == obs::trace_region_of_code) return trace::named_by_code;
  char text[obs::trace_name_most + 8] = {};
  for (std::size_t i = 0; i < length && i < obs::trace_name_most; i += 8) {
    std::uint64_t const w = word();
    std::memcpy(text + i, &w, sizeof w);
  }
  auto const found = trace_.name_numbers.find(printable(std::string(text, strnlen(text, length))));
  return found == trace_.name_numbers.end() ? trace::no_name : found->second;
}

bool lane_cursor::next(event& e) {
  if (trace_.content == nullptr) {
    if (made_up_ == lane_.events.size()) return false;
    e = lane_.events[made_up_++];
    return true;
  }
  for (;;) {
    std::uint64_t const w = end_ == 0 ? 0 : word();
    if (w == 0) {
      if (!open_chunk()) return false;
      continue;
    }
    e.kind = static_cast<trace_event>(w & ((1u << obs::trace_kind_bits) - 1));
    e.word = static_cast<std::uint32_t>(offset_ / 8 + at_ - 1);
    if (obs::is_timed(e.kind)) {
      clock_ += w >> obs::trace_kind_bits & ((1u << obs::trace_delta_bits) - 1);
      e.payload = w >> obs::trace_payload_shift;
    } else {
      e.payload = w >> obs::trace_kind_bits;
      if (e.kind == trace_event::time) {
        clock_ += e.payload;
        continue;
      }
    }
    if (e.kind == trace_event::region) {
      bool const moment = obs::is_moment(e.payload);
      e.payload = read_name(moment ? e.payload - obs::trace_moment : e.payload);
      if (moment) continue;
    }
    e.ticks = clock_;
    return true;
  }
}

merged_events::merged_events(trace const& t) : ahead_(t.lanes.size()) {
  lanes_.reserve(t.lanes.size());
  for (std::uint32_t i = 0; i < t.lanes.size(); ++i) {
    lanes_.emplace_back(t, i);
    if (lanes_[i].next(ahead_[i])) order_.push({ahead_[i].ticks, i});
  }
}

bool merged_events::next(std::uint32_t& lane, event& e) {
  // A lane goes on as long as it is the earliest: most events follow one of the same lane.
  if (current_ != ~0u) {
    entry const own{ahead_[current_].ticks, current_};
    if (!order_.empty() && order_.top() < own) {
      order_.push(own);
      current_ = ~0u;
    }
  }
  if (current_ == ~0u) {
    if (order_.empty()) return false;
    current_ = order_.top().second;
    order_.pop();
  }
  lane = current_;
  e = ahead_[current_];
  if (!lanes_[current_].next(ahead_[current_])) current_ = ~0u;
  return true;
}

}  // namespace ashlar::sim
