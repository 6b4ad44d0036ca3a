// SPDX-License-Identifier: Apache-2.0
// The memory of an execution: the stacks of its threads and what its code allocates with new. Nothing is used twice
// within an execution, so that every use after a delete is seen, and the addresses are the same in each.
#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <new>

#include "engine/state.h"

namespace ashlar::model {

namespace {

constexpr std::size_t guard_size = 1u << 16;
constexpr std::size_t stacks_size = max_threads * (stack_size + guard_size);
constexpr std::size_t heap_size = 1u << 22;
constexpr std::size_t whole_size = stacks_size + heap_size;

struct block {
  char *begin, *end;
  bool freed;
};

char* base = nullptr;
std::uint32_t* births = nullptr;  // per 8 bytes: clock * max_threads + thread of the construction, 0: none
std::vector<block> blocks;
char* next_free = nullptr;

// Near an address that is free in every kind of build, so that addresses are the same in each run, too.
void* map(std::size_t size) {
  void* const hint = reinterpret_cast<void*>(std::uintptr_t{0x7e8000000000});
  void* const p = mmap(hint, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) std::abort();
  return p;
}

bool ours(void const* p) { return base != nullptr && p >= base && p < base + whole_size; }

std::uint32_t& birth(void const* p) { return births[(static_cast<char const*>(p) - base) / 8]; }

block* block_of(void const* p) {
  auto const after =
      std::upper_bound(blocks.begin(), blocks.end(), p, [](void const* a, block const& b) { return a < b.begin; });
  return after == blocks.begin() || p >= (after - 1)->end ? nullptr : &*(after - 1);
}

void* allocate(std::size_t size, std::size_t alignment) {
  inside const in;
  auto const at = (reinterpret_cast<std::uintptr_t>(next_free) + alignment - 1) & ~(alignment - 1);
  char* const begin = reinterpret_cast<char*>(at);
  size = (std::max<std::size_t>(size, 1) + 15) & ~std::size_t{15};
  if (begin + size > base + whole_size) fail("limit", "the execution allocates too much");
  next_free = begin + size;
  blocks.push_back({begin, next_free, false});
  std::memset(&birth(begin), 0, size / 8 * sizeof(std::uint32_t));
  return begin;
}

void release(void* p) {
  if (!the.user) return;  // left over from an execution that is over
  inside const in;
  block* const b = block_of(p);
  if (b == nullptr || b->begin != p) fail("use after free", "delete of what new has not returned");
  if (b->freed) fail("use after free", place_name(p) + " is deleted twice");
  kill_places(b->begin, b->end, "freed");
  b->freed = true;
  std::memset(b->begin, 0xdd, static_cast<std::size_t>(b->end - b->begin));
}

}  // namespace

char* stack_of(int thread) { return base + static_cast<std::size_t>(thread) * (stack_size + guard_size) + guard_size; }

void reset_heap() {
  if (base == nullptr) {
    base = static_cast<char*>(map(whole_size));
    births = static_cast<std::uint32_t*>(map(whole_size / 8 * sizeof(std::uint32_t)));
    for (int i = 0; i < max_threads; ++i) mprotect(stack_of(i) - guard_size, guard_size, PROT_NONE);
  }
  blocks.clear();
  next_free = base + stacks_size;
}

void check_leaks() {
  for (block const& b : blocks) {
    if (b.freed) continue;
    record_failure("leak", place_name(b.begin) + " is never freed");
    the.how_ended = engine::ending::failed;
    return;
  }
}

void note_birth(void const* address, int thread, stamp clock) {
  if (ours(address)) birth(address) = clock * max_threads + static_cast<stamp>(thread);
}

std::pair<int, stamp> birth_of(void const* address) {
  stamp const b = ours(address) ? birth(address) : 0;
  if (b == 0) return {-1, 0};
  return {static_cast<int>(b % max_threads), b / max_threads};
}

bool freed(void const* address) {
  block const* const b = block_of(address);
  return b != nullptr && b->freed;
}

std::string block_name(void const* address) {
  block const* const b = block_of(address);
  if (b == nullptr) return "";
  return "block " + std::to_string(b - blocks.data()) + "+" +
         std::to_string(static_cast<char const*>(address) - b->begin);
}

}  // namespace ashlar::model

namespace {

void* get(std::size_t size, std::size_t alignment) {
  if (ashlar::model::the.user) return ashlar::model::allocate(size, alignment);
  void* const p =
      std::aligned_alloc(alignment, (std::max<std::size_t>(size, 1) + alignment - 1) / alignment * alignment);
  if (p == nullptr) throw std::bad_alloc();
  return p;
}

void give_back(void* p) noexcept {
  if (ashlar::model::ours(p)) {
    ashlar::model::release(p);
  } else {
    std::free(p);
  }
}

}  // namespace

#if ASHLAR_ASAN
// Executions that are given up are not unwound: what the engine held there is lost. The model's own memory is checked
// above.
extern "C" char const* __lsan_default_suppressions() { return "leak:model/engine/\n"; }
#endif

void* operator new(std::size_t n) { return get(n, 16); }
void* operator new(std::size_t n, std::align_val_t a) {
  return get(n, std::max<std::size_t>(16, static_cast<std::size_t>(a)));
}
void operator delete(void* p) noexcept { give_back(p); }
void operator delete(void* p, std::size_t) noexcept { give_back(p); }
void operator delete(void* p, std::align_val_t) noexcept { give_back(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { give_back(p); }
