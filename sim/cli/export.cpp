// SPDX-License-Identifier: Apache-2.0
#include "cli/limits.h"
#include "machine/machine_file.h"
#include "trace/chrome.h"
#include "trace/graph_builder.h"

#include <fmt/format.h>

#include <memory>

namespace ashlar::sim {

namespace {

struct settings {
  std::string file;
  std::string chrome;
  limit_options limits;
};

command const export_command("export", "Converts a trace for other tools", [](arguments& a) -> command_body {
  auto const s = std::make_shared<settings>();
  a.required("trace", s->file, "the file that ASHLAR_TRACE made");
  a.required("--chrome", s->chrome, "JSON for chrome://tracing and ui.perfetto.dev");
  s->limits.add_to(a);
  return [s] {
    s->limits.require_trace(s->file);
    trace const t = read_trace(s->file);
    task_graph const g = build_graph(t);
    write_file(s->chrome, to_chrome_json(t, g));
    fmt::print("{}: {} tasks, {} threads, {} thefts\n", s->chrome, g.tasks.size() - 1, t.lanes.size(), g.steals);
    return 0;
  };
});

}  // namespace

}  // namespace ashlar::sim
