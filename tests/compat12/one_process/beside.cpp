// SPDX-License-Identifier: Apache-2.0
// Two plugins that are compiled with oneTBB's headers, each with a libtbb of its own file name and soname, in one
// process that uses neither itself: both work, one after the other and at the same time. Prints which libraries were
// loaded. Usage: beside PLUGIN PLUGIN
#include "../programs/client.h"

#include <dlfcn.h>

#include <cstdlib>

using sum_function = long (*)(long);

static sum_function sum_of(char const* path) {
  void* const plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  void* const f = plugin != nullptr ? dlsym(plugin, "plugin_sum") : nullptr;
  if (f == nullptr) std::exit((std::puts(dlerror()), 2));
  return reinterpret_cast<sum_function>(f);
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  sum_function const sums[] = {sum_of(argv[1]), sum_of(argv[2])};
  constexpr long n = 20000;
  long const expected = sums[0](n);
  if (sums[1](n) != expected) return std::puts("the plugins differ"), 1;
  std::atomic<int> wrong{0};
  threads(4, [&](int i) {
    for (int round = 0; round < 200; ++round) wrong += sums[i % 2](n) != expected;
  });
  line("wrong sums", wrong);
  return wrong != 0;
}
