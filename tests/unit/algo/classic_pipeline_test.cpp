// SPDX-License-Identifier: Apache-2.0
#define ASHLAR_CLASSIC_DIALECT 1
#include <tbb/pipeline.h>

#include <doctest/doctest.h>

#include <atomic>
#include <stdexcept>

namespace {

struct numbers : tbb::filter {
  explicit numbers(int n) : tbb::filter(serial_in_order), left(n) {}
  void* operator()(void*) override { return left == 0 ? nullptr : new int(left--); }
  int left;
};
struct doubler : tbb::filter {
  explicit doubler(mode m) : tbb::filter(m) {}
  void* operator()(void* item) override {
    int& value = *static_cast<int*>(item);
    if (value == bad) {
      delete &value;
      throw std::runtime_error("filter");
    }
    value *= 2;
    return item;
  }
  void finalize(void* item) override { delete static_cast<int*>(item); }
  int bad = -1;
};
struct adder : tbb::filter {
  adder() : tbb::filter(true) {}
  void* operator()(void* item) override {
    sum += *static_cast<int*>(item);
    delete static_cast<int*>(item);
    return nullptr;
  }
  void finalize(void* item) override { delete static_cast<int*>(item); }
  long sum = 0;
};

}  // namespace

TEST_CASE("classic pipeline of filter objects") {
  for (tbb::filter::mode m : {tbb::filter::parallel, tbb::filter::serial, tbb::filter::serial_out_of_order}) {
    numbers first(1000);
    doubler middle(m);
    adder last;
    CHECK(last.is_serial());
    CHECK(last.is_ordered());
    CHECK(!last.is_bound());
    tbb::pipeline line;
    line.add_filter(first);
    line.add_filter(middle);
    line.add_filter(last);
    line.run(8);
    CHECK(last.sum == 1000 * 1001);
    first.left = 10;
    tbb::task_group_context context;
    line.run(2, context);
    CHECK(last.sum == 1000 * 1001 + 110);
    first.left = 1000;
    middle.bad = 500;
    CHECK_THROWS_AS(line.run(8), std::runtime_error);
    line.clear();
    line.run(4);
  }
}

TEST_CASE("classic parallel_pipeline with filter_t") {
  int made = 0;
  int sum = 0;
  tbb::filter_t<void, int> const first(tbb::filter::serial, [&](tbb::flow_control& control) {
    if (made == 100) control.stop();
    return made++;
  });
  tbb::filter_t<void, void> const all =
      first & tbb::make_filter<int, void>(tbb::filter::serial_in_order, [&](int i) { sum += i; });
  tbb::parallel_pipeline(4, all);
  CHECK(sum == 4950);
}
