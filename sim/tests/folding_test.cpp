// SPDX-License-Identifier: Apache-2.0
// Graphs that are folded keep their work and tasks, and their span but for what the parts hide.
#include "trace/folding.h"
#include "trace/critical_path.h"
#include "trace/flat_map.h"
#include "trace/graph_builder.h"

#include "program/analysis.h"

#include <doctest/doctest.h>

#include <numeric>
#include <random>
#include <unordered_map>
#include <vector>

namespace {

using namespace ashlar::sim;  // NOLINT
using e = trace_event;

// Random programs on one lane, a tick a nanosecond: tasks spawn, run what they have spawned, and wait for all of it or
// not.
class random_run {
 public:
  explicit random_run(unsigned seed) : random_(seed) {
    made_.file = "random";
    made_.complete = true;
    made_.lanes.resize(1);
  }
  trace make(int rounds) {
    for (int i = 0; i < rounds; ++i) body(5);
    made_.end_ticks = now_ + 10;
    return std::move(made_);
  }

 private:
  void add(trace_event kind, std::uint64_t payload) { made_.lanes[0].events.push_back({now_, payload, 0, kind}); }
  void work() { now_ += 20 + random_() % 300; }
  void body(int depth) {
    work();
    std::vector<std::uint64_t> children;
    if (depth > 0) {
      for (unsigned n = random_() % 4; n > 0; --n) {
        children.push_back(++task_);
        add(e::spawn, task_);
        work();
      }
    }
    for (; !children.empty(); children.pop_back()) {
      std::uint64_t const child = children.back();
      add(e::begin, child);
      body(depth - 1);
      add(e::end, child);
    }
    if (depth > 0) add(e::wait_end, 0);
    work();
  }

  std::mt19937 random_;
  std::uint64_t now_ = 0, task_ = 0;
  trace made_;
};

std::uint64_t tasks_of(task_graph const& g) {
  std::uint64_t sum = g.tasks.size() - 1;
  for (folded_part const& p : g.folded) sum += p.tasks;
  return sum;
}

TEST_CASE("a graph that is folded while it is read keeps its work and its tasks, and nearly its span") {
  for (unsigned seed = 1; seed <= 40; ++seed) {
    trace const t = random_run(seed).make(40);
    task_graph const whole = build_graph(t);
    path_analysis const wanted = analyse_path(whole);
    CHECK(whole.folded.empty());
    for (std::size_t const most : {400u, 100u, 40u}) {
      task_graph const g = build_graph(t, {.most_tasks = most, .watcher = nullptr});
      CAPTURE(seed);
      CAPTURE(most);
      path_analysis const p = analyse_path(g);
      CHECK(p.work == wanted.work);
      CHECK(tasks_of(g) == whole.tasks.size() - 1);
      CHECK(g.ran == whole.ran);
      CHECK(p.span <= wanted.span + 2 * g.largest_part);
      CHECK(p.span + 2 * g.largest_part >= wanted.span);
      CHECK(std::accumulate(p.path_by_region.begin(), p.path_by_region.end(), picoseconds{0}) == p.span);
      if (whole.tasks.size() > most) CHECK(g.tasks.size() <= most + 1);
      CHECK(analyse(to_program(g)).work == p.work);
    }
  }
}

TEST_CASE("folding everything leaves the root with its work and its span") {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    task_graph g = build_graph(random_run(seed).make(20));
    path_analysis const wanted = analyse_path(g);
    std::uint64_t const tasks = tasks_of(g);
    fold(g, {});
    CHECK(g.tasks.size() == 1);
    CHECK(tasks_of(g) == tasks);
    path_analysis const p = analyse_path(g);
    CHECK(p.work == wanted.work);
    CHECK(p.span == wanted.span);
  }
}

TEST_CASE("larger grains: tasks become fewer and the work stays") {
  task_graph g = build_graph(random_run(3).make(60));
  path_analysis const before = analyse_path(g);
  std::size_t const tasks = g.tasks.size();
  fold_request how;
  how.most_tasks = 4;
  how.serial = true;
  how.stretches = false;
  fold(g, how);
  CHECK(g.tasks.size() < tasks * 2 / 3);
  CHECK(g.tasks.size() > tasks / 8);
  CHECK(analyse_path(g).work == before.work);
  CHECK(analyse_path(g).span >= before.span);
}

TEST_CASE("the map without nodes holds what a map with nodes holds") {
  std::mt19937 random(7);
  flat_map<std::uint64_t> map;
  std::unordered_map<std::uint64_t, std::uint32_t> wanted;
  for (int i = 0; i < 200'000; ++i) {
    std::uint64_t const key = random() % 3000 << 6;  // addresses of a few lines, which come and go
    switch (random() % 4) {
      case 0:
        map.erase(key);
        wanted.erase(key);
        break;
      case 1:
        CHECK(map.try_emplace(key, static_cast<std::uint32_t>(i)).second == wanted.try_emplace(key, i).second);
        break;
      case 2:
        map[key] = wanted[key] = static_cast<std::uint32_t>(i);
        break;
      default: {
        auto const found = map.find(key);
        auto const right = wanted.find(key);
        REQUIRE((found == map.end()) == (right == wanted.end()));
        if (found != map.end()) CHECK(found->second == right->second);
      }
    }
    if (i % 20'000 != 0) continue;
    map.erase_if([](auto& entry) { return ++entry.second % 3 == 0; });
    for (auto& entry : wanted) ++entry.second;
    std::erase_if(wanted, [](auto const& entry) { return entry.second % 3 == 0; });
    CHECK(map.size() == wanted.size());
  }
  std::size_t n = 0;
  for (auto const& [key, value] : map) {
    CHECK(wanted.at(key) == value);
    ++n;
  }
  CHECK(n == wanted.size());
}

TEST_CASE("the histogram of grains: a median within a sixteenth") {
  grain_histogram h;
  CHECK(h.median() == 0);
  for (picoseconds work : {picoseconds{7}, 400 * nanosecond, 20 * microsecond, 20 * microsecond, 3 * millisecond}) {
    h.add(work);
  }
  CHECK(static_cast<double>(h.median()) == doctest::Approx(20e6).epsilon(1.0 / 16));
  CHECK(h.below(microsecond) == 2);
  CHECK(h.below(millisecond) == 4);
}

}  // namespace
