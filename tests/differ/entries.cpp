// SPDX-License-Identifier: Apache-2.0
// Ways into arenas: into one whose slots are all taken, by enqueue in all its forms, by isolation inside of isolation,
// by arenas that are copies; what each returns, throws and leaves.
#include "subjects.h"

#if DIFFER_ONETBB  // TBB 2020 enqueues functions only
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <chrono>
#include <memory>
#include <thread>

namespace differ {

namespace {

void wait_until(std::atomic<int> const& value, int to) {
  auto const end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (value < to && std::chrono::steady_clock::now() < end) std::this_thread::yield();
}

// Threads that take all slots of an arena, and wait there for a task that is yet to be run: they call what others
// execute.
class crowded_arena {
 public:
  explicit crowded_arena(int slots) : arena_(slots, static_cast<unsigned>(slots)) {
    for (int i = 0; i < slots; ++i) groups_.push_back(std::make_unique<tbb::task_group>());
    for (int i = 0; i < slots; ++i) {
      threads_.emplace_back([this, i] {
        arena_.execute([&] {
          tbb::task_group& group = *groups_[static_cast<std::size_t>(i)];
          last_.push(group.defer([] {}));
          ++inside_;
          group.wait();
        });
      });
    }
    wait_until(inside_, slots);
  }
  ~crowded_arena() {
    last_.run();
    for (std::thread& t : threads_) t.join();
  }
  crowded_arena(crowded_arena const&) = delete;
  crowded_arena& operator=(crowded_arena const&) = delete;
  tbb::task_arena& arena() { return arena_; }
  void release_one() { last_.run_one(); }

 private:
  // The tasks that end the waits: run by the threads that wait.
  class last_tasks {
   public:
    explicit last_tasks(tbb::task_arena& arena) : arena_(arena) {}
    void push(tbb::task_handle&& h) {
      std::lock_guard<std::mutex> const guard(lock_);
      handles_.push_back(std::move(h));
    }
    void run_one() {
      std::lock_guard<std::mutex> const guard(lock_);
      if (handles_.empty()) return;
      arena_.enqueue(std::move(handles_.back()));
      handles_.pop_back();
    }
    void run() {
      while (!empty()) run_one();
    }

