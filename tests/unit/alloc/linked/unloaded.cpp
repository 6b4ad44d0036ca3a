// SPDX-License-Identifier: Apache-2.0
// unloaded LIBRARY: loads the allocator as a plugin would, closes it while threads that used it live on, lets them end,
// and loads it again. Exit code 0 when the objects are whole and nothing crashed.
#include <dlfcn.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

namespace {

struct functions {
  void* handle = nullptr;
  void* (*allocate)(std::size_t) = nullptr;
  void (*release)(void*) = nullptr;
};

functions load(char const* path) {
  functions f;
  f.handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (f.handle == nullptr) {
    std::fprintf(stderr, "unloaded: %s\n", dlerror());
    std::exit(2);
  }
  f.allocate = reinterpret_cast<void* (*)(std::size_t)>(dlsym(f.handle, "scalable_malloc"));
  f.release = reinterpret_cast<void (*)(void*)>(dlsym(f.handle, "scalable_free"));
  return f;
}

bool works(functions const& f) {
  std::vector<char*> objects;
  bool whole = true;
  for (std::size_t i = 1; i < 3000; ++i) {
    objects.push_back(static_cast<char*>(f.allocate(i * 7)));
    std::memset(objects.back(), static_cast<int>(i & 127), i * 7);
  }
  for (std::size_t i = 1; i < 3000; ++i) {
    whole = whole && objects[i - 1][i * 7 - 1] == static_cast<char>(i & 127);
    f.release(objects[i - 1]);
  }
  return whole;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    return 2;
  }
  std::atomic<int> ready{0};
  std::atomic<bool> closed{false};
  std::atomic<bool> good{true};
  functions const f = load(argv[1]);
  std::vector<std::thread> team;
  for (int t = 0; t < 4; ++t) {
    team.emplace_back([&] {
      good = works(f) && good;
      ++ready;
      while (!closed) {
        std::this_thread::yield();
      }
    });  // now the thread's end hands back its heap
  }
  while (ready != 4) {
    std::this_thread::yield();
  }
  dlclose(f.handle);
  closed = true;
  for (std::thread& t : team) {
    t.join();
  }
  functions const again = load(argv[1]);
  good = works(again) && good;
  std::thread([&] { good = works(again) && good; }).join();
  dlclose(again.handle);
  return good ? 0 : 1;
}
