// SPDX-License-Identifier: Apache-2.0
// The edit distance by wavefronts: a parallel_for over the tiles of each diagonal, one after the other.
#include "edit_distance.h"

#include "common/tbb_program.h"

#include <tbb/parallel_for.h>

namespace {

class edit_distance : public programs::edit_distance_data {
 public:
  using edit_distance_data::edit_distance_data;

  void work() {
    for (std::size_t d = 0; d < diagonals(); ++d) {
      tbb::parallel_for(first_of(d), end_of(d), [this, d](std::size_t ty) { solve(d, ty); });
    }
  }
};

}  // namespace

int main(int argc, char** argv) { return programs::tbb_main<edit_distance>(argc, argv); }
