// SPDX-License-Identifier: Apache-2.0
// Histograms of images apart from how they are parallelised: red, green, blue and luminance of a range of pixels, the
// check.
#pragma once

#include "common/random.h"

#include <array>
#include <cstdint>
#include <vector>

namespace programs {

class histogram_data {
 public:
  static constexpr std::size_t images = 160;

  struct counts {
    std::array<std::array<std::uint32_t, 256>, 4> of{};

    void add(counts const& other) {
      for (std::size_t c = 0; c < of.size(); ++c) {
        for (std::size_t v = 0; v < 256; ++v) of[c][v] += other.of[c][v];
      }
    }
  };

  explicit histogram_data(double scale) : pixels_(scaled(scale, 1920 * 1080, 4000)), results_(images) {
    random_stream random(23);
    sequence_.resize(3 * (pixels_ + images * step));
    // A slow wave with noise: neighbouring pixels are alike, as in a photograph. Image k is a window moved by k steps.
    std::uint32_t level = 128;
    for (std::size_t i = 0; i < sequence_.size(); ++i) {
      std::uint64_t const bits = i % 8 == 0 ? random.bits() : mix(i);
      level = (level * 15 + (bits & 255)) / 16 + (i / 700) % 2;
      sequence_[i] = static_cast<std::uint8_t>(level + (bits >> 8 & 15));
    }
  }

  std::size_t pixels() const { return pixels_; }

  __attribute__((noinline)) void count(std::size_t image, std::size_t begin, std::size_t end, counts& into) const {
    std::uint8_t const* p = &sequence_[3 * (image * step + begin)];
    for (std::size_t i = begin; i != end; ++i, p += 3) {
      ++into.of[0][p[0]];
      ++into.of[1][p[1]];
      ++into.of[2][p[2]];
      ++into.of[3][(77U * p[0] + 150U * p[1] + 29U * p[2]) >> 8];
    }
  }

  void result(std::size_t image, counts const& all) { results_[image] = all; }

  char const* wrong() const {
    for (std::size_t image = 0; image < images; ++image) {
      for (auto const& channel : results_[image].of) {
        std::size_t sum = 0;
        for (std::uint32_t const n : channel) sum += n;
        if (sum != pixels_) return "sum of a histogram";
      }
      if (image % 20 != 7) continue;
      counts serial;
      count(image, 0, pixels_, serial);
      if (serial.of != results_[image].of) return "a histogram";
    }
    return nullptr;
  }

 private:
  static constexpr std::size_t step = 5000;

  std::size_t const pixels_;
  std::vector<std::uint8_t> sequence_;
  std::vector<counts> results_;
};

}  // namespace programs
