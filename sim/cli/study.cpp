// SPDX-License-Identifier: Apache-2.0
#include "cli/command.h"
#include "machine/machine_file.h"
#include "study/plan.h"

#include <fmt/format.h>

#include <cstdio>
#include <memory>

namespace ashlar::sim {

namespace {

struct settings {
  std::string results = "ashlar_study.tsv";
  std::string out;
  std::string part = "all";
  bool quick = false;
};

int run_all(settings const& s) {
  struct part {
    study_section section;
    char const* name;
    char const* title;
    std::string (*tables)(study_results const&);
  };
  constexpr part parts[] = {
      {study_section::iiswc2008, "iiswc2008", "Contreras and Martonosi, IISWC'08 (machine cmp2008)", iiswc_tables},
      {study_section::jsa2015, "jsa2015", "Iordan, Jahre and Natvig, JSA 2015 (machine nehalem2015)", jsa_tables},
      {study_section::beyond, "beyond", "Beyond the papers (machine epyc, a guess)", beyond_tables}};
  study_results results = read_results(s.results);
  std::string text = "# Simulated victim policies\n\nWritten by `ashlar-sim study`. The machines' assumptions stand in sim/machines, "
                     "what the model leaves out in sim/README.md.\n";
  for (part const& p : parts) {
    if (s.part != "all" && s.part != p.name) continue;
    run_study(plan(p.section, s.quick), s.results, results);
    text += fmt::format("\n## {}\n\n{}", p.title, p.tables(results));
  }
  if (s.out.empty()) {
    fmt::print("{}", text);
  } else {
    write_file(s.out, text);
  }
  return 0;
}

command const study("study", "Reproduces the tables of both papers, and goes beyond them", [](arguments& a) -> command_body {
  auto const s = std::make_shared<settings>();
  a.text("--results", s->results, "cells that are done; an interrupted study goes on there");
  a.text("--out", s->out, "Markdown file (standard output if it isn't given)");
  a.choice("--part", s->part, {"all", "iiswc2008", "jsa2015", "beyond"}, "only one part");
  a.flag("--quick", s->quick, "one seed a cell, at most 64 cores beyond the papers");
  return [s] { return run_all(*s); };
});

}  // namespace

}  // namespace ashlar::sim
