// SPDX-License-Identifier: Apache-2.0
// Short recorded histories of enumerable_thread_specific, checked against a plain set of owners by exhaustive search:
// a thread's element is new exactly once and keeps its value, and sizes count every element made before.
#include <tbb/enumerable_thread_specific.h>

#include <doctest/doctest.h>
#include <support/linearizability.h>

#include <atomic>
#include <map>
#include <thread>
#include <vector>

namespace {

enum class action { local, count };

struct operation {
  action what;
  unsigned owner;
  bool exists;  // local: what it told
  int result;   // local: the uses before; count: the size
};

struct sequential_storage {
  using operation = ::operation;
  std::map<unsigned, int> uses;

  bool apply(operation const& op) {
    if (op.what == action::count) return op.result == static_cast<int>(uses.size());
    auto const [place, fresh] = uses.try_emplace(op.owner, 0);
    return op.exists == !fresh && op.result == place->second++;
  }
  friend bool operator<(sequential_storage const& a, sequential_storage const& b) { return a.uses < b.uses; }
};

template <tbb::ets_key_usage_type Key>
using storage = tbb::enumerable_thread_specific<int, tbb::cache_aligned_allocator<int>, Key>;

template <typename Storage>
operation perform(Storage& e, action what, unsigned thread) {
  if (what == action::count) return {what, thread, false, static_cast<int>(e.size())};
  bool exists;
  int& uses = e.local(exists);
  return {what, thread, exists, uses++};
}

}  // namespace

TEST_CASE_TEMPLATE("enumerable_thread_specific histories are linearizable", Storage, storage<tbb::ets_no_key>,
                   storage<tbb::ets_key_per_instance>, storage<tbb::ets_suspend_aware>) {
  for (int round = 0; round < 100; ++round) {
    Storage e;
    constexpr unsigned threads = 4;
    std::atomic<unsigned> ready{0};  // all live until all are done: nobody gets the element of one that has ended
    auto const history = test::record_history<sequential_storage>(threads, [&](unsigned thread, auto& record) {
      unsigned dice = thread * 7919u + static_cast<unsigned>(round) * 104729u + 1;
      for (int i = 0; i < 5; ++i) {
        dice = dice * 1664525u + 1013904223u;
        auto const what = static_cast<action>((dice >> 16) % 2);
        record([&] { return perform(e, what, thread); });
      }
      ++ready;
      while (ready != threads) std::this_thread::yield();
    });
    REQUIRE_UNARY(test::linearizable<sequential_storage>(history));
  }
}

TEST_CASE("the check notices storage that makes an element twice, forgets one or counts wrong") {
  using history = std::vector<test::timed_operation<operation>>;
  operation const first{action::local, 1, false, 0};
  operation const other{action::local, 2, false, 0};
  operation const again{action::local, 1, true, 1};
  auto const size = [](int n) { return operation{action::count, 1, false, n}; };
  CHECK(test::linearizable<sequential_storage>(history{{first, 0, 5}, {size(1), 1, 4}, {other, 2, 3}, {again, 6, 7}}));
  CHECK_FALSE(test::linearizable<sequential_storage>(history{{first, 0, 1}, {first, 2, 3}}));
  CHECK_FALSE(test::linearizable<sequential_storage>(history{{first, 0, 1}, {{action::local, 1, true, 0}, 2, 3}}));
  CHECK_FALSE(test::linearizable<sequential_storage>(history{{first, 0, 1}, {other, 2, 3}, {size(1), 4, 5}}));
  CHECK_FALSE(test::linearizable<sequential_storage>(history{{first, 2, 3}, {size(1), 0, 1}}));
}
