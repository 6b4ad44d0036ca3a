// SPDX-License-Identifier: Apache-2.0
#include "cli/command.h"
#include "machine/machine_file.h"
#include "study/spans.h"
#include "study/tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

namespace ashlar::sim {

namespace {

struct settings {
  std::string results = "ashlar_study.tsv";
  std::string out;
  std::string spans;
  std::string part = "all";
  bool quick = false;
  bool check = false;
};

// The cells of a part, simulated where the file lacks them or has stale ones.
study_results cells_of(settings const& s, study_section section) {
  // Stale ones beyond the quick plan would stand in the tables, too.
  stored_results stored = read_results(s.results, plan(section, false));
  auto const planned = plan(section, s.quick);
  auto const missing = std::count_if(planned.begin(), planned.end(),
                                     [&](study_cell const& c) { return stored.current.count(c.key()) == 0; });
  if (s.check && missing != 0) {
    throw bad_input(
        fmt::format("{}: {} of {} cells are missing or stale ({} are of another engine, machine file or graph); run "
                    "the study without --check",
                    s.results, missing, planned.size(), stored.stale));
  }
  if (stored.stale != 0) {
    fmt::print(stderr,
               "{}: {} stale cells are simulated again: the engine, a machine file or a graph has changed since\n",
               s.results, stored.stale);
  }
  if (missing != 0) run_study(planned, s.results, stored);
  return std::move(stored.current);
}

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
  std::string text =
      "# Simulated victim policies\n\nWritten by `ashlar-sim study`. The machines' assumptions stand in sim/machines, "
      "what the model leaves out in sim/README.md. Medians of the seeds. `./dev paper --all --drawn` draws these cells "
      "as the papers' "
      "figures, with intervals, and judges the papers' claims.\n";
  for (part const& p : parts) {
    if (s.part != "all" && s.part != p.name) continue;
    text += fmt::format("\n## {}\n\n{}", p.title, p.tables(cells_of(s, p.section)));
  }
  print_or_write(text, s.out);
  if (!s.spans.empty()) {
    auto cells = plan(study_section::iiswc2008, false);
    for (study_cell& c : plan(study_section::jsa2015, false)) cells.push_back(std::move(c));
    print_or_write(spans_text(cells), s.spans);
  }
  return 0;
}

command const study("study", "Reproduces the tables of both papers, and goes beyond them",
                    [](arguments& a) -> command_body {
                      auto const s = std::make_shared<settings>();
                      a.text("--results", s->results, "cells that are done; an interrupted study goes on there");
                      a.text("--out", s->out, "Markdown file (standard output if it isn't given)");
                      a.text("--spans", s->spans, "a file for work and span of both papers' graphs");
                      a.choice("--part", s->part, {"all", "iiswc2008", "jsa2015", "beyond"}, "only one part");
                      a.flag("--quick", s->quick, "one seed a cell, at most 64 cores beyond the papers");
                      a.flag("--check", s->check, "simulates nothing: fails if a cell is missing or stale");
                      return [s] { return run_all(*s); };
                    });

}  // namespace

}  // namespace ashlar::sim
