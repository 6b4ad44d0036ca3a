// SPDX-License-Identifier: Apache-2.0
// A host without any TBB loads a plugin with oneTBB's, calls it, and unloads it, again and again: from its own thread,
// from threads that end, from several at a time, and in forked children. Usage: unloads PLUGIN
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cstdio>
#include <cstdlib>
#include <thread>

static char const* path;

static bool gone() { return dlopen(path, RTLD_LAZY | RTLD_NOLOAD) == nullptr; }

static bool use(int times) {
  void* const plugin = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
  if (plugin == nullptr) {
    std::fprintf(stderr, "%s\n", dlerror());
    return false;
  }
  auto* const count_to = reinterpret_cast<long (*)(long)>(dlsym(plugin, "count_to"));
  bool good = true;
  for (int i = 0; i < times; ++i) good = good && count_to(1000) == 1000;
  return dlclose(plugin) == 0 && good;
}

// Has its objects in several threads at once, in which the tasks of some run while others' threads end.
static bool use_together() {
  void* const plugin = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
  auto* const count_to = reinterpret_cast<long (*)(long)>(dlsym(plugin, "count_to"));
  bool const good = count_to(2000) == 2000;
  std::thread others[3];
  for (std::thread& t : others) t = std::thread([&] { use(0); });
  for (std::thread& t : others) t.join();
  return dlclose(plugin) == 0 && good;
}

static bool in_child(bool (*f)()) {
  std::fflush(stdout);
  pid_t const child = fork();
  if (child == 0) std::_Exit(f() ? 0 : 1);
  int status = 1;
  waitpid(child, &status, 0);
  return status == 0;
}

int main(int, char** argv) {
  path = argv[1];
  bool good = true;
  for (int i = 0; i < 20; ++i) good = good && use(3) && gone();
  std::printf("unloaded 20 times: %d\n", good);
  for (int i = 0; i < 10; ++i) std::thread([&] { good = good && use(1) && gone(); }).join();
  std::printf("from threads that ended: %d\n", good);
  for (int i = 0; i < 5; ++i) good = good && use_together() && gone();
  std::printf("while others hold it: %d\n", good);
  for (int i = 0; i < 5; ++i) good = good && in_child([] { return use(2) && gone(); });
  std::printf("in children: %d\n", good);
  // Loaded when the process ends.
  void* const plugin = dlopen(path, RTLD_LAZY | RTLD_GLOBAL);
  good = good && reinterpret_cast<long (*)(long)>(dlsym(plugin, "count_to"))(1000) == 1000;
  std::printf("at the end: %d\n", good);
  return good ? 0 : 1;
}
