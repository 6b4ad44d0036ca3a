// SPDX-License-Identifier: Apache-2.0
// Which processors have which cache line, and what an access to it takes. Caches are as large as needed. A line is one
// processor's until others read it; it is theirs, too, until one of them writes.
#pragma once

#include "product/costs.h"
#include "trace/flat_map.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace ashlar::sim::product {

class lines {
 public:
  explicit lines(nanoseconds processors) : words_((processors + 63) / 64) {}

  // How long the processor waits for the word's line at that time.
  nanoseconds access(costs const& c, unsigned processor, void const volatile* word, bool writes, nanoseconds now) {
    std::uint32_t const at = place_of(reinterpret_cast<std::uintptr_t>(word) / 64);
    line& l = all_[at];
    std::uint64_t* const have = &holders_[at * words_];
    std::uint64_t const bit = std::uint64_t{1} << processor % 64;
    bool const had = (have[processor / 64] & bit) != 0;
    nanoseconds taken = writes ? 0 : c.cached;
    if (l.holders != 0 && (!had || (writes && l.holders != 1))) {
      nanoseconds const begin = std::max(now, l.busy_until);
      l.busy_until = begin + c.line_busy;
      taken = begin - now + way(c, processor, l.owner != processor ? l.owner : l.reader);
      ++transfers;
    }
    if (writes || l.holders == 0) {
      if (l.holders > 1 || !had) std::fill(have, have + words_, 0);
      l.owner = processor;
      l.holders = 1;
    } else if (!had) {
      l.reader = processor;
      ++l.holders;
    }
    have[processor / 64] |= bit;
    return taken;
  }

  std::uint64_t transfers = 0;

 private:
  struct line {
    nanoseconds busy_until = 0;
    unsigned owner = 0, reader = 0;  // who wrote it, and who read it last
    unsigned holders = 0;
  };

  std::uint32_t place_of(std::uintptr_t address) {
    auto const [at, made] = known_.try_emplace(address, static_cast<std::uint32_t>(all_.size()));
    if (made) {
      all_.emplace_back();
      holders_.resize(holders_.size() + words_);
    }
    return at->second;
  }

  static nanoseconds way(costs const& c, unsigned from, unsigned to) noexcept {
    if (c.cluster == 0 || from / c.cluster == to / c.cluster) return c.line;
    return c.socket == 0 || from / c.socket == to / c.socket ? c.line_far : c.line_remote;
  }

  std::size_t const words_;
  flat_map<std::uintptr_t> known_;
  std::vector<line> all_;
  std::vector<std::uint64_t> holders_;  // words_ for each line: a bit for each processor
};

}  // namespace ashlar::sim::product
