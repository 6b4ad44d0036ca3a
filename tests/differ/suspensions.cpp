// SPDX-License-Identifier: Apache-2.0
// Tasks that suspend themselves, in loops, groups, arenas, nodes and filters, and are resumed at once, by other
// threads, by tasks, one by one or many together; with exceptions and cancellation afterwards.
#include "subjects.h"

#if DIFFER_ONETBB
#include <tbb/cache_aligned_allocator.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/flow_graph.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_pipeline.h>
#include <tbb/task.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <thread>

namespace differ {

namespace {

using point = tbb::task::suspend_point;

// A thread that resumes what is handed to it: all that has come meanwhile, the newest first. It also runs the tasks
// that shall resume others: a worker may not leave an arena in which it has left a task.
class ringer {
 public:
  ringer() : thread_([this] { ring(); }) {}
  ringer(ringer const&) = delete;
  ringer& operator=(ringer const&) = delete;
  ~ringer() {
    {
      std::lock_guard<std::mutex> const guard(lock_);
      over_ = true;
    }
    changed_.notify_one();
    thread_.join();
  }
  void add(point p) {
    {
      std::lock_guard<std::mutex> const guard(lock_);
      waiting_.push_back(p);
    }
    changed_.notify_one();
  }
  template <typename F>
  void run(F const& resume, bool enqueues) {
    if (enqueues) {
      elsewhere_.enqueue(resumers_.defer(resume));
    } else {
      elsewhere_.execute([&] { resumers_.run(resume); });
    }
    {
      std::lock_guard<std::mutex> const guard(lock_);
      helps_ = true;
    }
    changed_.notify_one();
  }

