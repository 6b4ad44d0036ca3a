// SPDX-License-Identifier: Apache-2.0
// The edit distance by wavefronts with OpenMP: a loop over the tiles of each diagonal.
#include "edit_distance.h"

#include "common/openmp_program.h"

namespace {

class edit_distance : public programs::edit_distance_data {
 public:
  using edit_distance_data::edit_distance_data;

  void work() {
    for (std::size_t d = 0; d < diagonals(); ++d) {
#pragma omp parallel for schedule(static)
      for (std::size_t ty = first_of(d); ty < end_of(d); ++ty) solve(d, ty);
    }
  }
};

}  // namespace

int main(int argc, char** argv) { return programs::openmp_main<edit_distance>(argc, argv); }
