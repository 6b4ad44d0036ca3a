// SPDX-License-Identifier: Apache-2.0
// The walk of parallel_for_each: whoever has it takes the next items, each item and each one that a body adds is
// visited once, and the wait ends after all of them. item_walk.h, the split counter, the deque and the parking lot are
// the real ones.
#include <scenes.h>

#include <parking_lot.h>
#include <two_slots.h>
#include "sched/tasks/task_group.cpp"

#include <ashlar/algo/item_batch.h>
#include <ashlar/algo/item_walk.h>

using namespace ashlar;

namespace ashlar::inline v1::sched {

void context::record_exception() noexcept { model::require(false, "no body throws"); }
void context::rethrow() {}

}  // namespace ashlar::inline v1::sched

namespace {

constexpr int most = 4;

// Items by number. Whoever takes some must know what was taken before.
class numbers {
 public:
  using batch = algo::iterator_batch<int const*>;
  static constexpr std::size_t most = 2;

  explicit numbers(int n) : all_(n) {}
  batch begin_batch() const { return batch(list_ + at_.get()); }
  bool take(batch& b, std::size_t n) {
    int const first = at_.get();
    int const last = first + static_cast<int>(n) < all_ ? first + static_cast<int>(n) : all_;
    at_.set(last);
    b.extend(static_cast<std::size_t>(last - first));
    return last < all_;
  }

 private:
  static constexpr int list_[::most] = {0, 1, 2, 3};
  int const all_;
  model::var<int> at_{0};
};

struct stage : model::two_slots {
  sched::context group{nullptr, nullptr};
  model::var<int> visits[most];

  void visit(int i) { visits[i].set(visits[i].get() + 1); }
  void all_visited(int n) {
    for (int i = 0; i < n; ++i) model::require(visits[i].get() == 1, "each item is visited once before the wait ends");
  }
};

template <typename Body>
void walk(stage& s, int items, Body const& body) {
  sched::group_scope const scope(s.slots[0], s.group);
  numbers source(items);
  algo::item_work<Body, int> work(body, s.group, s.slots[0]);
  model::label(work, "work");
  algo::walk_items(s.slots[0], source, work);
}

void two_items() {
  stage s;
  model::thread thief("thief", [&s] { s.steal(); });
  walk(s, 2, [&s](int i) { s.visit(i); });
  s.all_visited(2);
  thief.join();
}
void three_items() {
  stage s;
  model::thread thief("thief", [&s] { s.steal(); });
  walk(s, 3, [&s](int i) { s.visit(i); });
  s.all_visited(3);
  thief.join();
}
// The body of the first item adds one, which is stolen, or keeps the walk from the thread that waits.
void added() {
  stage s;
  model::thread thief("thief", [&s] { s.steal(); });
  walk(s, 2, [&s](int i, tbb::feeder<int>& feeder) {
    s.visit(i);
    if (i == 0) feeder.add(2);
  });
  s.all_visited(3);
  thief.join();
}

model::scene const scenes[] = {{"two items", two_items, 3}, {"three items", three_items, 1}, {"added", added, 1}};

}  // namespace

TEST_CASE("each item of a walk is visited once before the wait ends") {
  model::check_all(scenes, model::without_leaks());
}

TEST_CASE("the counter's orders are needed") {
  // What the owner's own end of a task orders is for other threads that wait: task_group_model.cpp.
  model::check_each_order(scenes, {"include/ashlar/sched/tasks/group_counter.h"}, {"N3", "N4", "N5"},
                          model::without_leaks());
}
