// SPDX-License-Identifier: Apache-2.0
// Operations beside many living objects: the parameter `living` is how many arenas, application threads, threads or
// suspended tasks there are.
#include "crowds.h"
#include "living_arenas.h"
#include "team.h"

#include <bench/report.h>
#include <bench/sampler.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <exception>

namespace {

using threads::living_arenas;

constexpr int batch = 200;
constexpr double us = 1e6;

int living(bench::options const& o) {
  for (int i = 0; i < o.settings; ++i) {
    if (std::strcmp(o.set[i].name, "living") == 0) return static_cast<int>(o.set[i].value);
  }
  bench::usage("no value of living", o.row);
}

// Samples of one operation, and how its price grows from one living arena to many: both in turn in one process, so that
// a slow window of the machine hits both.
template <typename Operation>
void beside_arenas(bench::report& r, int count, Operation const& operation) {
  bench::options const& o = r.opts();
  living_arenas few(1, o.threads);
  auto beside_one = [&] { return operation(few); };
  auto beside_many = [&] {
    living_arenas more(count - 1, o.threads);
    return operation(count > 1 ? more : few);
  };
  beside_one();
  double best_of_one = 1e9, best_of_many = 1e9;
  bench::bystanders const others;
  for (int i = 0; i < o.samples; ++i) {
    best_of_one = std::min(best_of_one, beside_one());
    double const many = beside_many();
    best_of_many = std::min(best_of_many, many);
    r.add({many * us, 0});
  }
  r.foreign(others);
  r.value("growth", best_of_many / best_of_one);
  r.check(!few.wrong(), "calls");
}

int arenas(bench::options const& o) {
  bench::report r(o, "us");
  threads::team t(o.threads);
  t.warm();
  int const count = living(o);
  if (bench::is_row(o, "enqueue")) {
    beside_arenas(r, count, [](living_arenas& all) { return all.enqueue(batch); });
  } else if (bench::is_row(o, "execute")) {
    beside_arenas(r, count, [](living_arenas& all) { return all.execute(batch); });
  } else if (bench::is_row(o, "cycle")) {
    beside_arenas(r, count, [](living_arenas& all) { return all.cycle(batch); });
  } else if (bench::is_row(o, "construct")) {
    beside_arenas(r, count, [](living_arenas& all) { return all.construct_and_destroy(batch).construct; });
  } else if (bench::is_row(o, "destroy")) {
    beside_arenas(r, count, [](living_arenas& all) { return all.construct_and_destroy(batch).destroy; });
  } else {
    bench::usage("unknown row", o.row);
  }
  return r.finish();
}

int crowd(bench::options const& o) {
  bench::report r(o, "us");
  bool right = true;
  bench::bystanders const others;
  if (bench::is_row(o, "creation")) {
    r.add({threads::thousand_threads(living(o)) * 1e3, 0});
  } else {
    threads::team t(o.threads);
    t.warm();
    for (int i = 0; i < o.samples; ++i) {
      double took = 0;
      if (bench::is_row(o, "applications")) {
        took = threads::application_threads(living(o), right);
      } else {
#if TBB_INTERFACE_VERSION >= 12000
        took = threads::suspended_tasks(t, living(o), right);
#endif
      }
      r.add({took * us, 0});
    }
  }
  r.foreign(others);
  r.value("peak_mb", static_cast<double>(bench::peak_memory_kib()) / 1024);
  r.check(right, o.row);
  return r.finish();
}

}  // namespace

int main(int argc, char** argv) {
  bench::options const o = bench::parse(argc, argv);
  threads::want_exact_sleeps();
  try {
    bool const crowded =
        bench::is_row(o, "applications") || bench::is_row(o, "creation") || bench::is_row(o, "suspended");
    return crowded ? crowd(o) : arenas(o);
  } catch (std::exception const& error) {
    std::fprintf(stderr, "%s: %s\n", o.row, error.what());
    return 1;
  }
}
