// SPDX-License-Identifier: Apache-2.0
#include "cli/command.h"
#include "cli/run_options.h"
#include "cli/table.h"

#include "os/clock.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

namespace ashlar::sim {

namespace {

struct settings {
  run_options common;
  std::string graph = "fib:n=27";
  unsigned repeats = 3;
};

int measure(settings const& s) {
  auto const cells = s.common.cells();
  auto const p = s.common.make(s.graph, cells);
  machine const m = load_machine(s.common.machine).described;
  table rows({"P", "policy", "events", "ms", "million events/s"});
  for (cell const& c : cells) {
    std::uint64_t best = ~std::uint64_t(0), events = 0;
    for (unsigned i = 0; i < s.repeats; ++i) {
      std::uint64_t const start = os::now_ns();
      events = simulate(*p, m, c.how).events;
      best = std::min(best, os::now_ns() - start);
    }
    rows.add({std::to_string(c.how.workers), c.policy, std::to_string(events),
              fmt::format("{:.1f}", static_cast<double>(best) / 1e6),
              fmt::format("{:.1f}", 1e3 * static_cast<double>(events) / static_cast<double>(best))});
  }
  fmt::print("{}", rows.print("table"));
  return 0;
}

command const bench("bench", "Measures the simulator's speed (the best of some runs)",
                    [](arguments& a) -> command_body {
                      auto const s = std::make_shared<settings>();
                      s->common.workers = "1,64,1024";
                      a.text("--graph", s->graph, "the graph to simulate");
                      a.number("--repeats", s->repeats, 1, 1000, "runs of each");
                      s->common.add_to(a);
                      return [s] { return measure(*s); };
                    });

}  // namespace

}  // namespace ashlar::sim
