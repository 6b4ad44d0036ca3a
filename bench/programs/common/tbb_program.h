// SPDX-License-Identifier: Apache-2.0
// The main function of a program over the interface of TBB.
#pragma once

#include "program.h"

#include <bench/tbb_peer.h>

namespace programs {

template <typename Program>
int tbb_main(int argc, char** argv) {
  return run<Program>(argc, argv, [](int threads, auto const& work) {
    bench::with_threads(threads, [&work] {
      work();
      return 0;
    });
  });
}

}  // namespace programs
