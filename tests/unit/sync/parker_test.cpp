// SPDX-License-Identifier: Apache-2.0
#include "sync/parker.h"

#include <ashlar/sync/wait_on.h>

#include <doctest/doctest.h>

#include <thread>

using namespace ashlar;

namespace {

struct in_two_places : sync::parker {
  in_two_places(void const* one, void const* other) {
    enter(places[0], one);
    enter(places[1], other);
  }
  sync::wait_place places[2];
};

}  // namespace

TEST_CASE("parker: whoever has entered last is chosen first, and woken last by address") {
  char key = 0;
  sync::wait_place at[3];
  sync::parker who[3];
  for (int i = 0; i < 3; ++i) who[i].enter(at[i], &key);
  CHECK(sync::choose_newest(&key) == &who[2]);
  CHECK(sync::wake_one(&key) == 1);
  CHECK(who[0].sleep());  // returns at once
  CHECK_FALSE(who[2].leave());
  CHECK(who[1].leave());
  CHECK(sync::choose_newest(&key) == nullptr);
  who[2].wake();
  CHECK(who[2].sleep());
}

TEST_CASE("parker: chosen under one address, it is found under no other one") {
  char keys[2] = {};
  for (int first = 0; first < 2; ++first) {
    in_two_places who(&keys[0], &keys[1]);
    CHECK(who.listed());
    CHECK(sync::choose_newest(&keys[first]) == &who);
    CHECK_FALSE(who.listed());
    CHECK(sync::wake_all(&keys[1 - first]) == 0);
    who.wake();
    CHECK(who.sleep());
    // It is in no bucket any more.
    CHECK(sync::choose_newest(&keys[0]) == nullptr);
    CHECK(sync::choose_newest(&keys[1]) == nullptr);
  }
}

TEST_CASE("parker: it leaves all its addresses, and may enter again") {
  char keys[2] = {};
  in_two_places who(&keys[0], &keys[1]);
  CHECK(who.leave());
  CHECK(sync::wake_all(&keys[0]) + sync::wake_all(&keys[1]) == 0);
  who.enter(who.places[0], &keys[0]);
  CHECK_FALSE(who.sleep(1000));
  CHECK(who.listed());
  CHECK(sync::wake_one(&keys[0]) == 1);
  CHECK(who.sleep());
}

TEST_CASE("parker: many wakers under two addresses wake each sleeper once") {
  constexpr int rounds = 20'000;
  char keys[2] = {};
  atomic<int> woken{0};
  atomic<bool> over{false};
  std::thread wakers[2];
  for (int i = 0; i < 2; ++i) {
    wakers[i] = std::thread([&, i] {
      while (!over.load(mo::relaxed)) {
        woken.fetch_add(static_cast<int>(i == 0 ? sync::wake_one(&keys[0]) : sync::wake_all(&keys[1])), mo::relaxed);
        std::this_thread::yield();
      }
    });
  }
  int slept = 0;
  for (int i = 0; i < rounds; ++i) {
    in_two_places who(&keys[0], &keys[1]);
    if (i % 4 != 0 || !who.leave()) {
      who.sleep();
      ++slept;
    }
  }
  over.store(true, mo::relaxed);
  for (std::thread& t : wakers) t.join();
  CHECK(woken.load(mo::relaxed) == slept);
}
