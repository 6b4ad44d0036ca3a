// SPDX-License-Identifier: Apache-2.0
// Calls a library that uses ours; the header comes by its target, too.
#include <tbb/blocked_range.h>

extern "C" long plugin_sum(long n);

int main() {
  tbb::blocked_range<long> const range(0, 1000);
  return plugin_sum(static_cast<long>(range.size())) == 499500 ? 0 : 1;
}
