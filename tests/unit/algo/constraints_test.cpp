// SPDX-License-Identifier: Apache-2.0
// From C++20 on an ill-formed call of an algorithm or a group is rejected by overload resolution, so that user code can
// ask with a requires-expression; and what the interface admits beyond plain functions works: members, index classes.
#include <tbb/parallel_for.h>
#include <tbb/parallel_invoke.h>
#include <tbb/parallel_pipeline.h>
#include <tbb/parallel_reduce.h>
#include <tbb/task_group.h>

#include <doctest/doctest.h>

#include <atomic>
#include <memory>
#include <vector>

namespace {

using range = tbb::blocked_range<int>;

// No more than the interface asks of an index: made of an int, <, a distance, a sum.
class day {
 public:
  explicit day(int number) : number_(number) {}
  bool operator<(day const& other) const { return number_ < other.number_; }
  std::size_t operator-(day const& other) const { return static_cast<std::size_t>(number_ - other.number_); }
  day operator+(std::size_t days) const { return day(number_ + static_cast<int>(days)); }
  void mark() const { marks[number_]++; }

  static std::atomic<int> marks[40];

 private:
  long number_;  // as large as a pointer: g++ looks for a virtual table in it
};
std::atomic<int> day::marks[40];

std::atomic<int> visited{0};

// A range whose member functions serve as bodies.
class span : public range {
 public:
  using range::range;
  span(span& r, tbb::split how) : range(r, how) {}
  span(span const&) = default;
  void visit() { visited += static_cast<int>(size()); }
  long sum_up(long sum) const {
    for (int i = begin(); i < end(); ++i) sum += i;
    return sum;
  }
};

struct total {
  long value = 0;
  total join(total const& other) const { return {value + other.value}; }
};

}  // namespace

TEST_CASE("a member of the range is a body of parallel_for") {
  for (int round = 0; round < 3; ++round) {
    visited = 0;
    tbb::task_group_context context;
    if (round == 0) tbb::parallel_for(span(0, 1000, 7), &span::visit);
    if (round == 1) tbb::parallel_for(span(0, 1000, 7), &span::visit, tbb::simple_partitioner());
    if (round == 2) tbb::parallel_for(span(0, 1000, 7), &span::visit, context);
    CHECK(visited == 1000);
  }
}

TEST_CASE("parallel_for takes classes of index, and members of them as the function") {
  for (auto& m : day::marks) m = 0;
  tbb::parallel_for(day(3), day(40), &day::mark);
  tbb::parallel_for(day(1), day(39), day(4), [](day d) { d.mark(); }, tbb::static_partitioner());
  for (int i = 0; i < 40; ++i) {
    CAPTURE(i);
    CHECK(day::marks[i] == (i >= 3) + (i < 39 && i % 4 == 1));
  }
  CHECK_THROWS_AS(tbb::parallel_for(day(1), day(39), day(0), &day::mark), std::invalid_argument);
}

TEST_CASE("members are functions of the reductions") {
  auto const add = [](long a, long b) { return a + b; };
  CHECK(tbb::parallel_reduce(span(0, 1000, 7), 0L, &span::sum_up, add) == 499500);
  CHECK(tbb::parallel_deterministic_reduce(span(0, 1000, 7), 0L, &span::sum_up, add) == 499500);
  auto const grow = [](span const& r, total t) { return total{r.sum_up(t.value)}; };
  CHECK(tbb::parallel_reduce(span(0, 1000, 7), total(), grow, &total::join).value == 499500);
}

