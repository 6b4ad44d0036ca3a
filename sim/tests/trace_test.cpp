// SPDX-License-Identifier: Apache-2.0
// The recorder, from the outside: this program runs itself once more with ASHLAR_TRACE and one of its hidden test
// cases, and reads what was recorded.
#include "trace/chrome.h"
#include "trace/critical_path.h"
#include "trace/graph_builder.h"

#include "machine/machine_file.h"
#include "program/analysis.h"

#include <ashlar/obs/trace_region.h>
#include <support/death.h>
#include <support/scratch.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_invoke.h>
#include <tbb/task_group.h>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <sched.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <map>
#include <random>
#include <set>
#include <thread>
#include <utility>
#include <vector>

namespace {

using namespace ashlar::sim;  // NOLINT

std::atomic<unsigned> calls{0};

void compute(std::chrono::nanoseconds time) {
  auto const end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end) ++calls;
}

void tree_of_forks(int depth) {
  if (depth == 0) return compute(std::chrono::microseconds(3));
  tbb::parallel_invoke([=] { tree_of_forks(depth - 1); }, [=] { tree_of_forks(depth - 1); });
}

void tree_of_groups(int depth) {
  if (depth == 0) return compute(std::chrono::microseconds(3));
  tbb::task_group g;
  g.run([=] { tree_of_groups(depth - 1); });
  tree_of_groups(depth - 1);
  g.wait();
}

TEST_CASE("traced: a tree of forks" * doctest::skip()) { tree_of_forks(8); }
TEST_CASE("traced: a tree of groups" * doctest::skip()) {
  ashlar::trace_region const r("the groups");
  tree_of_groups(8);
}
TEST_CASE("traced: a loop" * doctest::skip()) {
  tbb::parallel_for(
      tbb::blocked_range<int>(0, 256, 1), [](tbb::blocked_range<int> const&) { compute(std::chrono::microseconds(3)); },
      tbb::simple_partitioner());
}
TEST_CASE("traced: a crash" * doctest::skip()) {
  tree_of_forks(8);
  std::raise(SIGKILL);
}
TEST_CASE("traced: a fork" * doctest::skip()) {
  tree_of_forks(4);
  pid_t const child = fork();
  if (child == 0) {
    tree_of_groups(9);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  CHECK(status == 0);
  tree_of_forks(4);
}
TEST_CASE("traced: many events" * doctest::skip()) {
  for (int i = 0; i < 20000; ++i) tbb::parallel_invoke([] { ++calls; }, [] { ++calls; }, [] { ++calls; });
}

// For `ms` of the thread's own processor time.
void use_processor(int ms) {
  timespec t;
  auto const used = [&] {
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return t.tv_sec * 1'000'000'000 + t.tv_nsec;
  };
  auto const end = used() + ms * 1'000'000;
  while (used() < end) ++calls;
}

// Another thread wants the same processor. 30 tasks of 1 ms, and then 30 ms in which nothing is recorded.
TEST_CASE("traced: a preempted run" * doctest::skip()) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  REQUIRE(sched_setaffinity(0, sizeof one, &one) == 0);
  tbb::global_control const alone(tbb::global_control::max_allowed_parallelism, 1);
  std::atomic<bool> over{false};
  std::thread rival([&] {
    while (!over) ++calls;
  });
  tbb::task_group g;
  for (int i = 0; i < 30; ++i) g.run([] { use_processor(1); });
  g.wait();
  use_processor(30);
  over = true;
  rival.join();
}

// Between two events, a task is kept from its processor and sleeps.
TEST_CASE("traced: a sleeper with a rival" * doctest::skip()) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  REQUIRE(sched_setaffinity(0, sizeof one, &one) == 0);
  tbb::global_control const alone(tbb::global_control::max_allowed_parallelism, 1);
  std::atomic<bool> over{false};
  std::thread rival([&] {
    while (!over) ++calls;
  });
  tbb::task_group g;
  g.run([] {
    use_processor(20);
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    use_processor(20);
  });
  g.wait();
  over = true;
  rival.join();
}

