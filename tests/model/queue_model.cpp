// SPDX-License-Identifier: Apache-2.0
// The queue core: every element that was pushed is popped exactly once and whole, in order, over the ends of segments,
// with broken cells, and no segment is touched after its end. Segments of one and of three cells.
#include <doctest/doctest.h>

#include <scenes.h>

#include <ashlar/sync/segmented_queue.h>

#include <cstring>
#include <stdexcept>

using namespace ashlar;

namespace {

// Reports a race if a cell is read before its element is published, or the next segment reuses it too early.
template <int lap>
struct element {
  model::var<int> number;
  explicit element(int n) : number(n) {}
};

}  // namespace

template <int lap>
inline constexpr std::size_t ashlar::sync::segment_lap<element<lap>> = lap;

namespace {

constexpr int most = 7;

template <int lap>
struct stage {
  sync::segmented_queue<element<lap>> queue;
  model::var<int> popped[most];
  model::var<int> pushed[most];

  stage() { model::label(queue, "queue"); }

  void push(int n) {
    queue.emplace(n);
    pushed[n].set(1);
  }
  void fail() {
    try {
      queue.push_with([](void*) { throw std::runtime_error("element"); });
    } catch (std::runtime_error const&) {
    }
  }
  // The number popped, or -1.
  int pop() {
    int got = -1;
    queue.pop_with([&](element<lap>& e) { got = e.number.get(); });
    if (got >= 0) {
      popped[got].set(popped[got].get() + 1);
      model::require(popped[got].get() == 1, "an element is popped twice");
    }
    return got;
  }
  void finish() {
    while (pop() >= 0) {
    }
    model::require(queue.empty() && queue.size() == 0, "the queue is empty in the end");
    for (int n = 0; n < most; ++n) model::require(popped[n].get() == pushed[n].get(), "an element is lost");
  }
};

template <int lap>
void two_producers() {
  stage<lap> s;
  model::thread a("producer 1", [&] { s.push(0); });
  model::thread b("producer 2", [&] { s.push(1); });
  s.pop();
  a.join();
  b.join();
  s.finish();
}

// What one thread pushed comes out in its order, and the queue is not empty before all is out.
template <int lap>
void order() {
  stage<lap> s;
  s.push(0);
  model::thread a("producer", [&] {
    s.push(1);
    s.push(2);
  });
  model::require(s.pop() == 0, "what was pushed before is there");
  int const next = s.pop();
  model::require(next == -1 || next == 1, "first in, first out");
  a.join();
  if (next == -1) model::require(s.pop() == 1, "first in, first out");
  model::require(s.pop() == 2, "first in, first out");
  s.finish();
}

// Consumers in different segments: the disposal of the older ones.
template <int lap>
void two_consumers() {
  stage<lap> s;
  for (int n = 0; n < 3; ++n) s.push(n);
  int mine[2] = {-1, -1};
  model::thread a("consumer 1", [&] { mine[0] = s.pop(); });
  model::thread b("consumer 2", [&] { mine[1] = s.pop(); });
  s.push(3);
  a.join();
  b.join();
  model::require(mine[0] >= 0 && mine[1] >= 0, "two elements were there for two consumers");
  model::require(mine[0] + mine[1] == 1, "the oldest two");
  s.finish();
}

template <int lap>
void broken_cells() {
  stage<lap> s;
  model::thread a("producer 1", [&] {
    s.fail();
    s.push(0);
  });
  s.pop();
  s.pop();
  a.join();
  s.finish();
}

template <int lap>
void hand_to_hand() {
  stage<lap> s;
  model::thread a("partner", [&] {
    s.push(0);
    s.pop();
  });
  s.push(1);
  model::require(s.pop() >= 0, "one of two elements is there");
  a.join();
  s.finish();
}

// A segment is taken into use again although another thread emptied a part of it.
void reuse() {
  stage<4> s;
  for (int n = 0; n < 3; ++n) s.push(n);
  model::thread a("consumer", [&] { s.pop(); });
  s.pop();
  s.pop();
  for (int n = 3; n < 7; ++n) s.push(n);
  a.join();
  s.finish();
}

// Each thread pushes into its own queue, then looks into the other's.
void two_queues() {
  stage<4> mine;
  stage<4> yours;
  int got[2] = {-1, -1};
  model::thread a("partner", [&] {
    yours.push(0);
    got[0] = mine.pop();
  });
  mine.push(0);
  got[1] = yours.pop();
  a.join();
  model::require(got[0] == 0 || got[1] == 0, "one of two finds the other's element");
  mine.finish();
  yours.finish();
}

model::scene const scenes[] = {{"order, 3 cells", order<4>, 4},
                               {"reuse", reuse, 2},
                               {"two queues", two_queues, 2},
                               {"two producers, 3 cells", two_producers<4>, 2},
                               {"two consumers, 3 cells", two_consumers<4>, 2},
                               {"broken cells, 3 cells", broken_cells<4>, 3},
                               {"hand to hand, 3 cells", hand_to_hand<4>, 2},
                               {"order, 1 cell", order<2>, 3},
                               {"broken cells, 1 cell", broken_cells<2>, 2},
                               {"two consumers, 1 cell", two_consumers<2>, 1},
                               {"hand to hand, 1 cell", hand_to_hand<2>, 1},
                               {"two producers, 1 cell", two_producers<2>, 1}};

}  // namespace

TEST_CASE("every element is popped once, in order") { model::check_all(scenes, {}, 100); }

TEST_CASE("random search goes on where the exhaustive one stops") {
  model::check_randomly(scenes, 5'000, {model::search::random, model::search::pct});
}

TEST_CASE("each order is needed") { model::check_each_order(scenes, {"include/ashlar/sync/segmented_queue.h"}); }
