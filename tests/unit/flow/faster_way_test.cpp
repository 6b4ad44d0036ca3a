// SPDX-License-Identifier: Apache-2.0
// Which of two ways is found to be the faster one, and what the trials cost; and whose bursts are kept from thieves.
#include <ashlar/flow/work/faster_way.h>
#include <ashlar/flow/work/source_burst.h>

#include <doctest/doctest.h>

#include <cstdint>

using ashlar::flow::faster_way;
using ashlar::flow::source_burst;

namespace {

// How many of so many times the second way was taken.
int times_of_second(faster_way& w, std::uint64_t cost_of_first, std::uint64_t cost_of_second, int times) {
  int of_second = 0;
  for (int i = 0; i < times; ++i) {
    bool const second = w.is_second();
    of_second += second;
    w.add(second ? cost_of_second : cost_of_first);
  }
  return of_second;
}

}  // namespace

TEST_CASE("the faster way is taken nearly always") {
  faster_way w;
  CHECK(times_of_second(w, 100, 90, 100'000) > 98'000);
  CHECK(times_of_second(w, 90, 100, 100'000) < 3'000);
  CHECK(times_of_second(w, 100, 90, 100'000) > 97'000);
}

TEST_CASE("of two ways that take the same time the current one stays") {
  faster_way w;
  CHECK(times_of_second(w, 100, 100, 100'000) < 2'000);
}

TEST_CASE("single long times change the way for a short time only") {
  faster_way w;
  for (int i = 0; i < 1000; ++i) {
    times_of_second(w, 50, 100, 99);
    w.add(1'000'000);  // in either way
  }
  CHECK(times_of_second(w, 50, 100, 100'000) < 5'000);
}

TEST_CASE("a source's bursts are kept to its thread in turns, if they cause one job at most") {
  source_burst one_job, two_jobs;
  int kept = 0, not_kept = 0, jobs_kept = 0, kept_of_two = 0;
  for (int i = 0; i < 100'000; ++i) {
    if (!one_job.goes_on()) {
      (one_job.is_kept() ? kept : not_kept) += 1;
      jobs_kept += one_job.keeps_job();
    }
    if (!two_jobs.goes_on()) {
      kept_of_two += two_jobs.is_kept();
      two_jobs.keeps_job();
      kept_of_two += two_jobs.keeps_job();
    }
  }
  CHECK(kept > 0);
  CHECK(not_kept > 0);
  CHECK(jobs_kept == kept);
  CHECK(kept_of_two == 0);
}
