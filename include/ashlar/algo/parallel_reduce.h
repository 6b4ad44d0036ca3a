// SPDX-License-Identifier: Apache-2.0
// parallel_reduce: a traversal accumulates into one body; only a stolen part gets a body of its own, which is joined to
// its left neighbour's when both are done. Joins follow the order of the range.
#pragma once

#include <ashlar/algo/parallel_for.h>
#include <ashlar/base/invoke.h>
#include <ashlar/sched/core/words_scope.h>

#include <utility>

namespace ashlar {
inline namespace v1 {
namespace algo {

/// A body of the class form: splittable, callable with parts of the range, joined with what lies to its right.
template <typename Body, typename Range, typename = void>
inline constexpr bool is_reduce_body = false;
template <typename Body, typename Range>
inline constexpr bool is_reduce_body<Body, Range,
                                     std::void_t<decltype(std::declval<Body&>()(std::declval<Range&>())),
                                                 decltype(std::declval<Body&>().join(std::declval<Body&>()))>> =
    is_splittable<Body>;

/// The value and the two functions of the functional form. Either may be a pointer to a member of its first argument.
template <typename Value>
inline constexpr bool is_reduce_value = std::is_copy_constructible_v<Value> && std::is_move_assignable_v<Value>;
template <typename F, typename Range, typename Value>
inline constexpr bool is_accumulate = std::is_invocable_r_v<Value, F const&, Range const&, Value>;
template <typename F, typename Value>
inline constexpr bool is_combine = std::is_invocable_r_v<Value, F const&, Value, Value>;
template <typename Accumulate, typename Combine, typename Range, typename Value>
inline constexpr bool reduces_values =
    is_reduce_value<Value> && is_accumulate<Accumulate, Range, Value> && is_combine<Combine, Value>;

/// Tells in one sentence what is wrong with the arguments of a reduction by a body.
template <typename Range, typename Body>
constexpr void check_reduce_body() {
  static_assert(
      is_range<Range>,
      "parallel_reduce: a range needs a copy constructor, empty(), is_divisible() and a splitting constructor "
      "range(range& whole, tbb::split)");
  static_assert(is_reduce_body<Body, Range>,
                "parallel_reduce: the body needs body(range), join(body& right) and a splitting constructor body(body& "
                "left, tbb::split); "
                "the form with functions takes range, identity, accumulate and combine");
}

/// The same for a reduction by functions.
template <typename Range, typename Value, typename Accumulate, typename Combine>
constexpr void check_reduce_functions() {
  static_assert(
      is_range<Range>,
      "parallel_reduce: a range needs a copy constructor, empty(), is_divisible() and a splitting constructor "
      "range(range& whole, tbb::split)");
  static_assert(is_reduce_value<Value>, "parallel_reduce: the value must be copyable and assignable");
  // Without constraints a function may take its range as it is, not constant.
  static_assert(
      is_accumulate<Accumulate, Range, Value> || std::is_invocable_r_v<Value, Accumulate const&, Range&, Value>,
      "parallel_reduce: the first function must be callable as accumulate(range, value) through a const reference, "
      "and return the value");
  static_assert(
      is_combine<Combine, Value>,
      "parallel_reduce: the second function must be callable as combine(left, right) through a const reference, "
      "and return the value");
}

/// The body that a traversal accumulates into: the caller's, or one split off for a stolen part.
template <typename Body>
class body_share {
 public:
  body_share() noexcept : body_(nullptr) {}
  explicit body_share(Body& callers) noexcept : body_(std::addressof(callers)) {}
  ~body_share() {
    if (own()) body_->~Body();
  }
  body_share(body_share const&) = delete;
  body_share& operator=(body_share const&) = delete;

  Body& get() noexcept { return *body_; }
  bool empty() const noexcept { return body_ == nullptr; }
  void split_from(Body& left) { body_ = ::new (static_cast<void*>(place_)) Body(left, tbb::split()); }

 private:
  bool own() const noexcept { return static_cast<void const*>(body_) == place_; }

  Body* body_;
  alignas(Body) unsigned char place_[sizeof(Body)];
};

template <typename Range, typename Body>
class reduce_work {
 public:
  using range_type = Range;
  using share = body_share<Body>;
  static constexpr bool ordered = true;
  static constexpr bool separate = false;

  explicit reduce_work(sched::context& group) noexcept : group_(group) {}

  sched::context& group() noexcept { return group_; }
  ASHLAR_ALWAYS_INLINE void leaf(Range& range, share& s) { s.get()(range); }
  void begin(share& stolen, share& of) { stolen.split_from(of.get()); }
  void gather(share& of, share& right) {
    if (!right.empty()) of.get().join(right.get());
  }

 private:
  sched::context& group_;
};

template <typename Work, typename Partition>
void reduce_root(sched::slot& s, Work& work, typename Work::range_type& range, typename Work::share& share,
                 Partition partition) {
  root_join root;
  sched::group_scope const scope(s, work.group());
  range_traversal<Work, Partition> first(s, work, root, share);
  if (std::int64_t const stolen = first.run_root(range, partition)) root.wait(s, stolen);
  range_traversal<Work, Partition>::gather(s, work, share, first.root_stolen);
  if (ASHLAR_UNLIKELY(work.group().has_exception())) work.group().rethrow();
}

/// The same for a static_partitioner.
template <typename Work>
void reduce_parts(sched::slot& s, Work& work, typename Work::range_type& range, typename Work::share& share) {
  unsigned const threads = s.arena_size();
  if (threads < static_loop<Work>::fewest) return reduce_root(s, work, range, share, static_partition(threads));
  static_loop<Work> loop(s, work, range, share);
  loop.run(threads);
  ASHLAR_TRY {
    if (!work.group().has_exception()) loop.gather();
  }
  ASHLAR_CATCH_ALL { work.group().record_exception(); }
  if (ASHLAR_UNLIKELY(work.group().has_exception())) work.group().rethrow();
}

template <typename Range, typename Body>
void reduce_in(sched::slot& s, sched::context& group, Range const& range, Body& body, tbb::auto_partitioner const&) {
  reduce_work<Range, Body> work(group);
  body_share<Body> share(body);
  Range whole(range);
  adaptive_partition partition(s.can_share());
  if (!partition.sharing) return reduce_root(s, work, whole, share, partition);
  small_loop_memory memory(small_loop_of<reduce_work<Range, Body>>(body), partition, whole);
  reduce_root(s, work, whole, share, partition);
}
template <typename Range, typename Body>
void reduce_in(sched::slot& s, sched::context& group, Range const& range, Body& body, tbb::affinity_partitioner& p) {
  reduce_work<Range, Body> work(group);
  body_share<Body> share(body);
  Range whole(range);
  reduce_root(s, work, whole, share, remembered_partition(s, p));
}
template <typename Range, typename Body>
void reduce_in(sched::slot& s, sched::context& group, Range const& range, Body& body, tbb::simple_partitioner const&) {
  reduce_work<Range, Body> work(group);
  body_share<Body> share(body);
  Range whole(range);
  reduce_root(s, work, whole, share, simple_partition());
}
template <typename Range, typename Body>
void reduce_in(sched::slot& s, sched::context& group, Range const& range, Body& body, tbb::static_partitioner const&) {
  reduce_work<Range, Body> work(group);
  body_share<Body> share(body);
  Range whole(range);
  reduce_parts(s, work, whole, share);
}

template <typename Range, typename Body, typename Partitioner>
void reduce(Range const& range, Body& body, Partitioner& partitioner) {
  check_reduce_body<Range, Body>();
  if (range.empty()) return;
  sched::slot& s = sched::this_slot();
  sched::words_scope const words(s);
  sched::context group(&s.group());
  reduce_in(s, group, range, body, partitioner);
}
template <typename Range, typename Body, typename Partitioner>
void reduce(Range const& range, Body& body, Partitioner& partitioner, tbb::task_group_context& context) {
  check_reduce_body<Range, Body>();
  if (range.empty()) return;
  sched::slot& s = sched::this_slot();
  sched::settings_scope const settings(s, context.use(s));
  algo::reduce_in(s, context.use(s), range, body, partitioner);
}

/// The functional form as a body: a value, grown by `accumulate` and joined by `combine`.
template <typename Range, typename Value, typename Accumulate, typename Combine>
class value_body {
 public:
  value_body(Value const& identity, Accumulate const& accumulate, Combine const& combine)
      : value_(identity), identity_(identity), accumulate_(accumulate), combine_(combine) {}
  value_body(value_body& left, tbb::split)
      : value_(left.identity_), identity_(left.identity_), accumulate_(left.accumulate_), combine_(left.combine_) {}

  void operator()(Range& range) { value_ = invoke(accumulate_, range, std::move(value_)); }  // a body may take it so
  void join(value_body& right) { value_ = invoke(combine_, std::move(value_), std::move(right.value_)); }
  Value&& result() && noexcept { return std::move(value_); }
  Accumulate const& function() const noexcept { return accumulate_; }

 private:
  Value value_;
  Value const& identity_;
  Accumulate const& accumulate_;
  Combine const& combine_;
};

template <typename Range, typename Value, typename Accumulate, typename Combine>
struct hidden_target<value_body<Range, Value, Accumulate, Combine>> : target_of_function<Accumulate> {};

template <typename Range, typename Value, typename Accumulate, typename Combine, typename... Rest>
Value reduce_values(Range const& range, Value const& identity, Accumulate const& accumulate, Combine const& combine,
                    Rest&&... partitioner_and_context) {
  check_reduce_functions<Range, Value, Accumulate, Combine>();
  value_body<Range, Value, Accumulate, Combine> body(identity, accumulate, combine);
  reduce(range, body, partitioner_and_context...);
  return std::move(body).result();
}

}  // namespace algo
}  // namespace v1
}  // namespace ashlar
