// SPDX-License-Identifier: Apache-2.0
// Tables and other texts that are written without allocating: at exit, or by the allocator itself.
#pragma once

#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdio>

namespace ashlar {
inline namespace v1 {
namespace obs {

// A text in a buffer of limited size; its whole length is counted.
class text_buffer {
 public:
  text_buffer(char* to, std::size_t room) noexcept : to_(to), room_(room) {
    if (room_ != 0) *to_ = 0;
  }
  [[gnu::format(printf, 2, 3)]] void put(char const* form, ...) noexcept {
    va_list values;
    va_start(values, form);
    bool const fits = length_ < room_;
    int const n = std::vsnprintf(fits ? to_ + length_ : nullptr, fits ? room_ - length_ : 0, form, values);
    va_end(values);
    if (n > 0) length_ += static_cast<std::size_t>(n);
  }
  std::size_t length() const noexcept { return length_; }

 private:
  char* const to_;
  std::size_t const room_;
  std::size_t length_ = 0;
};

// A number in a column; what is too long for it is given in thousands, millions … (k, M, G, T, P).
struct column {
  char digits[24];

  column(std::uint64_t n, int width) noexcept {
    char const* unit = "";
    for (char const* next = "kMGTP";; ++next) {
      int const length = std::snprintf(digits, sizeof digits, "%llu%.1s", static_cast<unsigned long long>(n), unit);
      if (length <= width || *next == 0) return;
      n = (n + 500) / 1000;
      unit = next;
    }
  }
};

// Per cent.
inline double share(std::uint64_t part, std::uint64_t of) noexcept {
  return of != 0 ? 100 * static_cast<double>(part) / static_cast<double>(of) : 0;
}

}  // namespace obs
}  // namespace v1
}  // namespace ashlar
