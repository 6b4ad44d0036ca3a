// SPDX-License-Identifier: Apache-2.0
// All algorithms at once, nested in each other, on more threads than processors, with delays, exceptions and
// cancellations at random places. What is not disturbed has the right result; what is disturbed ends, throws what was
// thrown, and leaks nothing.
//
// ASHLAR_STRESS_ALGORITHMS: number of rounds (default 12).
#include <tbb/blocked_range.h>
#include <tbb/collaborative_call_once.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_for_each.h>
#include <tbb/parallel_invoke.h>
#include <tbb/parallel_pipeline.h>
#include <tbb/parallel_reduce.h>
#include <tbb/parallel_scan.h>
#include <tbb/parallel_sort.h>

#include <doctest/doctest.h>

#include "support/thread_team.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <list>
#include <thread>
#include <vector>

namespace {

int rounds() {
  char const* const asked = std::getenv("ASHLAR_STRESS_ALGORITHMS");
  return asked != nullptr ? std::atoi(asked) : 12;
}

unsigned dice() {
  thread_local unsigned state = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(&state)) | 1u;
  state ^= state << 13;
  state ^= state >> 17;
  return state ^= state << 5;
}

// What a body does beside its work: it takes its time now and then, and may be told to fail.
class trouble {
 public:
  struct failure {};

  // The n-th chance cancels or throws; 0: none does.
  trouble(unsigned n, bool throwing, tbb::task_group_context& context)
      : chances_(n), throwing_(throwing), context_(context) {}

  void chance() {
    unsigned const d = dice();
    if (d % 64 == 0) std::this_thread::yield();
    for (unsigned i = d % 256 == 1 ? 2000 : 0; i != 0; --i) __asm__ __volatile__("");
    if (chances_.load(std::memory_order_relaxed) > 0 && chances_.fetch_sub(1) == 1) {
      happened_ = true;
      if (throwing_) throw failure();
      context_.cancel_group_execution();
    }
  }
  bool happened() const { return happened_; }

 private:
  std::atomic<long> chances_;
  bool const throwing_;
  tbb::task_group_context& context_;
  std::atomic<bool> happened_{false};
};

// Runs the work with no trouble, with an exception and with a cancellation. work(t, context) returns whether its
// result is right, and is believed only where nothing happened.
template <typename Work>
void try_all(Work const& work) {
  for (int kind = 0; kind < 3; ++kind) {
    tbb::task_group_context context;
    trouble t(kind == 0 ? 0 : 1 + dice() % 3000, kind == 1, context);
    bool right = true;
    bool caught = false;
    try {
      right = work(t, context);
    } catch (trouble::failure const&) {
      caught = true;
    }
    CHECK(caught == (kind == 1 && t.happened()));
    CHECK((right || t.happened()));
    CHECK(context.is_group_execution_cancelled() == t.happened());
  }
}

using range = tbb::blocked_range<int>;

bool loops(trouble& t, tbb::task_group_context& c) {
  std::vector<std::atomic<int>> seen(4000);
  tbb::parallel_for(
      range(0, 40),
      [&](range const& r) {
        for (int i = r.begin(); i != r.end(); ++i) {
          tbb::parallel_for(0, 100, [&](int k) {
            ++seen[static_cast<std::size_t>(100 * i + k)];
            t.chance();
          });
        }
      },
      tbb::simple_partitioner(), c);
  return std::all_of(seen.begin(), seen.end(), [](auto const& n) { return n == 1; });
}

bool sums(trouble& t, tbb::task_group_context& c) {
  auto const add = [&](range const& r, long sum) {
    for (int i = r.begin(); i != r.end(); ++i) sum += i;
    t.chance();
    return sum;
  };
  auto const plus = [](long a, long b) { return a + b; };
  long const all = tbb::parallel_reduce(range(0, 3000, 7), 0L, add, plus, tbb::simple_partitioner(), c);
  return all == 3000L * 2999 / 2;
}

bool trees(trouble& t, tbb::task_group_context& c) {
  std::list<int> const roots(20, 5);
  std::atomic<int> leaves{0};
  tbb::parallel_for_each(
      roots.begin(), roots.end(),
      [&](int depth, tbb::feeder<int>& feeder) {
        t.chance();
        if (depth == 0) {
          ++leaves;
        } else {
          feeder.add(depth - 1);
          feeder.add(depth - 1);
        }
      },
      c);
  return leaves == 20 * 32;
}