 private:
  void ring() {
    std::unique_lock<std::mutex> guard(lock_);
    for (;;) {
      changed_.wait(guard, [this] { return over_ || helps_ || !waiting_.empty(); });
      if (waiting_.empty() && !helps_) return;
      guard.unlock();
      std::this_thread::sleep_for(std::chrono::microseconds(80));
      guard.lock();
      std::vector<point> now;
      now.swap(waiting_);
      bool const helps = helps_;
      helps_ = false;
      guard.unlock();
      for (auto p = now.rbegin(); p != now.rend(); ++p) tbb::task::resume(*p);
      if (helps) elsewhere_.execute([this] { resumers_.wait(); });
      guard.lock();
    }
  }
  std::mutex lock_;
  std::condition_variable changed_;
  std::vector<point> waiting_;
  bool over_ = false, helps_ = false;
  tbb::task_arena elsewhere_{2};
  tbb::task_group_context apart_{tbb::task_group_context::isolated};  // not cancelled with whom it resumes
  tbb::task_group resumers_{apart_};
  std::thread thread_;
};

struct world {
  explicit world(book& b) : told(b) {}
  book& told;
  ringer bell;
  std::atomic<int> suspended{0}, most{0}, moved{0}, pauses{0};
  tbb::enumerable_thread_specific<int, tbb::cache_aligned_allocator<int>, tbb::ets_suspend_aware> of_stacks;
};

// Suspends the running task; which: who resumes it.
void pause_once(world& w, int which) {
  std::atomic<bool> resumed{false};
  int stack[16];
  for (int i = 0; i < 16; ++i) stack[i] = which + i;
  counted const local(which);
  int& of_stack = w.of_stacks.local();
  of_stack = which;
  auto const thread = std::this_thread::get_id();
  int const slots = tbb::this_task_arena::max_concurrency();
  int const now = ++w.suspended;
  for (int seen = w.most; seen < now && !w.most.compare_exchange_weak(seen, now);) {
  }
  if (planted("suspension ends too early")) return;
  tbb::task::suspend([&](point p) {
    auto const resume = [p, &resumed] {
      resumed = true;
      tbb::task::resume(p);
    };
    switch (which % 4) {
      case 0:
        return resume();
      case 1:
        resumed = true;
        return w.bell.add(p);
      case 2:
        return w.bell.run(resume, true);
      default:
        return w.bell.run(resume, false);
    }
  });
  --w.suspended;
  ++w.pauses;
  if (std::this_thread::get_id() != thread) ++w.moved;
  w.told.expect(resumed, "a task that nobody resumed goes on");
  w.told.expect(&of_stack == &w.of_stacks.local() && of_stack == which, "a stack has another one's element");
  w.told.expect(local.value == which && stack[15] == which + 15, "a stack is another one");
  w.told.expect(tbb::this_task_arena::max_concurrency() == slots, "a task goes on in another arena");
  w.told.expect(tbb::this_task_arena::current_thread_index() < slots, "a task goes on where there is no place");
}

// Of a body with that number: does it suspend itself? And does it fail?
void body(step const& s, world& w, int i, tbb::task_group_context* context) {
  if (i % (1 + s.b % 4) == 0) {
    pause_once(w, s.a + (s.b / 4 % 2) * i);
    if (s.b / 8 % 5 == 0) pause_once(w, s.a + 1);
  }
  if (s.wrong != fault::none && i == s.a % s.n) {
    if (s.wrong == fault::exception) throw deliberate{i};
    if (context != nullptr) context->cancel_group_execution();
  }
}

void tell_all(step const& s, std::string const& path, tally const& seen, world& w) {
  if (s.wrong == fault::none) {
    std::vector<int> all = seen.sorted();
    if (planted("suspension loses a body") && all.size() > 5) all.pop_back();
    w.told.tell(path + " bodies", all);
  } else {
    w.told.tell(path + " not too many", seen.count() <= s.n);
    w.told.open("suspended bodies of what stops", seen.count());
  }
}

void play(step const& scope, std::string const& path, world& w);

void loop(step const& s, std::string const& path, world& w) {
  tally seen;
  tbb::task_group_context context;
  std::string const out = thrown([&] {
    tbb::parallel_for(
        tbb::blocked_range<int>(0, s.n),
        [&](tbb::blocked_range<int> const& r) {
          for (int i = r.begin(); i != r.end(); ++i) {
            body(s, w, i, &context);
            seen.add(i);
          }
        },
        tbb::simple_partitioner(), context);
  });
  w.told.tell(path + " threw, cancelled", out + " " + text(context.is_group_execution_cancelled()));
  tell_all(s, path, seen, w);
}

void group(step const& s, std::string const& path, world& w) {
  tally seen;
  tbb::task_group_context context;
  tbb::task_group tasks(context);
  std::string result;
  std::string const out = thrown([&] {
    for (int i = 0; i < s.n; ++i) {
      tasks.run([&, i, alive = counted(i)] {
        body(s, w, i, &context);
        seen.add(alive.value);
      });
    }
    if (s.b / 64 % 2 == 0) pause_once(w, s.a);  // the one that will wait
    result = tasks.wait() == tbb::complete ? "complete" : "canceled";
  });
  w.told.tell(path + " ended", out + " " + result);
  tell_all(s, path, seen, w);
}

void nested(step const& s, std::string const& path, world& w) {
  tbb::task_arena arena(1 + s.a % 3);
  std::string const out = thrown([&] {
    arena.execute([&] {
      body(s, w, 0, nullptr);
      play(s, path, w);
    });
  });
  w.told.tell(path + " threw", out);
}

void isolated(step const& s, std::string const& path, world& w) {
  std::string const out = thrown([&] {
    tbb::this_task_arena::isolate([&] {
      body(s, w, 0, nullptr);
      play(s, path, w);
    });
  });
  w.told.tell(path + " threw", out);
}

void node(step const& s, std::string const& path, world& w) {
  namespace flow = tbb::flow;
  tally seen, behind;
  tbb::task_group_context context;
  flow::graph g(context);
  constexpr std::size_t limits[] = {flow::serial, 2, flow::unlimited};
  flow::function_node<int, int> first(g, limits[s.b / 64 % 3], [&](int i) {
    body(s, w, i, &context);
    seen.add(i);
    return i;
  });
  flow::function_node<int, int> second(g, flow::serial, [&](int i) {
    behind.add(i);
    return i;
  });
  flow::make_edge(first, second);
  std::string const out = thrown([&] {
    for (int i = 0; i < s.n; ++i) first.try_put(i);
    g.wait_for_all();
  });
  w.told.tell(path + " threw", out);
  tell_all(s, path, seen, w);
  if (s.wrong == fault::none) w.told.tell(path + " all went on", behind.sorted() == seen.sorted());
}

void filter(step const& s, std::string const& path, world& w) {
  tally seen, behind;
  tbb::task_group_context context;
  constexpr tbb::filter_mode modes[] = {tbb::filter_mode::parallel, tbb::filter_mode::serial_in_order,
                                        tbb::filter_mode::serial_out_of_order};
  int next = 0;
  std::string const out = thrown([&] {
    tbb::parallel_pipeline(
        static_cast<std::size_t>(1 + s.a % 5),
        tbb::make_filter<void, int>(tbb::filter_mode::serial_in_order,
                                    [&](tbb::flow_control& control) {
                                      if (next == s.n) control.stop();
                                      return next == s.n ? 0 : next++;
                                    }) &
            tbb::make_filter<int, int>(modes[s.b / 64 % 3],
                                       [&](int i) {
                                         body(s, w, i, &context);
                                         seen.add(i);
                                         return i;
                                       }) &
            tbb::make_filter<int, void>(tbb::filter_mode::serial_in_order, [&](int i) { behind.add(i); }),
        context);
  });
  w.told.tell(path + " threw, cancelled", out + " " + text(context.is_group_execution_cancelled()));
  tell_all(s, path, seen, w);
  std::vector<int> const order = behind.sequence();
  w.told.tell(path + " in order", std::is_sorted(order.begin(), order.end()));
}

// Tasks of another arena; the last of them resumes who waits for them.
void last(step const& s, std::string const& path, world& w) {
  tbb::task_arena arena(2 + s.a % 3, 0);
  step calm = s;
  calm.wrong = fault::none;
  tally seen;
  std::atomic<int> left{s.n};
  tbb::task::suspend([&](point p) {
    for (int i = 0; i < s.n; ++i) {
      arena.enqueue([&, i, p] {
        body(calm, w, i, nullptr);
        seen.add(i);
        if (--left == 0) tbb::task::resume(p);
      });
    }
  });
  tell_all(calm, path, seen, w);
}

// A thread of the program's own, in no arena.
void thread(step const& s, std::string const& path, world& w) {
  std::string out;
  std::thread([&] {
    out = thrown([&] {
      body(s, w, 0, nullptr);
      play(s, path, w);
    });
  }).join();
  w.told.tell(path + " threw", out);
}

void play(step const& scope, std::string const& path, world& w) {
  using action = void (*)(step const&, std::string const&, world&);
  static std::map<std::string, action> const actions = {{"loop", loop},         {"group", group},  {"nested", nested},
                                                        {"isolated", isolated}, {"node", node},    {"filter", filter},
                                                        {"last", last},         {"thread", thread}};
  for (std::size_t i = 0; i < scope.body.size(); ++i) {
    step const& s = scope.body[i];
    auto const found = actions.find(s.kind);
    if (found != actions.end()) found->second(s, path + std::to_string(i) + " " + s.kind + " ", w);
  }
}

void suspensions(step const& program, book& told) {
  world w(told);
  if (program.a % 3 == 0) pause_once(w, program.b);
  play(program, "", w);
  told.tell("pauses that are over, less those that began", w.suspended.load());
  told.open("most suspended at once", w.most.load());
  if (w.pauses > 0) told.open("went on in another thread, in hundredths", 100 * w.moved / w.pauses);
}

}  // namespace

void add_suspensions(subjects& table) { table["suspend"] = suspensions; }

}  // namespace differ
#endif
