// SPDX-License-Identifier: Apache-2.0
#include <ashlar/algo/range_traits.h>

#include <tbb/blocked_nd_range.h>
#include <tbb/blocked_range2d.h>
#include <tbb/blocked_range3d.h>

#include <doctest/doctest.h>

namespace {

struct plain {
  plain(plain const&) = default;
  plain(plain&, tbb::split) {}
  bool empty() const { return true; }
  bool is_divisible() const { return false; }
};
struct announced : plain {
  static bool const is_splittable_in_proportion = true;
  announced(announced const&) = default;
  announced(announced& r, tbb::split s) : plain(r, s) {}
  announced(announced& r, tbb::proportional_split&) : plain(r, tbb::split()) {}
};
struct denied : plain {
  static bool const is_splittable_in_proportion = false;
  denied(denied const&) = default;
  denied(denied& r, tbb::split s) : plain(r, s) {}
  denied(denied& r, tbb::proportional_split&) : plain(r, tbb::split()) {}
};
struct unannounced : plain {
  unannounced(unannounced const&) = default;
  unannounced(unannounced& r, tbb::split s) : plain(r, s) {}
  unannounced(unannounced& r, tbb::proportional_split const&) : plain(r, tbb::split()) {}
};
struct announced_in_vain : plain {
  static bool const is_splittable_in_proportion = true;
  announced_in_vain(announced_in_vain const&) = default;
  announced_in_vain(announced_in_vain& r, tbb::split s) : plain(r, s) {}
};
struct no_empty {
  no_empty(no_empty&, tbb::split);
  no_empty(no_empty const&);
  bool is_divisible() const;
};
struct no_is_divisible {
  no_is_divisible(no_is_divisible&, tbb::split);
  no_is_divisible(no_is_divisible const&);
  bool empty() const;
};
struct no_split {
  bool empty() const;
  bool is_divisible() const;
};
struct no_copy : plain {
  no_copy(no_copy const&) = delete;
  no_copy(no_copy& r, tbb::split s) : plain(r, s) {}
};
struct not_for_constants {
  not_for_constants(not_for_constants&, tbb::split);
  not_for_constants(not_for_constants const&);
  bool empty();
  bool is_divisible();
};
struct wrong_answers {
  wrong_answers(wrong_answers&, tbb::split);
  wrong_answers(wrong_answers const&);
  void empty() const;
  plain is_divisible() const;
};
class private_split {
 public:
  private_split(private_split const&);
  bool empty() const;
  bool is_divisible() const;

 private:
  private_split(private_split&, tbb::split);
};
struct answers_something_like_bool {
  struct answer {
    explicit operator bool() const;
  };
  answers_something_like_bool(answers_something_like_bool&, tbb::split);
  answers_something_like_bool(answers_something_like_bool const&);
  answer empty() const;
  int is_divisible() const;
};

}  // namespace

TEST_CASE("range_traits: what is a range") {
  using namespace ashlar::algo;
  static_assert(is_range<plain> && is_range<announced> && is_range<denied> && is_range<unannounced>);
  static_assert(is_range<answers_something_like_bool>);
  static_assert(is_range<tbb::blocked_range<int>> && is_range<tbb::blocked_range2d<int>>);
  static_assert(is_range<tbb::blocked_range3d<int>> && is_range<tbb::blocked_nd_range<int, 5>>);
  static_assert(!is_range<no_empty> && !has_empty<no_empty> && has_is_divisible<no_empty>);
  static_assert(!is_range<no_is_divisible> && !has_is_divisible<no_is_divisible> && has_empty<no_is_divisible>);
  static_assert(!is_range<no_split> && !is_splittable<no_split> && has_empty<no_split>);
  static_assert(!is_range<no_copy> && is_splittable<no_copy>);
  static_assert(!is_range<not_for_constants> && !is_range<wrong_answers> && !is_range<private_split>);
  static_assert(!is_range<int> && !is_range<void>);
}

TEST_CASE("range_traits: what splits in proportion") {
  using ashlar::algo::splits_in_proportion;
  static_assert(splits_in_proportion<announced> && splits_in_proportion<unannounced>);
  static_assert(!splits_in_proportion<plain> && !splits_in_proportion<denied> &&
                !splits_in_proportion<announced_in_vain>);
  static_assert(splits_in_proportion<tbb::blocked_range<int>> && splits_in_proportion<tbb::blocked_range2d<int>>);
  static_assert(splits_in_proportion<tbb::blocked_range3d<int>> && splits_in_proportion<tbb::blocked_nd_range<int, 2>>);
}