std::atomic<int> items{0};
struct item {
  int value;
  explicit item(int v) : value(v) { ++items; }
  item(item const& o) : value(o.value) { ++items; }
  ~item() { --items; }
};

bool lines(trouble& t, tbb::task_group_context& c) {
  int made = 0;
  int next = 0;
  bool in_order = true;
  std::atomic<int> any{0};
  tbb::parallel_pipeline(
      5,
      tbb::make_filter<void, item>(tbb::filter_mode::serial_in_order,
                                   [&](tbb::flow_control& control) {
                                     t.chance();
                                     if (made == 400) control.stop();
                                     return item(made++);
                                   }) &
          tbb::make_filter<item, item>(tbb::filter_mode::parallel,
                                       [&](item i) {
                                         tbb::parallel_for(0, 3, [&](int) { t.chance(); });
                                         return i;
                                       }) &
          tbb::make_filter<item, item>(tbb::filter_mode::serial_out_of_order,
                                       [&](item i) {
                                         ++any;
                                         t.chance();
                                         return i;
                                       }) &
          tbb::make_filter<item, void>(tbb::filter_mode::serial_in_order,
                                       [&](item const& i) { in_order = in_order && i.value == next++; }),
      c);
  CHECK(in_order);
  return any == 400 && next == 400;
}

bool invocations(trouble& t, tbb::task_group_context& c) {
  std::atomic<int> calls{0};
  auto const one = [&] {
    for (int i = 0; i < 200; ++i) t.chance();
    ++calls;
  };
  tbb::parallel_invoke([&] { tbb::parallel_invoke(one, one, one); }, one, [&] { tbb::parallel_invoke(one, one); }, c);
  return calls == 6;
}

// The others take no context: theirs is bound to that of the loop around them.
template <typename F>
void inside(tbb::task_group_context& c, F const& f) {
  tbb::parallel_for(0, 2, [&](int) { f(); }, tbb::simple_partitioner(), c);
}

bool scans(trouble& t, tbb::task_group_context& c) {
  std::atomic<int> wrong{2};
  inside(c, [&] {
    std::vector<long> out(3000);
    long const all = tbb::parallel_scan(
        range(0, 3000, 5), 0L,
        [&](range const& r, long sum, bool is_final) {
          for (int i = r.begin(); i != r.end(); ++i) {
            sum += i;
            if (is_final) out[static_cast<std::size_t>(i)] = sum;
          }
          t.chance();
          return sum;
        },
        [](long a, long b) { return a + b; }, tbb::simple_partitioner());
    bool right = all == 3000L * 2999 / 2;
    for (long i = 0; i < 3000; ++i) right = right && out[static_cast<std::size_t>(i)] == i * (i + 1) / 2;
    wrong -= right;
  });
  return wrong == 0;
}

bool sorts(trouble& t, tbb::task_group_context& c) {
  std::atomic<int> wrong{2};
  inside(c, [&] {
    std::vector<unsigned> v(6000);
    unsigned long sum = 0;
    for (unsigned& x : v) sum += x = dice() % 4096;
    tbb::parallel_sort(v.begin(), v.end(), [&](unsigned a, unsigned b) {
      if (a % 16 == 0) t.chance();
      return a < b;
    });
    for (unsigned x : v) sum -= x;
    wrong -= std::is_sorted(v.begin(), v.end()) && sum == 0;
  });
  return wrong == 0;
}

// Each round's flag is fresh; all threads of the loop want the same thing.
bool calls(trouble& t, tbb::task_group_context& c) {
  tbb::collaborative_once_flag flag;
  std::atomic<int> made{0};
  std::atomic<int> right{0};
  tbb::parallel_for(
      0, 30,
      [&](int) {
        tbb::collaborative_call_once(flag, [&] {
          tbb::parallel_for(0, 300, [&](int) { t.chance(); });
          ++made;
        });
        right += made == 1;
      },
      tbb::simple_partitioner(), c);
  return right == 30;
}

}  // namespace

TEST_CASE("algorithms under trouble, from several threads of the application") {
  test::thread_team const control(8);
  std::vector<std::thread> threads;
  for (int id = 0; id < 3; ++id) {
    threads.emplace_back([id] {
      using work = bool (*)(trouble&, tbb::task_group_context&);
      work const all[] = {loops, sums, trees, lines, invocations, scans, sorts, calls};
      for (int round = 0; round < rounds(); ++round) {
        for (int k = 0; k < 8; ++k) try_all(all[(k + 3 * id) % 8]);
      }
    });
  }
  for (std::thread& t : threads) t.join();
  CHECK(items == 0);
}
