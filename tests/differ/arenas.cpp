// SPDX-License-Identifier: Apache-2.0
// Arenas: execute, enqueue, limits, isolation, observers, global_control.
#include "subjects.h"

#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>
#include <tbb/task_scheduler_observer.h>

#include <chrono>
#include <memory>
#include <thread>

namespace differ {

namespace {

class watcher : public tbb::task_scheduler_observer {
 public:
  explicit watcher(tbb::task_arena& arena) : tbb::task_scheduler_observer(arena) { observe(true); }
  watcher(watcher const&) = delete;
  watcher& operator=(watcher const&) = delete;
  ~watcher() override { observe(false); }
  void on_scheduler_entry(bool) override { ++entered; }
  void on_scheduler_exit(bool) override { ++left; }
  std::atomic<int> entered{0};
  std::atomic<int> left{0};
};

void play(step const& scope, std::string const& path, book& told);

// Which steps are inside of others are the only that the arena's own thread runs, so that all of them are told in
// order.
void in_arena(step const& s, std::string const& path, book& told) {
  int const slots = (DIFFER_ONETBB ? 1 : 2) + s.a % 4;  // in TBB 2020 one slot may count as two
  tbb::task_arena arena(slots, static_cast<unsigned>(1));
  told.tell(path + " active before", arena.is_active());
  if (s.b % 3 == 0) arena.initialize();
  if (s.b % 3 == 1) arena.initialize(slots, 1);
  told.tell(path + " slots", arena.max_concurrency());
  std::unique_ptr<watcher> const seen = s.b % 4 == 0 ? std::make_unique<watcher>(arena) : nullptr;
  std::string const out = thrown([&] {
    int const result = arena.execute([&] {
      told.tell(path + " inside", std::to_string(tbb::this_task_arena::max_concurrency()) +
                                      text(tbb::this_task_arena::current_thread_index() < slots));
      play(s, path, told);
      if (s.wrong == fault::exception) throw deliberate{s.b};
      return s.a;
    });
    told.tell(path + " returned", result);
  });
  told.tell(path + " threw", out);
  told.tell(path + " active", arena.is_active());
  if (seen != nullptr) {
    seen->observe(false);
    told.tell(path + " observer: someone came", seen->entered > 0);
    if (slots == 1) {
      told.tell(path + " observer: came, left", std::to_string(seen->entered) + " " + std::to_string(seen->left));
    }
  }
  if (s.n % 2 == 0) {
    arena.terminate();
    told.tell(path + " active after", arena.is_active());
  }
}

void enqueue(step const& s, std::string const& path, book& told) {
  tbb::task_arena arena(1 + s.a % 3, static_cast<unsigned>(s.b % 2));
  std::atomic<int> ran{0};
  int const expected = planted("arena drops what is enqueued") ? s.n + 1 : s.n;
  for (int i = 0; i < s.n; ++i) arena.enqueue([&ran, alive = counted(i)] { ran += alive.value >= 0 ? 1 : 0; });
  auto const end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (ran != s.n && std::chrono::steady_clock::now() < end) std::this_thread::yield();
  told.tell(path + " enqueued tasks ran", ran.load() + expected - s.n);
}

void limits(step const& s, std::string const& path, book& told) {
  auto const active = [] { return tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism); };
  tbb::global_control const limit(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(1 + s.a % 12));
  told.tell(path + " limit", active());
  {
    tbb::global_control const stack(tbb::global_control::thread_stack_size, static_cast<std::size_t>(1 + s.b % 8)
                                                                                << 20);
    told.tell(path + " stack", tbb::global_control::active_value(tbb::global_control::thread_stack_size));
  }
  play(s, path, told);
  told.tell(path + " limit afterwards", active());
}

void loop(step const& s, std::string const& path, book& told) {
  std::atomic<int> most{0}, now{0}, outside{0};
  int const slots = tbb::this_task_arena::max_concurrency();
  tbb::parallel_for(0, s.n, [&](int) {
    int const here = ++now;
    for (int seen = most; seen < here && !most.compare_exchange_weak(seen, here);) {
    }
    if (tbb::this_task_arena::current_thread_index() >= slots) ++outside;
    --now;
  });
  told.tell(path + " not more than slots", most <= slots);
  told.tell(path + " indices of threads", outside.load());
  told.open("threads in a loop", most.load());
}

// While an isolated region waits, its thread takes no task from outside of it.
void isolate(step const& s, std::string const& path, book& told) {
  tbb::task_group outer;
  static thread_local int inside = 0;
  std::atomic<int> strangers{0};
  for (int i = 0; i < s.n; ++i) outer.run([&] { strangers += inside; });
  int const result = tbb::this_task_arena::isolate([&] {
    ++inside;
    tbb::parallel_for(0, s.n, [](int) {});
    --inside;
    return s.a;
  });
  outer.wait();
  told.tell(path + " isolated", std::to_string(result) + " " + std::to_string(strangers.load()));
  play(s, path, told);
}

void attach(step const& s, std::string const& path, book& told) {
#if DIFFER_ONETBB
  tbb::task_arena here{tbb::attach{}};
#else
  tbb::task_arena here{tbb::task_arena::attach{}};
#endif
  told.tell("@" + path + " attached", text(here.is_active()) + std::to_string(here.max_concurrency()));
  here.execute([&] { play(s, path, told); });
}

// A group's tasks that an arena runs, and the thread that comes back to wait.
void group(step const& s, std::string const& path, book& told) {
  tbb::task_arena arena(1 + s.a % 3);
  tbb::task_group tasks;
  std::atomic<int> ran{0};
  arena.execute([&] {
    for (int i = 0; i < s.n; ++i) tasks.run([&] { ++ran; });
  });
  arena.execute(
      [&] { told.tell(path + " complete", tasks.wait() == tbb::complete); });  // there may be no thread but this one
  told.tell(path + " ran", ran.load());
}

void play(step const& scope, std::string const& path, book& told) {
  using action = void (*)(step const&, std::string const&, book&);
  static std::map<std::string, action> const actions = {
      {"in_arena", in_arena}, {"enqueue", enqueue}, {"limits", limits}, {"loop", loop},
      {"isolate", isolate},   {"attach", attach},   {"group", group}};
  for (std::size_t i = 0; i < scope.body.size(); ++i) {
    auto const found = actions.find(scope.body[i].kind);
    if (found != actions.end()) {
      found->second(scope.body[i], path + std::to_string(i) + " " + scope.body[i].kind + " ", told);
    }
  }
}

void arenas(step const& program, book& told) { play(program, "", told); }

}  // namespace

void add_arenas(subjects& table) { table["arena"] = arenas; }

}  // namespace differ
