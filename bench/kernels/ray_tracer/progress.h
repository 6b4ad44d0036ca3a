// SPDX-License-Identifier: Apache-2.0
// A progress bar with percentage and time left on stderr; silent unless that is a terminal.
#pragma once

#include <atomic>
#include <cstdint>

namespace kernels::ray {

// Threads: add() may be called by many at once. One of them draws, about ten times a second.
class progress {
 public:
  explicit progress(std::int64_t total);
  // Removes the bar.
  ~progress();
  progress(progress const&) = delete;
  progress& operator=(progress const&) = delete;

  void add(std::int64_t amount) {
    if (visible_) {
      advance(amount);
    }
  }

 private:
  void advance(std::int64_t amount);
  void draw(std::int64_t done, double elapsed) const;

  std::int64_t const total_;
  bool const visible_;
  double const start_;
  std::atomic<std::int64_t> done_{0};
  std::atomic<double> next_;
};

}  // namespace kernels::ray
