// SPDX-License-Identifier: Apache-2.0
// The rows of nodes.cpp that a static graph without messages can have, with Taskflow. Its pipeline stands for the
// serial nodes that a source feeds, its condition task for the feedback loop.
#include "sampled.h"

#include <taskflow/algorithm/pipeline.hpp>
#include <taskflow/taskflow.hpp>

#include <cstddef>
#include <vector>

namespace {

using bench::rounds_of;
using bench::sampled;

// Runs the flow `rounds` times; its last task counts in `runs`.
int repeated(bench::options const& o, char const* unit, tf::Taskflow& flow, long const& runs, long rounds,
             std::size_t nodes) {
  tf::Executor executor(static_cast<std::size_t>(o.threads));
  long wanted = 0;
  return sampled(
      o, unit, static_cast<double>(rounds) * static_cast<double>(nodes),
      [&] {
        for (long i = 0; i < rounds; ++i) executor.run(flow).wait();
        wanted += rounds;
      },
      [&] { return runs == wanted; });
}

int chain(bench::options const& o, std::size_t length, char const* unit, long by_default) {
  tf::Taskflow flow;
  long runs = 0;
  std::vector<tf::Task> tasks;
  for (std::size_t i = 1; i < length; ++i) tasks.push_back(flow.emplace([] {}));
  tasks.push_back(flow.emplace([&runs] { ++runs; }));
  for (std::size_t i = 1; i < length; ++i) tasks[i - 1].precede(tasks[i]);
  return repeated(o, unit, flow, runs, rounds_of(o, by_default), length);
}

int wavefront(bench::options const& o) {
  constexpr std::size_t side = 100;
  tf::Taskflow flow;
  long runs = 0;
  std::vector<tf::Task> cells;
  for (std::size_t i = 0; i + 1 < side * side; ++i) cells.push_back(flow.emplace([] {}));
  cells.push_back(flow.emplace([&runs] { ++runs; }));
  for (std::size_t i = 0; i < side; ++i) {
    for (std::size_t j = 0; j < side; ++j) {
      if (i + 1 < side) cells[i * side + j].precede(cells[(i + 1) * side + j]);
      if (j + 1 < side) cells[i * side + j].precede(cells[i * side + j + 1]);
    }
  }
  return repeated(o, "ns/node", flow, runs, rounds_of(o, 5), side * side);
}

int tree(bench::options const& o) {
  constexpr std::size_t inner = (std::size_t(1) << 10) - 1;
  tf::Taskflow flow;
  long runs = 0;
  std::vector<tf::Task> out, in;
  for (std::size_t i = 0; i < 2 * inner + 1; ++i) out.push_back(flow.emplace([] {}));
  in.push_back(flow.emplace([&runs] { ++runs; }));
  for (std::size_t i = 1; i < inner; ++i) in.push_back(flow.emplace([] {}));
  for (std::size_t i = 0; i < inner; ++i) {
    for (std::size_t const child : {2 * i + 1, 2 * i + 2}) {
      out[i].precede(out[child]);
      (child < inner ? in[child] : out[child]).precede(in[i]);
    }
  }
  return repeated(o, "ns/node", flow, runs, rounds_of(o, 10), out.size() + in.size());
}

int serial_source(bench::options const& o) {
  tf::Executor executor(static_cast<std::size_t>(o.threads));
  constexpr std::size_t lines = 16;
  long const messages = rounds_of(o, 20'000);
  bool right = true;
  return sampled(
      o, "ns/message", static_cast<double>(messages),
      [&] {
        std::vector<long> at(lines);
        long sum = 0;
        auto const add = [&](tf::Pipeflow& p) { ++at[p.line()]; };
        tf::Pipeline pipeline(lines,
                              tf::Pipe{tf::PipeType::SERIAL,
                                       [&](tf::Pipeflow& p) {
                                         if (static_cast<long>(p.token()) >= messages) return p.stop();
                                         at[p.line()] = static_cast<long>(p.token());
                                       }},
                              tf::Pipe{tf::PipeType::SERIAL, add}, tf::Pipe{tf::PipeType::SERIAL, add},
                              tf::Pipe{tf::PipeType::SERIAL, add},
                              tf::Pipe{tf::PipeType::SERIAL, [&](tf::Pipeflow& p) { sum += at[p.line()]; }});
        tf::Taskflow flow;
        flow.composed_of(pipeline);
        executor.run(flow).wait();
        right = right && sum == messages * (messages - 1) / 2 + 3 * messages;
      },
      [&] { return right; });
}

int feedback(bench::options const& o) {
  tf::Executor executor(static_cast<std::size_t>(o.threads));
  long const iterations = rounds_of(o, 20'000);
  long left = 0, runs = 0, wanted = 0;
  tf::Taskflow flow;
  auto first = flow.emplace([&] { left = iterations; });
  auto loop = flow.emplace([&]() -> int { return ++runs, --left > 0 ? 0 : 1; });
  auto last = flow.emplace([] {});
  first.precede(loop);
  loop.precede(loop, last);
  return sampled(
      o, "ns/iteration", static_cast<double>(iterations),
      [&] {
        executor.run(flow).wait();
        wanted += iterations;
      },
      [&] { return runs == wanted; });
}

int build(bench::options const& o) {
  long const rounds = rounds_of(o, 5);
  bool right = true;
  return sampled(
      o, "ns/node", static_cast<double>(rounds * 1000),
      [&] {
        for (long i = 0; i < rounds; ++i) {
          tf::Taskflow flow;
          std::vector<tf::Task> tasks;
          for (std::size_t n = 0; n < 1000; ++n) tasks.push_back(flow.emplace([] {}));
          for (std::size_t n = 1; n < 1000; ++n) tasks[n - 1].precede(tasks[n]);
          right = right && flow.num_tasks() == 1000;
        }
      },
      [&] { return right; });
}

}  // namespace

int main(int argc, char** argv) {
  bench::options const o = bench::parse(argc, argv);
  if (bench::is_row(o, "chain_continue")) return chain(o, 1000, "ns/hop", 20);
  if (bench::is_row(o, "one")) return chain(o, 1, "ns/run", 10'000);
  if (bench::is_row(o, "wavefront")) return wavefront(o);
  if (bench::is_row(o, "tree")) return tree(o);
  if (bench::is_row(o, "serial_source")) return serial_source(o);
  if (bench::is_row(o, "feedback")) return feedback(o);
  if (bench::is_row(o, "build")) return build(o);
  bench::usage("unknown row", o.row);
}
