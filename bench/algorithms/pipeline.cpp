// SPDX-License-Identifier: Apache-2.0
// parallel_pipeline of three filters (serial, parallel, serial). One unit is one token; the row's name tells the work
// of the middle filter, the size the tokens in flight.
#include <bench/tbb_peer.h>

#if __has_include(<tbb/parallel_pipeline.h>)
#include <tbb/parallel_pipeline.h>
#else
#include <tbb/pipeline.h>
#endif

#include <bench/sampler.h>
#include <bench/work.h>

namespace {

#if TBB_INTERFACE_VERSION < 12000
using mode = tbb::filter;
#else
using mode = tbb::filter_mode;
#endif

int measure(bench::options const& o, int spin) {
  bench::report r(o, "ns/token");
  long const tokens = o.count ? 20000 : spin > 0 ? 20000 : 200000;
  std::size_t const live = o.size > 0 ? static_cast<std::size_t>(o.size) : 16;
  bool right = true;
  auto work = [&] {
    long made = 0;
    long sum = 0;
    tbb::parallel_pipeline(live, tbb::make_filter<void, long>(mode::serial_in_order, [&](tbb::flow_control& control) {
                                   if (made == tokens) control.stop();
                                   return made++;
                                 }) & tbb::make_filter<long, long>(mode::parallel, [spin](long x) {
                                   for (int i = 0; i < spin; ++i) __asm__ __volatile__("" : : "r"(i));
                                   return x;
                                 }) & tbb::make_filter<long, void>(mode::serial_in_order, [&](long x) { sum += x; }));
    right = right && sum == tokens * (tokens - 1) / 2;
  };
  r.ops(static_cast<double>(tokens));
  if (o.count) {
    bench::counted_section(work);
  } else {
    bench::take_samples(r, work, static_cast<double>(tokens), 1e9);
  }
  r.check(right, "sum of the tokens");
  return r.finish();
}

}  // namespace

int main(int argc, char** argv) {
  bench::options const o = bench::parse(argc, argv);
  return bench::with_threads(o.threads, [&] {
    if (bench::is_row(o, "empty")) return measure(o, 0);
    if (bench::is_row(o, "1us")) return measure(o, 3600);
    bench::usage("unknown row", o.row);
  });
}
