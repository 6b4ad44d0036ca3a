// SPDX-License-Identifier: Apache-2.0
// A vertex of references per thread and waiting object: many threads that add tasks to one group (a feeder, a flow
// graph, a task_group that tasks run into) count in words of their own, and only the change from none to some reaches
// the word that somebody waits for.
//
// A group in the caller's own frames is counted directly: the caller made it, and its wait reads the word anyway.
//
// Threads    a thread's vertices are handed out by the thread; reserve and release by anyone who holds a reference.
// Invariants RV-I1 a vertex with references keeps one of its parent; without, it may be given to another parent by its
//                  thread.
//            RV-I2 memory of vertices is never freed: when its thread ends, the next new thread takes it over, and what
//                  is referred to then stays as it is.
// Ordering   [RV1] the last reference goes, acq_rel -> [RV1] itself: the parent's release comes after all others'
//            [RV2] a thread gives its vertices up, release -> [RV3] another one takes them, acquire
// Model      tests/model/compat12_vertices_model.cpp
#include "contract.h"

#include <ashlar/base/cache_line.h>

#include <cstddef>
#include <new>

namespace ashlar::inline v1::compat12 {

namespace {

using vertex_interface = tbb::detail::d1::wait_tree_vertex_interface;

class alignas(no_sharing) vertex final : public vertex_interface {
 public:
  void reserve(std::uint32_t n) override {
    if (count_.fetch_add(n, mo::relaxed) == 0) parent_->reserve(1);
  }
  // Another thread may use it for another parent once the count is 0.
  void release(std::uint32_t n) override {
    vertex_interface* const parent = parent_;
    if (count_.fetch_sub(n, mo::acq_rel) == n) parent->release(1);  // [RV1]
  }

  bool counts_for(vertex_interface const& parent) const noexcept { return parent_ == &parent; }
  bool idle() const noexcept { return count_.load(mo::relaxed) == 0; }
  void serve(vertex_interface& parent) noexcept { parent_ = &parent; }

 private:
  vertex_interface* parent_ = nullptr;
  atomic<std::uint64_t> count_{0};
};

class vertex_set {
 public:
  // Null if all places that the parent may have are taken by others.
  vertex* find(vertex_interface& parent) noexcept {
    std::size_t const first = (reinterpret_cast<std::uintptr_t>(&parent) >> 4) * 0x9E3779B97F4A7C15u >> (64 - 5);
    vertex* free = nullptr;
    for (std::size_t i = 0; i < ways; ++i) {
      vertex& v = all_[(first + i) % count];
      if (v.counts_for(parent)) return &v;
      if (free == nullptr && v.idle()) free = &v;
    }
    if (free != nullptr) free->serve(parent);
    return free;
  }

  // Throws std::bad_alloc.
  static vertex_set& acquire() {
    for (vertex_set* s = first_.load(mo::acquire); s != nullptr; s = s->next_) {  // [RV5]
      bool owned = false;
      if (s->owned_.compare_exchange(owned, true, mo::acquire, mo::relaxed)) return *s;  // [RV3]
    }
    auto* const fresh = new vertex_set;
    fresh->next_ = first_.load(mo::relaxed);
    while (!first_.compare_exchange(fresh->next_, fresh, mo::release, mo::relaxed)) {  // [RV4]
    }
    return *fresh;
  }
  void abandon() noexcept { owned_.store(false, mo::release); }  // [RV2]

 private:
  static constexpr std::size_t count = 32;
  static constexpr std::size_t ways = 4;
  // [RV4] a new set, release -> [RV5] a thread walks the list: acquire
  static atomic<vertex_set*> first_;

  vertex all_[count];
  atomic<bool> owned_{true};
  vertex_set* next_ = nullptr;
};

constinit atomic<vertex_set*> vertex_set::first_{nullptr};

ASHLAR_INITIAL_EXEC __thread vertex_set* of_thread = nullptr;

struct at_thread_exit {
  ~at_thread_exit() {
    if (of_thread != nullptr) of_thread->abandon();
    of_thread = nullptr;
  }
};

// Null if there is no memory.
ASHLAR_COLD vertex_set* make_set() noexcept {
  static thread_local at_thread_exit const end;
  (void)&end;
  try {
    return of_thread = &vertex_set::acquire();
  } catch (std::bad_alloc const&) {
    return nullptr;
  }
}

// In this thread's recent frames: a guess, which costs contention only if it is wrong.
bool in_own_frames(void const* object) noexcept {
  constexpr std::uintptr_t reach = 64 * 1024;
  std::uintptr_t frame;
  __asm__("mov %%rsp, %0" : "=r"(frame));
  return reinterpret_cast<std::uintptr_t>(object) - frame < reach;
}

}  // namespace

}  // namespace ashlar::inline v1::compat12

namespace tbb::detail::r1 {

// The vertex in which the calling thread counts tasks that it adds to what `top` stands for.
ASHLAR_EXPORT d1::wait_tree_vertex_interface* get_thread_reference_vertex(d1::wait_tree_vertex_interface* top) {
  using namespace ashlar::compat12;
  if (in_own_frames(top)) return top;
  vertex_set* const mine = of_thread != nullptr ? of_thread : make_set();
  vertex* const v = mine != nullptr ? mine->find(*top) : nullptr;
  return v != nullptr ? v : top;
}

}  // namespace tbb::detail::r1
