// SPDX-License-Identifier: Apache-2.0
// A picture of 8-bit red, green and blue, and its way into a PNG file.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kernels::ray {

class image {
 public:
  image(int width, int height)
      : width_(width),
        height_(height),
        bytes_(3 * static_cast<std::size_t>(width) * static_cast<std::size_t>(height)) {}

  int width() const { return width_; }
  int height() const { return height_; }
  std::uint8_t* pixel(int x, int y) { return bytes_.data() + index(x, y); }
  std::uint8_t const* pixel(int x, int y) const { return bytes_.data() + index(x, y); }
  void clear() { bytes_.assign(bytes_.size(), 0); }

  friend bool operator==(image const&, image const&) = default;

 private:
  std::size_t index(int x, int y) const {
    return 3 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) + static_cast<std::size_t>(x));
  }

  int width_, height_;
  std::vector<std::uint8_t> bytes_;
};

// Throws std::runtime_error with one line that names the file if it can't be written; a part of a file is removed.
void write_png(image const& picture, std::string const& path);

}  // namespace kernels::ray
