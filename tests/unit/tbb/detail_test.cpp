// SPDX-License-Identifier: Apache-2.0
// The de-facto names below the public surface.
#include <doctest/doctest.h>
#include <tbb/detail/_aligned_space.h>
#include <tbb/detail/_allocator_traits.h>
#include <tbb/detail/_config.h>
#include <tbb/detail/_machine.h>
#include <tbb/detail/_namespace_injection.h>
#include <tbb/detail/_template_helpers.h>
#include <tbb/detail/_utils.h>

#include <atomic>
#include <cfenv>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace detail = tbb::detail;

namespace {

template <typename T>
using has_size = decltype(std::declval<T&>().size());
template <typename T>
using has_begin = decltype(std::declval<T&>().begin());

struct good_range {
  good_range(good_range const&) = default;
  good_range(good_range&, tbb::split) {}
  bool empty() const { return false; }
  bool is_divisible() const { return false; }
};
struct not_divisible {
  not_divisible(not_divisible&, tbb::split) {}
  bool empty() const { return false; }
};

}  // namespace

TEST_CASE("supports is true when all properties hold") {
  CHECK(detail::supports<std::string, has_size>::value);
  CHECK(detail::supports<std::string, has_size, has_begin>::value);
  CHECK_FALSE(detail::supports<int, has_size>::value);
  CHECK_FALSE(detail::supports<int, has_begin, has_size>::value);
}

TEST_CASE("a guard runs unless it is dismissed or moved from") {
  int runs = 0;
  {
    auto const guard = detail::make_raii_guard([&] { ++runs; });
  }
  CHECK(runs == 1);
  {
    auto guard = detail::make_raii_guard([&] { ++runs; });
    guard.dismiss();
  }
  CHECK(runs == 1);
  {
    auto guard = detail::make_raii_guard([&] { ++runs; });
    auto const other = std::move(guard);
  }
  CHECK(runs == 2);
}

TEST_CASE("try_call runs its handlers when it should") {
  int handled = 0;
  detail::try_call([] {}).on_exception([&] { ++handled; });
  CHECK(handled == 0);
  CHECK_THROWS_AS(detail::try_call([] { throw std::runtime_error("x"); }).on_exception([&] { ++handled; }),
                  std::runtime_error);
  CHECK(handled == 1);
  detail::try_call([] {}).on_completion([&] { ++handled; });
  CHECK(handled == 2);
  CHECK_THROWS_AS(detail::try_call([] { throw 1; }).on_completion([&] { ++handled; }), int);
  CHECK(handled == 3);
}

TEST_CASE("a saved pack is passed in order, by reference or by move") {
  std::string text = "a";
  auto pack = detail::save_pack(text, 2, std::make_unique<int>(3));
  text = "changed";
  CHECK(detail::call_and_return<std::string>(
            [](std::string const& s, int i, std::unique_ptr<int>& p) { return s + std::to_string(i + *p); }, pack) ==
        "a5");
  int moved = 0;
  detail::call([&](std::string, int, std::unique_ptr<int> p) { moved = *p; }, std::move(pack));
  CHECK(moved == 3);
}

TEST_CASE("bits and alignment") {
  CHECK(detail::log2(1u) == 0);
  CHECK(detail::log2(1023u) == 9);
  CHECK(detail::log2(std::size_t(1) << 40) == 40);
  CHECK(detail::reverse_bits<unsigned char>(0b00010011) == 0b11001000);
  CHECK(detail::align_to_greater(64ul, 64) == 128);
  CHECK(detail::align_to_greater(63ul, 64) == 64);
  CHECK(detail::align_to_greater_or_equal(64ul, 64) == 64);
  CHECK(detail::is_power_of_two(8));
  CHECK(detail::clamp(5, 1, 3) == 3);
  CHECK(detail::clamp(0, 1, 3) == 1);
  CHECK(detail::clamp(2, 1, 3) == 2);
  CHECK(detail::max_nfs_size == 128);
  CHECK(detail::r1::cache_line_size() == 128);
  detail::machine_pause(3);
  detail::machine_pause(-1);
  detail::yield();
  detail::atomic_fence_seq_cst();
  detail::suppress_unused_warning(1, "x");
}

TEST_CASE("a spinning wait ends when the condition comes true, or after a while") {
  int asked = 0;
  CHECK(detail::timed_spin_wait_until([&] { return ++asked == 3; }));
  CHECK(asked == 3);
  CHECK(!detail::timed_spin_wait_until([] { return false; }));
}

TEST_CASE("of several threads one runs what is done once, and all see its effects") {
  for (int round = 0; round < 200; ++round) {
    std::atomic<detail::do_once_state> state{detail::do_once_state::uninitialized};
    int runs = 0;
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        detail::atomic_do_once([&] { ++runs; }, state);
        wrong += runs != 1;
      });
    }
    for (std::thread& t : threads) t.join();
    CHECK(wrong == 0);
    CHECK(state == detail::do_once_state::executed);
  }
}

TEST_CASE("core types survive encoding") {
  using codec = detail::multi_core_type_codec;
  CHECK(codec::encode({}) == codec::automatic);
  CHECK(codec::encode({3}) == 3);
  CHECK(codec::is_single(3));
  int const packed = codec::encode({0, 2, 5});
  CHECK(codec::is_encoded(packed));
  CHECK(codec::is_core_type(packed));
  CHECK_FALSE(codec::is_single(packed));
  CHECK(codec::decode(packed) == std::vector<int>{0, 2, 5});
  CHECK(codec::decode(3) == std::vector<int>{3});
  CHECK_FALSE(codec::is_encoded(codec::automatic));
}

TEST_CASE("floating-point settings are read and put back") {
  detail::d1::cpu_ctl_env before;
  before.get_env();
  std::fesetround(FE_UPWARD);
  detail::d1::cpu_ctl_env up;
  up.get_env();
  CHECK(up != before);
  before.set_env();
  CHECK(std::fegetround() == FE_TONEAREST);
  detail::d1::cpu_ctl_env after;
  after.get_env();
  CHECK_FALSE(after != before);
}

TEST_CASE("invoke calls functions and members") {
  CHECK(detail::invoke([](int x) { return x + 1; }, 1) == 2);
  std::string const text = "abc";
  CHECK(detail::invoke(&std::string::size, text) == 3);
}

#if __TBB_CPP20_CONCEPTS_PRESENT
TEST_CASE("tbb_range tells ranges from other types") {
  CHECK(detail::tbb_range<good_range>);
  CHECK_FALSE(detail::tbb_range<not_divisible>);
  CHECK_FALSE(detail::tbb_range<int>);
}
#endif
