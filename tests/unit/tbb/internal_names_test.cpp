// SPDX-License-Identifier: Apache-2.0
// Names of classic TBB's tbb::internal and interfaceN that programs have used. This file passes with TBB 2020, too.
#include <doctest/doctest.h>
#include <tbb/cache_aligned_allocator.h>
#include <tbb/task.h>
#include <tbb/task_arena.h>
#include <tbb/tbb_allocator.h>
#include <tbb/tbb_exception.h>
#include <tbb/tbb_stddef.h>

#include <cstddef>
#include <cstdint>
#include <new>
#include <stdexcept>
#include <type_traits>

namespace {

int made = 0;

struct counted : tbb::task {
  static void* operator new(std::size_t size, tbb::internal::allocate_root_with_context_proxy const& place) {
    ++made;
    return ::operator new(size, place);
  }
  static void operator delete(void* object, tbb::internal::allocate_root_with_context_proxy const& place) {
    ::operator delete(object, place);
  }
  static void* operator new(std::size_t size, tbb::internal::allocate_root_proxy const& place) {
    return ::operator new(size, place);
  }
  static void operator delete(void* object, tbb::internal::allocate_root_proxy const& place) {
    ::operator delete(object, place);
  }
  static void operator delete(void* object) { ::operator delete(object); }
  tbb::task* execute() override { return nullptr; }
};

}  // namespace

TEST_CASE("classic exceptions are thrown by number") {
  using namespace tbb::internal;
  CHECK_THROWS_AS(throw_exception(eid_bad_alloc), std::bad_alloc);
  CHECK_THROWS_AS(throw_exception(eid_bad_last_alloc), tbb::bad_last_alloc);
  CHECK_THROWS_AS(throw_exception(eid_nonpositive_step), std::invalid_argument);
  CHECK_THROWS_AS(throw_exception(eid_out_of_range), std::out_of_range);
  CHECK_THROWS_AS(throw_exception(eid_segment_range_error), std::range_error);
  CHECK_THROWS_AS(throw_exception(eid_index_range_error), std::range_error);
  CHECK_THROWS_AS(throw_exception(eid_missing_wait), tbb::missing_wait);
  CHECK_THROWS_AS(throw_exception(eid_improper_lock), tbb::improper_lock);
  CHECK_THROWS_AS(throw_exception(eid_possible_deadlock), std::runtime_error);
  CHECK_THROWS_AS(throw_exception_v4(eid_reservation_length_error), std::length_error);
  CHECK_THROWS_AS(throw_exception_v4(eid_invalid_key), std::out_of_range);
  CHECK_THROWS_AS(throw_exception_v4(eid_user_abort), tbb::user_abort);
}

TEST_CASE("classic functions under the allocators") {
  using namespace tbb::internal;
  void* const line = NFS_Allocate(3, 5, nullptr);
  CHECK(reinterpret_cast<std::uintptr_t>(line) % NFS_GetLineSize() == 0);
  NFS_Free(line);
  CHECK_THROWS_AS(NFS_Allocate(~std::size_t{0} / 2, 4, nullptr), std::bad_alloc);
  void* p = allocate_via_handler_v3(100);
  CHECK(p != nullptr);
  deallocate_via_handler_v3(p);
  CHECK(is_malloc_used_v3() == (tbb::tbb_allocator<int>::allocator_type() == tbb::tbb_allocator<int>::standard));
  poison_pointer(p);
}

TEST_CASE("a task class has an operator new of its own for roots with a context") {
  static_assert(std::is_same<tbb::interface7::task_arena, tbb::task_arena>::value, "an alias");
  tbb::task_group_context context;
  tbb::task::spawn_root_and_wait(*new (tbb::task::allocate_root(context)) counted);
  tbb::task::spawn_root_and_wait(*new (tbb::task::allocate_root()) counted);
  CHECK(made == 1);
}
