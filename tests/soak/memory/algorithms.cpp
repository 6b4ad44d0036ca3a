// SPDX-License-Identifier: Apache-2.0
// Algorithms: loops from several threads, streams of items.
#include "cases.h"
#include "slots.h"

#include <tbb/blocked_range.h>
#include <tbb/concurrent_queue.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_for_each.h>
#include <tbb/parallel_invoke.h>
#include <tbb/parallel_pipeline.h>
#include <tbb/parallel_reduce.h>
#include <tbb/parallel_scan.h>
#include <tbb/parallel_sort.h>
#include <tbb/task_arena.h>

#include <numeric>

namespace growth {

namespace {

template <typename F>
void repeated(run& r, F const& f) {
  in_slots(r, [&] {
    pace p(r.m);
    for (long i = 0; p.step(); ++i) f(i);
  });
}

using range = tbb::blocked_range<int>;

void loops(run& r) {
  tbb::affinity_partitioner kept[many];
  std::atomic<unsigned> threads{0};
  repeated(r, [&](long i) {
    thread_local unsigned const mine = threads++;
    if (i % 2 == 0) return tbb::parallel_for(0, 30, [](int) {});
    tbb::parallel_for(range(0, 30, 4), [](range const&) {}, kept[mine % many]);
  });
}
void reductions(run& r) {
  repeated(r, [](long) {
    auto const text = [](range const& x, std::string s) {
      return s + std::string(static_cast<std::size_t>(x.size()) * 10, 'x');
    };
    if (tbb::parallel_reduce(range(0, 30, 4), std::string(), text, std::plus<>()).size() != 300) std::abort();
    tbb::parallel_deterministic_reduce(range(0, 30, 4), std::string(), text, std::plus<>());
  });
}
void scans(run& r) {
  repeated(r, [](long) {
    tbb::parallel_scan(
        range(0, 30, 4), 0, [](range const& x, int sum, bool) { return sum + static_cast<int>(x.size()); },
        std::plus<>());
  });
}
void sorts(run& r) {
  repeated(r, [](long i) {
    std::vector<long> v(600);
    for (std::size_t k = 0; k < v.size(); ++k) v[k] = static_cast<long>(mixed(i + static_cast<long>(k), 0, 1000));
    tbb::parallel_sort(v);
  });
}
void invocations(run& r) {
  repeated(r, [](long) { tbb::parallel_invoke([] {}, [] {}, [] {}); });
}
void throwing(run& r) {
  repeated(r, [](long) {
    try {
      tbb::parallel_for(0, 10, [](int i) {
        if (i == 5) throw some_text(i);
      });
    } catch (std::string const&) {
    }
  });
}

// Chains of items, each of which adds the next; from one to many: each adds others that add none, as long as these are
// few.
void feeder(run& r) {
  struct one {
    std::string text;
    bool adds;
  };
  tbb::task_arena a(static_cast<int>(1 + enders(r.form)));
  std::vector<one> first(r.form == shape::many_to_one ? 16 : makers(r.form), {some_text(7), true});
  std::atomic<long> others{0};
  a.execute([&] {
    tbb::parallel_for_each(first.begin(), first.end(), [&](one& x, tbb::feeder<one>& f) {
      if (!x.adds) {
        --others;
        return;
      }
      if (!r.m.count(1)) return;
      for (unsigned k = 1; k < enders(r.form) && others < 300; ++k) {
        ++others;
        f.add({x.text, false});
      }
      f.add({x.text, true});
    });
  });
}

// A stream whose filters are serial or parallel by the shape; in a ring the last filter gives its objects back to the
// first.
void pipeline(run& r) {
  using text = std::unique_ptr<std::string>;
  auto const mode = [](bool parallel) {
    return parallel ? tbb::filter_mode::parallel : tbb::filter_mode::serial_in_order;
  };
  tbb::concurrent_queue<std::string*> back;
  pace p(r.m);
  long made = 0;
  auto const first = tbb::make_filter<void, std::string*>(
      tbb::filter_mode::serial_in_order, [&](tbb::flow_control& fc) -> std::string* {
        if (!p.step()) return fc.stop(), nullptr;
        std::string* x = nullptr;
        return back.try_pop(x) ? x : new std::string(some_text(made++));
      });
  auto const middle =
      tbb::make_filter<std::string*, text>(mode(r.form == shape::many_to_one), [](std::string* x) { return text(x); });
  auto const other = tbb::make_filter<text, std::string>(mode(r.form != shape::one_to_one), [&](text x) {
    std::string copy = *x;
    if (r.form == shape::ring) back.push(x.release());
    return copy;
  });
  auto const last = tbb::make_filter<std::string, void>(mode(r.form == shape::one_to_many),
                                                        [](std::string const& x) { static_cast<void>(x); });
  tbb::task_arena a(4);
  a.execute([&] { tbb::parallel_pipeline(16, first & middle & other & last); });
  for (std::string* x = nullptr; back.try_pop(x);) delete x;
}
void pipelines(run& r) {
  repeated(r, [](long i) {
    long left = 5;
    tbb::parallel_pipeline(
        4, tbb::make_filter<void, std::string>(tbb::filter_mode::serial_in_order, [&](tbb::flow_control& fc) {
             if (left-- == 0) fc.stop();
             return some_text(i);
           }) & tbb::make_filter<std::string, void>(tbb::filter_mode::parallel, [](std::string const&) {}));
  });
}

}  // namespace

void add_algorithms(table& t) {
  t.push_back({"parallel_for", 50'000, loops});
  t.push_back({"parallel_reduce", 20'000, reductions});
  t.push_back({"parallel_scan", 20'000, scans});
  t.push_back({"parallel_sort", 3000, sorts});
  t.push_back({"parallel_invoke", 50'000, invocations});
  t.push_back({"parallel_for_throws", 5000, throwing});
  t.push_back({"parallel_for_each_feeder", 100'000, feeder});
  t.push_back({"parallel_pipeline", 100'000, pipeline});
  t.push_back({"parallel_pipelines", 10'000, pipelines});
}

}  // namespace growth
