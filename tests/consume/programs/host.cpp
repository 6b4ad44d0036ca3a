// SPDX-License-Identifier: Apache-2.0
// host [--global] [--keep] [--stay MILLISECONDS] PLUGIN...: loads the plugins (with RTLD_GLOBAL), calls them in turn
// from two threads, unloads them (unless it keeps them) and lives on for a while, so that a worker thread that runs
// unloaded code crashes the process.
#include <dlfcn.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#ifdef HOST_USES_TBB
#include <tbb/parallel_for.h>
#endif

namespace {

using sum_function = long (*)(long);

bool call_all(std::vector<sum_function> const& functions) {
  bool right = true;
  for (int round = 0; round < 20; ++round) {
    for (sum_function const f : functions) {
      right = f(10000) == 49995000 && right;
    }
  }
  return right;
}

// The host's own use of the library, when it is built with it.
bool call_own() {
#ifdef HOST_USES_TBB
  int values[1000] = {};
  tbb::parallel_for(0, 1000, [&](int i) { values[i] = i; });
  return values[999] == 999;
#else
  return true;
#endif
}

}  // namespace

int main(int argc, char** argv) {
  int mode = RTLD_NOW | RTLD_LOCAL;
  int stay = 0;
  bool keep = false;
  std::vector<void*> handles;
  std::vector<sum_function> functions;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--global") == 0) {
      mode = RTLD_NOW | RTLD_GLOBAL;
    } else if (std::strcmp(argv[i], "--keep") == 0) {
      keep = true;
    } else if (std::strcmp(argv[i], "--stay") == 0 && i + 1 < argc) {
      stay = std::atoi(argv[++i]);
    } else {
      void* const handle = dlopen(argv[i], mode);
      void* const symbol = handle != nullptr ? dlsym(handle, "plugin_sum") : nullptr;
      if (symbol == nullptr) {
        std::fprintf(stderr, "host: %s\n", dlerror());
        return 2;
      }
      handles.push_back(handle);
      functions.push_back(reinterpret_cast<sum_function>(symbol));
    }
  }
  bool right_there = false;
  std::thread other([&] { right_there = call_all(functions); });
  bool const right_here = call_all(functions) && call_own();
  other.join();
  if (!keep) {
    for (void* const handle : handles) {
      dlclose(handle);
    }
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(stay));
  if (!right_here || !right_there || !call_own()) {
    std::fprintf(stderr, "host: a plugin computed a wrong sum\n");
    return 1;
  }
  return 0;
}
