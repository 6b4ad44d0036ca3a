// SPDX-License-Identifier: Apache-2.0
#include "study/operations.h"
#include "cli/command.h"
#include "machine/machine_file.h"

#include <memory>

namespace ashlar::sim {

namespace {

struct settings {
  std::string out;
  bool check = false;
};

int run_operations(settings const& s) {
  auto const cells = operations_plan();
  if (!s.check) {
    print_or_write(operations_text(cells), s.out);
    return 0;
  }
  if (s.out.empty() || !operations_current(read_file(s.out), cells)) {
    throw bad_input((s.out.empty()
                         ? std::string("--check needs --out FILE")
                         : s.out + ": is of another engine, machine file or graph; run operations without --check"));
  }
  return 0;
}

command const operations("operations", "What the first paper's operations cost on 4 to 32 cores",
                         [](arguments& a) -> command_body {
                           auto const s = std::make_shared<settings>();
                           a.text("--out", s->out, "the file (standard output if it isn't given)");
                           a.flag("--check", s->check, "simulates nothing: fails if the file is stale");
                           return [s] { return run_operations(*s); };
                         });

}  // namespace

}  // namespace ashlar::sim
