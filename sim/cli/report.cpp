// SPDX-License-Identifier: Apache-2.0
#include "cli/command.h"
#include "machine/machine_file.h"
#include "real/calibrate.h"
#include "report/scalability.h"

#include <fmt/format.h>

#include <memory>

namespace ashlar::sim {

namespace {

struct settings {
  std::string file;
  std::string format = "text";
  std::string machine;  // none named
  std::string out;
  std::vector<std::string> what_if;
  unsigned most = 1024;
};

int report(settings const& s) {
  report_settings how;
  how.assumed = s.machine.empty();
  how.on = s.machine == "here" ? calibrate("this machine, measured").described
                               : load_machine(how.assumed ? "epyc" : s.machine).described;
  how.most_threads = s.most;
  how.progress = true;
  how.what_if = s.what_if;
  scalability const r = analyse_scalability(read_trace(s.file), how);
  std::string const text = s.format == "text" ? to_text(r) : s.format == "json" ? to_json(r) : to_html(r);
  print_or_write(text, s.out);
  return 0;
}

command const report_command("report", "Tells how a recorded program will scale", [](arguments& a) -> command_body {
  auto const s = std::make_shared<settings>();
  a.required("trace", s->file, "the file that ASHLAR_TRACE made");
  a.choice("--format", s->format, {"text", "json", "html"}, "text, json or html");
  a.text("--machine", s->machine,
         "the machine to predict for: here (measured in some seconds), a file, or one of sim/machines; default: epyc "
         "is assumed");
  a.number("--threads", s->most, 1, max_workers, "the most threads to predict for");
  a.list(
      "--what-if", s->what_if,
      "what to simulate besides, each in quotes: 'grain x 4', 'REGION x 2' (all regions whose names hold it twice as "
      "fast), '16 threads', or several with ' and ' between");
  a.text("--out", s->out, "a file, instead of the standard output");
  return [s] { return report(*s); };
});

}  // namespace

}  // namespace ashlar::sim
