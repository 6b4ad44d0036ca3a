// SPDX-License-Identifier: Apache-2.0
// The sites of both TBBs and of ours, in the dialect that the headers have.
#include <tbb/task.h>

#include <bench/tbb_peer.h>

#include "sweep.h"

#include "graphs.h"
#include "loops.h"
#include "pipelines.h"
#include "tasks.h"
#if TBB_INTERFACE_VERSION < 12000
#include "classic_tasks.h"
#endif

int main(int argc, char** argv) {
  sweep::options const o = sweep::parse(argc, argv);
  return bench::with_threads(o.threads, [&o] {
    std::vector<sweep::site> sites;
    sweep::add_loops(sites);
    sweep::add_groups(sites);
    sweep::add_arenas(sites, o.threads);
    sweep::add_pipelines(sites, o.threads);
    sweep::add_graphs(sites, o.threads);
#if TBB_INTERFACE_VERSION < 12000
    sweep::add_classic_tasks(sites);
    sweep::add_bound_pipeline(sites, o.threads);
#endif
    return sweep::measure_all(o, sites);
  });
}
