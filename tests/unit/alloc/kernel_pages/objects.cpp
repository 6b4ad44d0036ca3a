// SPDX-License-Identifier: Apache-2.0
// Objects whose contents are known, of drifting sizes, small to large, resized, handed on and cleaned up after: none
// may be overwritten, whatever the kernel's page (kernel.cpp). With libtbb linked, stacks of suspended tasks and a
// trace, too.
#include <tbb/memory_pool.h>
#include <tbb/scalable_allocator.h>

#ifdef WITH_TASKS
#include <tbb/parallel_for.h>
#include <tbb/task.h>
#include <tbb/task_group.h>
#endif

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

namespace {

struct object {
  unsigned char* p;
  std::size_t size;
  unsigned char value;

  bool whole() const {
    for (std::size_t i = 0; i < size; i += 512) {
      if (p[i] != value) return false;
    }
    return p[size - 1] == value;
  }
};

unsigned long lost = 0;
std::uint64_t state = 1;
std::size_t below(std::size_t n) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return static_cast<std::size_t>(state >> 33) % n;
}

object made(std::size_t size) {
  object o{static_cast<unsigned char*>(scalable_malloc(size)), size, static_cast<unsigned char>(below(255) + 1)};
  if (o.p == nullptr) std::abort();
  std::memset(o.p, o.value, size);
  return o;
}
void drop(object const& o) {
  lost += !o.whole();
  scalable_free(o.p);
}

// Many of a size, of which a few stay: then pages are mostly free, and their memory goes back in parts.
void drift(std::vector<object>& stay) {
  for (std::size_t const size : {24u, 100u, 400u, 1500u, 6000u, 24000u, 90000u, 300000u, 48u, 2000u, 1500000u, 700u}) {
    std::vector<object> many;
    for (std::size_t i = 0; i * size < (std::size_t{8} << 20); ++i) many.push_back(made(size + below(size)));
    for (object const& o : many) {
      if (below(20) == 0 && size < 100000) {
        stay.push_back(o);
      } else {
        drop(o);
      }
    }
    for (object const& o : stay) lost += !o.whole();
  }
}

void resize(std::vector<object>& stay) {
  for (object& o : stay) {
    std::size_t const size = 1 + below(3 * o.size);
    lost += !o.whole();
    auto* const p = static_cast<unsigned char*>(scalable_realloc(o.p, size));
    if (p == nullptr) std::abort();
    lost += p[0] != o.value || p[(size < o.size ? size : o.size) - 1] != o.value;
    o.p = p;
    o.size = size;
    std::memset(p, o.value, size);
  }
  object big = made(200000);
  for (int i = 0; i < 20; ++i) {  // grows by moving
    object const between = made(400000);
    big.p = static_cast<unsigned char*>(scalable_realloc(big.p, big.size * 3 / 2));
    lost += !big.whole();
    big.size = big.size * 3 / 2;
    std::memset(big.p, big.value, big.size);
    drop(between);
    if (big.size > (std::size_t{64} << 20)) break;
  }
  drop(big);
}

void zeroed() {
  for (int i = 0; i < 200; ++i) {
    std::size_t const size = 130000 + below(900000);
    auto* const p = static_cast<unsigned char*>(scalable_calloc(1, size));
    for (std::size_t k = 0; k < size; k += 256) lost += p[k] != 0;
    std::memset(p, 1, size);
    scalable_free(p);
  }
}

void pools() {
  tbb::memory_pool<tbb::scalable_allocator<char>> pool;
  std::vector<object> objects;
  for (int i = 0; i < 5000; ++i) {
    std::size_t const size = 16 + below(9000);
    object const o{static_cast<unsigned char*>(pool.malloc(size)), size, static_cast<unsigned char>(i)};
    std::memset(o.p, o.value, size);
    objects.push_back(o);
  }
  for (object const& o : objects) lost += !o.whole();
  pool.recycle();
}

#ifdef WITH_TASKS
void tasks() {
  tbb::task_group group;
  for (int i = 0; i < 200; ++i) {
    group.run([i] {
      char mark[4096];
      std::memset(mark, i, sizeof mark);
      tbb::task::suspend(
          [](tbb::task::suspend_point point) { std::thread([=] { tbb::task::resume(point); }).detach(); });
      for (char const c : mark) {
        if (c != static_cast<char>(i)) std::abort();
      }
    });
  }
  group.wait();
  tbb::parallel_for(0, 100000, [](int) {});
}
#endif

}  // namespace

int main() {
  std::vector<object> stay;
  for (int round = 0; round < 3; ++round) {
    drift(stay);
    resize(stay);
    zeroed();
    pools();
    scalable_allocation_command(TBBMALLOC_CLEAN_ALL_BUFFERS, nullptr);
    for (object const& o : stay) lost += !o.whole();
    // What another thread frees.
    std::vector<object> given(stay.begin() + static_cast<std::ptrdiff_t>(stay.size() / 2), stay.end());
    stay.resize(stay.size() / 2);
    std::thread([&] {
      for (object const& o : given) drop(o);
    }).join();
    scalable_allocation_mode(TBBMALLOC_SET_SOFT_HEAP_LIMIT, round == 0 ? 30 << 20 : 0);
  }
#ifdef WITH_TASKS
  tasks();
#endif
  for (object const& o : stay) drop(o);
  std::printf("%lu objects were overwritten\n", lost);
  return lost != 0;
}
