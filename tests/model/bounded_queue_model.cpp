// SPDX-License-Identifier: Apache-2.0
// The bounded queue and the gates that its threads wait at: nobody sleeps for ever, the bound is kept, every element
// arrives once.
#include <doctest/doctest.h>

#include <scenes.h>
#include <sleepers.h>

#include <ashlar/containers/bounded_queue.h>

#include "sync/parker.cpp"
#include "sync/wait_gate.cpp"
#include "sync/wait_on.cpp"

#include <memory>
#include <span>
#include <vector>

using namespace ashlar;

namespace {

struct element {
  int number = 0;
};

}  // namespace

template <>
inline constexpr std::size_t ashlar::sync::segment_lap<element> = 4;

namespace {

using queue = tbb::concurrent_bounded_queue<element, std::allocator<element>>;

struct stage {
  model::sleepers table;
  queue q;

  explicit stage(int capacity) {
    model::label(q, "queue");
    q.set_capacity(capacity);
  }
  int pop() {
    element e;
    q.pop(e);
    return e.number;
  }
};

void consumer_waits() {
  stage s(2);
  model::thread a("producer", [&] { s.q.push(element{1}); });
  model::require(s.pop() == 1, "the element arrives");
  a.join();
}

void producer_waits() {
  stage s(1);
  model::thread a("producer", [&] {
    s.q.push(element{1});
    s.q.push(element{2});
    model::require(s.q.size() <= 1, "the bound is kept");
  });
  model::require(s.pop() == 1 && s.pop() == 2, "in order");
  a.join();
}

void two_producers() {
  stage s(1);
  model::thread a("producer 1", [&] { s.q.push(element{1}); });
  model::thread b("producer 2", [&] { s.q.push(element{2}); });
  model::require(s.pop() + s.pop() == 3, "both arrive");
  a.join();
  b.join();
}

void two_consumers() {
  stage s(2);
  int got[2] = {0, 0};
  model::thread a("consumer 1", [&] { got[0] = s.pop(); });
  model::thread b("consumer 2", [&] { got[1] = s.pop(); });
  s.q.push(element{1});
  s.q.push(element{2});
  a.join();
  b.join();
  model::require(got[0] + got[1] == 3, "both get one");
}

void growing_capacity() {
  stage s(1);
  s.q.push(element{1});
  model::thread a("producer", [&] { s.q.push(element{2}); });
  s.q.set_capacity(2);
  a.join();
}

void hand_over() {
  stage s(0);
  model::thread a("producer", [&] { s.q.push(element{1}); });
  model::require(s.pop() == 1, "the element arrives");
  a.join();
}

template <typename Operation>
void is_aborted(Operation const& operation) {
  bool thrown = false;
  model::exceptions_are_caught = true;
  try {
    operation();
  } catch (exception_id id) {
    thrown = id == exception_id::user_abort;
  }
  model::require(thrown, "an aborted operation says so");
}

void aborted_producer() {
  stage s(1);
  s.q.push(element{1});
  model::thread a("producer", [&] { is_aborted([&] { s.q.push(element{2}); }); });
  while (s.q.size() != 2) cpu_pause();  // it is counted as waiting
  s.q.abort();
  a.join();
}

void aborted_consumer() {
  stage s(1);
  model::thread a("consumer", [&] { is_aborted([&] { s.pop(); }); });
  while (s.q.size() != -1) cpu_pause();
  s.q.abort();
  a.join();
}

model::scene const scenes[] = {{"a consumer waits", consumer_waits, 1},   {"a producer waits", producer_waits, 1},
                               {"growing capacity", growing_capacity, 1}, {"aborted producer", aborted_producer, 1},
                               {"aborted consumer", aborted_consumer, 1}, {"hand-over", hand_over, 1},
                               {"two consumers", two_consumers, 1},       {"two producers", two_producers, 1}};

// Those that are small enough to be searched completely.
std::span<model::scene const> const small(scenes, 5);
std::span<model::scene const> const large(scenes + 5, 3);

bool is_caught(std::vector<model::site> const& lines) {
  model::options how;
  how.how = model::search::pct;
  how.executions = 3'000;
  return model::caught_by(small, lines) != "" || model::caught_by(large, lines, how) != "";
}

}  // namespace

TEST_CASE("nobody waits for ever and the bound is kept") { model::check_all(small); }

TEST_CASE("random search goes on where the exhaustive one stops") {
  model::options how;
  how.spurious = 1;
  model::check_randomly(scenes, 300, {model::search::random, model::search::pct}, how);
}

// One access at a time; the queue's own orders are proven by queue_model.cpp, but for those between head and gate.
TEST_CASE("each order is needed") {
  struct {
    char const* file;
    char const* tag;
  } const edges[] = {{"src/sync/wait_gate.cpp", "WG1"},
                     {"include/ashlar/sync/wait_gate.h", "WG2"},
                     {"include/ashlar/containers/bounded_queue.h", "BQ1"},
                     {"include/ashlar/containers/bounded_queue.h", "BQ2"},
                     {"include/ashlar/sync/segmented_queue.h", "Q11"}};
  for (auto const& e : edges) {
    for (model::site const& site : model::tagged(e.file, e.tag)) {
      CAPTURE(e.tag);
      CAPTURE(site.line);
      CHECK(is_caught({site}));
    }
  }
}
