// SPDX-License-Identifier: Apache-2.0
// The sites that Taskflow has, too.
#include <taskflow/algorithm/for_each.hpp>
#include <taskflow/algorithm/pipeline.hpp>
#include <taskflow/taskflow.hpp>

#include "sweep.h"

#include <memory>

namespace {

using sweep::body;
using sweep::site;

long pipeline_of(tf::Executor& executor, std::size_t filters, long tokens) {
  std::vector<tf::Pipe<std::function<void(tf::Pipeflow&)>>> pipes;
  pipes.emplace_back(tf::PipeType::SERIAL, [tokens](tf::Pipeflow& token) {
    if (token.token() == static_cast<std::size_t>(tokens)) token.stop();
  });
  for (std::size_t i = 0; i < filters; ++i) pipes.emplace_back(tf::PipeType::SERIAL, [](tf::Pipeflow&) { body(); });
  tf::ScalablePipeline<decltype(pipes)::iterator> line(8 * executor.num_workers(), pipes.begin(), pipes.end());
  tf::Taskflow flow;
  flow.composed_of(line);
  executor.run(flow).wait();
  return tokens * static_cast<long>(filters);
}

void add_loops(std::vector<site>& to, std::shared_ptr<tf::Executor> const& executor) {
  auto const loop = [executor](long n) {
    tf::Taskflow flow;
    flow.for_each_index(0L, n, 1L, [](long) { body(); });
    executor->run(flow).wait();
  };
  to.push_back({"for-index", [=](long n) {
                  loop(n);
                  return n;
                }});
  for (long const length : {4L, 16L}) {
    to.push_back({"for-" + std::to_string(length), [=](long n) {
                    long done = 0;
                    for (; done < n; done += length) loop(length);
                    return done;
                  }});
  }
}

// A binary tree of 63 tasks, as the flow graph's.
void add_tree(std::vector<site>& to, std::shared_ptr<tf::Executor> const& executor) {
  auto const flow = std::make_shared<tf::Taskflow>();
  std::vector<tf::Task> tasks;
  for (std::size_t i = 0; i < 63; ++i) {
    tasks.push_back(flow->emplace([] { body(); }));
    if (i != 0) tasks[(i - 1) / 2].precede(tasks[i]);
  }
  to.push_back({"flow-tree", [=](long n) {
                  long done = 0;
                  for (; done < n; done += 63) executor->run(*flow).wait();
                  return done;
                }});
}

}  // namespace

int main(int argc, char** argv) {
  sweep::options const o = sweep::parse(argc, argv);
  auto const executor = std::make_shared<tf::Executor>(static_cast<std::size_t>(o.threads));
  std::vector<site> sites;
  add_loops(sites, executor);
  for (std::size_t const filters : {std::size_t(2), std::size_t(4), std::size_t(8)}) {
    sites.push_back({"pipe-" + std::to_string(filters), [=](long n) {
                       return pipeline_of(*executor, filters, std::max(32L, n / static_cast<long>(filters)));
                     }});
  }
  add_tree(sites, executor);
  return sweep::measure_all(o, sites);
}
