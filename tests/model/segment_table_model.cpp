// SPDX-License-Identifier: Apache-2.0
// The table of a growing array's segments: each segment is made once, whoever finds it ready reaches its memory, also
// while the large table takes the small one's place, and a failure is told to all who wait.
#include <scenes.h>

#include <ashlar/containers/segment_table.h>

#include <memory>
#include <new>

using namespace ashlar;

namespace {

struct element {
  int index;
  model::var<int> content;
  explicit element(std::size_t i) : index(static_cast<int>(i)), content(10 * index) {}
};

// Allocates as long as the scene allows.
template <typename T>
struct limited_allocator {
  using value_type = T;

  int* left;

  explicit limited_allocator(int* n) noexcept : left(n) {}
  template <typename U>
  limited_allocator(limited_allocator<U> const& other) noexcept
      : left(other.left) {}  // NOLINT: implicit, as allocators'
  T* allocate(std::size_t n) {
    if ((*left)-- == 0) throw std::bad_alloc();
    return std::allocator<T>().allocate(n);
  }
  void deallocate(T* p, std::size_t n) noexcept { std::allocator<T>().deallocate(p, n); }
  friend bool operator==(limited_allocator, limited_allocator) noexcept { return true; }
};

struct table_scene {
  int allocations;
  containers::segment_table<element, limited_allocator<element>> table;
  bool made[16] = {};

  explicit table_scene(std::size_t first_elements, int most_allocations = 100)
      : allocations(most_allocations), table(limited_allocator<element>(&allocations)) {
    model::label(table, "table");
    table.choose_first_block(first_elements);
  }
  ~table_scene() {
    for (std::size_t i = 0; i != 16; ++i) {
      if (made[i]) table.address(i)->~element();
    }
  }
  // False: there is no memory for it.
  bool put(std::size_t i) {
    try {
      if (!table.ensure(containers::segment_of(i))) return false;
    } catch (std::bad_alloc const&) {
      return false;
    }
    ::new (static_cast<void*>(place(i))) element(i);
    made[i] = true;
    return true;
  }
  element* place(std::size_t i) const {
    element* const p = table.address(i);
    model::require(reinterpret_cast<std::uintptr_t>(p) > 4096, "a ready segment has an entry");
    return p;
  }
  void check(std::size_t i) const {
    element const* const e = place(i);
    model::require(e->index == static_cast<int>(i) && e->content.get() == 10 * e->index,
                   "an element is where it was put");
  }
};

void first_block() {
  table_scene s(1);
  model::thread a("puts 1", [&] {
    s.put(1);
    s.check(1);
  });
  s.put(0);
  s.check(0);
  a.join();
  s.check(1);
}

void second_segment() {
  table_scene s(1);
  s.put(0);
  model::thread a("puts 2", [&] { s.put(2); });
  s.put(3);
  s.check(0);
  a.join();
  for (std::size_t const i : {0, 2, 3}) s.check(i);
  model::require(s.table.capacity() == 4, "two segments are ready");
}

// A reader of an old element while the large table is made.
void large_table() {
  table_scene s(3);
  s.put(0);
  s.put(4);
  model::thread a("puts 8", [&] { s.put(8); });
  s.check(0);
  a.join();
  for (std::size_t const i : {0, 4, 8}) s.check(i);
}

void large_table_twice() {
  table_scene s(7);
  s.put(0);
  model::thread a("puts 8", [&] { s.put(8); });
  s.put(9);
  s.check(0);
  a.join();
  for (std::size_t const i : {0, 8, 9}) s.check(i);
}

// The first block brings the large table.
void large_first_block() {
  table_scene s(9);
  model::thread a("puts 0", [&] { s.put(0); });
  s.put(9);
  a.join();
  s.check(0);
  s.check(9);
}

// One is told by an exception, the other by false.
void no_memory() {
  table_scene s(1, 1);
  s.put(0);
  bool first = true;
  model::thread a("puts 2", [&] { first = s.put(2); });
  bool const second = s.put(3);
  s.check(0);
  a.join();
  model::require(!first && !second && !s.table.is_ready(1), "there is no segment");
}

// A thread that gives up on its element and one that waits for the segment.
void given_up() {
  table_scene s(1);
  s.put(0);
  bool settled = false;
  model::thread a("gives up", [&] { settled = s.table.settle(1); });
  bool const put = s.put(2);
  a.join();
  model::require(settled == put && put == s.table.is_ready(1), "both see the same end");
}

model::scene const scenes[] = {{"first block", first_block},
                               {"second segment", second_segment},
                               {"large table", large_table, 3},
                               {"large table twice", large_table_twice, 2},
                               {"large first block", large_first_block, 3},
                               {"no memory", no_memory},
                               {"given up", given_up}};

}  // namespace

TEST_CASE("elements are found in segments that others made") { model::check_all(scenes, {}, 3); }

TEST_CASE("each order is needed") { model::check_each_order(scenes, {"include/ashlar/containers/segment_table.h"}); }
