// SPDX-License-Identifier: Apache-2.0
// Elements of threads that have ended: to whom they go, and who gets elements of its own.
#include <tbb/enumerable_thread_specific.h>

#include <doctest/doctest.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "shared_record.h"
#include "thread_company.h"
#include "tracked.h"

namespace {

using test::company;
using test::in_thread;
using test::shared_record_allocator;

template <typename T, tbb::ets_key_usage_type Key = tbb::ets_no_key>
using ets = tbb::enumerable_thread_specific<T, tbb::cache_aligned_allocator<T>, Key>;

// Uses the container while the thread's objects are destroyed.
struct late_user {
  ets<int>* container = nullptr;
  ~late_user() {
    if (container != nullptr) ++container->local();
  }
};

TEST_CASE("destructors of thread_local objects may use the container") {
  ets<int> e;
  in_thread([&] {
    static thread_local late_user user;
    user.container = &e;
    e.local() = 1;
  });
  CHECK(e.size() == 1);
  CHECK(*e.begin() == 2);
}

TEST_CASE_TEMPLATE("a new thread goes on with the element of one that has ended", Key,
                   std::integral_constant<tbb::ets_key_usage_type, tbb::ets_no_key>,
                   std::integral_constant<tbb::ets_key_usage_type, tbb::ets_key_per_instance>,
                   std::integral_constant<tbb::ets_key_usage_type, tbb::ets_suspend_aware>) {
  ets<int, Key::value> e;
  e.local() = 1000;
  bool exists = true;
  in_thread([&] { e.local(exists) = 1; });
  CHECK_FALSE(exists);
  for (int t = 1; t != 100; ++t) {
    in_thread([&] {
      int& adopted = e.local(exists);
      REQUIRE(exists);
      REQUIRE(adopted == t);
      ++adopted;
      REQUIRE(&e.local() == &adopted);
    });
  }
  CHECK(e.size() == 2);
  CHECK(e.combine([](int a, int b) { return a + b; }) == 1100);
  {
    company two;
    two.add([&] { CHECK(e.local() == 100); });
    two.add([&] {
      CHECK(e.local(exists) == 0);
      CHECK_FALSE(exists);
    });
  }
  CHECK(e.size() == 3);
  ets<int, Key::value> copy(e);  // it knows whose the elements were
  in_thread([&] {
    int const value = copy.local(exists);
    CHECK((value == 100 || value == 0));
    CHECK(exists);
  });
  ets<int, Key::value> moved(std::move(copy));
  in_thread([&] {
    moved.local(exists);
    CHECK(exists);
  });
  CHECK(moved.size() == 3);
  moved.clear();
  in_thread([&] {
    CHECK(moved.local(exists) == 0);
    CHECK_FALSE(exists);
  });
}

TEST_CASE("a thread that was there before another one ended gets an element of its own") {
  constexpr int threads = 10;
  for (int round = 0; round != 100; ++round) {
    tbb::enumerable_thread_specific<int> e;
    std::atomic<int> started{0};
    std::vector<std::thread> team;
    for (int t = 0; t != threads; ++t) {
      team.emplace_back([&, t] {
        ++started;
        while (started != threads) std::this_thread::yield();
        bool exists = true;
        e.local(exists) = t;
        CHECK_FALSE(exists);
      });
    }
    for (std::thread& t : team) t.join();
    REQUIRE(e.size() == threads);
    REQUIRE(e.combine([](int a, int b) { return a + b; }) == threads * (threads - 1) / 2);
  }
}

// So many threads at once that afterwards each number that a thread can have has an element of the container.
constexpr int crowd = 256;
template <typename Container>
void use_in_crowd(Container& e) {
  {
    company all;
    for (int t = 0; t != crowd; ++t) all.add([&] { e.local() = 7; });
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(30));  // the system's clock of starts has steps of 10 ms
}

TEST_CASE("a thread that began after another one had ended gets its element, also with another thread id") {
  tbb::enumerable_thread_specific<int> e;
  use_in_crowd(e);
  company others;
  for (int t = 0; t != 10; ++t) {
    others.add([] {});  // keeps a thread id
    others.add([&] {
      bool exists = false;
      CHECK(e.local(exists) == 7);
      CHECK(exists);
    });
  }
}

TEST_CASE("there are no more elements than threads that lived at once") {
  test::memory_record& record = shared_record_allocator<int>::all;
  tbb::enumerable_thread_specific<long, shared_record_allocator<long>> e;
  use_in_crowd(e);
  CHECK(e.size() == crowd);
  int const most = record.blocks;
  for (int round = 0; round != 20; ++round) {
    {
      company others;
      for (int t = 0; t != 1 + round % 7; ++t) others.add([&] { ++e.local(); });
    }
    for (int t = 0; t != 50; ++t) in_thread([&] { ++e.local(); });
    std::this_thread::sleep_for(std::chrono::milliseconds(20));  // two steps of the clock of starts
  }
  CHECK(e.size() == crowd);
  CHECK(record.blocks == most);
  CHECK(e.combine([](long a, long b) { return a + b; }) == crowd * 7 + 20 * 50 + (28 + 28) + 21);
}

#if !ASHLAR_TSAN
TEST_CASE("a child of fork does not take the elements of threads that it lacks") {
  ets<int> e;
  bool exists = true;
  company others;
  others.add([&] { e.local() = 1; });
  pid_t const child = fork();
  if (child == 0) {
    bool fine = true;
    for (int t = 0; t != 3; ++t) {
      in_thread([&] {
        int& mine = e.local(exists);
        fine = fine && mine == 10 * t && exists == (t != 0);
        mine += 10;
      });
    }
    _exit(fine && e.size() == 2 ? 0 : 1);
  }
  int status = 1;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK((WIFEXITED(status) && WEXITSTATUS(status) == 0));
}
#endif

// Uses the container after the thread's number and table are gone.
TEST_CASE("a key's late destructor may use the container") {
  ets<int> e;
  static ets<int>* container;
  container = &e;
  pthread_key_t late;
  REQUIRE(pthread_key_create(&late, [](void*) { ++container->local(); }) == 0);
  for (int t = 0; t != 200; ++t) {
    in_thread([&] {
      e.local() += 1;
      pthread_setspecific(late, &e);
    });
  }
  CHECK(e.combine([](int a, int b) { return a + b; }) == 400);
  CHECK(e.size() <= 2);
  pthread_key_delete(late);
}

}  // namespace
