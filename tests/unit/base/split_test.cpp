// SPDX-License-Identifier: Apache-2.0
#include <ashlar/base/split.h>
#include <doctest/doctest.h>

namespace {

struct plain_range {
  plain_range(plain_range&, tbb::split) {}
};
struct proportional_range {
  proportional_range(proportional_range&, tbb::split) {}
  proportional_range(proportional_range&, tbb::proportional_split&) {}
};
struct by_value_range {
  by_value_range(by_value_range&, tbb::proportional_split) {}
};
struct by_const_range {
  by_const_range(by_const_range&, tbb::proportional_split const&) {}
};
struct unsplittable_range {};

}  // namespace

TEST_CASE("a proportional split knows its shares") {
  tbb::proportional_split const even;
  CHECK(even.left() == 1);
  CHECK(even.right() == 1);
  tbb::proportional_split split(3, 5);
  CHECK(split.left() == 3);
  CHECK(split.right() == 5);
  split.set_proportion(7, 2);
  CHECK(split.left() == 7);
  CHECK(split.right() == 2);
  tbb::proportional_split const copy(split);
  CHECK(copy.left() == 7);
  CHECK_FALSE(std::is_copy_assignable_v<tbb::proportional_split>);
}

TEST_CASE("a proportional split converts to a plain one, by name only in the default dialect") {
  CHECK(std::is_constructible_v<tbb::split, tbb::proportional_split const&>);
  CHECK(std::is_convertible_v<tbb::proportional_split, tbb::split> == (ASHLAR_CLASSIC_DIALECT == 1));
  [[maybe_unused]] tbb::split const plain = static_cast<tbb::split>(tbb::proportional_split(1, 2));
}

TEST_CASE("only ranges with a proportional constructor split proportionally") {
  CHECK_FALSE(ashlar::is_proportionally_splittable<plain_range>);
  CHECK(ashlar::is_proportionally_splittable<proportional_range>);
  CHECK(ashlar::is_proportionally_splittable<by_value_range>);
  CHECK(ashlar::is_proportionally_splittable<by_const_range>);
  CHECK_FALSE(ashlar::is_proportionally_splittable<unsplittable_range>);
}
