// SPDX-License-Identifier: Apache-2.0
// The main function of a program with OpenMP.
#pragma once

#include "program.h"

#include <omp.h>

namespace programs {

template <typename Program>
int openmp_main(int argc, char** argv) {
  return run<Program>(argc, argv, [](int threads, auto const& work) {
    omp_set_dynamic(0);
    omp_set_num_threads(threads);
    work();
  });
}

}  // namespace programs