   private:
    bool empty() {
      std::lock_guard<std::mutex> const guard(lock_);
      return handles_.empty();
    }
    tbb::task_arena& arena_;
    std::mutex lock_;
    std::vector<tbb::task_handle> handles_;
  };
  tbb::task_arena arena_;
  std::atomic<int> inside_{0};
  last_tasks last_{arena_};
  std::vector<std::unique_ptr<tbb::task_group>> groups_;
  std::vector<std::thread> threads_;
};

// Another thread calls f, or does not; the exception comes to the one that executes.
void full(step const& s, std::string const& path, book& told) {
  crowded_arena crowd(1 + s.n % 3);
  std::thread::id const me = std::this_thread::get_id();
  std::atomic<int> ran{0};
  for (int i = 0; i < 1 + s.a % 3; ++i) {
    bool const fails = s.wrong != fault::none && i % 2 == s.b % 2;
    std::string const out = thrown([&] {
      auto const result = crowd.arena().execute([&] {
        ++ran;
        told.open("a full arena's function on another thread", std::this_thread::get_id() == me ? 0 : 1);
        if (s.b % 3 == 0) tbb::parallel_for(0, s.n, [](int) { linger(); });
        if (s.b % 5 == 0 && fails) {
          tbb::parallel_for(0, s.n, [&](int k) { k == s.n / 2 ? throw deliberate{s.a} : linger(); });
        }
        if (fails) throw deliberate{s.b};
        return std::make_unique<counted>(s.a);
      });
      told.tell(path + " returned", result->value);
    });
    told.tell(path + " threw", planted("entry loses an exception") ? "nothing" : out);
    if (s.b % 7 == 0) crowd.release_one();
  }
  told.tell(path + " ran", ran.load());
}

// Many threads at once, some with exceptions.
void many(step const& s, std::string const& path, book& told) {
  tbb::task_arena arena(1 + s.a % 2);
  std::atomic<int> right{0}, ran{0};
  tbb::parallel_for(0, s.n, [&](int i) {
    bool const fails = i % 3 == s.b % 3;
    std::string const out = thrown([&] {
      right += arena.execute([&] {
        ++ran;
        linger();
        if (fails) throw deliberate{i};
        return i;
      }) == i
                   ? 1
                   : 0;
    });
    right += out == (fails ? "deliberate " + std::to_string(i) : "nothing") ? 1000 : 0;
  });
  told.tell(path + " ran, right", text(ran.load()) + " " + text(right.load()));
}

// Functions and handles, of a group or of none, into this arena or another one.
void enqueue(step const& s, std::string const& path, book& told) {
  tbb::task_arena arena(2 + s.a % 3);
  tbb::task_group group;
  std::atomic<int> ran{0}, elsewhere{0};
  bool const here = s.b % 2 == 0;
  int const slots = here ? tbb::this_task_arena::max_concurrency() : arena.max_concurrency();
  auto const job = [&ran, &elsewhere, slots, alive = counted(3)] {
    // What is enqueued into an arena of one slot may have another one.
    elsewhere += tbb::this_task_arena::max_concurrency() == slots || slots == 1 ? 0 : 1;
    linger();
    ++ran;
  };
  for (int i = 0; i < s.n; ++i) {
    switch ((s.a + i) % 3) {
      case 0: {
        tbb::task_handle h = group.defer(job);
        here ? tbb::this_task_arena::enqueue(std::move(h)) : arena.enqueue(std::move(h));
        told.expect(!h, path + " a handle that is enqueued stays");
        break;
      }
      case 1:
        here ? tbb::this_task_arena::enqueue(job, group) : arena.enqueue(job, group);
        break;
      default:
        here ? tbb::this_task_arena::enqueue(job) : arena.enqueue(job);
    }
  }
  std::string status;
  std::string const out =
      thrown([&] { status = text((here ? group.wait() : arena.wait_for(group)) == tbb::complete); });
  told.tell(path + " waited", out + " " + status);
  if (here) {
    tbb::task_group rest;  // this arena may have no other thread: its waits run what is enqueued
    while (ran < s.n) rest.run_and_wait([] { std::this_thread::yield(); });
  }
  wait_until(ran, s.n);
  told.tell(path + " ran, elsewhere", text(ran.load()) + " " + text(elsewhere.load()));
}

// An enqueued task of a group that fails.
void fails(step const& s, std::string const& path, book& told) {
  tbb::task_arena arena(2 + s.a % 2);
  tbb::task_group group;
  for (int i = 0; i < 1 + s.n % 4; ++i) {
    arena.enqueue([&, i] { i == 0 ? s.b % 2 == 0 ? throw deliberate{s.a} : group.cancel() : linger(); }, group);
  }
  tbb::task_group_status status = tbb::not_complete;
  std::string const out = thrown([&] { status = s.a % 2 == 0 ? arena.wait_for(group) : group.wait(); });
  told.tell(path + " threw, canceled", out + " " + text(status == tbb::canceled));
  std::atomic<int> ran{0};
  arena.enqueue([&] { ++ran; }, group);
  bool const complete = arena.wait_for(group) == tbb::complete;
  told.tell(path + " again", text(complete) + text(ran.load()));
}

// Regions inside of regions: while one waits, its thread runs nothing of those around it, also after an inner one has
// ended or thrown.
class regions {
 public:
  explicit regions(step const& s) : s_(s), deepest_(1 + s.a % 4) {
    for (int i = 0; i <= deepest_ + 1; ++i) groups_.push_back(std::make_unique<tbb::task_group>());
  }
  int enter(int depth) {
    spawn(depth);
    int result = 0;
    std::string const out = thrown([&] {
      result = tbb::this_task_arena::isolate([&] {
        set const here(depth + 1);
        tbb::parallel_for(0, 4, [](int) { linger(); });
        if (depth < deepest_) results_ += enter(depth + 1);
        spawn(depth + 1);
        tbb::parallel_for(0, 4, [](int) { linger(); });
        groups_[static_cast<std::size_t>(depth) + 1]->wait();
        if (s_.b % 3 == 0 && depth == deepest_) throw deliberate{depth};
        return depth;
      });
    });
    caught_ += out == "nothing" ? 0 : 1;
    groups_[static_cast<std::size_t>(depth)]->wait();
    return result;
  }
  std::string summary() const {
    return text(strangers_.load()) + " " + text(ran_.load()) + " " + text(caught_) + " " + text(results_);
  }

