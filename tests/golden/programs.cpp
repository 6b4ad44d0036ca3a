// SPDX-License-Identifier: Apache-2.0
// The scheduler's operations, `size` times each, for tools/golden.py: programs ROW SIZE.
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_invoke.h>
#include <tbb/task.h>
#include <tbb/task_group.h>

#include <cstdlib>
#include <cstring>

namespace {

long volatile sink;

void fork_join(long n) {
  for (long i = 0; i < n; ++i) tbb::parallel_invoke([] { sink = 1; }, [] { sink = 2; });
}

struct idle_job : ashlar::sched::job {
  idle_job() : job{&nothing} {}
  static job* nothing(job*, ashlar::sched::slot&) noexcept { return nullptr; }
};

void spawn_pop(long n) {
  ashlar::sched::slot& s = ashlar::sched::this_slot();
  idle_job c;
  for (long i = 0; i < n; ++i) {
    s.spawn(c);
    if (s.pop() != &c) std::abort();
  }
}

// The job is taken at the thief's end, run as a stolen one, and its owner joins.
void steal_join(long n) {
  ashlar::sched::slot& s = ashlar::sched::this_slot();
  for (long i = 0; i < n; ++i) {
    tbb::parallel_invoke(
        [&] {
          ashlar::sched::job* what;
          ashlar::sched::job_key key;
          auto const any = [](ashlar::sched::job_key) { return true; };
          if (s.steal(what, key, any) != ashlar::sched::deque::outcome::taken) std::abort();
          s.run(what, key);
        },
        [] { sink = 2; });
  }
}

void group_run_wait(long n) {
  tbb::task_group group;
  for (long i = 0; i < n; ++i) {
    group.run([] { sink = 1; });
    group.wait();
  }
}

void loop_chunk(long n) {
  tbb::parallel_for(
      tbb::blocked_range<long>(0, n * 100, 100), [](tbb::blocked_range<long> const& r) { sink = r.begin(); },
      tbb::simple_partitioner());
}

// A root that has two children and waits for them.
struct leaf : tbb::task {
  tbb::task* execute() override {
    sink = 1;
    return nullptr;
  }
};
struct blocking : tbb::task {
  explicit blocking(long times) : n(times) {}
  tbb::task* execute() override {
    for (long i = 0; i < n; ++i) {
      set_ref_count(3);
      leaf& a = *new (allocate_child()) leaf;
      leaf& b = *new (allocate_child()) leaf;
      spawn(b);
      spawn_and_wait_for_all(a);
    }
    return nullptr;
  }
  long n;
};
void classic_blocking(long n) { tbb::task::spawn_root_and_wait(*new (tbb::task::allocate_root()) blocking(n)); }

// Continuation, bypass, recycling: a chain of n links, each with a continuation, a spawned child and a recycled one.
struct link : tbb::task {
  explicit link(long left) : n(left) {}
  tbb::task* execute() override {
    if (n == 0) return nullptr;
    auto& c = *new (allocate_continuation()) tbb::empty_task;
    leaf& b = *new (c.allocate_child()) leaf;
    recycle_as_child_of(c);
    --n;
    c.set_ref_count(2);
    spawn(b);
    return this;
  }
  long n;
};
void classic_cbr(long n) { tbb::task::spawn_root_and_wait(*new (tbb::task::allocate_root()) link(n)); }

struct {
  char const* name;
  void (*run)(long);
} const rows[] = {{"fork_join", fork_join},    {"spawn_pop", spawn_pop},
                  {"steal_join", steal_join},  {"group_run_wait", group_run_wait},
                  {"loop_chunk", loop_chunk},  {"classic_blocking", classic_blocking},
                  {"classic_cbr", classic_cbr}};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  for (auto const& row : rows) {
    if (std::strcmp(row.name, argv[1]) != 0) continue;
    // As inside a recursion: older jobs lie in the deque, so that what is popped is not its last job. The steal wants
    // its own job to be the oldest.
    bool const deep = std::strcmp(row.name, "steal_join") != 0;
    ashlar::sched::slot& s = ashlar::sched::this_slot();
    idle_job a, b;
    if (deep) {
      s.spawn(a);
      s.spawn(b);
    }
    row.run(std::atol(argv[2]));
    while (deep && s.pop() != nullptr) {
    }
    return 0;
  }
  return 2;
}
