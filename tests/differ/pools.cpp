// SPDX-License-Identifier: Apache-2.0
// Memory pools, by their classes and by their C interface: contents, alignment, blocks that stay as they are when a
// realloc fails, sources of memory that have an end.
#include "memory_block.h"
#include "subjects.h"

#define TBB_PREVIEW_MEMORY_POOL 1
#include <tbb/memory_pool.h>
#include <tbb/scalable_allocator.h>

#include <cstdlib>
#include <memory>

namespace differ {

namespace {

// What a pool's functions are called by, whichever pool it is.
template <typename Pool>
struct class_calls {
  void* allocate(std::size_t size, std::size_t) { return pool.malloc(size); }
  void* resize(void* at, std::size_t size, std::size_t) { return pool.realloc(at, size); }
  bool give_back(void* at) { return pool.free(at), true; }
  bool reset() { return pool.recycle(), true; }
  static constexpr bool aligns = false;
  bool owns(void*, std::size_t) const { return true; }
  Pool& pool;
};
struct c_calls {
  void* allocate(std::size_t size, std::size_t alignment) {
    return alignment == 0 ? rml::pool_malloc(pool, size) : rml::pool_aligned_malloc(pool, size, alignment);
  }
  void* resize(void* at, std::size_t size, std::size_t alignment) {
    return alignment == 0 ? rml::pool_realloc(pool, at, size) : rml::pool_aligned_realloc(pool, at, size, alignment);
  }
  bool give_back(void* at) { return rml::pool_free(pool, at); }
  bool reset() { return rml::pool_reset(pool); }
  static constexpr bool aligns = true;
  bool owns(void* at, std::size_t size) const {
    return rml::pool_identify(at) == pool && rml::pool_msize(pool, at) >= size;
  }
  rml::MemoryPool* pool;
};

// Small: blocks of these sizes always fit. Else which of them do is open.
template <typename Calls>
class scene {
 public:
  scene(Calls calls, bool roomy, std::size_t largest) : calls_(calls), roomy_(roomy), largest_(largest) {}

  void act(step const& s, int index, std::string const& path, book& told) {
    bool const absurd = s.b % 13 == 0;
    std::size_t const size = absurd ? absurd_sizes[s.a % 4] : 1 + block_sizes[s.a % 13] % largest_;
    std::size_t const alignment = !Calls::aligns || s.b % 2 == 0 ? 0 : std::size_t(8) << (s.b % 9);
    if (s.kind == "malloc") {
      void* const got = calls_.allocate(size, alignment);
      tell_null(got, absurd, path, told);
      if (got == nullptr) return;
      held_.push_back({static_cast<unsigned char*>(got), size, 0, alignment != 0});
      check(held_.back(), index, alignment, path, told);
    } else if (s.kind == "realloc" && !held_.empty()) {
      resize(held_[static_cast<std::size_t>(s.a) % held_.size()], size, alignment, absurd, index, path, told);
    } else if (s.kind == "free" && !held_.empty()) {
      std::size_t const which = static_cast<std::size_t>(s.b) % held_.size();
      tell_true(held_[which].whole(held_[which].size), path + " whole", told);
      tell_true(calls_.give_back(held_[which].at), path + " freed", told);
      held_.erase(held_.begin() + static_cast<std::ptrdiff_t>(which));
    } else if (s.kind == "command" && s.n % 4 == 0) {
      told.tell(path + " emptied", calls_.reset());
      held_.clear();
    }
  }
  void end(book& told) {
    for (block const& b : held_) tell_true(b.whole(b.size), "whole in the end", told);
    told.tell("emptied in the end", calls_.reset());
  }

