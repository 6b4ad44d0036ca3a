// SPDX-License-Identifier: Apache-2.0
// Lloyd's clustering: each step is a parallel_reduce with a body that holds the sums of its points.
#include "kmeans.h"

#include "common/tbb_program.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>
#include <tbb/partitioner.h>

namespace {

class kmeans : public programs::kmeans_data {
 public:
  using kmeans_data::kmeans_data;

  void work() {
    for (int step = 0; step < steps; ++step) {
      body all(*this);
      tbb::parallel_reduce(tbb::blocked_range<std::size_t>(0, size(), 256), all, tbb::auto_partitioner());
      move_centres(all.mine);
    }
  }

 private:
  struct body {
    explicit body(kmeans_data& d) : data(d) {}
    body(body& other, tbb::split /*tag*/) : data(other.data) {}
    void operator()(tbb::blocked_range<std::size_t> const& r) { data.assign(r.begin(), r.end(), mine); }
    void join(body const& right) { mine.add(right.mine); }

    kmeans_data& data;
    sums mine;
  };
};

}  // namespace

int main(int argc, char** argv) { return programs::tbb_main<kmeans>(argc, argv); }
