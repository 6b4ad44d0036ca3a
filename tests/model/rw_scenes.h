// SPDX-License-Identifier: Apache-2.0
// What threads do with a reader-writer lock in its model: writers are alone, an upgrade that reports success let nobody
// write in between.
#pragma once

#include <scenes.h>
#include <sleepers.h>

#include <vector>

namespace ashlar::model {

template <typename Mutex>
struct rw_stage {
  using lock = typename Mutex::scoped_lock;

  sleepers table;
  Mutex mutex;
  var<int> value{0};

  rw_stage() { label(mutex, "mutex"); }
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
    if (l.upgrade_to_writer()) require(value.get() == seen, "nobody wrote during the upgrade");
    value.set(value.get() + 1);
  }
  void write_then_read() {
    lock l(mutex, true);
    int const mine = value.get() + 1;
    value.set(mine);
    l.downgrade_to_reader();
    require(value.get() == mine, "nobody wrote during the downgrade");
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

template <typename Mutex, auto Main, auto First>
void two() {
  rw_stage<Mutex> s;
  thread a("thread 1", [&] { (s.*First)(); });
  (s.*Main)();
  a.join();
}
template <typename Mutex, auto Main, auto First, auto Second>
void three() {
  rw_stage<Mutex> s;
  thread a("thread 1", [&] { (s.*First)(); });
  thread b("thread 2", [&] { (s.*Second)(); });
  (s.*Main)();
  b.join();
  a.join();
}

// `most` preemptions of two threads that only enter and leave.
template <typename Mutex>
std::vector<scene> rw_scenes(int most) {
  using s = rw_stage<Mutex>;
  constexpr auto write = &s::write, twice = &s::write_twice, read = &s::read, up = &s::read_then_write,
                 down = &s::write_then_read;
  return {{"writers", two<Mutex, write, write>, most},
          {"writer and reader", two<Mutex, write, read>, most},
          {"writers, again", two<Mutex, twice, write>, 3},
          {"upgrade and reader", two<Mutex, up, read>, 3},
          {"upgrade and writer", two<Mutex, up, write>, 3},
          {"two upgrades", two<Mutex, up, up>, 3},
          {"downgrade and writer", two<Mutex, down, write>, 3},
          {"downgrade and reader", two<Mutex, down, read>, 3},
          {"attempts", two<Mutex, &s::attempt, write>, 3},
          {"three writers", three<Mutex, write, write, write>, 1},
          {"writer and two readers", three<Mutex, write, read, read>, 1},
          {"two writers and a reader", three<Mutex, write, read, write>, 1},
          {"upgrade and two readers", three<Mutex, up, read, read>, 1},
          {"upgrade, reader, writer", three<Mutex, up, read, write>, 1},
          {"downgrade, reader, writer", three<Mutex, down, read, write>, 1}};
}

}  // namespace ashlar::model
