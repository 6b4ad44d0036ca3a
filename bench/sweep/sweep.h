// SPDX-License-Identifier: Apache-2.0
// What a unit of work costs at a site: a construct that makes work again and again, with bodies of a given length. The
// programs of this folder have a list of sites each; README.md names them.
#pragma once

#include <bench/clock.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace sweep {

struct site {
  std::string name;
  std::function<long(long)> run;  // does about so many units, and returns how many
  bool has_body = true;           // else the site is measured once, with bodies of 0 ns
};

// The body of all sites: a dependent chain of so many steps, or a sleep.
inline long steps_of_body = 0;
inline long sleep_of_body_us = 0;

__attribute__((noinline)) inline void steps(long n) {
  unsigned x = 1;
  for (long i = 0; i < n; ++i) {
    x = x * 1664525u + 1013904223u;
    __asm__ volatile("" : "+r"(x));
  }
}

inline void body() {
  if (sleep_of_body_us != 0) {
    std::this_thread::sleep_for(std::chrono::microseconds(sleep_of_body_us));
  } else if (steps_of_body != 0) {
    steps(steps_of_body);
  } else {
    __asm__ volatile("");
  }
}

inline double ns_per_step() {
  steps(1'000'000);
  double best = 1e9;
  for (int i = 0; i < 5; ++i) {
    double const begin = bench::wall_now();
    steps(3'000'000);
    best = std::min(best, (bench::wall_now() - begin) / 3e6 * 1e9);
  }
  return best;
}

struct options {
  int threads = 1;
  int samples = 5;
  double sample_s = 0.015;
  double cold_s = 0;    // serial work before each sample, which is one run then
  bool asleep = false;  // bodies sleep; grains are at least 1000 ns
  std::vector<double> grains = {0};
  std::vector<std::string> sites;  // all, if none is named
};

[[noreturn]] inline void refuse(char const* what, char const* argument) {
  std::fprintf(stderr, "sweep: %s: %s\n", what, argument);
  std::exit(2);
}

inline std::vector<std::string> split(char const* text) {
  std::vector<std::string> found(1);
  for (; *text != 0; ++text) {
    if (*text == ',') {
      found.emplace_back();
    } else {
      found.back() += *text;
    }
  }
  return found;
}

inline double number(char const* text, double least) {
  char* end = nullptr;
  double const value = std::strtod(text, &end);
  if (end == text || *end != 0 || !(value >= least)) refuse("bad value", text);
  return value;
}

inline options parse(int argc, char** argv) {
  options o;
  for (int i = 1; i < argc; ++i) {
    std::string const name = argv[i];
    if (name == "--asleep") {
      o.asleep = true;
      continue;
    }
    if (++i == argc) refuse("no value", argv[i - 1]);
    char const* const value = argv[i];
    if (name == "--threads") {
      o.threads = static_cast<int>(number(value, 1));
    } else if (name == "--samples") {
      o.samples = static_cast<int>(number(value, 1));
    } else if (name == "--sample-ms") {
      o.sample_s = number(value, 0) / 1e3;
    } else if (name == "--cold-ms") {
      o.cold_s = number(value, 0) / 1e3;
    } else if (name == "--grains") {
      o.grains.clear();
      for (std::string const& part : split(value)) o.grains.push_back(number(part.c_str(), 0));
    } else if (name == "--sites") {
      o.sites = split(value);
    } else {
      refuse("unknown option", name.c_str());
    }
  }
  return o;
}

// So many units that a run takes about 30 ms of one thread, 2000 at most. Of sleeping bodies, which take about 60 us
// more than they are asked for, some for each thread.
inline long units_of(options const& o, double grain) {
  if (o.asleep) return std::max(64, 8 * o.threads);
  return std::clamp(static_cast<long>(30e6 / (grain + 1)), 64L, 2000L);
}

struct sample {
  double wall_ns, cpu_ns;  // a unit
};

inline sample take(options const& o, site const& s, long units) {
  if (o.cold_s > 0) {
    double const end = bench::wall_now() + o.cold_s;
    while (bench::wall_now() < end) steps(1000);
  }
  double const wall = bench::wall_now(), cpu = bench::cpu_now();
  long done = 0;
  double now = wall;
  do {
    done += s.run(units);
    now = bench::wall_now();
  } while (now - wall < o.sample_s && o.cold_s == 0);
  return {(now - wall) / static_cast<double>(done) * 1e9, (bench::cpu_now() - cpu) / static_cast<double>(done) * 1e9};
}

// One line: site, body in ns, CPU time of a unit at the median in ns, then the wall time of a unit in each sample.
inline void measure(options const& o, site const& s, double grain, double step) {
  sleep_of_body_us = o.asleep ? static_cast<long>(grain / 1000) : 0;
  steps_of_body = o.asleep ? 0 : static_cast<long>(grain / step + 0.5);
  long const units = units_of(o, grain);
  double const warm = bench::wall_now();
  do {
    s.run(units);
  } while (bench::wall_now() - warm < 2 * o.sample_s);
  std::vector<double> cpu;
  std::string wall;
  for (int i = 0; i < o.samples; ++i) {
    sample const x = take(o, s, units);
    cpu.push_back(x.cpu_ns);
    char text[32];
    std::snprintf(text, sizeof text, " %.2f", x.wall_ns);
    wall += text;
  }
  std::nth_element(cpu.begin(), cpu.begin() + static_cast<long>(cpu.size() / 2), cpu.end());
  std::printf("%s %.0f %.2f%s\n", s.name.c_str(), grain, cpu[cpu.size() / 2], wall.c_str());
  std::fflush(stdout);
}

inline int measure_all(options const& o, std::vector<site> const& sites) {
  double const step = ns_per_step();
  bench::bystanders const others;
  for (std::string const& name : o.sites) {
    if (std::none_of(sites.begin(), sites.end(), [&](site const& s) { return s.name == name; })) {
      std::fprintf(stderr, "sweep: no site %s\n", name.c_str());
      return 2;
    }
  }
  for (site const& s : sites) {
    if (!o.sites.empty() && std::find(o.sites.begin(), o.sites.end(), s.name) == o.sites.end()) continue;
    if (s.has_body) {
      for (double const grain : o.grains) measure(o, s, grain, step);
    } else if (!o.asleep) {
      measure(o, s, 0, step);
    }
  }
  std::printf("foreign_cores %.2f\n", others.cores());
  return 0;
}

}  // namespace sweep
