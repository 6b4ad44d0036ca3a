// SPDX-License-Identifier: Apache-2.0
#include "common/driver.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <thread>
#include <utility>

#include <sched.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <bench/clock.h>
#include <bench/report.h>
#include <bench/threads.h>

#include "common/library_name.h"

namespace kernels {
namespace {

struct timing {
  double wall = 0;
  double cpu = 0;
};

timing time_once(driver::work const& run) {
  double const c = bench::cpu_now();
  double const w = bench::wall_now();
  run();
  double const wall = bench::wall_now() - w;
  return {wall, bench::cpu_now() - c};
}

double median(std::vector<timing> const& runs, double timing::* member) {
  std::vector<double> v;
  for (timing const& t : runs) {
    v.push_back(t.*member);
  }
  std::sort(v.begin(), v.end());
  std::size_t const n = v.size();
  return n == 0 ? 0 : n % 2 ? v[n / 2] : 0.5 * (v[n / 2 - 1] + v[n / 2]);
}

nlohmann::json to_json(std::vector<timing> const& runs) {
  nlohmann::json list = nlohmann::json::array();
  for (timing const& t : runs) {
    list.push_back({{"wall_s", t.wall}, {"cpu_s", t.cpu}});
  }
  return list;
}

int cpus() { return std::max(1, static_cast<int>(std::thread::hardware_concurrency())); }

// A serial version that takes longer than this is not timed again beside every parallel one, and the parallel ones
// are not warmed: the milliseconds in which threads spread over the CPUs vanish in such a run.
constexpr double long_run_s = 2.0;

}  // namespace

struct driver::state {
  struct serial_version {
    work run;
    check correct;
    std::vector<timing> runs;
    bool checked = false;
  };
  struct row {
    std::string style, setting;
    int threads;
    std::vector<timing> runs;
    int discarded;
    bool checked;
    double serial_s;  // median of the serial runs when the row was measured
    double speedup() const { return serial_s / median(runs, &timing::wall); }
    double cores() const { return median(runs, &timing::cpu) / median(runs, &timing::wall); }
  };

  std::string kernel;
  library lib;
  CLI::App app;
  std::vector<int> threads{1, 2, 4, 8};
  std::vector<std::string> styles;
  std::string json_path;
  int repeat = 5;
  double warm_ms = 150;
  double cores_min = 0;
  bool quick = false;
  bool pin = false;
  nlohmann::json parameters = nlohmann::json::object();
  std::map<std::string, serial_version> serials;
  std::vector<row> rows;
  bool all_correct = true;
  bool head_printed = false;

  cpu_set_t cpus_at_start;

  state(std::string name, std::string description, library l)
      : kernel(std::move(name)), lib(std::move(l)), app(std::move(description), kernel) {
    if (sched_getaffinity(0, sizeof cpus_at_start, &cpus_at_start) != 0) {
      CPU_ZERO(&cpus_at_start);
    }
  }

