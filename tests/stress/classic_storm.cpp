// SPDX-License-Identifier: Apache-2.0
// Random trees of classic tasks in every style, from several application threads with more threads than processors,
// with random exceptions, cancellations and delays: every task that was made is destroyed exactly once, having run at
// most once; without trouble all of them run; and an exception reaches the caller of its tree exactly then.
//
// ASHLAR_STRESS_TASKS: the number of tasks (default: 1,000,000).
#include <tbb/task.h>
#include <tbb/task_scheduler_init.h>

#include <doctest/doctest.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <thread>
#include <vector>

using tbb::task;

namespace {

struct trouble : std::runtime_error {
  trouble() : std::runtime_error("trouble") {}
};

// What happened to the tasks of one tree.
struct tally {
  std::atomic<long> made{0}, run{0}, destroyed{0}, twice{0};
  std::atomic<bool> thrown{false}, cancelled{false};
  unsigned throw_one_in = 0;   // 0: never
  unsigned cancel_one_in = 0;  // 0: never
};

struct random_numbers {
  std::uint64_t state;
  unsigned next() {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return static_cast<unsigned>(state >> 33);
  }
  bool one_in(unsigned n) { return n != 0 && next() % n == 0; }
};

// Counts one life.
class life {
 public:
  explicit life(tally& t) : tally_(t) { ++tally_.made; }
  ~life() { ++tally_.destroyed; }
  void run() {
    if (ran_) ++tally_.twice;
    ran_ = true;
    ++tally_.run;
  }
  // A recycled task lives anew.
  void again() {
    ++tally_.made;
    ++tally_.destroyed;
    ran_ = false;
  }
  tally& counts() { return tally_; }

 private:
  tally& tally_;
  bool ran_ = false;
};

class join : public task {
 public:
  explicit join(tally& t) : life_(t) {}
  task* execute() override {
    life_.run();
    return nullptr;
  }

 private:
  life life_;
};

class node : public task {
 public:
  node(tally& t, int depth, std::uint64_t seed) : life_(t), depth_(depth), random_{seed} { random_.next(); }

  void note_affinity(affinity_id id) override { noted_ = id; }

  task* execute() override {
    life_.run();
    tally& t = life_.counts();
    if (random_.one_in(t.throw_one_in)) {
      t.thrown = true;
      throw trouble();
    }
    if (random_.one_in(t.cancel_one_in)) {
      t.cancelled = true;
      cancel_group_execution();
    }
    if (random_.one_in(200)) std::this_thread::yield();
    if (depth_ == 0) return nullptr;
    --depth_;
    switch (random_.next() % 6) {
      case 0:
        return block();
      case 1:
        return block_on_list();
      case 2:
        return leave(false);
      case 3:
        return leave(true);
      case 4:
        return become_child();
      default:
        return stay();
    }
  }

 private:
  node& child_of(task& parent) {
    node& n = *new (parent.allocate_child()) node(life_.counts(), depth_, random_.next());
    if (random_.one_in(5)) n.set_affinity(static_cast<affinity_id>(random_.one_in(2) ? noted_ : random_.next() % 10));
    return n;
  }
  task* block() {
    node& a = child_of(*this);
    node& b = child_of(*this);
    set_ref_count(3);
    spawn(b);
    spawn_and_wait_for_all(a);
    return nullptr;
  }
  task* block_on_list() {
    tbb::task_list list;
    for (int i = 0; i < 3; ++i) list.push_back(child_of(*this));
    set_ref_count(4);
    spawn(list);
    spawn(*new (allocate_additional_child_of(*this)) join(life_.counts()));
    wait_for_all();
    return nullptr;
  }
  task* leave(bool bypass) {
    join& c = *new (allocate_continuation()) join(life_.counts());
    node& a = child_of(c);
    node& b = child_of(c);
    c.set_ref_count(2);
    spawn(b);
    if (bypass) return &a;
    spawn(a);
    return nullptr;
  }
  task* become_child() {
    join& c = *new (allocate_continuation()) join(life_.counts());
    node& b = child_of(c);
    recycle_as_child_of(c);
    life_.again();
    c.set_ref_count(2);
    spawn(b);
    return this;
  }
  // Runs its children, then itself once more as their continuation.
  task* stay() {
    node& a = child_of(*this);
    node& b = child_of(*this);
    set_ref_count(3);
    depth_ = 0;
    life_.again();
    if (random_.one_in(8)) {
      recycle_to_enqueue();
    } else {
      recycle_as_safe_continuation();
    }
    spawn(a);
    spawn(b);
    return nullptr;
  }

  life life_;
  int depth_;
  random_numbers random_;
  affinity_id noted_ = 0;
};

void check(tally const& t, bool caught) {
  // A task that has left its place to a continuation and spawned its children is not waited for: its thread may yet
  // have to destroy it. This ends if each is destroyed once.
  while (t.made != t.destroyed) std::this_thread::yield();
  CHECK(t.twice == 0);
  CHECK(caught == t.thrown);
  if (!t.thrown && !t.cancelled) CHECK(t.run == t.made);
  CHECK(t.run <= t.made);
}

long one_tree(std::uint64_t seed, int kind) {
  tally t;
  t.throw_one_in = kind == 1 || kind == 3 ? 400 : 0;
  t.cancel_one_in = kind == 2 ? 400 : 0;
  tbb::task_group_context own;
  bool caught = false;
  try {
    node& root =
        kind == 3 ? *new (task::allocate_root(own)) node(t, 7, seed) : *new (task::allocate_root()) node(t, 7, seed);
    task::spawn_root_and_wait(root);
  } catch (trouble const&) {
    caught = true;
  }
  check(t, caught);
  return t.made;
}

}  // namespace

TEST_CASE("a storm of classic tasks") {
  // The default keeps a run under ThreadSanitizer short.
  char const* const wish = std::getenv("ASHLAR_STRESS_TASKS");
  long const goal = wish != nullptr ? std::atol(wish) : 1000000;
  std::atomic<long> made{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&, i] {
      tbb::task_scheduler_init init(8);
      for (std::uint64_t seed = 1; made < goal; ++seed) {
        made += one_tree(seed * 3 + static_cast<std::uint64_t>(i), static_cast<int>(seed % 4));
      }
    });
  }
  for (auto& t : threads) t.join();
  CHECK(made >= goal);
}
