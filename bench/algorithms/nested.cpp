// SPDX-License-Identifier: Apache-2.0
// A parallel_for over 100 that runs a parallel_for over 1000 empty iterations in each; one unit is the whole of it.
#include <tbb/parallel_for.h>

#include <bench/tbb_peer.h>

#include <bench/sampler.h>

#include <atomic>

namespace {

constexpr int outer = 100;
constexpr int inner = 1000;

template <typename Body>
void nested(Body const& body) {
  tbb::parallel_for(0, outer, [&](int) { tbb::parallel_for(0, inner, body); });
}

int measure(bench::options const& o) {
  bench::report r(o, "us/nest");
  auto work = [] { nested([](int i) { __asm__ __volatile__("" : : "r"(i)); }); };
  r.ops(1);
  if (o.count) {
    bench::counted_section(work);
  } else {
    bench::take_samples(r, work, 1, 1e6);
  }
  std::atomic<int> calls{0};
  nested([&](int) { ++calls; });
  r.check(calls == outer * inner, "every iteration once");
  return r.finish();
}

}  // namespace

int main(int argc, char** argv) {
  bench::options const o = bench::parse(argc, argv);
  return bench::with_threads(o.threads, [&] { return measure(o); });
}
