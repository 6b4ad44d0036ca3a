// SPDX-License-Identifier: Apache-2.0
// Short answers about threads, tasks and shared data, for docs/guide/how_do_i.md.
#include <tbb/concurrent_hash_map.h>
#include <tbb/concurrent_queue.h>
#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/spin_mutex.h>
#include <tbb/task.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>
#include <tbb/task_scheduler_observer.h>
#include <tbb/tbb_exception.h>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <future>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

bool limits() {
  tbb::global_control limit(tbb::global_control::max_allowed_parallelism, 2);  // as long as the object lives
  return tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism) <= 2;
}

bool part_of_the_program() {
  std::vector<int> values(1000);
  tbb::task_arena few(2);
  few.execute([&] { tbb::parallel_for(0, 1000, [&](int i) { values[i] = i; }); });
  return values[999] == 999;
}

bool more_threads_than_processors() {
  tbb::global_control allowed(tbb::global_control::max_allowed_parallelism, 16);
  tbb::task_arena many(16);
  return many.execute([] { return tbb::this_task_arena::max_concurrency(); }) == 16;
}

bool numa() {
  std::vector<tbb::numa_node_id> const nodes = tbb::info::numa_nodes();
  std::vector<tbb::core_type_id> const kinds = tbb::info::core_types();  // the fastest are the last
  tbb::task_arena near(tbb::task_arena::constraints{nodes[0]});
  tbb::task_arena fast(tbb::task_arena::constraints().set_core_type(kinds.back()));
  return near.max_concurrency() >= 1 && fast.max_concurrency() >= 1;
}

class greeting : public tbb::task_scheduler_observer {
 public:
  greeting() { observe(true); }
  ~greeting() { observe(false); }
  void on_scheduler_entry(bool is_worker) override { (is_worker ? workers : callers)++; }

  std::atomic<int> workers{0}, callers{0};
};

bool observed() {
  greeting hello;
  tbb::parallel_for(0, 1000, [](int) {});
  return hello.workers + hello.callers >= 1;
}

bool background() {
  int answer = 0;
  tbb::task_group group;
  group.run([&] { answer = 42; });
  // … other work
  group.wait();  // runs tasks meanwhile
  return answer == 42;
}

bool nobody_waits() {
  std::promise<int> ready;
  tbb::task_arena arena;
  arena.enqueue([&] { ready.set_value(7); });  // begins on a worker, though nobody waits
  return ready.get_future().get() == 7;
}

bool order() {
  std::string text;
  tbb::task_group group;
  tbb::task_handle first = group.defer([&] { text += "first, "; });
  tbb::task_handle second = group.defer([&] { text += "second"; });
  tbb::task_group::set_task_order(first, second);
  group.run(std::move(second));
  group.run(std::move(first));
  group.wait();
  return text == "first, second";
}

bool deadline() {
  std::atomic<bool> begun{false};
  tbb::task_group group;
  std::thread timer([&] {
    while (!begun) std::this_thread::yield();
    group.cancel();
  });
  group.run([&] {
    begun = true;
    while (!tbb::is_current_task_group_canceling()) std::this_thread::yield();  // a step of long work
  });
  bool const late = group.wait() == tbb::canceled;
  timer.join();
  return late;
}

bool failure() {
  try {
    tbb::parallel_for(0, 100, [](int i) {
      if (i == 50) throw std::runtime_error("50 is not wanted");
    });
  } catch (std::runtime_error const& error) {
    std::printf("caught: %s\n", error.what());
    return true;
  }
  return false;
}

bool urgent() {
  std::promise<void> done;
  tbb::task_arena first(tbb::task_arena::automatic, 0, tbb::task_arena::priority::high);
  first.enqueue([&] { done.set_value(); });
  done.get_future().wait();
  return true;
}

bool lock_and_loop() {
  long total = 0;
  tbb::spin_mutex guard;
  tbb::parallel_for(0, 10, [&](int) {
    tbb::spin_mutex::scoped_lock lock(guard);
    tbb::this_task_arena::isolate([&] {  // takes no task that could want the lock
      tbb::parallel_for(0, 10, [](int) {});
    });
    ++total;
  });
  return total == 10;
}

bool words() {
  tbb::concurrent_hash_map<std::string, int> counts;
  tbb::parallel_for(0, 1000, [&](int i) {
    decltype(counts)::accessor entry;  // locks the entry while it lives
    counts.insert(entry, i % 2 ? "odd" : "even");
    ++entry->second;
  });
  return counts.size() == 2;
}

bool queue_between_threads() {
  tbb::concurrent_bounded_queue<int> queue;
  queue.set_capacity(10);  // push waits for room
  std::thread consumer([&] {
    try {
      for (int item; queue.pop(item), true;) std::printf("item %d\n", item);
    } catch (tbb::user_abort const&) {  // abort() ended the wait
    }
  });
  queue.push(1);
  while (!queue.empty()) std::this_thread::yield();
  while (queue.size() != -1) std::this_thread::yield();  // the consumer waits
  queue.abort();
  consumer.join();
  return true;
}

bool inside_of_a_task() {
  bool const outside = tbb::task::current_context() == nullptr;
  std::atomic<bool> inside{true};
  tbb::parallel_for(0, 10, [&](int) {
    if (tbb::task::current_context() == nullptr) inside = false;
  });
  return outside && inside;
}

}  // namespace

int main() {
  bool const right = limits() && part_of_the_program() && more_threads_than_processors() && numa() && observed() &&
                     background() && nobody_waits() && order() && deadline() && failure() && urgent() &&
                     lock_and_loop() && words() && queue_between_threads() && inside_of_a_task();
  std::printf("%s\n", right ? "right" : "wrong");
  return right ? 0 : 1;
}
