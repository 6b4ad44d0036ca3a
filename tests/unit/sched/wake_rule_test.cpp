// SPDX-License-Identifier: Apache-2.0
// The decisions of the parking protocol and of thieves, each beside the rule of src/sched/README.md.
#include "sched/policy/wake_rule.h"
#include "sched/policy/lost_theft.h"
#include "sched/policy/search_limits.h"

#include <doctest/doctest.h>

#include <cstdint>

using namespace ashlar::sched;

namespace {

std::uint32_t searching(std::uint32_t workers, std::uint32_t waiters) {
  return workers * static_cast<std::uint32_t>(searcher::worker) +
         waiters * static_cast<std::uint32_t>(searcher::waiter);
}

}  // namespace

TEST_CASE("wake rule: a push relies on waiters for one job, and on workers for all") {
  CHECK_FALSE(wake_rule::left_to_waiters(searching(0, 0)));
  CHECK(wake_rule::left_to_waiters(searching(0, 3)));
  CHECK_FALSE(wake_rule::left_to_waiters(searching(1, 3)));
  CHECK(wake_rule::calls_for_push(searching(0, 3)));
  CHECK_FALSE(wake_rule::calls_for_push(searching(2, 0)));
}

TEST_CASE("wake rule: who stops last answers for the jobs that were left, a waiter only if nobody searches on") {
  CHECK(wake_rule::jobs_were_left_to(searcher::worker, searching(0, 2)));
  CHECK_FALSE(wake_rule::jobs_were_left_to(searcher::worker, searching(1, 0)));
  CHECK(wake_rule::jobs_were_left_to(searcher::waiter, searching(0, 0)));
  CHECK_FALSE(wake_rule::jobs_were_left_to(searcher::waiter, searching(0, 1)));
  CHECK_FALSE(wake_rule::jobs_were_left_to(searcher::waiter, searching(1, 0)));
  CHECK(wake_rule::arms(searching(0, 5)));
  CHECK_FALSE(wake_rule::arms(searching(1, 0)));
}

TEST_CASE("wake rule: a find calls two threads where much is left, one where a job is owed, else nobody") {
  CHECK(wake_rule::left_for_others(-1) == 0);  // the owner is about to take the last job
  CHECK(wake_rule::left_for_others(0) == 0);
  CHECK(wake_rule::left_for_others(1) == 1);
  CHECK(wake_rule::left_for_others(7) == 2);
  CHECK(wake_rule::calls_for_find(false, 0) == 0);
  CHECK(wake_rule::calls_for_find(true, 0) == 1);
  CHECK(wake_rule::calls_for_find(false, 1) == 1);
  CHECK(wake_rule::calls_for_find(true, 2) == 2);
}

TEST_CASE("search limits: a leapfrogging waiter has one victim, and goes by depth while no thief is known") {
  search_limits const known = search_limits::of_waiter(wait_policy::leapfrog, 4, 7);
  CHECK(known.only_from == 7);
  CHECK(known.policy == wait_policy::leapfrog);
  CHECK(known.allow(1));
  search_limits const unknown = search_limits::of_waiter(wait_policy::leapfrog, 4, search_limits::anybody);
  CHECK(unknown.only_from == search_limits::anybody);
  CHECK(unknown.policy == wait_policy::depth);
  CHECK(unknown.allow(5));
  CHECK_FALSE(unknown.allow(4));
  search_limits const any = search_limits::of_waiter(wait_policy::any, 4, 7);
  CHECK(any.only_from == search_limits::anybody);
  CHECK(any.allow(1));
  CHECK_FALSE(any.restricted());
}

TEST_CASE("lost theft: only TBB 4.1's thief tries again, after pauses that double five times") {
  CHECK(lost_theft::tries_again(victim_policy::tbb41));
  CHECK_FALSE(lost_theft::tries_again(victim_policy::by_size));
  unsigned pauses = 0;
  for (unsigned attempt = 0; attempt < lost_theft::steps; ++attempt) {
    CHECK(lost_theft::pauses(attempt) == 1u << attempt);
    pauses += lost_theft::pauses(attempt);
  }
  CHECK(pauses == 31);
  CHECK(lost_theft::pauses(lost_theft::steps) == 0);
}
