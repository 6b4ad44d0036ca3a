// SPDX-License-Identifier: Apache-2.0
#include "cli/limits.h"
#include "graphs/catalogue.h"
#include "program/analysis.h"

#include <fmt/format.h>

#include <memory>

namespace ashlar::sim {

namespace {

void list_graphs() {
  for (graph const& g : all_graphs()) {
    fmt::print("{:15} {}\n", g.name, g.description);
    for (parameter const& p : g.defaults) {
      fmt::print("    {:12} {:>10}  {} ({} to {})\n", p.name, p.value, p.help, p.least, p.most);
    }
  }
}

double in_ms(picoseconds t) { return static_cast<double>(t) / millisecond; }

std::string describe(std::string const& specification, limit_options const& limits) {
  analysis const a = analyse(*limits.make(specification, 1, 1));
  return fmt::format("{}: {} tasks, {} waits, work {:.6f} ms, span {:.6f} ms, parallelism {:.1f}\n", specification,
                     a.tasks, a.waits, in_ms(a.work), in_ms(a.span),
                     a.span == 0 ? 0.0 : static_cast<double>(a.work) / static_cast<double>(a.span));
}

command const graphs("graphs", "Lists the graphs and their parameters, or tells the work and span of those named",
                     [](arguments& a) -> command_body {
                       auto const names = std::make_shared<std::vector<std::string>>();
                       auto const limits = std::make_shared<limit_options>();
                       limits->add_to(a);
                       a.list("graph", *names, "NAME or NAME:PARAMETER=NUMBER,…");
                       return [names, limits] {
                         if (names->empty()) list_graphs();
                         std::string text;
                         for (std::string const& name : *names) text += describe(name, *limits);
                         fmt::print("{}", text);
                         return 0;
                       };
                     });

}  // namespace

}  // namespace ashlar::sim
