// SPDX-License-Identifier: Apache-2.0
// queuing_mutex: threads exclude each other, the head's role is never lost, nobody sleeps for ever, and no scoped_lock
// is touched after it has gone. Waiters sleep at once and overtake whenever the lock is open.
#include <doctest/doctest.h>

#include <engine/model.h>

#include <ashlar/sync/queuing_mutex.h>

#include "sync/queuing_mutex.cpp"
#include "sync/wait_on.cpp"

#include <set>
#include <string>
#include <vector>

using namespace ashlar;

namespace {

struct counted {
  sync::wait_bucket bucket;
  tbb::queuing_mutex mutex;
  model::var<int> counter{0};

  counted() {
    model::label(bucket, "bucket");
    model::label(mutex, "mutex");
    sync::model_bucket = &bucket;
  }
  void enter(int times) {
    for (int i = 0; i < times; ++i) {
      tbb::queuing_mutex::scoped_lock const l(mutex);
      counter.set(counter.get() + 1);
    }
  }
};

void together(int mine, int first, int second) {
  counted c;
  model::thread a("thread 1", [&] { c.enter(first); });
  if (second != 0) {
    model::thread b("thread 2", [&] { c.enter(second); });
    c.enter(mine);
    b.join();
  } else {
    c.enter(mine);
  }
  a.join();
  model::require(c.counter.get() == mine + first + second, "all have been in");
}

void two_threads() { together(1, 1, 0); }
void again() { together(2, 1, 0); }
void three_threads() { together(1, 1, 1); }
void three_threads_again() { together(2, 1, 1); }

void attempts() {
  counted c;
  model::thread a("thread 1", [&] {
    tbb::queuing_mutex::scoped_lock l;
    if (!l.try_acquire(c.mutex)) return;
    c.counter.set(c.counter.get() + 1);
  });
  c.enter(2);
  a.join();
  model::require(c.counter.get() >= 2, "who waits gets in");
}

struct scene {
  char const* name;
  void (*body)();
  int preemptions;
};
scene const scenes[] = {{"two threads", two_threads, 4},
                        {"again", again, 3},
                        {"attempts", attempts, 3},
                        {"three threads", three_threads, 2},
                        {"three threads, again", three_threads_again, 1}};

std::string caught_by(std::vector<model::site> const& lines) {
  for (auto const& s : scenes) {
    model::options how;
    how.preemptions = s.preemptions;
    how.weaken = lines;
    if (model::check(how, s.body).failed) return s.name;
  }
  return "";
}

}  // namespace

TEST_CASE("threads exclude each other and none waits for ever") {
  for (auto const& s : scenes) {
    model::options how;
    how.name = s.name;
    how.preemptions = s.preemptions;
    model::result const r = model::check(how, s.body);
    INFO(r.report);
    CHECK(!r.failed);
    CHECK(r.complete);
    CHECK(r.executions > 10);
  }
}

TEST_CASE("random search goes on where the exhaustive one stops") {
  for (auto const& s : scenes) {
    for (model::search search : {model::search::random, model::search::pct}) {
      model::options how;
      how.name = s.name;
      how.how = search;
      how.executions = 5'000;
      how.spurious = 1;
      model::result const r = model::check(how, s.body);
      INFO(r.report);
      CHECK(!r.failed);
    }
  }
}

TEST_CASE("each order is needed") {
  char const* const files[] = {"include/ashlar/sync/queuing_mutex.h", "src/sync/queuing_mutex.cpp",
                               "src/sync/queue_turn.h"};
  std::set<std::string> tags;
  for (char const* file : files) tags.merge(model::tags_of(file));
  // The lock's own release orders what follows the head's role here; queuing_rw_mutex, which shares these lines, needs
  // them.
  for (char const* shared : {"QM5", "QM6"}) tags.erase(shared);
  for (std::string const& tag : tags) {
    std::vector<model::site> lines;
    for (char const* file : files) {
      for (model::site const& s : model::tagged(file, tag)) lines.push_back(s);
    }
    CAPTURE(tag);
    CHECK(caught_by(lines) != "");
  }
}
