// SPDX-License-Identifier: Apache-2.0
// Version and feature macros, the assertion handler's names, aligned_space, profiling.
#include <doctest/doctest.h>
#include <tbb/aligned_space.h>
#include <tbb/detail/_assert.h>
#include <tbb/flow_graph.h>
#include <tbb/profiling.h>
#include <tbb/spin_mutex.h>
#include <tbb/tbb_stddef.h>
#include <tbb/version.h>

#include <csignal>
#include <cstdint>
#include <string>
#include <type_traits>

#include "support/death.h"

namespace {

void handler(char const*, int, char const*, char const*) {}

struct alignas(64) wide {
  char bytes[64];
};
struct counted {
  static inline int constructions = 0;
  counted() { ++constructions; }
};

}  // namespace

TEST_CASE("version and feature macros have the values of the interface") {
  CHECK(TBB_VERSION_MAJOR == 2023);
  CHECK(TBB_VERSION_MINOR == 2);
  CHECK(TBB_VERSION_PATCH == 0);
  CHECK(ONETBB_SPEC_VERSION == 104);
  CHECK(TBB_HAS_PARALLEL_PHASE == 202608);
  CHECK(TBB_HAS_TASK_ARENA_CORE_TYPE_SELECTOR == 202603);
  CHECK(TBB_HAS_TASK_GROUP_DEPENDENCIES == 202603);
  CHECK(TBB_HAS_TASK_GROUP_WAIT_FOR_SINGLE_TASK == 202603);
  CHECK(TBB_HAS_NUMA_ALLOCATION == 202605);
  CHECK(TBB_HAS_CUSTOM_ASSERTION_HANDLER == 202608);
  CHECK(TBB_EXT_CUSTOM_ASSERTION_HANDLER == 202510);
  std::string const lines = TBB_VERSION_STRINGS;
  CHECK(lines.find("oneTBB: INTERFACE VERSION\t12200\n") != std::string::npos);
  CHECK(std::string(TBBMALLOC_VERSION_STRINGS).find("TBBmalloc: VERSION\t\t2023.2.0\n") != std::string::npos);
}

TEST_CASE("the assertion handler is the same under all its names") {
  CHECK(std::is_same_v<tbb::assertion_handler_type, tbb::ext::assertion_handler_type>);
  CHECK(std::is_same_v<tbb::assertion_handler_type, ::assertion_handler_type>);
  CHECK((tbb::set_assertion_handler(handler) == nullptr));
  CHECK((tbb::ext::get_assertion_handler() == handler));
  CHECK((oneapi::tbb::ext::set_assertion_handler(nullptr) == handler));
  CHECK((tbb::get_assertion_handler() == nullptr));
}

TEST_CASE("__TBB_ASSERT_RELEASE checks in every build, __TBB_ASSERT_EX evaluates in every build") {
  int zero = 0;
  test::death const end = test::run_in_child([&] { __TBB_ASSERT_RELEASE(zero == 1, "zero is one"); });
  CHECK(end.by_signal(SIGABRT));
  CHECK(end.errors.find("zero is one") != std::string::npos);
  __TBB_ASSERT_RELEASE(zero == 0, "passes");
  int evaluated = 0;
  __TBB_ASSERT_EX(++evaluated, "counts");
  CHECK(evaluated == 1);
  __TBB_ASSERT(zero == 0, "passes");
}

TEST_CASE("aligned space is raw storage of the right size and alignment") {
  tbb::aligned_space<wide, 3> space;
  CHECK(sizeof(space) == 3 * sizeof(wide));
  CHECK(reinterpret_cast<std::uintptr_t>(space.begin()) % 64 == 0);
  CHECK(space.end() - space.begin() == 3);
  CHECK(static_cast<void*>(space.begin()) == &space);
  tbb::aligned_space<counted> one;
  CHECK(counted::constructions == 0);
  CHECK(one.end() == one.begin() + 1);
  tbb::aligned_space<char, 5> const bytes{};
  CHECK(std::is_same_v<decltype(bytes.begin()), char*>);
}

TEST_CASE("set_name names objects that keep a name, and no others") {
  tbb::flow::graph g;
  tbb::flow::continue_node<tbb::flow::continue_msg> node(g, [](tbb::flow::continue_msg) {});
  std::string text(300, 'n');
  tbb::profiling::set_name(g, "a graph");
  tbb::profiling::set_name(node, text.c_str());
  CHECK(std::string(g.core().name().text()) == "a graph");
  CHECK(node.name().text() == text);
  tbb::flow::continue_node<tbb::flow::continue_msg> const copy(node);
  CHECK(copy.name().text() == nullptr);
  text = "another";
  tbb::profiling::set_name(node, "another");
  CHECK(node.name().text() == text);
  tbb::profiling::set_name(node, nullptr);
  CHECK(node.name().text() == nullptr);
  tbb::profiling::set_name(g, "");
  CHECK(g.core().name().text() == nullptr);
  tbb::spin_mutex lock;
  tbb::profiling::set_name(lock, "a lock");
  CHECK(lock.try_lock());
}

TEST_CASE("events may be emitted") {
  tbb::profiling::event from_string(std::string("event"));
  from_string.emit();
  tbb::profiling::event("literal").emit();
  tbb::profiling::event::emit(std::string("event"));
  tbb::profiling::event::emit("literal");
}

TEST_CASE("classic helpers") {
  CHECK(tbb::TBB_runtime_interface_version() == TBB_INTERFACE_VERSION);
  CHECK(sizeof(tbb::internal::padded<wide>) == tbb::internal::NFS_MaxLineSize);
  CHECK(tbb::internal::is_power_of_two(64u));
  CHECK_FALSE(tbb::internal::is_power_of_two(65u));
  CHECK_FALSE(tbb::internal::is_power_of_two(0u));
  alignas(16) char buffer[32];
  CHECK(tbb::internal::is_aligned(buffer, 16));
  CHECK_FALSE(tbb::internal::is_aligned(buffer + 1, 16));
  CHECK(std::is_same_v<tbb::size_t, std::size_t>);
  CHECK_FALSE(std::is_copy_constructible_v<tbb::internal::no_copy>);
  CHECK_FALSE(std::is_copy_assignable_v<tbb::internal::no_assign>);
  CHECK(std::is_copy_constructible_v<tbb::internal::no_assign>);
}
