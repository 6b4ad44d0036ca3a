// SPDX-License-Identifier: Apache-2.0
// One run of a whole program: makes the input, does the work once and cold, checks the result, reports. A program is a
// class with a constructor that takes a scale (1 is the measured size; --size gives it in per cent), a member work(),
// which is timed, and a member wrong(), which returns what is wrong with the result, or nullptr. A program that waits
// for somebody else, as for a display, has a member waited(): the seconds that don't count. Knows no library.
#pragma once

#include <bench/clock.h>
#include <bench/options.h>
#include <bench/report.h>

#include <sys/resource.h>

#include <type_traits>
#include <utility>

namespace programs {

struct switches {
  double voluntary = 0, involuntary = 0;
};

inline switches switches_now() {
  rusage u{};
  getrusage(RUSAGE_SELF, &u);
  return {static_cast<double>(u.ru_nvcsw), static_cast<double>(u.ru_nivcsw)};
}

template <typename Program, typename = void>
struct waits : std::false_type {};
template <typename Program>
struct waits<Program, std::void_t<decltype(std::declval<Program&>().waited())>> : std::true_type {};

// with_threads(n, f) calls f with n threads of the library; starting them is part of the work.
template <typename Program, typename WithThreads>
int run(int argc, char** argv, WithThreads with_threads) {
  bench::options const o = bench::parse(argc, argv);
  bench::report r(o, "s");
  Program program(o.size != 0 ? static_cast<double>(o.size) / 100 : 1.0);
  bench::bystanders const others;
  switches const before = switches_now();
  double const cpu_before = bench::cpu_now();
  double const began = bench::wall_now();
  with_threads(o.threads, [&] { program.work(); });
  double wall = bench::wall_now() - began;
  double const cpu = bench::cpu_now() - cpu_before;
  if constexpr (waits<Program>::value) wall -= program.waited();
  switches const after = switches_now();
  r.foreign(others);
  r.add({wall, cpu / wall});
  r.value("cpu", cpu);
  r.value("voluntary", after.voluntary - before.voluntary);
  r.value("involuntary", after.involuntary - before.involuntary);
  r.value("peak_mb", static_cast<double>(bench::peak_memory_kib()) / 1024);
  char const* const wrong = program.wrong();
  r.check(wrong == nullptr, wrong != nullptr ? wrong : "");
  return r.finish();
}

}  // namespace programs
