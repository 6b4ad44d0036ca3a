// SPDX-License-Identifier: Apache-2.0
// Free runs of units, sorted by length: one bin per length below 64 units, four bins per doubling above. Used under
// the backend's lock.
#pragma once

#include "alloc/page.h"

namespace ashlar {
inline namespace v1 {
namespace alloc {

class run_bins {
 public:
  void insert(page* run) noexcept {
    unsigned const b = bin_of(run->units);
    run->prev = nullptr;
    run->next = heads_[b];
    if (run->next != nullptr) {
      run->next->prev = run;
    }
    heads_[b] = run;
    bits_[b / 64] |= std::uint64_t{1} << (b % 64);
  }

  void remove(page* run) noexcept {
    unsigned const b = bin_of(run->units);
    (run->prev ? run->prev->next : heads_[b]) = run->next;
    if (run->next != nullptr) {
      run->next->prev = run->prev;
    }
    if (!heads_[b]) {
      bits_[b / 64] &= ~(std::uint64_t{1} << (b % 64));
    }
  }

  // A shortest run, to the precision of the bins, of at least `units`; null if there is none. Stays in its bin.
  page* find(std::uint32_t units) const noexcept {
    unsigned b = bin_of(units);
    if (b >= exact_bins) {
      // This bin holds lengths on both sides of the wanted one; only a few are looked at.
      int left = 16;
      for (page* run = heads_[b]; run && left; run = run->next, --left) {
        if (run->units >= units) {
          return run;
        }
      }
      ++b;
    }
    for (unsigned w = b / 64; w < bin_count / 64; ++w) {
      std::uint64_t const bits = w == b / 64 ? bits_[w] & (~std::uint64_t{0} << (b % 64)) : bits_[w];
      if (bits) {
        return heads_[w * 64 + static_cast<unsigned>(__builtin_ctzll(bits))];
      }
    }
    return nullptr;
  }

  // A longest run, to the precision of the bins; null if there is none.
  page* longest() const noexcept {
    for (unsigned w = bin_count / 64; w-- > 0;) {
      if (bits_[w]) {
        return heads_[w * 64 + 63 - static_cast<unsigned>(__builtin_clzll(bits_[w]))];
      }
    }
    return nullptr;
  }

 private:
  static constexpr unsigned exact_bins = 64;
  static constexpr unsigned bin_count = 192;

  static unsigned bin_of(std::uint32_t units) noexcept {
    if (units < exact_bins) {
      return units;
    }
    unsigned const log = 31u - static_cast<unsigned>(__builtin_clz(units));
    return exact_bins + (log - 6) * 4 + ((units >> (log - 2)) & 3);
  }

  page* heads_[bin_count] = {};
  std::uint64_t bits_[bin_count / 64] = {};
};

}  // namespace alloc
}  // namespace v1
}  // namespace ashlar