TEST_CASE("traced: a sleep after the tasks" * doctest::skip()) {
  tbb::task_group g;
  for (int i = 0; i < 3; ++i) g.run([] { use_processor(1); });
  g.wait();
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
}

std::string scratch(char const* name) {
  static test::scratch_folder const folder;
  return folder.file(name);
}

test::death run_traced(char const* what, std::string const& file, char const* limit = nullptr) {
  return test::run_in_child([&] {
    setenv("ASHLAR_TRACE", file.c_str(), 1);
    setenv("TSAN_OPTIONS", "die_after_fork=0", 0);  // or a forked child may not start threads under ThreadSanitizer
    if (limit != nullptr) setenv("ASHLAR_TRACE_LIMIT", limit, 1);
    std::string const choice = std::string("--test-case=traced: ") + what;
    execl("/proc/self/exe", "unit_sim", "--no-skip", "--out=/dev/null", choice.c_str(), static_cast<char*>(nullptr));
    _exit(127);
  });
}

struct recorded {
  trace events;
  task_graph graph;
};

recorded record(char const* what) {
  std::string const file = scratch("run");
  test::death const end = run_traced(what, file);
  CHECK(end.exited);
  CHECK(end.code == 0);
  CHECK(end.errors.empty());
  recorded r;
  r.events = read_trace(file);
  r.graph = build_graph(r.events);
  unlink(file.c_str());
  return r;
}

std::size_t count_ran(task_graph const& g, char const* region) {
  return static_cast<std::size_t>(std::count_if(g.tasks.begin() + 1, g.tasks.end(), [&](traced_task const& t) {
    return t.ran && g.regions[t.region].find(region) != std::string::npos;
  }));
}

// Task 0 is the main thread; all of the computing is a task's.
void check_times(task_graph const& g, std::size_t leaves) {
  path_analysis const p = analyse_path(g);
  picoseconds const computed = leaves * 3 * microsecond;
  CHECK(p.work >= computed * 8 / 10);  // a leaf looks at the clock, so preemption shortens what it computes
  CHECK(p.span <= p.work);
  analysis const converted = analyse(to_program(g));
  CHECK(converted.work == p.work);
  CHECK(converted.span == p.span);
}

TEST_CASE("a tree of forks is recorded with every task, its name and its joins") {
  recorded const r = record("a tree of forks");
  CHECK(r.events.complete);
  CHECK(r.events.event_ns > 0);
  // Each fork makes one task.
  CHECK(count_ran(r.graph, "tree_of_forks") == 255);
  auto const joins = std::count_if(r.graph.items.begin(), r.graph.items.end(),
                                   [](task_item const& i) { return i.kind == task_item::what::join; });
  CHECK(joins == 255);
  check_times(r.graph, 256);
  CHECK(r.graph.migrated == 0);
}

TEST_CASE("a tree of groups is recorded under the user's name for it") {
  recorded const r = record("a tree of groups");
  CHECK(count_ran(r.graph, "the groups") == 255);
  check_times(r.graph, 256);
}

TEST_CASE("a loop is recorded with every part that was on offer") {
  recorded const r = record("a loop");
  CHECK(count_ran(r.graph, "") == 255);
  check_times(r.graph, 256);
}

TEST_CASE("the file of a program that crashed is read up to what was written") {
  std::string const file = scratch("crash");
  CHECK(run_traced("a crash", file).by_signal(SIGKILL));
  trace const t = read_trace(file);
  CHECK(!t.complete);
  CHECK(count_ran(build_graph(t), "tree_of_forks") == 255);
  unlink(file.c_str());
}

TEST_CASE("a trace that a full disk cut off is read as far as it goes, wherever the cut is") {
  std::string const file = scratch("cut");
  CHECK(run_traced("a tree of forks", file).code == 0);
  std::string const good = read_file(file);
  std::size_t const all = build_graph(read_trace(file)).tasks.size();
  unlink(file.c_str());
  std::size_t before = 0;
  constexpr std::size_t chunk = ashlar::obs::trace_chunk_size;
  for (std::size_t length = chunk; length < chunk + 20'000; length += 3307) {
    write_file(file, good.substr(0, length));
    trace const t = read_trace(file);
    CHECK(t.complete == (length == chunk));  // the header alone tells of no loss
    CHECK(t.cut_off == (length == chunk ? 0 : length));
    std::size_t const tasks = build_graph(t).tasks.size();
    CHECK(tasks >= before);
    CHECK(tasks <= all);
    before = tasks;
  }
  CHECK(before > 50);
  unlink(file.c_str());
}

