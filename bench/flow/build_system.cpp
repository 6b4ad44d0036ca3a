// SPDX-License-Identifier: Apache-2.0
// A program like a build system: a target is a continue_node that is due when the targets that it needs are made. Each
// needs one to four of the hundred before it, and its value is a hash of theirs. Rows: build_system, the run, and
// build_system_whole, with the graph's construction and destruction; build_system_loop, the least that a run takes: the
// targets in order, by a loop; --size targets.
#include <bench/sampler.h>

#include "dialect.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace {

namespace flow = tbb::flow;
using target = flow::continue_node<flow::continue_msg>;

struct project {
  explicit project(std::size_t targets) : needs(targets), values(targets) {
    std::uint32_t state = 12345;
    auto const random = [&state](std::size_t below) {
      state = state * 1664525u + 1013904223u;
      return (state >> 8) % below;
    };
    for (std::size_t i = 1; i < targets; ++i) {
      std::size_t const wanted = 1 + random(4), reach = i < 100 ? i : 100;
      for (std::size_t n = 0; n < wanted; ++n) {
        std::size_t const one = i - 1 - random(reach);
        bool known = false;
        for (std::size_t const other : needs[i]) known = known || other == one;
        if (!known) needs[i].push_back(one);
      }
    }
  }
  void make(std::size_t i) {
    std::uint64_t value = i + 1;
    for (std::size_t const need : needs[i]) value = (value ^ values[need]) * 0x9E3779B97F4A7C15u;
    for (int round = 0; round < 20; ++round) value = (value ^ value >> 29) * 0xBF58476D1CE4E5B9u;
    values[i] = value;
  }
  void make_all() {
    for (std::size_t i = 0; i < needs.size(); ++i) make(i);
  }
  std::vector<std::vector<std::size_t>> needs;
  std::vector<std::uint64_t> values;
};

struct built {
  explicit built(project& p) {
    for (std::size_t i = 0; i < p.needs.size(); ++i) {
      targets.emplace_back(new target(g, [&p, i](flow::continue_msg) { p.make(i); }));
      for (std::size_t const need : p.needs[i]) flow::make_edge(*targets[need], *targets[i]);
    }
  }
  void run() {
    targets[0]->try_put(flow::continue_msg());
    g.wait_for_all();
  }
  flow::graph g;
  std::vector<std::unique_ptr<target>> targets;
};

}  // namespace

int main(int argc, char** argv) {
  bench::options const o = bench::parse(argc, argv);
  bool const whole = bench::is_row(o, "build_system_whole"), loop = bench::is_row(o, "build_system_loop");
  if (!whole && !loop && !bench::is_row(o, "build_system")) bench::usage("unknown row", o.row);
  return bench::with_threads(o.threads, [&] {
    bench::report r(o, "ns/target");
    std::size_t const targets = static_cast<std::size_t>(o.size != 0 ? o.size : 100'000);
    project p(targets);
    p.make_all();
    std::vector<std::uint64_t> const expected = p.values;
    std::unique_ptr<built> kept;
    if (!whole && !loop) kept.reset(new built(p));
    bool right = true;
    auto work = [&] {
      p.values.assign(targets, 0);
      if (loop) {
        p.make_all();
      } else if (whole) {
        built(p).run();
      } else {
        kept->run();
      }
      right = right && p.values == expected;
    };
    r.ops(static_cast<double>(targets));
    if (o.count) {
      work();
      bench::counted_section(work);
    } else {
      bench::take_samples(r, work, static_cast<double>(targets), 1e9);
    }
    r.check(right, "values of the targets");
    return r.finish();
  });
}
