// SPDX-License-Identifier: Apache-2.0
// Which of two ways is found to be the faster one, and what the trials cost.
#include <ashlar/sched/policy/faster_way.h>

#include <doctest/doctest.h>

#include <cstdint>
#include <initializer_list>

using ashlar::sched::faster_way;

namespace {

struct spent {
  int of_second = 0;  // periods
  std::uint64_t ticks = 0;
};

// So many periods, in each of which ten units of work take their time.
spent run(faster_way& w, std::uint64_t first, std::uint64_t second, int periods) {
  spent all;
  for (int i = 0; i < periods; ++i) {
    bool const is_second = w.is_second();
    std::uint64_t const took = 10 * (is_second ? second : first);
    all.of_second += is_second;
    all.ticks += took;
    w.end_period(10, took);
  }
  return all;
}

}  // namespace

TEST_CASE("the faster way is taken nearly always") {
  faster_way w;
  CHECK(run(w, 100, 50, 10'000).of_second > 9'700);
  CHECK(run(w, 50, 100, 10'000).of_second < 300);
  CHECK(run(w, 100, 50, 10'000).of_second > 9'700);
}

TEST_CASE("trials cost a fiftieth at most, however slow the other way is") {
  for (std::uint64_t const slow : {101, 110, 200, 1000, 10'000}) {
    CAPTURE(slow);
    faster_way w;
    run(w, 100, slow, 20'000);
    CHECK(run(w, 100, slow, 100'000).ticks < 100'000 * 1020);
  }
}

TEST_CASE("the less a trial costs the sooner a change is seen") {
  faster_way near, far;
  run(near, 100, 110, 10'000);
  run(far, 100, 1000, 10'000);
  CHECK(run(near, 100, 50, 30).of_second > 0);
  CHECK(run(far, 100, 50, 30).of_second == 0);
  CHECK(run(far, 100, 50, 600).of_second > 0);
}

TEST_CASE("of two ways that take the same time the first one stays") {
  faster_way w;
  CHECK(run(w, 100, 100, 10'000).of_second < 700);
}

TEST_CASE("errors of measurement don't make the second one of two equal ways pass for the faster one") {
  faster_way w;
  std::uint32_t random = 1;
  int of_second = 0;
  for (int i = 0; i < 100'000; ++i) {
    random = random * 1'664'525 + 1'013'904'223;
    of_second += w.is_second();
    w.end_period(10, 9000 + (random >> 16) % 2001);  // up to a tenth more or less
  }
  CHECK(of_second < 10'000);
}

TEST_CASE("the second way has to save an eighth, the first one nothing") {
  faster_way w;
  CHECK(run(w, 1000, 900, 10'000).of_second < 700);
  CHECK(run(w, 1000, 850, 10'000).of_second > 9000);
  CHECK(run(w, 1000, 900, 10'000).of_second > 9000);
  CHECK(run(w, 1000, 1000, 10'000).of_second < 1000);
}

TEST_CASE("it is known how many periods end before the next trial") {
  faster_way w;
  CHECK(w.periods_until_trial() == 1);
  run(w, 100, 200, 10'000);
  while (w.is_second()) run(w, 100, 200, 1);
  auto const left = static_cast<int>(w.periods_until_trial());
  CHECK(left > 1);
  CHECK(run(w, 100, 200, left).of_second == 0);
  CHECK(w.is_second());
  CHECK_FALSE(w.is_second_settled());  // it is tried
  run(w, 100, 50, 1);
  CHECK(w.is_second_settled());
}

TEST_CASE("single long times change the way for a short time only") {
  faster_way w;
  for (int i = 0; i < 1000; ++i) {
    run(w, 50, 100, 99);
    w.end_period(10, 1'000'000);  // in either way
  }
  CHECK(run(w, 50, 100, 10'000).of_second < 300);
}

TEST_CASE("pace counts, not how much is done in a period") {
  faster_way w;
  int of_second = 0;
  for (int i = 0; i < 10'000; ++i) {
    of_second += w.is_second();
    w.is_second() ? w.end_period(40, 1000) : w.end_period(20, 1000);
  }
  CHECK(of_second > 9'700);
}

TEST_CASE("what is forgotten is measured again, and the time until the next trial goes on") {
  faster_way w;
  run(w, 100, 50, 100);
  REQUIRE(w.is_second());
  w.forget(1);
  CHECK_FALSE(w.is_second());
  run(w, 100, 1000, 10'000);
  w.forget(1);
  CHECK(run(w, 100, 1000, 2).of_second == 0);
  w.forget(10'000);
  CHECK(run(w, 100, 1000, 2).of_second == 1);
}

TEST_CASE("work that takes no time at all, as in a model, is borne") {
  faster_way w;
  CHECK(run(w, 0, 0, 1000).of_second < 1000);
}
