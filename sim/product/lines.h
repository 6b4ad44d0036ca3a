// SPDX-License-Identifier: Apache-2.0
// Which processors have which cache line, and what an access to it takes. Caches are as large as needed. A line is one
// processor's until others read it; it is theirs, too, until one of them writes.
//
// Nearly all accesses are reads of lines that the processor has: an idle thread looks into all deques again and again.
// So each processor has a row of bits, a word for each page, which tells that without a look at the line.
#pragma once

#include "product/costs.h"
#include "trace/flat_map.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace ashlar::sim::product {

class lines {
 public:
  explicit lines(nanoseconds processors) : processors_(processors), words_((processors + 63) / 64) { make_room(64); }

  // How long the processor waits for the word's line at that time.
  nanoseconds access(costs const& c, unsigned processor, void const volatile* word, bool writes, nanoseconds now) {
    auto const address = reinterpret_cast<std::uintptr_t>(word) / line_size;
    place const where{page_of(address / lines_of_page), address % lines_of_page};
    return had(processor, where) && !writes ? c.cached : change(c, processor, where, writes, now);
  }

  std::uint64_t transfers = 0;

 private:
  static constexpr std::size_t line_size = 64, lines_of_page = 64;

  struct line {
    nanoseconds busy_until = 0;
    unsigned owner = 0, reader = 0;  // who wrote it, and who read it last
    unsigned holders = 0;
  };

  struct place {
    std::size_t page, within;
    std::size_t index() const noexcept { return page * lines_of_page + within; }
    std::uint64_t bit() const noexcept { return std::uint64_t{1} << within; }
  };

  bool had(unsigned processor, place where) { return (had_of(processor, where.page) & where.bit()) != 0; }

  // An access that changes who has the line, or whose line it is.
  [[gnu::noinline]] nanoseconds change(costs const& c, unsigned processor, place where, bool writes, nanoseconds now) {
    bool const had_it = had(processor, where);
    line& l = all_[where.index()];
    nanoseconds taken = writes ? 0 : c.cached;
    if (l.holders != 0 && (!had_it || l.holders != 1)) {
      nanoseconds const begin = std::max(now, l.busy_until);
      l.busy_until = begin + c.line_busy;
      taken = begin - now + way(c, processor, l.owner != processor ? l.owner : l.reader);
      ++transfers;
    }
    if (writes || l.holders == 0) {
      if (l.holders > 1 || !had_it) take_from_all(where);
      l.owner = processor;
      l.holders = 1;
    } else {
      l.reader = processor;
      ++l.holders;
    }
    had_of(processor, where.page) |= where.bit();
    holders_[where.index() * words_ + processor / 64] |= std::uint64_t{1} << processor % 64;
    return taken;
  }

  std::size_t page_of(std::uintptr_t address) {
    // Who looks at one word of a page looks at the next one of it, too.
    if (address == last_address_) return last_page_;
    last_address_ = address;
    return last_page_ = known_page_of(address);
  }

  [[gnu::noinline]] std::size_t known_page_of(std::uintptr_t address) {
    auto const [at, made] = pages_.try_emplace(address, static_cast<std::uint32_t>(pages_.size()));
    if (made) {
      if (pages_.size() > room_) make_room(2 * room_);
      all_.resize(pages_.size() * lines_of_page);
      holders_.resize(all_.size() * words_);
    }
    return at->second;
  }

  std::uint64_t& had_of(std::size_t processor, std::size_t page) { return had_[processor * room_ + page]; }

  void make_room(std::size_t pages) {
    std::vector<std::uint64_t> wider(processors_ * pages);
    for (std::size_t p = 0; p < processors_ && room_ != 0; ++p) {
      std::copy_n(had_.begin() + static_cast<std::ptrdiff_t>(p * room_), room_,
                  wider.begin() + static_cast<std::ptrdiff_t>(p * pages));
    }
    had_.swap(wider);
    room_ = pages;
  }

  void take_from_all(place where) {
    std::uint64_t* const have = &holders_[where.index() * words_];
    for (std::size_t w = 0; w < words_; ++w) {
      for (; have[w] != 0; have[w] &= have[w] - 1) {
        had_of(64 * w + static_cast<unsigned>(__builtin_ctzll(have[w])), where.page) &= ~where.bit();
      }
    }
  }

  static nanoseconds way(costs const& c, unsigned from, unsigned to) noexcept {
    if (c.cluster == 0 || from / c.cluster == to / c.cluster) return c.line;
    return c.socket == 0 || from / c.socket == to / c.socket ? c.line_far : c.line_remote;
  }

  std::size_t const processors_, words_;
  flat_map<std::uintptr_t> pages_;
  std::vector<line> all_;
  std::vector<std::uint64_t> holders_;  // words_ for each line: a bit for each processor
  std::vector<std::uint64_t> had_;      // room_ for each processor, a word for each page: a bit for each line
  std::size_t room_ = 0;
  std::uintptr_t last_address_ = 0;
  std::size_t last_page_ = 0;  // of that address; no word lies in the first page of all
};

}  // namespace ashlar::sim::product
