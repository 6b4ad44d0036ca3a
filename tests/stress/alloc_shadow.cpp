// SPDX-License-Identifier: Apache-2.0
// Random operations by several threads against a shadow model. Each object is filled with a pattern of its own and
// checked, whole, when it is freed or resized: memory given out twice, written by the allocator, lost by realloc or
// misaligned can't go unseen. A third of the objects are freed by another thread than the one that made them, and
// threads end and are replaced all the time.
//
// ASHLAR_STRESS_OPS sets the number of operations (default 800,000, fewer under sanitizers), ASHLAR_STRESS_SEED the
// seed. The long run is ASHLAR_STRESS_OPS=100000000 stress_alloc_shadow, 7 minutes on 2 cores.
#include <ashlar/base/config.h>
#include <doctest/doctest.h>

#include <tbb/scalable_allocator.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

namespace {

struct random_source {
  std::uint64_t state;
  std::uint64_t next() {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
  }
  std::uint64_t below(std::uint64_t n) { return next() % n; }
};

struct object {
  unsigned char* p = nullptr;
  std::size_t size = 0;
  std::size_t align = 1;
  std::uint64_t tag = 0;
};

std::atomic<std::uint64_t> tags{1};
std::atomic<unsigned> failures{0};

void fail(char const* what, object const& o) {
  if (failures++ < 20) {
    std::fprintf(stderr, "%s: object %p, %zu bytes, alignment %zu\n", what, static_cast<void*>(o.p), o.size, o.align);
  }
}

std::uint64_t pattern(object const& o, std::size_t i) { return o.tag * 0x9e3779b97f4a7c15u + i; }

void fill(object const& o) {
  std::size_t i = 0;
  for (; i + 8 <= o.size; i += 8) {
    std::uint64_t const v = pattern(o, i);
    std::memcpy(o.p + i, &v, 8);
  }
  for (; i < o.size; ++i) {
    o.p[i] = static_cast<unsigned char>(o.tag + i);
  }
}

bool holds(object const& o, std::size_t size) {
  std::size_t i = 0;
  for (; i + 8 <= size; i += 8) {
    std::uint64_t v;
    std::memcpy(&v, o.p + i, 8);
    if (v != pattern(o, i)) {
      return false;
    }
  }
  if (size == o.size) {
    for (; i < size; ++i) {
      if (o.p[i] != static_cast<unsigned char>(o.tag + i)) {
        return false;
      }
    }
  }
  return true;
}

std::size_t random_size(random_source& r) {
  std::uint64_t const kind = r.below(1000);
  if (kind < 700) {
    return r.below(300);
  }
  if (kind < 950) {
    return r.below(5000);
  }
  if (kind < 992) {
    return r.below(140000);
  }
  return r.below(3000000);
}

object make(random_source& r) {
  object o;
  o.size = random_size(r);
  o.tag = tags.fetch_add(1, std::memory_order_relaxed);
  switch (r.below(8)) {
    case 0: {
      o.p = static_cast<unsigned char*>(scalable_calloc(1, o.size));
      object zero = o;
      for (std::size_t i = 0; zero.p && i < zero.size; ++i) {
        if (zero.p[i]) {
          fail("calloc gave memory that is not zero", o);
          break;
        }
      }
      break;
    }
    case 1: {
      o.align = std::size_t{1} << r.below(r.below(20) == 0 ? 22 : 9);
      o.size = o.size ? o.size : 1;
      o.p = static_cast<unsigned char*>(scalable_aligned_malloc(o.size, o.align));
      break;
    }
    default:
      o.p = static_cast<unsigned char*>(scalable_malloc(o.size));
      o.align = 16;
  }
  if (o.p == nullptr) {
    fail("no memory", o);
    o.size = 0;
    return o;
  }
  if (reinterpret_cast<std::uintptr_t>(o.p) % o.align) {
    fail("misaligned", o);
  }
  if (scalable_msize(o.p) < o.size) {
    fail("msize below the size", o);
  }
  fill(o);
  return o;
}

void end(object& o) {
  if (o.p != nullptr && !holds(o, o.size)) {
    fail("contents changed", o);
  }
  scalable_free(o.p);
  o = object{};
}

void resize(random_source& r, object& o) {
  if (o.p == nullptr) {
    return;
  }
  if (!holds(o, o.size)) {
    fail("contents changed before realloc", o);
  }
  std::size_t const size = random_size(r) + 1;
  std::size_t const kept = size < o.size ? size : o.size;
  void* const p = o.align > 16 ? scalable_aligned_realloc(o.p, size, o.align) : scalable_realloc(o.p, size);
  if (p == nullptr) {
    fail("realloc found no memory", o);
    return;
  }
  o.p = static_cast<unsigned char*>(p);
  if (!holds(o, kept & ~std::size_t{7})) {
    fail("realloc lost contents", o);
  }
  if (o.align > 16 && reinterpret_cast<std::uintptr_t>(o.p) % o.align) {
    fail("realloc lost the alignment", o);
  }
  o.size = size;
  o.tag = tags.fetch_add(1, std::memory_order_relaxed);
  fill(o);
}

// A place where threads swap objects.
constexpr std::size_t exchange_slots = 512;
std::atomic<object*> exchange[exchange_slots];

void run(std::uint64_t seed, long operations) {
  random_source r{seed * 0x2545f4914f6cdd1du + 1};
  std::vector<object> mine(300);
  for (long i = 0; i < operations; ++i) {
    object& o = mine[r.below(mine.size())];
    switch (r.below(6)) {
      case 0:
        resize(r, o);
        break;
      case 1:
      case 2: {
        auto* const box = static_cast<object*>(scalable_malloc(sizeof(object)));
        *box = o;
        object* const other = exchange[r.below(exchange_slots)].exchange(box);
        o = other != nullptr ? *other : object{};
        scalable_free(other);
        break;
      }
      default:
        end(o);
        o = make(r);
    }
    if (r.below(200000) == 0) {
      scalable_allocation_command(r.below(2) ? TBBMALLOC_CLEAN_ALL_BUFFERS : TBBMALLOC_CLEAN_THREAD_BUFFERS, nullptr);
    }
  }
  for (object& o : mine) {
    end(o);
  }
}

long setting(char const* name, long fallback) {
  char const* const text = std::getenv(name);
  return text != nullptr ? std::atol(text) : fallback;
}

}  // namespace

TEST_CASE("random operations against a shadow model") {
  constexpr int threads = 8;
  constexpr long per_thread_life = 20000;
  long const operations = setting("ASHLAR_STRESS_OPS", ASHLAR_TSAN ? 30000 : ASHLAR_ASAN ? 150000 : 800000);
  std::uint64_t const seed = static_cast<std::uint64_t>(setting("ASHLAR_STRESS_SEED", 1));
  std::vector<std::thread> team;
  for (int t = 0; t < threads; ++t) {
    team.emplace_back([=] {
      long left = operations / threads;
      for (std::uint64_t life = 0; left > 0; ++life) {
        long const now = left < per_thread_life ? left : per_thread_life;
        std::thread(run, seed * 1000003 + life * 64 + static_cast<std::uint64_t>(t), now).join();
        left -= now;
      }
    });
  }
  for (std::thread& t : team) {
    t.join();
  }
  for (std::atomic<object*>& slot : exchange) {
    if (object* const box = slot.exchange(nullptr)) {
      end(*box);
      scalable_free(box);
    }
  }
  CHECK(failures == 0);
}
