// SPDX-License-Identifier: Apache-2.0
// The cache lines of the simulated processors beside the plainest description of them: for each line the set of those
// that have it.
#include "product/lines.h"

#include <doctest/doctest.h>

#include <map>
#include <set>

namespace {

using namespace ashlar::sim::product;

class plain_lines {
 public:
  nanoseconds access(costs const& c, unsigned processor, std::uintptr_t word, bool writes, nanoseconds now) {
    line& l = all_[word / 64];
    bool const had = l.holders.count(processor) != 0;
    nanoseconds taken = writes ? 0 : c.cached;
    if (!l.holders.empty() && (!had || (writes && l.holders.size() > 1))) {
      nanoseconds const begin = std::max(now, l.busy_until);
      l.busy_until = begin + c.line_busy;
      unsigned const from = l.owner != processor ? l.owner : l.reader;
      nanoseconds const way = processor / c.cluster == from / c.cluster ? c.line
                              : processor / c.socket == from / c.socket ? c.line_far
                                                                        : c.line_remote;
      taken = begin - now + way;
    }
    if (writes || l.holders.empty()) {
      l.holders = {};
      l.owner = processor;
    } else if (!had) {
      l.reader = processor;
    }
    l.holders.insert(processor);
    return taken;
  }

 private:
  struct line {
    nanoseconds busy_until = 0;
    unsigned owner = 0, reader = 0;
    std::set<unsigned> holders;
  };
  std::map<std::uintptr_t, line> all_;
};

}  // namespace

TEST_CASE("lines: every access takes as long as by the plain description") {
  costs c;
  c.cluster = 8;
  c.socket = 64;
  constexpr unsigned processors = 150;  // more than two words of bits
  lines fast(processors);
  plain_lines plain;
  std::uint64_t random = 1;
  nanoseconds now = 1000;
  int wrong = 0, moved = 0;
  for (int i = 0; i < 200'000; ++i) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    auto const processor = static_cast<unsigned>((random >> 33) % processors);
    // Few lines, so that they are shared, on more pages than there is room for at first.
    std::uintptr_t const word = 0x10000 + (random >> 20) % 200 * 4096 + (random >> 40) % 3 * 64 + 8;
    bool const writes = (random >> 55) % 16 == 0;
    now += (random >> 50) % 8;
    nanoseconds const taken = fast.access(c, processor, reinterpret_cast<void const*>(word), writes, now);
    wrong += taken != plain.access(c, processor, word, writes, now);
    moved += taken > c.cached;
  }
  CHECK(wrong == 0);
  CHECK(moved > 50'000);
}