 private:
  // Which blocks there are is open in a pool with an end.
  void tell_true(bool holds, std::string const& what, book& told) {
    if (roomy_) told.tell(what, holds);
    told.expect(holds, what);
  }
  void tell_null(void* got, bool absurd, std::string const& path, book& told) {
    if (roomy_) {
      told.tell(path + " null", got == nullptr);
    } else if (absurd) {
      told.expect(got == nullptr, path + " gives what can't be");
    } else {
      told.open("a pool with an end gives nothing", got == nullptr ? 1 : 0);
    }
  }
  void check(block& b, int filling, std::size_t alignment, std::string const& path, book& told) {
    bool const fits = alignment == 0 || reinterpret_cast<std::uintptr_t>(b.at) % alignment == 0;
    told.expect(fits, path + " is not aligned");
    told.expect(calls_.owns(b.at, b.size), path + " is not the pool's");
    b.fill(filling);
  }
  // What fails leaves the block as it was.
  void resize(block& b, std::size_t size, std::size_t alignment, bool absurd, int filling, std::string const& path,
              book& told) {
    void* const got = calls_.resize(b.at, size, alignment);
    tell_null(got, absurd, path, told);
    if (planted("pool changes a block") && got == nullptr) b.at[0] ^= 1;
    if (got != nullptr) b.at = static_cast<unsigned char*>(got);
    bool const kept = b.whole(got == nullptr ? b.size : size);
    tell_true(kept, path + " keeps its contents", told);
    if (got == nullptr) return;
    b.size = size;
    check(b, filling, alignment, path, told);
  }

  Calls calls_;
  bool const roomy_;
  std::size_t const largest_;
  std::vector<block> held_;
};

template <typename Calls>
void play(Calls calls, step const& program, bool roomy, std::size_t largest, book& told) {
  scene<Calls> one(calls, roomy, largest);
  for (std::size_t i = 0; i < program.body.size(); ++i) {
    one.act(program.body[i], static_cast<int>(i), std::to_string(i) + " " + program.body[i].kind, told);
  }
  one.end(told);
}

// The raw memory that is left; what pools take and give back is counted.
std::size_t raw_left = 0;
long raw_blocks = 0;
void* raw_memory(std::intptr_t, std::size_t& bytes) {
  if (bytes > raw_left) return nullptr;
  raw_left -= bytes;
  ++raw_blocks;
  return std::malloc(bytes);
}
int give_raw_memory(std::intptr_t, void* at, std::size_t bytes) {
  raw_left += bytes;
  --raw_blocks;
  std::free(at);
  return 0;
}

void raw_pool(step const& program, book& told) {
  bool const roomy = program.b % 3 != 0;
  raw_left = roomy ? std::size_t(1) << 40 : std::size_t(2) << 20;
  raw_blocks = 0;
  rml::MemoryPool* pool = nullptr;
  rml::MemPoolPolicy const policy(&raw_memory, &give_raw_memory, 0, false, program.b % 2 == 0);
  told.tell("pool made", rml::pool_create_v1(program.b, &policy, &pool) == rml::POOL_OK);
  play(c_calls{pool}, program, roomy, SIZE_MAX, told);
  told.tell("pool ends", rml::pool_destroy(pool));
  told.tell("raw blocks that stay", raw_blocks);
  rml::MemPoolPolicy const without(nullptr, &give_raw_memory);
  told.tell("a pool without a source", rml::pool_create_v1(0, &without, &pool) == rml::POOL_OK);
}

void pools(step const& program, book& told) {
  switch (program.a % 4) {
    case 0: {
      tbb::memory_pool<std::allocator<char>> pool;
      return play(class_calls<decltype(pool)>{pool}, program, true, SIZE_MAX, told);
    }
    case 1: {
      bool const roomy = program.b % 2 == 0;
      std::size_t const size = roomy ? 8 << 20 : 300000;
      std::unique_ptr<char[]> const place(new char[size]);
      tbb::fixed_pool pool(place.get(), size);
      return play(class_calls<tbb::fixed_pool>{pool}, program, roomy, roomy ? 3000 : SIZE_MAX, told);
    }
    default:
      return raw_pool(program, told);
  }
}

}  // namespace

void add_pools(subjects& table) { table["pool"] = pools; }

}  // namespace differ
