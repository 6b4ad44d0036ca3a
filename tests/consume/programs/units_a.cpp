// SPDX-License-Identifier: Apache-2.0
// With units_b.cpp: two files that include everything link into one program.
#include <tbb/tbb.h>

int sum_in_b(int n);

int main() {
  int doubled[100];
  tbb::parallel_for(0, 100, [&](int i) { doubled[i] = 2 * i; });
  return doubled[99] + sum_in_b(10) == 198 + 45 ? 0 : 1;
}
