// SPDX-License-Identifier: Apache-2.0
// The serial version, in a file of its own: serial and parallel programs run the same machine code below the cutoff.
#pragma once

namespace kernels {

long serial_fib(long n);

// The n-th Fibonacci number by repeated addition; the check of all the others.
long fib_by_addition(long n);

}  // namespace kernels
