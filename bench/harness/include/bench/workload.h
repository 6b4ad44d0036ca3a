// SPDX-License-Identifier: Apache-2.0
// The main program of the allocator workloads, which a preloaded allocator serves. A workload is a function of the
// number of threads and a scale (--size, per cent) that works and returns named values; the sample is its CPU time,
// because others' load does not lengthen it. Included by exactly one source file per program. Workloads call malloc and
// free by their names; the build forbids the compiler to know what these do (-fno-builtin).
#pragma once

#include <bench/clock.h>
#include <bench/options.h>
#include <bench/report.h>

#include <sys/resource.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <thread>
#include <vector>

namespace workload {

using values = std::map<std::string, double>;
using function = std::function<values(int threads, double scale)>;

inline std::map<std::string, function>& all() {
  static std::map<std::string, function> workloads;
  return workloads;
}

struct registration {
  registration(char const* name, function f) { all()[name] = std::move(f); }
};

class random_source {
 public:
  explicit random_source(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15u + 0x1234567) {}
  std::uint64_t next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return state_;
  }
  std::size_t below(std::size_t n) { return static_cast<std::size_t>((next() >> 16) % n); }
  std::size_t between(std::size_t a, std::size_t b) { return a + below(b - a); }

 private:
  std::uint64_t state_;
};

// Runs work(thread index) in so many threads, the calling one being the first.
template <typename Work>
void in_threads(int threads, Work work) {
  std::vector<std::thread> team;
  for (int t = 1; t < threads; ++t) {
    team.emplace_back(work, t);
  }
  work(0);
  for (std::thread& t : team) {
    t.join();
  }
}

inline void* touched(std::size_t size) {
  char* const p = static_cast<char*>(malloc(size));
  if (p == nullptr) {
    abort();
  }
  *p = 1;
  return p;
}

// A line of /proc/self/status in MB.
inline double status_mb(char const* key) {
  double mb = 0;
  if (std::FILE* const f = std::fopen("/proc/self/status", "r")) {
    char line[256];
    while (std::fgets(line, sizeof line, f)) {
      if (std::strncmp(line, key, std::strlen(key)) == 0) {
        mb = std::strtod(line + std::strlen(key), nullptr) / 1024;
      }
    }
    std::fclose(f);
  }
  return mb;
}
inline double resident_mb() { return status_mb("VmRSS:"); }

// The second soft-limit test keeps 8 MB on each thread's stack, the main thread's too: the process starts over with
// larger stacks.
inline void want_large_stack(char** argv) {
  constexpr rlim_t wanted = rlim_t{32} << 20;
  rlimit now{};
  getrlimit(RLIMIT_STACK, &now);
  if (now.rlim_cur >= wanted || std::getenv("OMP_STACKSIZE")) {
    return;
  }
  now.rlim_cur = now.rlim_max < wanted ? now.rlim_max : wanted;
  setrlimit(RLIMIT_STACK, &now);
  setenv("OMP_STACKSIZE", "16M", 1);
  execv("/proc/self/exe", argv);
}

}  // namespace workload

int main(int argc, char** argv) {
  using namespace workload;
  bench::options const o = bench::parse(argc, argv);
  auto const w = all().find(o.row);
  if (w == all().end()) {
    bench::usage("no workload", o.row);
  }
  want_large_stack(argv);
  bench::report r(o, "s");
  double const cpu = bench::cpu_now();
  double const wall = bench::wall_now();
  values const found = w->second(o.threads, o.size ? static_cast<double>(o.size) / 100 : 0.25);
  double const seconds = bench::cpu_now() - cpu;
  double const elapsed = bench::wall_now() - wall;
  r.add({seconds, seconds / elapsed});
  r.value("elapsed_s", elapsed);
  r.value("VmHWM", status_mb("VmHWM:"));
  r.value("VmPeak", status_mb("VmPeak:"));
  for (auto const& entry : found) {
    r.value(entry.first.c_str(), entry.second);
  }
  r.check(true, "");  // tests/stress/alloc_shadow.cpp checks contents; here they would cost more than the allocator
  return r.finish();
}
