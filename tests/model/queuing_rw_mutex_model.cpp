// SPDX-License-Identifier: Apache-2.0
// queuing_rw_mutex: writers are alone, the head's role is never lost, nobody sleeps for ever, upgrades tell the truth,
// and no scoped_lock is touched after it has gone. Waiters sleep at once and overtake whenever the lock is open.
#include <doctest/doctest.h>

#include <engine/model.h>

#include <ashlar/sync/queuing_rw_mutex.h>

#include "sync/queuing_rw_mutex.cpp"
#include "sync/wait_on.cpp"

#include <string>

using namespace ashlar;

namespace {

using lock = tbb::queuing_rw_mutex::scoped_lock;

struct stage {
  sync::wait_bucket bucket;
  tbb::queuing_rw_mutex mutex;
  model::var<int> value{0};

  stage() {
    model::label(bucket, "bucket");
    model::label(mutex, "mutex");
    sync::model_bucket = &bucket;
  }
  void write() {
    lock const l(mutex, true);
    value.set(value.get() + 1);
  }
  void write_twice() {
    write();
    write();
  }
  void read() {
    lock const l(mutex, false);
    value.get();
  }
  void read_then_write() {
    lock l(mutex, false);
    int const seen = value.get();
    if (l.upgrade_to_writer()) model::require(value.get() == seen, "nobody wrote during the upgrade");
    value.set(value.get() + 1);
  }
  void write_then_read() {
    lock l(mutex, true);
    int const mine = value.get() + 1;
    value.set(mine);
    l.downgrade_to_reader();
    model::require(value.get() == mine, "nobody wrote during the downgrade");
  }
  void attempt() {
    lock l;
    if (l.try_acquire(mutex, true)) {
      value.set(value.get());
      l.release();
    }
    if (l.try_acquire(mutex, false)) value.get();
  }
};

using act = void (stage::*)();

struct play {
  char const* name;
  act main, first, second;  // second may be null
  int preemptions;
};
play const plays[] = {{"writers", &stage::write, &stage::write, nullptr, 3},
                      {"writers, again", &stage::write_twice, &stage::write, nullptr, 3},
                      {"writer and reader", &stage::write, &stage::read, nullptr, 3},
                      {"upgrade and reader", &stage::read_then_write, &stage::read, nullptr, 3},
                      {"upgrade and writer", &stage::read_then_write, &stage::write, nullptr, 3},
                      {"two upgrades", &stage::read_then_write, &stage::read_then_write, nullptr, 3},
                      {"downgrade and writer", &stage::write_then_read, &stage::write, nullptr, 3},
                      {"downgrade and reader", &stage::write_then_read, &stage::read, nullptr, 3},
                      {"attempts", &stage::attempt, &stage::write, nullptr, 3},
                      {"three writers", &stage::write, &stage::write, &stage::write, 1},
                      {"writer and two readers", &stage::write, &stage::read, &stage::read, 1},
                      {"two writers and a reader", &stage::write, &stage::read, &stage::write, 1},
                      {"upgrade and two readers", &stage::read_then_write, &stage::read, &stage::read, 1},
                      {"upgrade, reader, writer", &stage::read_then_write, &stage::read, &stage::write, 1},
                      {"downgrade, reader, writer", &stage::write_then_read, &stage::read, &stage::write, 1}};

model::result run(play const& p, model::options how) {
  how.name = p.name;
  return model::check(how, [p] {
    stage s;
    model::thread a("thread 1", [&] { (s.*p.first)(); });
    if (p.second != nullptr) {
      model::thread b("thread 2", [&] { (s.*p.second)(); });
      (s.*p.main)();
      b.join();
    } else {
      (s.*p.main)();
    }
    a.join();
  });
}

std::string caught_by(std::vector<model::site> const& lines) {
  for (play const& p : plays) {
    model::options how;
    how.preemptions = p.preemptions;
    how.weaken = lines;
    if (run(p, how).failed) return p.name;
  }
  return "";
}

}  // namespace

TEST_CASE("writers are alone and nobody waits for ever") {
  for (play const& p : plays) {
    model::options how;
    how.preemptions = p.preemptions;
    model::result const r = run(p, how);
    INFO(r.report);
    CHECK(!r.failed);
    CHECK(r.complete);
    CHECK(r.executions > 10);
    for (model::search search : {model::search::random, model::search::pct}) {
      how.how = search;
      how.executions = 1'000;
      how.spurious = 1;
      model::result const more = run(p, how);
      INFO(more.report);
      CHECK(!more.failed);
    }
  }
}

TEST_CASE("each order is needed") {
  char const* const files[] = {"include/ashlar/sync/queuing_rw_mutex.h", "src/sync/queuing_rw_mutex.cpp",
                               "src/sync/queue_turn.h"};
  std::set<std::string> tags;
  for (char const* file : files) tags.merge(model::tags_of(file));
  for (std::string const& tag : tags) {
    std::vector<model::site> lines;
    for (char const* file : files) {
      for (model::site const& s : model::tagged(file, tag)) lines.push_back(s);
    }
    CAPTURE(tag);
    CHECK(caught_by(lines) != "");
  }
}
