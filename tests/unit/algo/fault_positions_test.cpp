// SPDX-License-Identifier: Apache-2.0
// Exceptions of what the algorithms copy and move, one position after the other, and cancellation of the classic walks.
#include <tbb/parallel_do.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_for_each.h>
#include <tbb/parallel_pipeline.h>
#include <tbb/parallel_sort.h>
#include <tbb/parallel_while.h>
#include <tbb/task.h>
#include <tbb/task_group.h>

#include <doctest/doctest.h>

#include <atomic>
#include <list>
#include <stdexcept>
#include <vector>

namespace {

struct fault : std::runtime_error {
  fault() : std::runtime_error("fault") {}
};

std::atomic<int> left_to_throw{0};  // 1: the next chance throws
void chance() {
  if (left_to_throw.fetch_sub(1) == 1) throw fault();
}

// Runs f with a fault at the first chance, the second, and so on until there is none any more. The number of faults.
template <typename F>
int with_each_fault(F f) {
  for (int at = 1;; ++at) {
    left_to_throw = at;
    bool thrown = false;
    try {
      f();
    } catch (fault const&) {
      thrown = true;
    }
    bool const reached = left_to_throw <= 0;
    left_to_throw = 0;
    REQUIRE(thrown == reached);
    if (!reached) return at - 1;
  }
}

// Each copy and move may fail.
struct fragile {
  static inline std::atomic<int> alive{0};
  int value;

  explicit fragile(int v = 0) : value(v) { ++alive; }
  fragile(fragile const& o) : value(o.value) {
    chance();
    ++alive;
  }
  fragile& operator=(fragile const& o) {
    chance();
    value = o.value;
    return *this;
  }
  ~fragile() { --alive; }
  friend bool operator<(fragile const& a, fragile const& b) { return a.value < b.value; }
};

struct uncopied_body {
  std::atomic<int>* calls;
  explicit uncopied_body(std::atomic<int>& c) : calls(&c) {}
  uncopied_body(uncopied_body const&) { throw fault(); }
  void operator()(int) const { ++*calls; }
  void operator()(tbb::blocked_range<int> const& r) const { *calls += static_cast<int>(r.size()); }
};

}  // namespace

TEST_CASE("parallel_for and parallel_for_each copy no body") {
  std::atomic<int> calls{0};
  uncopied_body const body(calls);
  tbb::parallel_for(tbb::blocked_range<int>(0, 1000), body);
  tbb::parallel_for(0, 1000, body);
  tbb::parallel_for(0, 1000, body, tbb::simple_partitioner());
  std::vector<int> const items(1000);
  tbb::parallel_for_each(items.begin(), items.end(), body);
  CHECK(calls == 4000);
}

TEST_CASE("elements whose copies fail leave a sort with as many as it had") {
  int const faults = with_each_fault([] {
    std::vector<fragile> v;
    v.reserve(60);
    for (int i = 0; i < 60; ++i) v.emplace_back((i * 37) % 60);
    try {
      tbb::parallel_sort(v);
    } catch (...) {
      CHECK(fragile::alive == 60);
      throw;
    }
    for (int i = 0; i < 60; ++i) CHECK(v[static_cast<std::size_t>(i)].value == i);
  });
  CHECK(faults > 60);
  CHECK(fragile::alive == 0);
}

TEST_CASE("items whose copies fail end a pipeline and are all destroyed") {
  using mode = tbb::filter_mode;
  for (mode m : {mode::parallel, mode::serial_in_order, mode::serial_out_of_order}) {
    int const faults = with_each_fault([m] {
      std::atomic<int> next{0};
      std::atomic<int> sum{0};
      tbb::parallel_pipeline(4, tbb::make_filter<void, fragile>(m, [&](tbb::flow_control& control) {
                                  int const i = next++;
                                  if (i >= 10) control.stop();
                                  return fragile(i);
                                }) & tbb::make_filter<fragile, fragile>(m, [](fragile f) {
                                  return f;
                                }) & tbb::make_filter<fragile, void>(m, [&](fragile const& f) { sum += f.value; }));
      CHECK(sum == 45);
    });
    CHECK(faults >= 10);
    CHECK(fragile::alive == 0);
  }
}

TEST_CASE("items whose copies fail end a walk, from the iterator and from the feeder") {
  std::list<fragile> items;
  for (int i = 0; i < 10; ++i) items.emplace_back(i);
  int const faults = with_each_fault([&] {
    std::atomic<int> calls{0};
    tbb::parallel_do(items.begin(), items.end(), [&](fragile const& f, tbb::parallel_do_feeder<fragile>& feeder) {
      ++calls;
      if (f.value == 3) feeder.add(fragile(100));
    });
    CHECK(calls == 11);
  });
  CHECK(faults >= 1);
  CHECK(fragile::alive == 10);
}

TEST_CASE("a cancelled parallel_do stops, and calls nothing while its context stays cancelled") {
  std::list<int> const items(100000, 1);
  tbb::task_group_context context;
  std::atomic<int> calls{0};
  auto const body = [&](int i, tbb::parallel_do_feeder<int>& feeder) {
    feeder.add(i);
    if (++calls >= 100) context.cancel_group_execution();  // every one, lest others go on beside a slow one
  };
  tbb::parallel_do(items.begin(), items.end(), body, context);
  CHECK(calls >= 100);
  CHECK(calls < 100000);
  int const before = calls;
  tbb::parallel_do(items, body, context);
  CHECK(calls == before);
}

TEST_CASE("a parallel_while whose body cancels its group stops, and can run again") {
  struct stream {
    int left;
    bool pop_if_present(int& item) {
      item = left;
      return left-- > 0;
    }
  };
  struct body {
    using argument_type = int;
    std::atomic<int>* calls;
    bool cancels;
    void operator()(int) const {
      if (++*calls >= 100 && cancels) tbb::task::self().cancel_group_execution();
    }
  };
  std::atomic<int> calls{0};
  tbb::parallel_while<body> loop;
  stream endless{100000};
  loop.run(endless, body{&calls, true});
  CHECK(calls >= 100);
  CHECK(calls < 100000);
  calls = 0;
  stream rest{1000};
  loop.run(rest, body{&calls, false});
  CHECK(calls == 1000);
}
