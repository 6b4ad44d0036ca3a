// SPDX-License-Identifier: Apache-2.0
// The wait policies: what a thread may run on top of a waiting task (2007 paper, 'Minimizing Stack Use').
//
// Many tasks of the same depth each wait for something that comes late from outside. A thread that runs whatever there
// is starts them all on top of each other: the first is buried below all others and the stack grows with their number.
// With the rules it starts one and waits.
#include <tbb/task.h>
#include <tbb/task_scheduler_init.h>

#include <ashlar/sched/policy/policy.h>

#include <doctest/doctest.h>

#include <pthread.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

using tbb::task;

namespace {

using steady = std::chrono::steady_clock;

// Lets waiting tasks go: when all have come, or no further one for a while.
class late_helper {
 public:
  late_helper(int expected, steady::duration patience)
      : thread_([this, expected, patience] { work(expected, patience); }) {}
  ~late_helper() { thread_.join(); }

  void ask(task& waiting) {
    std::lock_guard guard(lock_);
    waiting_.push_back(&waiting);
    ++asked_;
  }

 private:
  void work(int expected, steady::duration patience) {
    int seen = 0;
    auto quiet_since = steady::now();
    for (int released = 0; released < expected;) {
      std::this_thread::yield();
      std::lock_guard guard(lock_);
      if (asked_ != seen) {
        seen = asked_;
        quiet_since = steady::now();
        continue;
      }
      bool const more_to_come = asked_ < expected && steady::now() - quiet_since < patience;
      if (waiting_.empty() || more_to_come) continue;
      released += static_cast<int>(waiting_.size());
      for (task* t : waiting_) t->decrement_ref_count();
      waiting_.clear();
    }
  }

  std::mutex lock_;
  std::vector<task*> waiting_;
  int asked_ = 0;
  std::thread thread_;
};

thread_local int nested = 0;
std::atomic<int> most_nested{0};

struct patient_task : task {
  late_helper& helper;
  explicit patient_task(late_helper& h) : helper(h) {}

  task* execute() override {
    char volatile frame[8192];
    std::memset(const_cast<char*>(frame), 1, sizeof frame);
    ++nested;
    int most = most_nested;
    while (most < nested && !most_nested.compare_exchange_weak(most, nested)) {
    }
    set_ref_count(2);
    helper.ask(*this);
    wait_for_all();
    nested -= frame[nested % 8192];
    return nullptr;
  }
};

struct run_record {
  int tasks;
  int threads;
  steady::duration patience;
  bool all_ran = false;
};

void* run_patient_tasks(void* argument) {
  auto& record = *static_cast<run_record*>(argument);
  tbb::task_scheduler_init init(record.threads);
  most_nested = 0;
  {
    late_helper helper(record.tasks, record.patience);
    tbb::task_list list;
    for (int i = 0; i < record.tasks; ++i) list.push_back(*new (task::allocate_root()) patient_task(helper));
    task::spawn_root_and_wait(list);
  }
  record.all_ran = true;
  return nullptr;
}

// The largest number of waiting tasks on one stack. A short patience finds a thread that takes what it should leave,
// unless the machine is slow; to prove that a thread takes all it takes a long one.
int burial(char const* policy, int tasks, int threads, std::size_t stack,
           steady::duration patience = std::chrono::milliseconds(3)) {
  std::string const before = ashlar::sched::get_wait_policy();
  REQUIRE(ashlar::sched::set_wait_policy(policy));
  run_record record{tasks, threads, patience};
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, stack);
  pthread_t thread;
  REQUIRE(pthread_create(&thread, &attributes, run_patient_tasks, &record) == 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  ashlar::sched::set_wait_policy(before.c_str());
  CHECK(record.all_ran);
  return most_nested;
}

constexpr std::size_t large_stack = 32u << 20;

}  // namespace

TEST_CASE("a thread that takes anything buries the waiting task; the rules prevent it") {
  CHECK(burial("any", 24, 1, large_stack, std::chrono::minutes(10)) == 24);
  CHECK(burial("depth", 24, 1, large_stack) == 1);
  CHECK(burial("leapfrog", 24, 1, large_stack) == 1);
}

TEST_CASE("a small stack is enough, with every policy") {
  // One on top of the other, the tasks would need 100 * 8 KB.
  constexpr std::size_t small_stack = 256u << 10;
  for (int threads : {1, 3}) {
    CHECK(burial("depth", 100, threads, small_stack) == 1);
    CHECK(burial("leapfrog", 100, threads, small_stack) == 1);
    CHECK(burial("any", 100, 1, small_stack) < 32);
  }
}
