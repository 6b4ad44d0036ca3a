// SPDX-License-Identifier: Apache-2.0
// Tutorial, step 4: tasks that make tasks.
#include <tbb/parallel_invoke.h>
#include <tbb/task_group.h>
#include <cstdio>

long fib(int n) {
  if (n < 2) return n;
  long a = 0, b = 0;
  tbb::parallel_invoke([&] { a = fib(n - 1); }, [&] { b = fib(n - 2); });
  return a + b;
}

long fib_with_group(int n) {
  if (n < 2) return n;
  long a = 0;
  tbb::task_group group;
  group.run([&] { a = fib_with_group(n - 1); });
  long const b = fib_with_group(n - 2);
  group.wait();
  return a + b;
}

int main() {
  std::printf("fib(25) = %ld\n", fib(25));
  return fib(25) == 75025 && fib_with_group(25) == 75025 ? 0 : 1;
}
