// SPDX-License-Identifier: Apache-2.0
// This program's malloc fails when it is asked to. The library finds no scalable allocator beside it and takes malloc,
// too.
#include "driver.h"

#include <ashlar/base/config.h>
#include <support/death.h>

#include <doctest/doctest.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

namespace throws {

namespace {

constexpr long unarmed = -1;
std::atomic<long> left{unarmed};   // chances before the one that is taken
std::atomic<bool> of_user{false};  // it was one of user code
std::atomic<int> calms{0};
std::atomic<long> living{0};
std::atomic<long> in_use{0};
std::atomic<char const*> running{""};
std::atomic<long> place{0};

bool is_taken() noexcept {
  if (calms.load(std::memory_order_relaxed) != 0 || left.load(std::memory_order_relaxed) < 0) return false;
  return left.fetch_sub(1, std::memory_order_relaxed) == 0;
}

}  // namespace

void chance() {
  if (!is_taken()) return;
  of_user = true;
  throw fault();
}

calm::calm() noexcept { ++calms; }
calm::~calm() { --calms; }

void require(bool right, char const* what) {
  if (right) return;
  calm const silence;
  std::fprintf(stderr, "%s, chance %ld: %s\n", running.load(), place.load(), what);
  std::abort();
}

long item::alive() noexcept { return living; }
void item::born() noexcept { ++living; }
void item::died() noexcept { --living; }
long blocks() noexcept { return in_use; }

namespace {

// True if the chance came.
bool fail_at(construct const& c, long n) {
  running = c.name;
  place = n;
  of_user = false;
  enum { nothing, user, memory, other } came = nothing;
  left = n;
  try {
    c.run();
  } catch (fault const&) {
    came = user;
  } catch (std::bad_alloc const&) {
    came = memory;
  } catch (...) {
    came = other;
  }
  bool const reached = left.exchange(unarmed) < 0;
  require(came != other, "another exception came out");
  require(reached || came == nothing, "an exception came from nowhere");
  // Where memory is missing the library may do without.
  require(!reached || !of_user || came == user, "the fault was lost, or became another one");
  require(item::alive() == 0, "something that lived was not destroyed, or twice");
  return reached;
}

}  // namespace

long fail_everywhere(construct const& c) {
  long n = 0;
  while (fail_at(c, n)) ++n;
  return n;
}

long fail_everywhere_afresh(construct const& c, long most) {
  long n = 0;
  for (bool reached = true; reached && n < most; ++n) {
    test::death const end = test::run_in_child([&] {
      alarm(100);
      bool const came = fail_at(c, n);
      c.run();  // works as if nothing had happened
      require(item::alive() == 0, "something that lived was not destroyed after a run without faults");
      std::_Exit(came ? 1 : 2);
    });
    CAPTURE(c.name);
    CAPTURE(n);
    CAPTURE(end.errors);
    REQUIRE(end.exited);
    REQUIRE((end.code == 1 || end.code == 2));
    reached = end.code == 1;
  }
  return n;
}

}  // namespace throws

#if !ASHLAR_ASAN && !ASHLAR_TSAN
// glibc's own functions, under the names that it keeps for replacements.
extern "C" void* __libc_malloc(std::size_t);
extern "C" void* __libc_calloc(std::size_t, std::size_t);
extern "C" void* __libc_realloc(void*, std::size_t);
extern "C" void* __libc_memalign(std::size_t, std::size_t);
extern "C" void __libc_free(void*);

namespace {

template <typename Get>
void* get(Get const& one) {
  void* const p = throws::is_taken() ? nullptr : one();
  if (p == nullptr) {
    errno = ENOMEM;
  } else {
    throws::in_use.fetch_add(1, std::memory_order_relaxed);
  }
  return p;
}

}  // namespace

extern "C" void* malloc(std::size_t size) {
  return get([&] { return __libc_malloc(size); });
}
extern "C" void* calloc(std::size_t count, std::size_t size) {
  return get([&] { return __libc_calloc(count, size); });
}
extern "C" void* aligned_alloc(std::size_t alignment, std::size_t size) {
  return get([&] { return __libc_memalign(alignment, size); });
}
extern "C" void* memalign(std::size_t alignment, std::size_t size) {
  return get([&] { return __libc_memalign(alignment, size); });
}
extern "C" int posix_memalign(void** to, std::size_t alignment, std::size_t size) {
  void* const p = get([&] { return __libc_memalign(alignment, size); });
  if (p == nullptr) return ENOMEM;
  *to = p;
  return 0;
}
extern "C" void* realloc(void* old, std::size_t size) {
  if (old == nullptr) return malloc(size);
  if (throws::is_taken()) {
    errno = ENOMEM;
    return nullptr;
  }
  return __libc_realloc(old, size);
}
extern "C" void free(void* p) {
  if (p != nullptr) throws::in_use.fetch_sub(1, std::memory_order_relaxed);
  __libc_free(p);
}
#endif
