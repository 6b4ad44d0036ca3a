// SPDX-License-Identifier: Apache-2.0
// What Lloyd's clustering is apart from how it is parallelised: points around centres, one step for a range of points,
// the check. Each parallel version sums up the steps of the ranges and moves the centres.
#pragma once

#include "common/random.h"

#include <cmath>
#include <cstdint>
#include <vector>

namespace programs {

class kmeans_data {
 public:
  static constexpr std::size_t dimensions = 16, clusters = 24;
  static constexpr int steps = 20;

  struct sums {
    std::vector<double> total = std::vector<double>(clusters * dimensions);
    std::vector<std::size_t> count = std::vector<std::size_t>(clusters);
    double cost = 0;

    void add(sums const& other) {
      for (std::size_t i = 0; i < total.size(); ++i) total[i] += other.total[i];
      for (std::size_t i = 0; i < count.size(); ++i) count[i] += other.count[i];
      cost += other.cost;
    }
  };

  explicit kmeans_data(double scale) : points_(dimensions * scaled(scale, 200000, 1000)) {
    random_stream random(7);
    std::vector<float> middle(2 * clusters * dimensions);
    for (float& x : middle) x = static_cast<float>(random.between(-1, 1));
    for (std::size_t i = 0; i < points_.size(); i += dimensions) {
      float const* const m = &middle[random.below(2 * clusters) * dimensions];
      for (std::size_t d = 0; d < dimensions; ++d) {
        points_[i + d] = m[d] + static_cast<float>(random.between(-0.6, 0.6));
      }
    }
    centres_.assign(points_.begin(), points_.begin() + clusters * dimensions);
    clusters_of_.resize(size());
  }

  std::size_t size() const { return points_.size() / dimensions; }

  // Assigns the points [begin, end) to their nearest centres.
  __attribute__((noinline)) void assign(std::size_t begin, std::size_t end, sums& into) {
    for (std::size_t i = begin; i != end; ++i) {
      float const* const p = &points_[i * dimensions];
      float best = 1e30F;
      std::size_t nearest = 0;
      for (std::size_t c = 0; c < clusters; ++c) {
        float const* const centre = &centres_[c * dimensions];
        float distance = 0;
        for (std::size_t d = 0; d < dimensions; ++d) distance += (p[d] - centre[d]) * (p[d] - centre[d]);
        if (distance < best) {
          best = distance;
          nearest = c;
        }
      }
      clusters_of_[i] = static_cast<std::uint8_t>(nearest);
      for (std::size_t d = 0; d < dimensions; ++d) into.total[nearest * dimensions + d] += static_cast<double>(p[d]);
      ++into.count[nearest];
      into.cost += static_cast<double>(best);
    }
  }

  void move_centres(sums const& all) {
    for (std::size_t i = 0; i < centres_.size(); ++i) {
      std::size_t const n = all.count[i / dimensions];
      if (n != 0) centres_[i] = static_cast<float>(all.total[i] / static_cast<double>(n));
    }
    costs_.push_back(all.cost);
  }

  char const* wrong() const {
    if (costs_.size() != steps) return "number of steps";
    for (std::size_t s = 1; s < costs_.size(); ++s) {
      if (costs_[s] > costs_[s - 1] * (1 + 1e-6)) return "the cost grows";
    }
    sums all;
    for (std::size_t i = 0; i < size(); ++i) {
      if (clusters_of_[i] >= clusters) return "cluster of a point";
      ++all.count[clusters_of_[i]];
      for (std::size_t d = 0; d < dimensions; ++d) {
        all.total[clusters_of_[i] * dimensions + d] += static_cast<double>(points_[i * dimensions + d]);
      }
    }
    for (std::size_t i = 0; i < centres_.size(); ++i) {
      std::size_t const n = all.count[i / dimensions];
      if (n != 0 && std::fabs(all.total[i] / static_cast<double>(n) - static_cast<double>(centres_[i])) > 1e-5) {
        return "centre of a cluster";
      }
    }
    return nullptr;
  }

 private:
  std::vector<float> points_, centres_;
  std::vector<std::uint8_t> clusters_of_;
  std::vector<double> costs_;
};

}  // namespace programs
