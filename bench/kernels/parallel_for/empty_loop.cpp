// SPDX-License-Identifier: Apache-2.0
#include "parallel_for/empty_loop.h"

namespace kernels {

void empty_loop(int begin, int end) {
  for (int i = begin; i < end; ++i) {
    asm volatile("" : : "r"(i));
  }
}

}  // namespace kernels
