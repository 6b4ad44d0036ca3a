// SPDX-License-Identifier: Apache-2.0
// The loop with an empty body, in a file of its own: serial and parallel programs run the same machine code.
#pragma once

namespace kernels {

// Passes every integer of [begin, end) to an empty body. The compiler can't remove the loop: each integer is
// handed to an empty asm statement.
void empty_loop(int begin, int end);

}  // namespace kernels
