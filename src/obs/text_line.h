// SPDX-License-Identifier: Apache-2.0
// A line that a signal handler puts together: without memory, locks or the C library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ashlar {
inline namespace v1 {
namespace obs {

// What does not fit is left out.
class text_line {
 public:
  void add(std::string_view text) noexcept {
    for (char const c : text) add_one(c);
  }
  void add_number(std::uint64_t n, unsigned base = 10) noexcept {
    char digits[24];
    unsigned count = 0;
    do {
      digits[count++] = "0123456789abcdef"[n % base];
      n /= base;
    } while (n != 0);
    while (count != 0) add_one(digits[--count]);
  }
  void add_address(std::uintptr_t a) noexcept {
    add("0x");
    add_number(a, 16);
  }
  // write(to, room) puts the text there and returns its length.
  template <typename Write>
  void grow(Write const& write) noexcept {
    if (write != nullptr) size_ += write(text_ + size_, most - size_);
  }
  char const* text() const noexcept { return text_; }
  std::size_t size() const noexcept { return size_; }

 private:
  static constexpr std::size_t most = 1024;
  // One place is left for the end of the line.
  void add_one(char c) noexcept {
    if (size_ < most - 1 || (c == '\n' && size_ < most)) text_[size_++] = c;
  }

  char text_[most];
  std::size_t size_ = 0;
};

}  // namespace obs
}  // namespace v1
}  // namespace ashlar