TEST_CASE("time that another thread had the processor is seen and isn't work") {
  recorded const r = record("a preempted run");
  picoseconds const work = analyse_path(r.graph).work;
  CHECK(r.graph.preempted > 20 * millisecond);  // about half of the time
  CHECK(work > 55 * millisecond);
  CHECK(work < 100 * millisecond);  // starting the rival is a wait of the thread's own
  CHECK(r.graph.recorded_time > work + 20 * millisecond);
}

TEST_CASE("of a gap with both, the sleep is the task's and the wait for a processor isn't") {
  recorded const r = record("a sleeper with a rival");
  CHECK(r.graph.blocked > 95 * millisecond);
  CHECK(r.graph.preempted > 15 * millisecond);
  picoseconds const work = analyse_path(r.graph).work;
  CHECK(work > 135 * millisecond);
  CHECK(r.graph.recorded_time > work + 15 * millisecond);
}

TEST_CASE("a program that sleeps after its tasks has done its work") {
  recorded const r = record("a sleep after the tasks");
  picoseconds const work = analyse_path(r.graph).work;
  CHECK(work >= 3 * millisecond);
  CHECK(work < 250 * millisecond);
  CHECK(r.graph.recorded_time > 300 * millisecond);
}

TEST_CASE("a forked child leaves its parent's trace alone") {
  recorded const r = record("a fork");
  CHECK(count_ran(r.graph, "tree_of_forks") == 30);
  CHECK(count_ran(r.graph, "tree_of_groups") == 0);
}

TEST_CASE("a trace ends at its limit, with one line, and is readable") {
  std::string const file = scratch("limit");
  test::death const end = run_traced("many events", file, "1");
  CHECK(end.code == 0);
  CHECK(std::count(end.errors.begin(), end.errors.end(), '\n') == 1);
  CHECK(end.errors.find("ASHLAR_TRACE_LIMIT") != std::string::npos);
  trace const t = read_trace(file);
  CHECK(!t.complete);
  CHECK(build_graph(t).tasks.size() > 1000);
  CHECK(read_file(file).size() <= 1u << 20);
  unlink(file.c_str());
}

TEST_CASE("a file that can't be written: one line, and the program runs without a trace") {
  for (char const* const path : {"/nonexistent/trace", "/dev/null"}) {
    test::death const end = run_traced("a loop", path);
    CHECK(end.code == 0);
    CHECK(std::count(end.errors.begin(), end.errors.end(), '\n') == 1);
    CHECK(end.errors.find(std::string("ASHLAR_TRACE=") + path) != std::string::npos);
  }
}

// Slices of a lane lie beside or within each other, or the viewers draw nonsense.
void check_nesting(std::map<int, std::vector<std::pair<double, double>>>& lanes) {
  constexpr double rounding = 0.0011;  // us
  for (auto& [tid, slices] : lanes) {
    std::sort(slices.begin(), slices.end(), [](auto const& a, auto const& b) {
      return a.first != b.first ? a.first < b.first : a.second > b.second;
    });
    std::vector<double> open;
    for (auto const& [begin, end] : slices) {
      while (!open.empty() && open.back() <= begin + rounding) open.pop_back();
      if (!open.empty()) CHECK(end <= open.back() + rounding);
      open.push_back(end);
    }
  }
}

