// SPDX-License-Identifier: Apache-2.0
// rw_mutex and spin_rw_mutex: writers are alone, nobody sleeps for ever, an upgrade that reports success let nobody
// write in between.
#include <doctest/doctest.h>

#include <engine/model.h>

#include <ashlar/sync/rw_mutex.h>
#include <ashlar/sync/spin_rw_mutex.h>

#include "sync/rw_mutex.cpp"
#include "sync/wait_on.cpp"

#include <string>

using namespace ashlar;

namespace {

template <typename Mutex>
struct scene {
  using lock = typename Mutex::scoped_lock;

  sync::wait_bucket bucket;
  Mutex mutex;
  model::var<int> value{0};

  scene() {
    model::label(bucket, "bucket");
    model::label(mutex, "mutex");
    bucket.armed.store(0, mo::relaxed);
    sync::model_bucket = &bucket;
  }
  void write() {
    lock const l(mutex, true);
    value.set(value.get() + 1);
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
  void try_both() {
    lock l;
    if (l.try_acquire(mutex, true)) {
      value.set(value.get());
      l.release();
    }
    if (l.try_acquire(mutex, false)) value.get();
  }
};

template <typename Mutex>
using act = void (scene<Mutex>::*)();

template <typename Mutex>
struct play {
  char const* name;
  act<Mutex> main, first, second;  // second may be null
  int preemptions;
};

template <typename Mutex>
std::vector<play<Mutex>> plays() {
  using s = scene<Mutex>;
  return {{"writers", &s::write, &s::write, nullptr, 4},
          {"writer and reader", &s::write, &s::read, nullptr, 4},
          {"upgrade and reader", &s::read_then_write, &s::read, nullptr, 3},
          {"upgrade and writer", &s::read_then_write, &s::write, nullptr, 3},
          {"two upgrades", &s::read_then_write, &s::read_then_write, nullptr, 3},
          {"downgrade and writer", &s::write_then_read, &s::write, nullptr, 3},
          {"downgrade and reader", &s::write_then_read, &s::read, nullptr, 3},
          {"attempts", &s::try_both, &s::write, nullptr, 3},
          {"writer and two readers", &s::write, &s::read, &s::read, 1},
          {"two writers and a reader", &s::write, &s::read, &s::write, 1},
          {"upgrade and two readers", &s::read_then_write, &s::read, &s::read, 1},
          {"upgrade, reader, writer", &s::read_then_write, &s::read, &s::write, 1}};
}

template <typename Mutex>
model::result run(play<Mutex> const& p, model::options how) {
  how.name = p.name;
  return model::check(how, [p] {
    scene<Mutex> s;
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

template <typename Mutex>
std::string caught_by(std::vector<model::site> const& lines) {
  for (auto const& p : plays<Mutex>()) {
    model::options how;
    how.preemptions = p.preemptions;
    how.weaken = lines;
    if (run(p, how).failed) return p.name;
  }
  return "";
}

}  // namespace

TEST_CASE_TEMPLATE("writers are alone and nobody waits for ever", Mutex, tbb::rw_mutex, tbb::spin_rw_mutex) {
  for (auto const& p : plays<Mutex>()) {
    model::options how;
    how.preemptions = p.preemptions;
    model::result const r = run(p, how);
    INFO(r.report);
    CHECK(!r.failed);
    CHECK(r.complete);
    CHECK(r.executions > 10);
    for (model::search search : {model::search::random, model::search::pct}) {
      how.how = search;
      how.executions = 3'000;
      model::result const more = run(p, how);
      INFO(more.report);
      CHECK(!more.failed);
    }
  }
}

TEST_CASE("each order is needed") {
  for (std::string const& tag : model::tags_of("include/ashlar/sync/rw_mutex.h")) {
    CAPTURE(tag);
    std::vector<model::site> lines = model::tagged("include/ashlar/sync/rw_mutex.h", tag);
    for (model::site const& s : model::tagged("src/sync/rw_mutex.cpp", tag)) lines.push_back(s);
    CHECK(caught_by<tbb::rw_mutex>(lines) != "");
  }
  for (std::string const& tag : model::tags_of("include/ashlar/sync/spin_rw_mutex.h")) {
    CAPTURE(tag);
    CHECK(caught_by<tbb::spin_rw_mutex>(model::tagged("include/ashlar/sync/spin_rw_mutex.h", tag)) != "");
  }
}
