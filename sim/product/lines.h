// SPDX-License-Identifier: Apache-2.0
// Which processor has which cache line, and what an access to it takes. Caches are as large as needed.
#pragma once

#include "product/costs.h"

#include <algorithm>
#include <cstdint>
#include <unordered_map>

namespace ashlar::sim::product {

class lines {
 public:
  // How long the processor waits for the word's line at that time.
  nanoseconds access(costs const& c, unsigned processor, void const volatile* word, bool writes, nanoseconds now) {
    line& l = known_[reinterpret_cast<std::uintptr_t>(word) / 64];
    bool const had = l.owner == processor || (!writes && l.reader == processor);
    bool const shared = writes && l.reader != nobody && l.reader != processor;
    nanoseconds taken = 0;
    if (l.owner != nobody && (!had || shared)) {
      nanoseconds const begin = std::max(now, l.busy_until);
      l.busy_until = begin + c.line_busy;
      taken = begin - now + c.line;
      ++transfers;
    }
    if (writes || l.owner == nobody) {
      l.owner = processor;
      l.reader = nobody;
    } else if (!had) {
      l.reader = processor;  // of several readers the last one counts
    }
    return taken;
  }

  std::uint64_t transfers = 0;

 private:
  static constexpr unsigned nobody = ~0u;
  struct line {
    nanoseconds busy_until = 0;
    unsigned owner = nobody, reader = nobody;
  };

  std::unordered_map<std::uintptr_t, line> known_;
};

}  // namespace ashlar::sim::product
