// SPDX-License-Identifier: Apache-2.0
#include <ashlar/sched/core/slot.h>
#include <ashlar/sched/park/latch.h>

#include <doctest/doctest.h>

#include <thread>

using namespace ashlar;
using sched::latch;

TEST_CASE("a latch is announced while it is pending, twice, too, and never once it is set") {
  latch one;
  CHECK(!one.done());
  CHECK(one.announce());
  CHECK(one.announce());  // a sleeper that was woken for something else
  CHECK(!one.done());
  CHECK(one.value() == 0);
  latch::set(one, 2);
  CHECK(one.value() == 2);
  CHECK(!one.announce());
  CHECK(one.value() == 2);  // the announcement that failed has left nothing
}

TEST_CASE("a thread that sleeps for a latch sees what came before its end") {
  for (int round = 0; round < 200; ++round) {
    int before = 0;
    latch end;
    std::thread other([&] {
      before = round + 1;
      latch::set(end);
    });
    sched::this_slot().wait(
        sched::wait_until(&end, "a latch", [&end] { return end.done(); }, [&end] { return end.announce(); }));
    CHECK(before == round + 1);
    other.join();
  }
}