#if __cplusplus >= 202002L
namespace {

using context = tbb::task_group_context;

template <typename... A>
concept loops = requires(A&... a) { tbb::parallel_for(a...); };
// With everything that may follow, or without any of it.
template <typename... A>
concept loops_always = loops<A...> && loops<A..., context> && loops<A..., tbb::simple_partitioner> &&
                       loops<A..., tbb::affinity_partitioner> && loops<A..., tbb::auto_partitioner const, context>;
template <typename... A>
concept loops_ever = loops<A...> || loops<A..., context> || loops<A..., tbb::simple_partitioner> ||
                     loops<A..., tbb::affinity_partitioner> || loops<A..., tbb::auto_partitioner const, context>;

struct body {
  void operator()(range&) const;
};
struct changing_body {
  void operator()(range&);
};
struct single_body {
  single_body(single_body const&) = delete;
  void operator()(range&) const;
};
struct no_split {
  bool empty() const;
  bool is_divisible() const;
};
struct no_empty {
  no_empty(no_empty&, tbb::split);
  no_empty(no_empty const&);
  bool is_divisible() const;
};
struct any_body {
  template <typename T>
  void operator()(T&) const;
};
static_assert(loops_always<range, body> && loops_always<range, any_body> && loops_always<range, void(range const&)>);
static_assert(loops_always<span, void (span::*)()> && !loops_ever<range, void (span::*)()>);
static_assert(!loops_ever<range, changing_body> && !loops_ever<range, single_body> && !loops_ever<range, int>);
static_assert(!loops_ever<no_split, any_body> && !loops_ever<no_empty, any_body> && !loops_ever<int, any_body>);
static_assert(!loops<range, body, int> && !loops<range, body, tbb::affinity_partitioner const>);

struct no_difference {
  explicit no_difference(int);
  bool operator<(no_difference const&) const;
  no_difference operator+(std::size_t) const;
};
struct not_from_int : day {
  explicit not_from_int(day);
};
struct from_pointer {
  void operator()(int*) const;
};
struct changing_function {
  void operator()(int);
};
static_assert(loops_always<int, int, void(int)> && loops_always<int, int, int, void(int)>);
static_assert(loops_always<day, day, void (day::*)() const> && loops_always<day, day, day, any_body>);
static_assert(!loops_ever<int, int, from_pointer> && !loops_ever<int, int, int, from_pointer>);
static_assert(!loops_ever<int, int, changing_function> && !loops_ever<int, int, int, changing_function>);
static_assert(!loops_ever<no_difference, no_difference, any_body> &&
              !loops_ever<not_from_int, not_from_int, not_from_int, any_body>);

template <typename... A>
concept reduces = requires(A&... a) { tbb::parallel_reduce(a...); };
template <typename... A>
concept reduces_alike = requires(A&... a) { tbb::parallel_deterministic_reduce(a...); };
template <typename... A>
concept reduces_always =
    reduces<A...> && reduces<A..., context> && reduces<A..., tbb::affinity_partitioner> &&
    reduces<A..., tbb::static_partitioner, context> && reduces_alike<A...> && reduces_alike<A..., context> &&
    reduces_alike<A..., tbb::simple_partitioner> && reduces_alike<A..., tbb::static_partitioner, context>;
template <typename... A>
concept reduces_ever =
    reduces<A...> || reduces<A..., context> || reduces<A..., tbb::affinity_partitioner> ||
    reduces<A..., tbb::static_partitioner, context> || reduces_alike<A...> || reduces_alike<A..., context> ||
    reduces_alike<A..., tbb::simple_partitioner> || reduces_alike<A..., tbb::static_partitioner, context>;

struct sum_body {
  sum_body(sum_body&, tbb::split);
  void operator()(range const&);
  void join(sum_body&);
};
struct no_join {
  no_join(no_join&, tbb::split);
  void operator()(range const&);
};
struct not_splittable {
  void operator()(range const&);
  void join(not_splittable&);
};
struct other_range {
  other_range(other_range&, tbb::split);
  void operator()(tbb::blocked_range<char*> const&);
  void join(other_range&);
};
static_assert(reduces_always<range, sum_body> && !reduces_ever<no_split, sum_body> && !reduces_ever<int, sum_body>);
static_assert(!reduces_ever<range, no_join> && !reduces_ever<range, not_splittable>);
static_assert(!reduces_ever<range, other_range> && !reduces_ever<range, sum_body const>);
static_assert(!reduces_alike<range, sum_body, tbb::auto_partitioner>);
static_assert(!reduces_alike<range, sum_body, tbb::affinity_partitioner>);

using grow = long (*)(range const&, long);
using combine = long (*)(long, long);
using grow_owner = std::unique_ptr<int> (*)(range const&, std::unique_ptr<int>);
using combine_owners = std::unique_ptr<int> (*)(std::unique_ptr<int>, std::unique_ptr<int>);
using vector = std::vector<int>;
static_assert(reduces_always<range, long, grow, combine>);
static_assert(reduces_always<range, vector, vector (*)(range const&, vector&&), vector (*)(vector&&, vector&&)>);
static_assert(reduces_always<span, long, long (span::*)(long) const, combine>);
static_assert(!reduces_ever<range, long, combine, combine> && !reduces_ever<range, long, grow, grow>);
static_assert(!reduces_ever<range, long, void (*)(range const&, long), combine>);
static_assert(!reduces_ever<range, std::unique_ptr<int>, grow_owner, combine_owners>);
static_assert(!reduces_ever<no_split, long, long (*)(no_split const&, long), combine>);

template <typename... A>
concept invokes = requires(A&... a) { tbb::parallel_invoke(a...); };
struct changing_task {
  void operator()();
};
using task = void();
static_assert(invokes<task, task> && invokes<task, task, task, task, task> && invokes<task, int (*)(), task, context>);
static_assert(!invokes<task> && !invokes<task, context> && !invokes<task, context, task>);
static_assert(!invokes<task, changing_task> && !invokes<task, task, changing_task> && !invokes<task, task, int>);
static_assert(!invokes<task, int, context> && !invokes<task, task, task, context, context>);

template <typename F>
concept runs = requires(tbb::task_group& g, F f) { g.run(static_cast<F&&>(f)); };
template <typename F>
concept defers = requires(tbb::task_group& g, F f) { g.defer(static_cast<F&&>(f)); };
template <typename F>
concept runs_and_waits = requires(tbb::task_group& g, F f) { g.run_and_wait(static_cast<F&&>(f)); };
template <typename F>
concept makes_task = requires(tbb::structured_task_group& g, F f) {
  tbb::make_task(f);
  g.run_and_wait(f);
};
struct owning_task {
  void operator()() const;
  std::unique_ptr<int> owned;
};
static_assert(runs<void (*)()> && defers<void (*)()> && runs_and_waits<void (*)()> && makes_task<void (*)()>);
static_assert(runs<owning_task> && !runs<owning_task&> && defers<owning_task> && !defers<owning_task&>);
static_assert(runs<changing_task> && !runs_and_waits<changing_task> && !makes_task<changing_task>);
static_assert(!runs<void (*)(int)> && !defers<void (*)(int)> && !runs_and_waits<void (*)(int)>);
static_assert(!runs<int> && !defers<int> && !runs_and_waits<int> && !makes_task<int>);
static_assert(runs<tbb::task_handle> && runs_and_waits<tbb::task_handle> && !runs<tbb::task_handle&>);

template <typename... A>
concept pipes = requires(A&... a) { tbb::parallel_pipeline(4, a...); };
using source = tbb::filter<void, int>;
using stage = tbb::filter<int, int>;
using sink = tbb::filter<int, void>;
static_assert(pipes<tbb::filter<void, void>> && pipes<tbb::filter<void, void>, context>);
static_assert(pipes<source, sink> && pipes<source, stage, stage, sink> && pipes<source, stage, sink, context>);
static_assert(!pipes<source> && !pipes<source, stage> && !pipes<stage, sink> && !pipes<source, stage, context>);
static_assert(!pipes<source, tbb::filter<char*, int>, sink> && !pipes<source, stage, int> && !pipes<source, int>);
static_assert(!pipes<source, sink, sink> && !pipes<source, sink, context, context>);

}  // namespace
#endif
