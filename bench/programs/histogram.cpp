// SPDX-License-Identifier: Apache-2.0
// Histograms of an image sequence, image after image: a parallel_reduce whose body holds the counts of its pixels.
#include "histogram.h"

#include "common/tbb_program.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>

namespace {

class histogram : public programs::histogram_data {
 public:
  using histogram_data::histogram_data;

  void work() {
    for (std::size_t image = 0; image < images; ++image) {
      body all(*this, image);
      tbb::parallel_reduce(tbb::blocked_range<std::size_t>(0, pixels(), 8192), all);
      result(image, all.mine);
    }
  }

 private:
  struct body {
    body(histogram_data const& d, std::size_t i) : data(d), image(i) {}
    body(body& other, tbb::split /*tag*/) : data(other.data), image(other.image) {}
    void operator()(tbb::blocked_range<std::size_t> const& r) { data.count(image, r.begin(), r.end(), mine); }
    void join(body const& right) { mine.add(right.mine); }

    histogram_data const& data;
    std::size_t const image;
    counts mine;
  };
};

}  // namespace

int main(int argc, char** argv) { return programs::tbb_main<histogram>(argc, argv); }
