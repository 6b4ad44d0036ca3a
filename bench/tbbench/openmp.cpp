// SPDX-License-Identifier: Apache-2.0
// The OpenMP twins, in the manner of the EPCC microbenchmarks: the same regions, delays and references as tbbench.cpp.
#include "region.h"

#include <omp.h>

#include <vector>

namespace tbbench {
namespace {

void measure_parallel_for(bench::report& r) {
  r.check(omp_get_max_threads() == nthreads, "OpenMP has the threads");
  measure(
      r,
      [](long n) {
        for (long j = 0; j < n; ++j) {
#pragma omp parallel for
          for (int i = 0; i < nthreads; ++i) {
            delay(delaylength);
          }
        }
      },
      serial_delays, 1);
}

void measure_parallel_reduce(bench::report& r) {
  unsigned aaaa = 0, expected = 0;
  auto region = [&](long n) {
    for (long j = 0; j < n; ++j) {
#pragma omp parallel for reduction(+ : aaaa)
      for (int k = 1; k < 3; ++k) {
        aaaa = aaaa + 1;
      }
    }
    expected += 2u * static_cast<unsigned>(n);
  };
  auto reference = [](long n) {
    int serial = 0;
    for (long j = 0; j < n; ++j) {
      for (int k = 1; k < 3; ++k) {
        serial = serial + 1;
      }
      __asm__ volatile("" : "+m"(serial));
    }
  };
  measure(r, region, reference, nthreads);
  r.check(aaaa == expected, "the reduction counts every iteration");
}

void measure_lock(bench::report& r) {
  omp_lock_t lock;
  omp_init_lock(&lock);
  long counted = 0;
#pragma omp parallel for
  for (int i = 0; i < 1000; ++i) {
    omp_set_lock(&lock);
    ++counted;
    omp_unset_lock(&lock);
  }
  r.check(counted == 1000, "the lock excludes");
  auto region = [&](long n) {
#pragma omp parallel
    for (long j = 0; j < n / nthreads; ++j) {
      omp_set_lock(&lock);
      delay(delaylength);
      omp_unset_lock(&lock);
    }
  };
  measure(r, region, serial_delays, nthreads);
  omp_destroy_lock(&lock);
}

void measure_atomic(bench::report& r) {
  unsigned aaaa = 0, expected = 0;
  auto region = [&](long n) {
#pragma omp parallel
    for (long j = 0; j < n / nthreads; ++j) {
#pragma omp atomic
      aaaa += 1;
    }
    expected += static_cast<unsigned>(n);
  };
  auto reference = [](long n) {
    int serial = 0;
    for (long j = 0; j < n; ++j) {
      ++serial;
      __asm__ volatile("" : "+r"(serial));
    }
  };
  measure(r, region, reference, nthreads);
  r.check(aaaa == expected, "no increment is lost");
}

// `loop(count, body)` is the worksharing loop under test.
template <typename Loop>
void measure_schedule(bench::report& r, Loop loop) {
  int const count = itersperthr * nthreads;
  std::vector<int> visits(static_cast<std::size_t>(count));
  loop(count, [&](int i) { ++visits[static_cast<std::size_t>(i)]; });
  r.check(visits == std::vector<int>(static_cast<std::size_t>(count), 1), "the loop visits each index once");
  auto region = [&](long n) {
    for (long j = 0; j < n; ++j) {
      loop(count, [](int) { delay(delaylength); });
    }
  };
  measure(r, region, [](long n) { serial_delays(itersperthr * n); }, 1);
}

void measure_static(bench::report& r) {
  measure_schedule(r, [](int count, auto body) {
#pragma omp parallel for schedule(static)
    for (int i = 0; i < count; ++i) {
      body(i);
    }
  });
}

void measure_static_chunks(bench::report& r) {
  measure_schedule(r, [](int count, auto body) {
#pragma omp parallel for schedule(static, cksz)
    for (int i = 0; i < count; ++i) {
      body(i);
    }
  });
}

void measure_dynamic(bench::report& r) {
  measure_schedule(r, [](int count, auto body) {
#pragma omp parallel for schedule(dynamic, cksz)
    for (int i = 0; i < count; ++i) {
      body(i);
    }
  });
}

void measure_guided(bench::report& r) {
  measure_schedule(r, [](int count, auto body) {
#pragma omp parallel for schedule(guided, cksz)
    for (int i = 0; i < count; ++i) {
      body(i);
    }
  });
}

// Rows that TBB has as well bear TBB's name: what a user of the one would write in the other's place.
bool run_row(bench::options const& o, bench::report& r) {
  static row const rows[] = {
      {"parallel_for", measure_parallel_for},
      {"parallel_reduce", measure_parallel_reduce},
      {"spin_mutex", measure_lock},
      {"atomic", measure_atomic},
      {"chunk", measure_dynamic},
      {"simple", measure_dynamic},
      {"auto", measure_guided},
      {"static", measure_static},
      {"static-chunk", measure_static_chunks},
      {"guided-chunk", measure_guided},
  };
  omp_set_dynamic(0);
  omp_set_num_threads(nthreads);
  row const* const wanted = find_row(rows, o);
  if (wanted != nullptr) {
    wanted->measure(r);
  }
  return wanted != nullptr;
}

}  // namespace
}  // namespace tbbench

int main(int argc, char** argv) { return tbbench::program(argc, argv, tbbench::run_row); }
