// SPDX-License-Identifier: Apache-2.0
// A pool of small objects: what other threads give back is handed out again, each block to one owner at a time, with
// all that its last user did before. task_pool.cpp is the real one.
#include <scenes.h>

#include "sched/queue/task_pool.cpp"

#include <vector>

using namespace ashlar;
using sched::task_pool;

namespace ashlar::inline v1::sched {

std::mutex process_locks::orphans;

}  // namespace ashlar::inline v1::sched

namespace {

constexpr std::size_t size = task_pool::granule;

struct scene {
  static constexpr int most = 4;

  task_pool pool;  // the main thread's
  void* blocks[most] = {};
  model::var<int> contents[most];
  model::var<int> users[most];

  scene() { model::label(pool, "pool"); }
  // The number of the block, which nobody else has.
  int get() {
    task_pool* home = nullptr;
    void* const b = pool.allocate(size, home);
    model::require(home == &pool, "a small object is at home in its pool");
    int i = 0;
    while (blocks[i] != nullptr && blocks[i] != b) ++i;
    blocks[i] = b;
    users[i].set(users[i].get() + 1);
    model::require(users[i].get() == 1, "a block is in use once");
    contents[i].set(contents[i].get() + 1);
    return i;
  }
  void use(int i) {
    contents[i].set(contents[i].get() + 1);
    users[i].set(users[i].get() - 1);
  }
  void give_back_elsewhere(int i) {
    use(i);
    task_pool others;
    others.release(blocks[i], size, &pool);
  }
  void give_back_here(int i) {
    use(i);
    pool.release(blocks[i], size, &pool);
  }
};

void given_back_by_another() {
  scene s;
  int const a = s.get();
  model::thread other("other", [&] { s.give_back_elsewhere(a); });
  int const b = s.get();
  s.give_back_here(b);
  s.get();
  s.get();
  other.join();
  s.get();
}

void given_back_by_two() {
  scene s;
  int const a = s.get();
  int const b = s.get();
  model::thread first("first", [&] { s.give_back_elsewhere(a); });
  model::thread second("second", [&] { s.give_back_elsewhere(b); });
  s.get();
  first.join();
  second.join();
  s.get();
  s.get();
}

void given_back_twice() {
  scene s;
  int const a = s.get();
  int const b = s.get();
  model::thread other("other", [&] {
    s.give_back_elsewhere(a);
    s.give_back_elsewhere(b);
  });
  s.get();
  s.get();
  other.join();
}

model::scene const scenes[] = {{"given back by another", given_back_by_another},
                               {"given back by two", given_back_by_two},
                               {"given back twice", given_back_twice}};

// Pools keep their memory for ever.
model::options without_leaks() {
  model::options how;
  how.leaks = false;
  return how;
}

}  // namespace

TEST_CASE("a block has one user at a time") { model::check_all(scenes, without_leaks(), 1); }

TEST_CASE("each order is needed") {
  model::check_each_order(scenes, {"src/sched/queue/task_pool.cpp"}, {}, without_leaks());
}