  void verify(bool correct, std::string const& what) {
    if (!correct) {
      all_correct = false;
      std::fprintf(stderr, "%s: wrong result: %s\n", kernel.c_str(), what.c_str());
    }
  }
  // Runs the work until its threads are awake and on CPUs of their own; pins them there if asked to.
  template <typename Run>
  void warm(Run const& run) const {
    auto const repeat_work = [&] {
      double const start = bench::wall_now();
      do {
        run();
      } while (bench::wall_now() - start < 1e-3 * warm_ms);
    };
    repeat_work();
    if (pin) {
      bench::pin_all_threads();
      repeat_work();
    }
  }
  // Undoes the pinning of the calling thread: threads that it creates later inherit its CPUs.
  void unpin() const {
    if (pin && sched_setaffinity(0, sizeof cpus_at_start, &cpus_at_start) != 0) {
      fail(kernel, std::string("cannot set the CPU affinity: ") + std::strerror(errno), 2);
    }
  }
  void print_head();
  void print(row const& r);
  void write_json() const;
};

void driver::state::print_head() {
  if (!std::exchange(head_printed, true)) {
    std::printf("%s on %s %s, %d CPUs, median of %d runs\n", kernel.c_str(), lib.name.c_str(), lib.version.c_str(),
                cpus(), repeat);
    std::printf("%-16s %-14s %8s %11s %8s %9s  %s\n", "style", "setting", "threads", "wall ms", "cores", "speed-up",
                "result");
  }
}

void driver::state::print(row const& r) {
  std::string const count = std::to_string(r.threads) + (r.threads > cpus() ? "*" : "");
  std::printf("%-16s %-14s %8s %11.2f %8.2f %9.2f  %s\n", r.style.c_str(), r.setting.c_str(), count.c_str(),
              1e3 * median(r.runs, &timing::wall), r.cores(), r.speedup(), r.checked ? "ok" : "WRONG");
  std::fflush(stdout);
}

void driver::state::write_json() const {
  nlohmann::json out;
  out["kernel"] = kernel;
  out["library"] = {{"name", lib.name}, {"version", lib.version}, {"path", bench::loaded_tbb()}};
  out["machine"] = {{"cpus", cpus()}};
  out["parameters"] = parameters;
  out["correct"] = all_correct;
  out["peak_kib"] = bench::peak_memory_kib();
  for (auto const& [setting, s] : serials) {
    out["serial"].push_back({{"setting", setting},
                             {"wall_s", median(s.runs, &timing::wall)},
                             {"checked", s.checked},
                             {"runs", to_json(s.runs)}});
  }
  out["results"] = nlohmann::json::array();
  for (row const& r : rows) {
    out["results"].push_back({{"style", r.style},
                              {"setting", r.setting},
                              {"threads", r.threads},
                              {"oversubscribed", r.threads > cpus()},
                              {"wall_s", median(r.runs, &timing::wall)},
                              {"cpu_s", median(r.runs, &timing::cpu)},
                              {"cores", r.cores()},
                              {"serial_s", r.serial_s},
                              {"speedup", r.speedup()},
                              {"checked", r.checked},
                              {"discarded", r.discarded},
                              {"runs", to_json(r.runs)}});
  }
  std::ofstream file(json_path);
  file << out.dump(1) << '\n';
  file.close();
  if (!file) {
    fail(kernel, "cannot write " + json_path + ": " + std::strerror(errno), 2);
  }
}

driver::driver(std::string kernel, std::string description, library const& lib)
    : state_(std::make_unique<state>(std::move(kernel), std::move(description), lib)) {
  CLI::App& app = state_->app;
  app.add_option("--threads", state_->threads, "thread counts, the calling thread included (default 1,2,4,8)")
      ->delimiter(',')
      ->check(CLI::Range(1, 1024));
  app.add_option("--styles", state_->styles, "only these styles, separated by commas")->delimiter(',');
  app.add_option("--repeat", state_->repeat, "runs of which the median is reported (default 5)")
      ->check(CLI::Range(1, 1000));
  app.add_option("--warm-ms", state_->warm_ms, "each case runs at least so long before it is timed (default 150)")
      ->check(CLI::Range(0.0, 60000.0));
  app.add_option("--cores-min", state_->cores_min,
                 "discard and repeat runs that used less than this share of the CPUs they could use (default 0)")
      ->check(CLI::Range(0.0, 1.0));
  app.add_option("--json", state_->json_path, "write the results to this file");
  app.add_flag("--pin", state_->pin, "once warm, pin the main thread to the first CPU and the others in turn");
  app.add_flag("--quick", state_->quick, "a smaller problem");
}

driver::~driver() = default;

void driver::option(char const* name, int& value, char const* help, int least, int most) {
  state_->app.add_option(name, value, help)->check(CLI::Range(least, most));
}
void driver::option(char const* name, std::string& value, char const* help) {
  state_->app.add_option(name, value, help);
}
void driver::option(char const* name, std::vector<int>& value, char const* help, int least, int most) {
  state_->app.add_option(name, value, help)->delimiter(',')->check(CLI::Range(least, most));
}
void driver::flag(char const* name, bool& value, char const* help) { state_->app.add_flag(name, value, help); }

void driver::parse(int argc, char** argv) {
  try {
    state_->app.parse(argc, argv);
  } catch (CLI::CallForHelp const&) {
    std::fputs(state_->app.help().c_str(), stdout);
    std::exit(0);
  } catch (CLI::ParseError const& e) {
    fail(state_->kernel, e.what(), 2);
  }
}

bool driver::quick() const { return state_->quick; }
std::vector<int> const& driver::threads() const { return state_->threads; }
bool driver::threads_given() const { return state_->app.count("--threads") > 0; }
bool driver::wanted(std::string const& style) const {
  auto const& s = state_->styles;
  return s.empty() || std::find(s.begin(), s.end(), style) != s.end();
}
void driver::parameter(std::string const& name, std::string const& value) { state_->parameters[name] = value; }

void driver::serial(std::string const& setting, work const& run, check const& correct) {
  state_->print_head();
  state::serial_version& s = state_->serials[setting];
  s.run = run;
  s.correct = correct;
  int const repeats = time_once(run).wall > long_run_s ? 1 : state_->repeat;
  for (int i = 0; i < repeats; ++i) {
    s.runs.push_back(time_once(run));
  }
  s.checked = correct();
  state_->verify(s.checked, "serial, " + setting);
  state_->print({"serial", setting, 1, s.runs, 0, s.checked, median(s.runs, &timing::wall)});
}

void driver::parallel(std::string const& style, std::string const& setting, int threads, work const& run,
                      check const& correct) {
  auto const found = state_->serials.find(setting);
  if (found == state_->serials.end()) {
    fail(state_->kernel, "no serial version of " + setting, 2);
  }
  state::serial_version& base = found->second;
  state::row r{style, setting, threads, {}, 0, true, 0};

  // Serial runs frame the parallel ones, so that a slow window of the machine hits both; they do not alternate
  // with them, because workers that had to sleep take milliseconds to spread over the CPUs again.
  bool const frame = median(base.runs, &timing::wall) <= long_run_s;
  if (frame) {
    base.runs.push_back(time_once(base.run));
  }
  auto const correct_run = [&] {
    timing const t = time_once(run);
    r.checked = r.checked && correct();
    return t;
  };
  if (frame) {
    state_->warm(correct_run);
  }
  double const least_cores = state_->cores_min * std::min(threads, cpus());
  int const most = 3 * state_->repeat;
  for (int taken = 0; static_cast<int>(r.runs.size()) < state_->repeat; ++taken) {
    timing const t = correct_run();
    bool const needed = most - taken <= state_->repeat - static_cast<int>(r.runs.size());
    if (t.cpu < least_cores * t.wall && !needed) {
      ++r.discarded;
    } else {
      r.runs.push_back(t);
    }
  }
  state_->unpin();
  if (frame) {
    base.runs.push_back(time_once(base.run));
  }
  r.serial_s = median(base.runs, &timing::wall);
  state_->verify(r.checked, style + ", " + setting + ", " + std::to_string(threads) + " threads");
  state_->print(r);
  state_->rows.push_back(std::move(r));
}

int driver::finish() {
  for (int n : state_->threads) {
    if (n > cpus()) {
      std::printf("* more threads than CPUs\n");
      break;
    }
  }
  if (!state_->json_path.empty()) {
    state_->write_json();
  }
  return state_->all_correct ? 0 : 1;
}

void fail(std::string const& kernel, std::string const& message, int status) {
  std::fflush(stdout);
  std::fprintf(stderr, "%s: %s\n", kernel.c_str(), message.c_str());
  std::exit(status);
}

}  // namespace kernels
