// SPDX-License-Identifier: Apache-2.0
#include "study/plan.h"

#include "engine/simulate.h"

#include <fmt/format.h>

#include <stdexcept>

namespace ashlar::sim {

std::vector<std::string> const iiswc_programs{"Bitcounter", "LU", "Matmult", "Treeadd"};
std::vector<std::string> const static_programs{"fluidanimate", "swaptions", "blackscholes"};
std::vector<std::string> const jsa_programs{"blackscholes", "bodytrack", "fluidanimate", "streamcluster", "swaptions"};
std::vector<std::string> const beyond_programs{"fibcut", "nqueens", "utsT3", "treeadd", "streamcluster", "swaptions"};
std::vector<std::string> const beyond_policies{"random",   "pseudo_random", "occupancy", "distance", "distance+half",
                                               "weighted", "weighted+half", "p2c",       "oracle"};
std::vector<unsigned> const jsa_workers{1, 2, 4, 8, 16, 32};
std::vector<unsigned> const beyond_workers{8, 32, 64, 256, 1024};

namespace {

// Sizes: bench/characterisation's simsmall for the first paper, at four cycles of an in-order core per multiplication
// and ten per word. Matmult is the recursive one: a loop over blocks has tasks of 260 us, on which no policy can
// matter. Its three PARSEC programs are here for static scheduling: the options of simsmall, and 64 swaptions in the
// place of its 16, which 32 threads could not share. The second paper's programs: the structure of PARSEC's, see
// sim/README.md; swaptions is bench/characterisation's at simlarge, whose path takes 0.27 us a step on a Zen 5,
// and 1.74 times as long on a Nehalem (as spawn and pop in its file).
char const* graph_of(study_section section, std::string const& program) {
  struct entry {
    study_section section;
    char const* program;
    char const* graph;
  };
  static constexpr entry entries[] = {
      {study_section::iiswc2008, "Bitcounter", "bitcounter:records=32768,grain=16,word_ps=10000"},
      {study_section::iiswc2008, "LU", "lu:n=256,grain=8,element_ns=4"},
      {study_section::iiswc2008, "Matmult", "matmultrec:n=256,block=16,product_ps=4000"},
      {study_section::iiswc2008, "Treeadd", "treeadd:depth=15,cutoff=13,node_ns=20"},
      {study_section::iiswc2008, "fluidanimate", "fluidanimate"},
      {study_section::iiswc2008, "swaptions", "swaptions:batches=32,step_ns=4000,serial_ns=400"},
      {study_section::iiswc2008, "blackscholes", "blackscholes:loops=20,items=4096,grain=32,item_ns=600"},
      {study_section::jsa2015, "blackscholes", "blackscholes:loops=20,grain=512,item_ns=150"},
      {study_section::jsa2015, "bodytrack", "bodytrack:particles=4000"},
      {study_section::jsa2015, "fluidanimate", "fluidanimate"},
      {study_section::jsa2015, "streamcluster", "streamcluster"},
      {study_section::jsa2015, "swaptions", "swaptions:batches=512,step_ns=1850,serial_ns=170"},
      {study_section::beyond, "fibcut", "fibcut:n=32,call_ns=2"},
      {study_section::beyond, "nqueens", "nqueens:n=12,cutoff=5,node_ns=10"},
      {study_section::beyond, "utsT3", "utsT3:node_ns=1000"},
      {study_section::beyond, "treeadd", "treeadd:depth=20,cutoff=13,node_ns=5"},
      {study_section::beyond, "streamcluster", "streamcluster:loops=200,items=4096"},
      {study_section::beyond, "swaptions", "swaptions:swaptions=256,batches=50"},
  };
  for (entry const& e : entries) {
    if (e.section == section && program == e.program) return e.graph;
  }
  throw std::logic_error("the study has no program " + program);
}

char const* machine_of(study_section section) {
  return section == study_section::iiswc2008 ? "cmp2008" : section == study_section::jsa2015 ? "nehalem2015" : "epyc";
}

}  // namespace

study_cell with_seed(study_cell c, unsigned seed) {
  c.seed = seed;
  // The paper's swaptions vary from run to run; here it is their order that does.
  if (c.program == "swaptions") c.graph += fmt::format(",seed={}", seed);
  return c;
}

std::string study_cell::key() const {
  return fmt::format("{} {} {} {} {} P={} seed={}", machine, graph, policy, wait, idle, workers, seed);
}

study_cell cell_of(study_section section, std::string const& program, std::string const& policy, unsigned workers) {
  study_cell c;
  c.program = program;
  c.graph = graph_of(section, program);
  c.machine = machine_of(section);
  c.policy = policy;
  c.workers = workers;
  // The second paper's occupancies are logged by the threads; the first one's slides tell nothing of a log.
  if (section == study_section::jsa2015 && policy == "occupancy") c.policy = "logged";
  // The first paper's threads never sleep: its library spins in the master's arena.
  if (section == study_section::iiswc2008) c.idle = "spin";
  return c;
}

namespace {

void add(std::vector<study_cell>& cells, study_cell const& c, unsigned seeds) {
  for (unsigned seed = 1; seed <= seeds; ++seed) cells.push_back(with_seed(c, seed));
}

std::vector<study_cell> iiswc_plan(unsigned seeds) {
  constexpr auto section = study_section::iiswc2008;
  std::vector<study_cell> cells;
  for (std::string const& program : iiswc_programs) {
    add(cells, cell_of(section, program, "random", 1), 1);
    for (unsigned const workers : {16u, 25u, 32u}) {
      for (char const* policy : {"random", "occupancy", "scan1", "steal1"}) {
        add(cells, cell_of(section, program, policy, workers), seeds);
      }
    }
  }
  return cells;
}

std::vector<study_cell> jsa_plan(unsigned seeds) {
  constexpr auto section = study_section::jsa2015;
  std::vector<study_cell> cells;
  for (std::string const& program : jsa_programs) {
    for (unsigned const workers : jsa_workers) {
      for (char const* policy : {"random", "pseudo_random", "occupancy", "oracle", "hybrid"}) {
        if (workers == 1 && std::string(policy) != "random") continue;
        add(cells, cell_of(section, program, policy, workers), workers == 1 ? 1 : seeds);
      }
    }
  }
  return cells;
}

std::vector<study_cell> beyond_plan(unsigned most_workers, unsigned seeds) {
  constexpr auto section = study_section::beyond;
  std::vector<study_cell> cells;
  for (std::string const& program : beyond_programs) {
    add(cells, cell_of(section, program, "random", 1), 1);
    for (unsigned const workers : beyond_workers) {
      if (workers > most_workers) continue;
      for (std::string const& policy : beyond_policies) add(cells, cell_of(section, program, policy, workers), seeds);
      if (program != "swaptions" && program != "nqueens") continue;
      for (char const* wait : {"depth", "leapfrog", "continuation"}) {
        study_cell c = cell_of(section, program, "distance", workers);
        c.wait = wait;
        add(cells, c, seeds);
      }
    }
  }
  return cells;
}

}  // namespace

std::vector<study_cell> plan(study_section section, bool quick) {
  unsigned const seeds = quick ? 1 : study_seeds;
  switch (section) {
    case study_section::iiswc2008:
      return iiswc_plan(seeds);
    case study_section::jsa2015:
      return jsa_plan(seeds);
    case study_section::beyond:
      break;
  }
  return beyond_plan(quick ? 64 : max_workers, quick ? 1 : beyond_seeds);
}

}  // namespace ashlar::sim