 private:
  static int& region() {
    static thread_local int now = 0;
    return now;
  }
  struct set {
    explicit set(int depth) : before(region()) { region() = depth; }
    ~set() { region() = before; }
    set(set const&) = delete;
    set& operator=(set const&) = delete;
    int before;
  };
  void spawn(int depth) {
    for (int i = 0; i < s_.n % 9; ++i) {
      groups_[static_cast<std::size_t>(depth)]->run([this, depth] {
        strangers_ += region() > depth ? 1 : 0;
        ++ran_;
      });
    }
  }
  step const& s_;
  int const deepest_;
  int caught_ = 0;
  int results_ = 0;
  std::atomic<int> strangers_{0}, ran_{0};
  std::vector<std::unique_ptr<tbb::task_group>> groups_;
};

void isolate(step const& s, std::string const& path, book& told) {
  regions all(s);
  int const result = all.enter(0);
  told.tell(path + " strangers, ran, caught, results", all.summary() + " " + text(result));
}

std::string properties(tbb::task_arena const& arena) {
  return text(arena.is_active()) + " " + text(arena.max_concurrency());
}

// Arenas made in every way, and copies of them.
void made(step const& s, std::string const& path, book& told) {
  constexpr tbb::task_arena::priority priorities[] = {tbb::task_arena::priority::low, tbb::task_arena::priority::normal,
                                                      tbb::task_arena::priority::high};
  int const slots = 1 + s.a % 6;
  auto const reserved = static_cast<unsigned>(s.b % (slots + 1));
  tbb::task_arena::constraints c;
  c.set_max_concurrency(slots);
  tbb::task_arena one = s.n % 3 == 0   ? tbb::task_arena(slots, reserved, priorities[s.b % 3])
                        : s.n % 3 == 1 ? tbb::task_arena(c, reserved)
                                       : tbb::task_arena();
  if (s.n % 3 == 2) {
    s.b % 2 == 0 ? one.initialize(slots, reserved, priorities[s.b % 3]) : one.initialize(c, reserved);
  }
  told.tell(path + " before", properties(one));
  tbb::task_arena copy(one);
  told.tell(path + " copy", properties(copy));
  int const inside = copy.execute([] { return tbb::this_task_arena::max_concurrency(); });
  told.tell(path + " inside", text(inside) + " " + properties(copy) + " " + properties(one));
  tbb::task_arena again(copy);
  told.tell(path + " copy of one that is active", properties(again));
  copy.terminate();
  told.tell(path + " ended", properties(copy));
  copy.initialize(slots + 1);
  told.tell(path + " made again", properties(copy));
}

// What functions return passes through: nothing, a value that can't be copied, one that counts.
void results(step const& s, std::string const& path, book& told) {
  tbb::task_arena arena(1 + s.a % 3);
  int called = 0;
  arena.execute([&] { ++called; });
  tbb::this_task_arena::isolate([&] { ++called; });
  counted const c = arena.execute([&] { return counted(s.a); });
  counted const d = tbb::this_task_arena::isolate([&] { return counted(s.b); });
  auto const p = tbb::this_task_arena::isolate([&] { return std::make_unique<int>(s.n); });
  told.tell(path + " results", text(called) + " " + text(c.value) + " " + text(d.value) + " " + text(*p));
  std::string const out = thrown([&] { tbb::this_task_arena::isolate([&]() -> int { throw deliberate{s.a}; }); });
  told.tell(path + " threw", out);
}

void entries(step const& program, book& told) {
  using action = void (*)(step const&, std::string const&, book&);
  static std::map<std::string, action> const actions = {{"full", full},      {"many", many}, {"enqueue", enqueue},
                                                        {"fails", fails},    {"made", made}, {"isolate", isolate},
                                                        {"results", results}};
  for (std::size_t i = 0; i < program.body.size(); ++i) {
    auto const found = actions.find(program.body[i].kind);
    if (found != actions.end()) found->second(program.body[i], std::to_string(i) + " " + program.body[i].kind, told);
  }
}

}  // namespace

void add_entries(subjects& table) { table["entry"] = entries; }

}  // namespace differ
#endif
