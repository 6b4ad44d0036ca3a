// SPDX-License-Identifier: Apache-2.0
// parallel_for_each by kind of iterator: random access is a range that is cut in halves, everything else is walked.
#pragma once

#include <ashlar/algo/item_batch.h>
#include <ashlar/algo/item_walk.h>
#include <ashlar/algo/iterations.h>
#include <ashlar/algo/iterator.h>
#include <ashlar/algo/parallel_for.h>
#include <ashlar/os/tuning.h>
#include <ashlar/sched/core/words_scope.h>

namespace ashlar {
inline namespace v1 {
namespace algo {

/// What the body's call operator takes, or the iterator's value type where there
/// is no single operator to ask.
template <typename Item, typename Call>
struct called_with {
  using type = Item;
};
template <typename Item, typename R, typename B, typename Arg, typename... Rest>
struct called_with<Item, R (B::*)(Arg, Rest...) const> {
  using type = std::remove_cv_t<std::remove_reference_t<Arg>>;
};
template <typename Item, typename R, typename B, typename Arg, typename... Rest>
struct called_with<Item, R (B::*)(Arg, Rest...) const noexcept> {
  using type = std::remove_cv_t<std::remove_reference_t<Arg>>;
};

template <typename Body, typename Item, typename = void>
struct classic_item {
  using type = Item;
};
template <typename Body, typename Item>
struct classic_item<Body, Item, std::void_t<decltype(&Body::operator())>>
    : called_with<Item, decltype(&Body::operator())> {};

template <typename Body, typename It>
using classic_item_t = typename classic_item<Body, value_of<It>>::type;

/// What a body may be called with: the iterator's reference, or a value that the algorithm owns.
template <typename Body, typename It, typename Item>
inline constexpr bool is_item_body =
    is_forward_iterator<It> ? takes_item<Body, reference_of<It>, Item>
                            : takes_item<Body, Item, Item> || takes_item<Body, Item&, Item>;

/// The items are the iterator's values, or what these convert to where the body's feeder takes another type.
template <typename Body, typename It>
using item_of = std::conditional_t<is_item_body<Body, It, value_of<It>>, value_of<It>, classic_item_t<Body, It>>;

template <typename Body, typename It, bool = is_iterator<It>>
inline constexpr bool can_walk = false;
template <typename Body, typename It>
inline constexpr bool can_walk<Body, It, true> = is_item_body<Body, It, item_of<Body, It>>;

template <typename Body, typename C, bool = is_sequence<C>>
inline constexpr bool can_walk_all = false;
template <typename Body, typename C>
inline constexpr bool can_walk_all<Body, C, true> = can_walk<Body, begin_of<C>>;

/// Tells in one sentence what is wrong with the arguments.
template <typename It, typename Body>
constexpr void check_for_each() {
  static_assert(can_walk<Body, It>,
                "parallel_for_each: needs iterators of a sequence, and a body that is callable as body(item) or "
                "body(item, tbb::feeder<T>&) through a const reference");
}

template <typename It, typename Work>
class item_loop {
 public:
  item_loop(It const& first, Work& work) noexcept : first_(first), work_(work) {}

  void operator()(iterations const& r) const {
    It at = first_ + static_cast<typename std::iterator_traits<It>::difference_type>(r.begin());
    sched::slot& s = sched::this_slot();
    for (std::size_t n = r.end() - r.begin(); n != 0 && !s.cancelled(work_.group()); --n, ++at) work_.visit(*at);
  }
  auto const& function() const noexcept { return work_.function(); }

 private:
  It const& first_;
  Work& work_;
};
template <typename It, typename Body, typename Item>
struct hidden_target<item_loop<It, item_work<Body, Item>>> : target_of_function<Body> {};

template <typename It, typename Work>
void loop_over_items(sched::slot& s, It const& first, It const& last, Work& work) {
  iterations whole(0, static_cast<std::size_t>(last - first));
  if (whole.empty()) return;
  item_loop<It, Work> const body(first, work);
  for_work<iterations, item_loop<It, Work>> loop(body, work.group());
  ASHLAR_TRY { run_adaptive(s, loop, whole); }
  ASHLAR_CATCH_ALL {
    if (!work.counter().done()) work.counter().wait(s);  // added items
    ASHLAR_RETHROW;
  }
  work.wait(s);
}

template <typename Item, typename It, typename Body>
void for_each_in(sched::slot& s, sched::context& group, It const& first, It const& last, Body const& body) {
  using work_type = item_work<Body, Item>;
  sched::group_scope const scope(s, group);
  work_type work(body, group, s);
  if constexpr (is_random_access_iterator<It>) {
    loop_over_items(s, first, last, work);
  } else if constexpr (is_forward_iterator<It>) {
    if (first == last) return;
    forward_source<It> source(first, last);
    walk_items(s, source, work);
  } else {
    input_source<It, Item> source(first, last);
    walk_items(s, source, work);
  }
}

template <typename Item, typename It, typename Body>
void for_each(It const& first, It const& last, Body const& body) {
  sched::slot& s = sched::this_slot();
  sched::words_scope const words(s);
  sched::context group(&s.group());
  for_each_in<Item>(s, group, first, last, body);
}
template <typename Item, typename It, typename Body>
void for_each(It const& first, It const& last, Body const& body, tbb::task_group_context& context) {
  sched::slot& s = sched::this_slot();
  sched::settings_scope const settings(s, context.use(s));
  for_each_in<Item>(s, context.use(s), first, last, body);
}

}  // namespace algo
}  // namespace v1
}  // namespace ashlar
