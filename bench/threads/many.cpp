// SPDX-License-Identifier: Apache-2.0
// Operations beside many living objects: the parameter `living` is how many arenas, application threads, threads or
// suspended tasks there are.
#include "crowds.h"
#include "living_arenas.h"
#include "team.h"

#include <bench/report.h>
#include <bench/sampler.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <exception>
#include <vector>

namespace {

using threads::living_arenas;

constexpr int batch = 200;
// Of one measurement of a cycle: within the first few hundred a worker is woken and finds its pace, which is not the
// price.
constexpr int cycles = 2000;
constexpr double us = 1e6;

int living(bench::options const& o) {
  for (int i = 0; i < o.settings; ++i) {
    if (std::strcmp(o.set[i].name, "living") == 0) return static_cast<int>(o.set[i].value);
  }
  bench::usage("no value of living", o.row);
}

double median(std::vector<double> values) {
  auto const middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// Samples of one operation, and how its price grows from one living arena to many: both in turn in one process, so that
// a slow window of the machine hits both. The price has two modes, because a worker may be awake when the next call
// comes or has to be woken; medians of many short measurements hold both modes, the best ones hold either of them by
// chance.
template <typename Operation>
void beside_arenas(bench::report& r, int count, Operation const& operation) {
  static constexpr int turns = 3;  // of a sample
  bench::options const& o = r.opts();
  living_arenas few(1, o.threads);
  auto beside_one = [&] { return operation(few); };
  auto beside_many = [&] {
    living_arenas more(count - 1, o.threads);
    return operation(count > 1 ? more : few);
  };
  beside_one();
  std::vector<double> with_one, with_many;
  bench::bystanders const others;
  for (int i = 0; i < o.samples; ++i) {
    std::vector<double> sample;
    for (int k = 0; k < turns; ++k) {
      with_one.push_back(beside_one());
      sample.push_back(beside_many());
    }
    with_many.insert(with_many.end(), sample.begin(), sample.end());
    r.add({median(sample) * us, 0});
  }
  r.foreign(others);
  r.value("growth", median(with_many) / median(with_one));
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
    beside_arenas(r, count, [](living_arenas& all) { return all.cycle(cycles); });
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
