// SPDX-License-Identifier: Apache-2.0
// Whose bursts are kept from thieves.
#include <ashlar/flow/work/source_burst.h>

#include <doctest/doctest.h>

using ashlar::flow::source_burst;

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
