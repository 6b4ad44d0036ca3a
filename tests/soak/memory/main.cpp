// SPDX-License-Identifier: Apache-2.0
// Runs one case, which is a construct in a shape, and prints its memory: soak_memory CONSTRUCT.SHAPE [--seconds S |
// --factor F]. soak_memory --list prints all cases, each with the operations of its short form.
#include "cases.h"

#include <tbb/global_control.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

using namespace growth;

table all_constructs() {
  table t;
#if SOAK_LEAKS
  add_leaks(t);
#else
  add_allocator(t);
  add_containers(t);
  add_phased_containers(t);
  add_thread_local(t);
  add_locks(t);
  add_tasks(t);
  add_arenas(t);
  add_algorithms(t);
  add_flow(t);
#if SOAK_OURS
  add_classic(t);
  add_own_flow(t);
#endif
#endif
  return t;
}

std::string case_name(construct const& c, shape s) { return c.name + "." + shape_names[static_cast<int>(s)]; }

void list(table const& t) {
  for (construct const& c : t) {
    for (shape const s : all_shapes) std::printf("%s %ld\n", case_name(c, s).c_str(), c.operations);
  }
}

int run_case(construct const& c, shape s, double seconds, double factor) {
  meter m(static_cast<long>(static_cast<double>(c.operations) * factor), seconds);
  run r{s, m};
  c.body(r);
  for (sample const& x : m.samples()) std::printf("%.4f %ld %.3f %ld\n", x.part, x.operations, x.seconds, x.kib);
  return m.over() ? 0 : 1;
}

}  // namespace

int main(int count, char** arguments) {
  table const t = all_constructs();
  if (count == 2 && std::strcmp(arguments[1], "--list") == 0) return list(t), 0;
  double seconds = 0;
  double factor = 1;
  for (int i = 2; i + 1 < count; i += 2) {
    (std::strcmp(arguments[i], "--seconds") == 0 ? seconds : factor) = std::atof(arguments[i + 1]);
  }
  // Workers for three arenas beside the application's threads, on a machine with few processors, too.
  setenv("ASHLAR_NUM_THREADS", "4", 1);
  tbb::global_control const threads(tbb::global_control::max_allowed_parallelism, 4);
  for (construct const& c : t) {
    for (shape const s : all_shapes) {
      if (count > 1 && case_name(c, s) == arguments[1]) return run_case(c, s, seconds, factor);
    }
  }
  std::fprintf(stderr, "usage: soak_memory --list | CONSTRUCT.SHAPE [--seconds S | --factor F]\n");
  return 2;
}
