// SPDX-License-Identifier: Apache-2.0
// A chain of image filters apart from how it is parallelised: blur, median, edges, threshold, each for a rectangle of
// rows and columns. Each filter reads one image and writes another one. Beyond the rim the nearest pixel counts.
#pragma once

#include "common/random.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace programs {

class image_chain_data {
 public:
  static constexpr int filters = 5;

  explicit image_chain_data(double scale)
      : width_(static_cast<int>(3000 * std::sqrt(scale))), height_(static_cast<int>(2000 * std::sqrt(scale))) {
    random_stream random(43);
    for (auto& image : images_) image.resize(static_cast<std::size_t>(width_) * static_cast<std::size_t>(height_));
    for (int y = 0; y < height_; ++y) {
      for (int x = 0; x < width_; ++x) {
        int const shape = ((x / 90) ^ (y / 70)) % 3 * 70;
        images_[0][index(x, y)] = static_cast<std::uint8_t>(shape + static_cast<int>(random.bits() & 63));
      }
    }
  }

  int width() const { return width_; }
  int height() const { return height_; }

  // Filter k makes image k + 1 from image k.
  __attribute__((noinline)) void apply(int filter, int y0, int y1, int x0, int x1) {
    for (int y = y0; y < y1; ++y) {
      for (int x = x0; x < x1; ++x) images_[filter + 1][index(x, y)] = value(filter, x, y);
    }
  }

  char const* wrong() const {
    // Every pixel of some rows anew, from the image before; so any wrong filter shows, in its own image.
    for (int filter = 0; filter < filters; ++filter) {
      for (int y = 0; y < height_; y += 29) {
        for (int x = 0; x < width_; ++x) {
          if (images_[filter + 1][index(x, y)] != value(filter, x, y)) return "a pixel";
        }
      }
    }
    return nullptr;
  }

 private:
  std::size_t index(int x, int y) const {
    return static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) + static_cast<std::size_t>(x);
  }
  int at(int image, int x, int y) const {
    return images_[image][index(std::min(std::max(x, 0), width_ - 1), std::min(std::max(y, 0), height_ - 1))];
  }

  std::uint8_t value(int filter, int x, int y) const {
    switch (filter) {
      case 0:
        return blurred(0, x, y, 1, 0);
      case 1:
        return blurred(1, x, y, 0, 1);
      case 2:
        return median(x, y);
      case 3:
        return edges(x, y);
      default:
        return at(4, x, y) > 40 ? 255 : 0;
    }
  }
  std::uint8_t blurred(int image, int x, int y, int dx, int dy) const {
    static constexpr int weights[] = {1, 4, 6, 4, 1};
    int sum = 8;
    for (int k = -2; k <= 2; ++k) sum += weights[k + 2] * at(image, x + k * dx, y + k * dy);
    return static_cast<std::uint8_t>(sum / 16);
  }
  std::uint8_t median(int x, int y) const {
    int v[9];
    for (int k = 0; k < 9; ++k) v[k] = at(2, x + k % 3 - 1, y + k / 3 - 1);
    // The middle of the rows' middles of sorted columns (Paeth 1990).
    auto const order = [&v](int a, int b) {
      int const low = std::min(v[a], v[b]), high = std::max(v[a], v[b]);
      v[a] = low;
      v[b] = high;
    };
    for (int c = 0; c < 3; ++c) {
      order(c, c + 3);
      order(c + 3, c + 6);
      order(c, c + 3);
    }
    int const greatest_low = std::max({v[0], v[1], v[2]}), least_high = std::min({v[6], v[7], v[8]});
    int const middle = std::max(std::min(v[3], v[4]), std::min(std::max(v[3], v[4]), v[5]));
    return static_cast<std::uint8_t>(
        std::max(std::min(greatest_low, middle), std::min(std::max(greatest_low, middle), least_high)));
  }
  std::uint8_t edges(int x, int y) const {
    int const gx = at(3, x + 1, y - 1) + 2 * at(3, x + 1, y) + at(3, x + 1, y + 1) - at(3, x - 1, y - 1) -
                   2 * at(3, x - 1, y) - at(3, x - 1, y + 1);
    int const gy = at(3, x - 1, y + 1) + 2 * at(3, x, y + 1) + at(3, x + 1, y + 1) - at(3, x - 1, y - 1) -
                   2 * at(3, x, y - 1) - at(3, x + 1, y - 1);
    return static_cast<std::uint8_t>(std::min(255, std::abs(gx) + std::abs(gy)));
  }

  int const width_, height_;
  std::vector<std::uint8_t> images_[filters + 1];
};

}  // namespace programs
