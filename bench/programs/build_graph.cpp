// SPDX-License-Identifier: Apache-2.0
// Runs the targets of a build: each has an action, which starts when those of its dependencies are over. The loop
// begins with the targets that depend on nothing; who finishes the last dependency of a target feeds it to the loop.
#include "common/feeder.h"
#include "common/random.h"
#include "common/tbb_program.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <vector>

namespace {

class build_graph {
 public:
  explicit build_graph(double scale) : targets_(layers * programs::scaled(scale, 1200, 40)) {
    programs::random_stream random(59);
    std::size_t const width = targets_.size() / layers;
    for (std::size_t i = 0; i < targets_.size(); ++i) {
      target& t = targets_[i];
      // Many short actions and few long ones.
      t.steps =
          static_cast<std::uint32_t>(random.below(50) == 0 ? 20000 + random.below(40000) : 500 + random.below(3500));
      if (i < width) continue;
      for (std::size_t n = 1 + random.below(4); n != 0; --n) {
        std::size_t const layer = i / width, back = 1 + random.below(std::min<std::size_t>(layer, 3));
        auto const on = static_cast<std::uint32_t>((layer - back) * width + random.below(width));
        t.needs.push_back(on);
        targets_[on].feeds.push_back(static_cast<std::uint32_t>(i));
      }
      t.missing.store(static_cast<int>(t.needs.size()));
    }
  }

  void work() {
    std::vector<std::uint32_t> first(targets_.size() / layers);
    for (std::size_t i = 0; i < first.size(); ++i) first[i] = static_cast<std::uint32_t>(i);
    programs::for_each_fed(first.begin(), first.end(), [this](std::uint32_t i, programs::feeder<std::uint32_t>& more) {
      target& t = targets_[i];
      t.digest = action(t);
      t.done = clock_.fetch_add(1) + 1;
      for (std::uint32_t const next : t.feeds) {
        if (targets_[next].missing.fetch_sub(1) == 1) more.add(next);
      }
    });
  }

  char const* wrong() const {
    for (std::size_t i = 0; i < targets_.size(); ++i) {
      target const& t = targets_[i];
      if (t.done == 0) return "a target was not built";
      for (std::uint32_t const need : t.needs) {
        if (targets_[need].done >= t.done) return "a target was built before what it needs";
      }
      // Who was built from right digests and has a right digest: by induction over the order, all are. A part of the
      // targets.
      if (i % 29 == 0 && t.digest != action(t)) return "digest of a target";
    }
    return clock_.load() == targets_.size() ? nullptr : "a target was built twice";
  }

 private:
  static constexpr std::size_t layers = 40;

  struct target {
    std::vector<std::uint32_t> needs, feeds;
    std::uint32_t steps = 0;
    std::atomic<int> missing{0};
    std::uint64_t digest = 0;
    std::size_t done = 0;
  };

  // Hashes what the dependencies made, again and again.
  std::uint64_t action(target const& t) const {
    std::uint64_t digest = t.steps;
    for (std::uint32_t const need : t.needs) digest = programs::mix(digest ^ targets_[need].digest);
    for (std::uint32_t i = 0; i < t.steps; ++i) digest = programs::mix(digest + i);
    return digest;
  }

  std::vector<target> targets_;
  std::atomic<std::size_t> clock_{0};
};

}  // namespace

int main(int argc, char** argv) { return programs::tbb_main<build_graph>(argc, argv); }
