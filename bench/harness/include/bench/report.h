// SPDX-License-Identifier: Apache-2.0
// What one run of a benchmark program found: samples, named values, checks. finish() prints it as one line of
// JSON on stdout and gives the exit code: 1 when a result was wrong, so that no wrong run becomes a figure.
#pragma once

#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <bench/clock.h>
#include <bench/options.h>

namespace bench {

struct sample {
  double value;       // in the row's unit
  double cores;       // CPU time / wall time while it was taken; 0 if not known
  double cycles = 0;  // clock cycles of an operation, nothing subtracted; 0 if not known
  double width = 0;   // core_speed::width beside it; 0 if not known
};

// Path of the libtbb that is loaded into this process, or "" : the runner checks that it is the peer's.
inline std::string loaded_tbb() {
  std::string found;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* result) {
        char const* base = std::strrchr(info->dlpi_name, '/');
        base = base != nullptr ? base + 1 : info->dlpi_name;
        if (std::strncmp(base, "libtbb.so", 9) == 0 || std::strncmp(base, "libtbb_debug", 12) == 0 ||
            std::strncmp(base, "libtbb-ashlar", 13) == 0) {
          *static_cast<std::string*>(result) = info->dlpi_name;
          return 1;
        }
        return 0;
      },
      &found);
  return found;
}

// Path of the library whose malloc serves this process.
inline std::string loaded_malloc() {
  Dl_info info{};
  void* const function = dlsym(RTLD_DEFAULT, "malloc");
  return function != nullptr && dladdr(function, &info) && info.dli_fname ? info.dli_fname : "";
}

class report {
 public:
  explicit report(options const& o, char const* unit) : options_(o), unit_(unit) {}

  options const& opts() const { return options_; }

  void add(sample s) { samples_.push_back(s); }
  void discard() { ++discarded_; }
  // A further figure of the run; it is stored, and rows of the suite may name it.
  void value(char const* name, double v) { values_.push_back({name, v}); }
  // Operations of a run in count mode.
  void ops(double n) { value("ops", n); }
  void foreign(bystanders const& others) {
    foreign_ = others.cores();
    watched_ = others.seconds();
  }

  // Every program proves its result; a failed proof voids the run.
  void check(bool right, char const* what) {
    checked_ = true;
    if (!right) {
      std::fprintf(stderr, "wrong result: %s (row %s, %d threads)\n", what, options_.row, options_.threads);
      failed_ = what;
    }
  }

  int finish() const {
    bool const ok = checked_ && failed_ == nullptr;
    std::printf("{\"row\":\"%s\",\"threads\":%d,\"unit\":\"%s\",\"ok\":%s,\"error\":\"%s\"", options_.row,
                options_.threads, unit_, ok ? "true" : "false",
                failed_ ? failed_ : (checked_ ? "" : "no result was checked"));
    std::printf(",\"samples\":[");
    for (std::size_t i = 0; i < samples_.size(); ++i) {
      sample const& s = samples_[i];
      std::printf("%s[%.9g,%.4g", i ? "," : "", s.value, s.cores);
      if (s.cycles != 0) {
        std::printf(",%.9g,%.4g", s.cycles, s.width);
      }
      std::printf("]");
    }
    std::printf("],\"discarded\":%d,\"values\":{", discarded_);
    for (std::size_t i = 0; i < values_.size(); ++i) {
      std::printf("%s\"%s\":%.9g", i ? "," : "", values_[i].name, values_[i].v);
    }
    std::printf("},\"foreign_cores\":%.4g,\"watched_s\":%.4g,\"peak_kib\":%ld,\"cpu_s\":%.6g", foreign_, watched_,
                peak_memory_kib(), cpu_now());
    std::printf(",\"tbb\":\"%s\",\"malloc\":\"%s\"}\n", loaded_tbb().c_str(), loaded_malloc().c_str());
    std::fflush(stdout);
    return ok ? 0 : 1;
  }

 private:
  struct named {
    char const* name;
    double v;
  };
  options options_;
  char const* unit_;
  std::vector<sample> samples_;
  std::vector<named> values_;
  int discarded_ = 0;
  double foreign_ = 0, watched_ = 0;
  bool checked_ = false;
  char const* failed_ = nullptr;
};

}  // namespace bench
