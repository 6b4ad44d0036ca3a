// SPDX-License-Identifier: Apache-2.0
// A program like a build system: a target is a continue_node that is due when the targets that it needs are made. Rows:
// build_system, the run, and build_system_whole, with the graph's construction and destruction; build_system_loop, the
// least that a run takes: the targets in order, by a loop; --size targets.
#include <bench/sampler.h>

#include "dialect.h"
#include "project.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace {

namespace flow = tbb::flow;
using bench::project;
using target = flow::continue_node<flow::continue_msg>;

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
