// SPDX-License-Identifier: Apache-2.0
// Pipelines: an input that costs nothing, then filters with a body each.
#pragma once

#include "sweep.h"

#if TBB_INTERFACE_VERSION < 12000
#include <tbb/pipeline.h>
#else
#include <tbb/parallel_pipeline.h>
#endif

#include <cstddef>
#include <string>
#include <thread>
#include <vector>

namespace sweep {

#if TBB_INTERFACE_VERSION < 12000
using mode = tbb::filter::mode;
inline constexpr mode in_order = tbb::filter::serial_in_order, out_of_order = tbb::filter::serial_out_of_order,
                      parallel = tbb::filter::parallel;
template <typename In, typename Out>
using filter_of = tbb::filter_t<In, Out>;
#else
using mode = tbb::filter_mode;
inline constexpr mode in_order = tbb::filter_mode::serial_in_order,
                      out_of_order = tbb::filter_mode::serial_out_of_order, parallel = tbb::filter_mode::parallel;
template <typename In, typename Out>
using filter_of = tbb::filter<In, Out>;
#endif

inline long pipeline_of(int threads, std::vector<mode> const& filters, long tokens) {
  long next = 0;
  auto const source = [&](tbb::flow_control& control) {
    if (next == tokens) control.stop();
    return next++;
  };
  filter_of<void, long> chain = tbb::make_filter<void, long>(in_order, source);
  auto const stage = [](long token) {
    body();
    return token;
  };
  for (mode const m : filters) chain = chain & tbb::make_filter<long, long>(m, stage);
  tbb::parallel_pipeline(static_cast<std::size_t>(8 * threads),
                         chain & tbb::make_filter<long, void>(in_order, [](long) {}));
  return tokens * static_cast<long>(filters.size());
}

// A unit is a body, not a token.
inline void add_pipelines(std::vector<site>& to, int threads) {
  auto const add = [&](std::string const& name, std::vector<mode> const& filters) {
    to.push_back({name, [=](long n) {
                    return pipeline_of(threads, filters, std::max(32L, n / static_cast<long>(filters.size())));
                  }});
  };
  for (int const k : {2, 4, 8}) {
    add("pipe-" + std::to_string(k), std::vector<mode>(static_cast<std::size_t>(k), in_order));
    add("pipe-any-" + std::to_string(k), std::vector<mode>(static_cast<std::size_t>(k), out_of_order));
  }
  add("pipe-parallel", {parallel});
  add("pipe-mixed", {in_order, parallel, in_order});
}

#if TBB_INTERFACE_VERSION < 12000
// A filter that only the calling thread may run, between two serial ones, as TBB 2020 has them.
class any_filter : public tbb::filter {
 public:
  any_filter(long tokens, bool is_first) : tbb::filter(serial_in_order), tokens_(tokens), first_(is_first) {}
  void* operator()(void* token) override {
    if (first_) return next_ == tokens_ ? nullptr : reinterpret_cast<void*>(++next_);
    body();
    return token;
  }

 private:
  long tokens_, next_ = 0;
  bool first_;
};
class bound_filter : public tbb::thread_bound_filter {
 public:
  bound_filter() : tbb::thread_bound_filter(serial_in_order) {}
  void* operator()(void* token) override {
    body();
    return token;
  }
};

inline void add_bound_pipeline(std::vector<site>& to, int threads) {
  if (threads < 2) return;  // somebody has to run the others
  to.push_back({"pipe-bound", [=](long n) {
                  any_filter input(n / 2, true), work(n / 2, false);
                  bound_filter bound;
                  tbb::pipeline line;
                  line.add_filter(input);
                  line.add_filter(work);
                  line.add_filter(bound);
                  std::thread others([&] {
                    tbb::task_scheduler_init const limit(threads);
                    line.run(static_cast<std::size_t>(8 * threads));
                  });
                  while (bound.process_item() != tbb::thread_bound_filter::end_of_stream) {
                  }
                  others.join();
                  line.clear();
                  return n / 2 * 2;
                }});
}
#endif

}  // namespace sweep