TEST_CASE("the Chrome export has a lane per thread, a slice per task, and pairs of arrow ends") {
  recorded const r = record("a tree of groups");
  auto const json = nlohmann::json::parse(to_chrome_json(r.events, r.graph));
  std::set<int> lanes;
  std::size_t slices = 0;
  struct place {
    int lane;
    double time;
  };
  std::map<int, place> starts, ends;
  std::map<int, std::vector<std::pair<double, double>>> by_lane;
  std::set<std::pair<int, double>> begins;
  for (auto const& e : json.at("traceEvents")) {
    std::string const phase = e.at("ph");
    CHECK(e.at("pid") == 1);
    if (phase == "M" && e.at("name") == "thread_name") lanes.insert(e.at("tid").get<int>());
    if (phase == "M") continue;
    int const lane = e.at("tid");
    double const time = e.at("ts");
    CHECK(lanes.count(lane) == 1);
    if (phase == "X") {
      double const duration = e.at("dur");
      CHECK(duration >= 0);
      by_lane[lane].emplace_back(time, time + duration);
    }
    if (phase == "X" && e.at("cat") == "task") {
      ++slices;
      begins.emplace(lane, time);
      CHECK(e.at("name") == "the groups");
    }
    if (phase == "s") CHECK(starts.try_emplace(e.at("id").get<int>(), place{lane, time}).second);
    if (phase == "f") CHECK(ends.try_emplace(e.at("id").get<int>(), place{lane, time}).second);
  }
  CHECK(lanes.size() == r.events.lanes.size());
  CHECK(slices == 255);
  check_nesting(by_lane);
  // An arrow goes from the lane that spawned to where the task begins on another one.
  REQUIRE(starts.size() == ends.size());
  for (auto const& [id, from] : starts) {
    place const to = ends.at(id);
    CHECK(from.lane != to.lane);
    CHECK(from.time <= to.time);
    CHECK(begins.count({to.lane, to.time}) == 1);
  }
}

struct damaged_file {
  explicit damaged_file(std::string text) : path(scratch("bad")) { write_file(path, text); }
  ~damaged_file() { unlink(path.c_str()); }
  std::string path;
};

TEST_CASE("damaged traces are refused with the file and the place") {
  std::string const file = scratch("good");
  CHECK(run_traced("a tree of forks", file).code == 0);
  std::string const good = read_file(file);
  unlink(file.c_str());
  constexpr std::size_t chunk = ashlar::obs::trace_chunk_size;
  REQUIRE(good.size() >= 2 * chunk);
  auto const refuses = [&](std::string text, std::string const& message) {
    damaged_file const bad(std::move(text));
    CHECK_THROWS_WITH_AS(build_graph(read_trace(bad.path)), doctest::Contains((bad.path + ":" + message).c_str()),
                         bad_input);
  };
  auto const changed = [&](std::size_t at, char value) {
    std::string text = good;
    text[at] = value;
    return text;
  };
  refuses("", "0: not a trace");
  refuses(std::string(100, 'x'), "0: not a trace");
  refuses(good.substr(0, 1000), "1000: the file is cut off");
  refuses(changed(8, 9), "8: version 9 is not known");
  refuses(changed(chunk, 'x'), std::to_string(chunk) + ": the header of a chunk is damaged");
  refuses(changed(chunk + 8, 5), std::to_string(chunk + 8) + ": a chunk of the lane is missing");
  // The first chunk after the header is the caller's; a worker may have claimed the last one without beginning it.
  refuses(changed(2 * chunk - 3, 1), std::to_string(2 * chunk - 8) + ": events behind the end");
  CHECK_THROWS_WITH_AS(read_trace("/nonexistent"), "/nonexistent: can't be opened: No such file or directory",
                       bad_input);
  CHECK_THROWS_WITH_AS(read_trace("/tmp"), "/tmp: is a folder, not a trace", bad_input);
}

TEST_CASE("whatever a byte is changed to, the reader reads the trace or refuses it") {
  std::string const file = scratch("fuzz");
  CHECK(run_traced("a fork", file).code == 0);
  std::string const good = read_file(file);
  unlink(file.c_str());
  std::mt19937 random(7);
  unsigned refused = 0;
  for (int i = 0; i < 150; ++i) {
    std::string text = good;
    std::size_t const header = ashlar::obs::trace_chunk_size;
    std::size_t const at = i % 3 == 0 ? random() % 64 : header + random() % 2000;
    text[at] = static_cast<char>(random());
    damaged_file const bad(std::move(text));
    try {
      analyse_path(build_graph(read_trace(bad.path)));
    } catch (bad_input const&) {
      ++refused;
    }
  }
  CHECK(refused > 10);
}

}  // namespace
