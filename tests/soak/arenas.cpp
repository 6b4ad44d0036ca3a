// SPDX-License-Identifier: Apache-2.0
// Where the steps of a random program run: arenas, limits, observers, isolation, suspended tasks.
#include "arenas.h"

#include "program.h"

#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>
#include <tbb/task_scheduler_observer.h>

#include <condition_variable>
#include <thread>

namespace soak {

namespace {

constexpr tbb::task_arena::priority priorities[] = {tbb::task_arena::priority::low, tbb::task_arena::priority::normal,
                                                    tbb::task_arena::priority::high};

// Arenas that all programs share.
tbb::task_arena& shared(int which) {
  static tbb::task_arena arenas[] = {tbb::task_arena(1, 1), tbb::task_arena(2, 1), tbb::task_arena(4, 0)};
  return arenas[which % 3];
}

void arena(step const& s, place const& where) {
  tbb::task_arena own(1 + s.a % 5, static_cast<unsigned>(s.b % 2), priorities[s.a % 3]);
  own.execute([&] { take(s.body, where); });
}

void shared_arena(step const& s, place const& where) {
  shared(s.a).execute([&] { take(s.body, where); });
}

// Nobody waits for the tasks here: the program's end does.
void enqueue(step const& s, place const& where) {
  tbb::task_arena own(2, static_cast<unsigned>(s.b / 2 % 2), priorities[s.a % 3]);
  tbb::task_arena& chosen = s.b % 2 == 0 ? own : shared(s.a);
  for (int i = 0; i < s.n; ++i) chosen.enqueue([t = ticket(where.book, false)] { t.run(); });
}

void control(step const& s, place const& where) {
  tbb::global_control const limit(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(1 + s.a % 6));
  take(s.body, where);
}

void isolate(step const& s, place const& where) {
  tbb::this_task_arena::isolate([&] { take(s.body, where); });
}

struct counting_observer : tbb::task_scheduler_observer {
  explicit counting_observer(account& b) : book(b) { observe(true); }
  ~counting_observer() {
    observe(false);
    if (entered < left) book.fail("observer: more threads left than came");
  }
  void on_scheduler_entry(bool) override { ++entered; }
  void on_scheduler_exit(bool) override { ++left; }
  account& book;
  std::atomic<int> entered{0};
  std::atomic<int> left{0};
};

void observer(step const& s, place const& where) {
  counting_observer const here(where.book);
  take(s.body, where);
}

// Resumes what is left with it. It lives as long as a program runs, so that a fork finds no more threads than there
// must be.
class resumer {
 public:
  resumer() : thread_([this] { work(); }) {}
  resumer(resumer const&) = delete;
  resumer& operator=(resumer const&) = delete;
  ~resumer() {
    {
      std::lock_guard const guard(lock_);
      over_ = true;
    }
    changed_.notify_one();
    thread_.join();
  }
  void add(tbb::task::suspend_point p) {
    {
      std::lock_guard const guard(lock_);
      points_.push_back(p);
    }
    changed_.notify_one();
  }

 private:
  void work() {
    std::unique_lock guard(lock_);
    while (!over_ || !points_.empty()) {
      changed_.wait(guard, [this] { return over_ || !points_.empty(); });
      std::vector<tbb::task::suspend_point> taken;
      taken.swap(points_);
      guard.unlock();
      for (auto const p : taken) tbb::task::resume(p);
      guard.lock();
    }
  }

  std::mutex lock_;
  std::condition_variable changed_;
  std::vector<tbb::task::suspend_point> points_;
  bool over_ = false;
  std::thread thread_;
};

void suspend(step const& s, place const& where) {
  resumer other;
  marks m(where.book, s.n);
  tbb::parallel_for(0, s.n, [&](int i) {
    std::atomic<bool> resumed{false};
    tbb::task::suspend([&](tbb::task::suspend_point p) {
      resumed = true;
      other.add(p);
    });
    where.book.expect(resumed, "suspend: it went on before it was suspended");
    m.hit(i);
    take_part(s, i, where, [] {});
  });
  m.settle(where.fragile);
}

}  // namespace

void make_shared_arenas() {
  for (int i = 0; i < 3; ++i) shared(i).initialize();
}

void add_arenas(std::map<std::string, action, std::less<>>& table) {
  table.insert({{"arena", arena},
                {"shared", shared_arena},
                {"enqueue", enqueue},
                {"control", control},
                {"isolate", isolate},
                {"observer", observer},
                {"suspend", suspend}});
}

}  // namespace soak
