// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>
#include <tbb/tick_count.h>

#include <ctime>
#include <type_traits>

using tbb::tick_count;
using interval = tick_count::interval_t;

TEST_CASE("intervals add and subtract") {
  CHECK(interval().seconds() == 0);
  CHECK(interval(1.5).seconds() == doctest::Approx(1.5));
  interval a(2.0);
  a += interval(0.5);
  CHECK(a.seconds() == doctest::Approx(2.5));
  a -= interval(3.0);
  CHECK(a.seconds() == doctest::Approx(-0.5));
  CHECK((interval(1.0) + interval(2.0)).seconds() == doctest::Approx(3.0));
  CHECK((interval(1.0) - interval(2.0)).seconds() == doctest::Approx(-1.0));
  CHECK(interval(1.0) < interval(2.0));
  CHECK(interval(2.0) >= interval(2.0));
  CHECK(interval(2.0) == interval(2.0));
  CHECK(interval(2.0) != interval(2.5));
  CHECK_FALSE(std::is_convertible_v<double, interval>);
}

TEST_CASE("the clock never goes back and agrees with the processor time of a busy thread") {
  tick_count const start = tick_count::now();
  tick_count last = start;
  // Of this thread: others may be at work in the process.
  auto const processor_seconds = [] {
    timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
  };
  double const cpu_start = processor_seconds();
  int backwards = 0;
  while (processor_seconds() - cpu_start < 0.02) {
    tick_count const now = tick_count::now();
    backwards += now - last < interval();
    last = now;
  }
  CHECK(backwards == 0);
  // The wall clock runs at least as fast as the thread's processor time.
  CHECK((tick_count::now() - start).seconds() >= 0.019);
}

TEST_CASE("moments subtract to intervals and default to the clock's zero") {
  tick_count const zero;
  tick_count const now = tick_count::now();
  CHECK((now - zero).seconds() > 0);
  CHECK((zero - now).seconds() == -(now - zero).seconds());
  CHECK((tick_count() - zero).seconds() == 0);
  CHECK(tick_count::resolution() > 0);
  CHECK(tick_count::resolution() <= 1e-6);
}
