// SPDX-License-Identifier: Apache-2.0
// Waits end although no worker is allowed, or all of them wait; and a loop that is limited to one thread has one.
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace {

using std::chrono::milliseconds;

tbb::global_control limit_to(std::size_t threads) {
  return tbb::global_control(tbb::global_control::max_allowed_parallelism, threads);
}

// A thread that does something in the library once, and is outside of it from then on.
class spectator {
 public:
  template <typename F>
  explicit spectator(F f)
      : thread_([this, f] {
          f();
          std::unique_lock<std::mutex> guard(lock_);
          ready_ = true;
          changed_.notify_all();
          changed_.wait(guard, [this] { return leave_; });
        }) {
    std::unique_lock<std::mutex> guard(lock_);
    changed_.wait(guard, [this] { return ready_; });
  }
  ~spectator() {
    {
      std::lock_guard<std::mutex> guard(lock_);
      leave_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }

 private:
  std::mutex lock_;
  std::condition_variable changed_;
  bool ready_ = false, leave_ = false;
  std::thread thread_;
};

}  // namespace

TEST_CASE("with one thread a group's tasks are done that a silent thread has spawned") {
  auto const one = limit_to(1);
  for (int threads : {1, 4}) {
    tbb::task_group g;
    std::atomic<int> done{0};
    std::vector<std::unique_ptr<spectator>> silent;
    for (int i = 0; i < threads; ++i) {
      silent.push_back(std::make_unique<spectator>([&] {
        for (int k = 0; k < 10; ++k) g.run([&] { ++done; });
      }));
    }
    g.wait();
    CHECK(done == 10 * threads);
  }
}

TEST_CASE("with one thread a group's tasks are done that lie in an arena without threads") {
  auto const one = limit_to(1);
  for (int slots : {1, 2}) {
    for (unsigned reserved : {0u, 1u}) {
      tbb::task_arena other(slots, reserved);
      tbb::task_group g;
      std::atomic<int> done{0};
      other.execute([&] {
        for (int k = 0; k < 10; ++k) g.run([&] { ++done; });
      });
      g.wait();
      CHECK(done == 10);
    }
  }
}

TEST_CASE("with one thread tasks that wait for tasks of further arenas end") {
  auto const one = limit_to(1);
  tbb::task_arena first(2), second(2);
  tbb::task_group outer;
  std::atomic<int> done{0};
  first.execute([&] {
    for (int i = 0; i < 3; ++i) {
      outer.run([&] {
        tbb::task_group inner;
        second.execute([&] { inner.run([&] { ++done; }); });
        inner.wait();
        ++done;
      });
    }
  });
  outer.wait();
  CHECK(done == 6);
}

TEST_CASE("threads whose tasks are all suspended serve those who resume them") {
  auto const two = limit_to(2);
  for (int round = 0; round < 5; ++round) {
    tbb::task_arena front(2), back(2);
    std::atomic<int> resumed{0};
    tbb::task_group g;
    for (int i = 0; i < 2; ++i) {
      g.run([&] {
        front.execute([&] {
          tbb::task::suspend([&](tbb::task::suspend_point p) { back.enqueue([p] { tbb::task::resume(p); }); });
          ++resumed;
        });
      });
    }
    g.wait();
    CHECK(resumed == 2);
  }
}

TEST_CASE("many suspended tasks of two arenas resume each other") {
  auto const two = limit_to(2);
  tbb::task_arena first(2), second(2);
  std::atomic<int> resumed{0};
  constexpr int each = 200;
  tbb::task_group g;
  auto const suspend_in = [&](tbb::task_arena& here, tbb::task_arena& there) {
    here.execute([&] {
      for (int i = 0; i < each; ++i) {
        g.run([&] {
          tbb::task::suspend([&](tbb::task::suspend_point p) { there.enqueue([p] { tbb::task::resume(p); }); });
          ++resumed;
        });
      }
    });
  };
  suspend_in(first, second);
  suspend_in(second, first);
  g.wait();
  CHECK(resumed == 2 * each);
}

// The bystander has nothing to do with the wait, and its loop is for one thread.
TEST_CASE("no deputy comes beside a loop that is limited to one thread") {
  auto const one = limit_to(1);
  std::atomic<int> inside{0}, most{0};
  std::atomic<bool> over{false};
  std::thread bystander([&] {
    for (int round = 0; round < 10; ++round) {
      tbb::parallel_for(0, 8, [&](int) {
        int const now = ++inside;
        int before = most;
        while (before < now && !most.compare_exchange_weak(before, now)) {
        }
        std::this_thread::sleep_for(milliseconds(4));
        --inside;
      });
      if (round % 3 == 2) std::this_thread::sleep_for(milliseconds(15));
    }
    over = true;
  });
  while (!over) {
    tbb::task_group g;
    std::atomic<int> done{0};
    spectator const silent([&] {
      for (int k = 0; k < 3; ++k) g.run([&] { ++done; });
    });
    g.wait();
    CHECK(done == 3);
  }
  bystander.join();
  CHECK(most == 1);
}

TEST_CASE("no deputy comes beside the function of an arena of one thread") {
  auto const one = limit_to(1);
  tbb::task_arena exclusive(1);
  std::atomic<int> inside{0}, most{0};
  auto const visit = [&] {
    exclusive.execute([&] {
      most = std::max(most.load(), ++inside);
      std::this_thread::sleep_for(milliseconds(60));
      --inside;
    });
  };
  std::thread others[3];
  for (std::thread& t : others) t = std::thread(visit);
  visit();
  for (std::thread& t : others) t.join();
  CHECK(most == 1);
}
