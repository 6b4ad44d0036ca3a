// SPDX-License-Identifier: Apache-2.0
// Misuse of memory pools: each kind, in a child, ends with a message.
#include <ashlar/alloc/pool_interface.h>
#include <support/death.h>
#include <tbb/scalable_allocator.h>

#include <doctest/doctest.h>

#include <cstdlib>

namespace {

void* get(std::intptr_t, std::size_t& bytes) { return std::malloc(bytes); }
int put(std::intptr_t, void* p, std::size_t) {
  std::free(p);
  return 0;
}

rml::MemoryPool* make() {
  rml::MemPoolPolicy const policy(get, put);
  rml::MemoryPool* pool = nullptr;
  if (rml::pool_create_v1(0, &policy, &pool) != rml::POOL_OK) std::exit(3);
  return pool;
}

struct scene {
  rml::MemoryPool* mine = make();
  rml::MemoryPool* other = make();
  void* small = rml::pool_malloc(mine, 100);
  void* next = rml::pool_malloc(mine, 100);
  void* large = rml::pool_malloc(mine, 3'000'000);
};

struct mistake {
  char const* name;
  void (*make)(scene&);
};
constexpr mistake mistakes[] = {
    {"freed twice", [](scene& s) { rml::pool_free(s.mine, s.small), rml::pool_free(s.mine, s.small); }},
    {"freed twice, with another between",
     [](scene& s) {
       rml::pool_free(s.mine, s.small), rml::pool_free(s.mine, s.next), rml::pool_free(s.mine, s.small);
     }},
    {"freed into another pool", [](scene& s) { rml::pool_free(s.other, s.small); }},
    {"a large one freed into another pool", [](scene& s) { rml::pool_free(s.other, s.large); }},
    {"resized in another pool", [](scene& s) { rml::pool_realloc(s.other, s.small, 200); }},
    {"resized in another pool, aligned", [](scene& s) { rml::pool_aligned_realloc(s.other, s.small, 200, 4096); }},
    {"resized after it was freed",
     [](scene& s) { rml::pool_free(s.mine, s.small), rml::pool_realloc(s.mine, s.small, 9000); }},
    {"measured in another pool", [](scene& s) { rml::pool_msize(s.other, s.small); }},
    {"measured after it was freed",
     [](scene& s) { rml::pool_free(s.mine, s.small), rml::pool_msize(s.mine, s.small); }},
    {"the inside of an object", [](scene& s) { rml::pool_free(s.mine, static_cast<char*>(s.small) + 16); }},
    {"the heap's object", [](scene& s) { rml::pool_free(s.mine, scalable_malloc(100)); }},
    {"a pool destroyed twice", [](scene& s) { rml::pool_destroy(s.mine), rml::pool_destroy(s.mine); }},
    {"from a destroyed pool", [](scene& s) { rml::pool_destroy(s.mine), rml::pool_malloc(s.mine, 10); }},
    {"freed into a destroyed pool", [](scene& s) { rml::pool_destroy(s.other), rml::pool_free(s.other, s.small); }},
    {"a destroyed pool is reset", [](scene& s) { rml::pool_destroy(s.mine), rml::pool_reset(s.mine); }},
};

}  // namespace

// A sanitizer ends the process first, with a message of its own.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif

TEST_CASE("each misuse of a memory pool ends the process with a message" * doctest::skip(sanitized)) {
  for (mistake const& m : mistakes) {
    test::death const end = test::run_in_child([&] {
      scene s;
      m.make(s);
    });
    CAPTURE(m.name);
    CAPTURE(end.errors);
    CHECK(end.by_signal(SIGABRT));
    CHECK(end.errors.find("pool") != std::string::npos);
  }
}
