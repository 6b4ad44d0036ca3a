// SPDX-License-Identifier: Apache-2.0
// spin_mutex, the speculative locks and oneTBB's forms of them: a section that runs as a hardware transaction and one
// under the real lock exclude each other as two under the real lock do, and each sees what the other did. spin_mutex.h,
// speculative_mutex.h and rtm_locks.cpp are the real ones; the engine's transactions stand for the processor's.
#include <rw_scenes.h>

#include <ashlar/sync/speculative_mutex.h>

#include "compat12/rtm_locks.cpp"

using namespace ashlar;
namespace d1 = tbb::detail::d1;
namespace r1 = tbb::detail::r1;

namespace {
bool transactions_end = true;  // when another thread writes what they have read; else the model must notice
}

namespace ashlar::inline v1::sync {

bool rtm::available() noexcept { return true; }
rtm::outcome rtm::begin() noexcept {
  if (model::choose(2) == 0) return outcome::give_up;
  if (transactions_end) model::begin_transaction();
  return outcome::running;
}
void rtm::end() noexcept {
  if (transactions_end) model::commit_transaction();
}
void rtm::abort() noexcept { model::abort_transaction(); }

}  // namespace ashlar::inline v1::sync

namespace {

// oneTBB's locks, as a program's inlined code calls them.
class foreign_mutex {
 public:
  class scoped_lock {
   public:
    scoped_lock() = default;
    explicit scoped_lock(foreign_mutex& m) { r1::acquire(m.real_, lock_, false); }
    ~scoped_lock() {
      if (lock_.mutex != nullptr) r1::release(lock_);
    }
    bool try_acquire(foreign_mutex& m) { return r1::try_acquire(m.real_, lock_); }

   private:
    d1::rtm_mutex::scoped_lock lock_{};
  };

 private:
  d1::rtm_mutex real_{};
};

class foreign_rw_mutex {
 public:
  class scoped_lock {
   public:
    scoped_lock() = default;
    scoped_lock(foreign_rw_mutex& m, bool write) {
      write ? r1::acquire_writer(m.real_, lock_, false) : r1::acquire_reader(m.real_, lock_, false);
    }
    ~scoped_lock() {
      if (lock_.mutex != nullptr) release();
    }
    bool try_acquire(foreign_rw_mutex& m, bool write) {
      return write ? r1::try_acquire_writer(m.real_, lock_) : r1::try_acquire_reader(m.real_, lock_);
    }
    void release() { r1::release(lock_); }
    bool upgrade_to_writer() { return r1::upgrade(lock_); }
    bool downgrade_to_reader() { return r1::downgrade(lock_); }

   private:
    d1::rtm_rw_mutex::scoped_lock lock_{};
  };

 private:
  d1::rtm_rw_mutex real_{};
};

template <typename Mutex>
struct stage {
  Mutex mutex;
  model::var<int> value{0};

  stage() { model::label(mutex, "mutex"); }
  void enter() {
    typename Mutex::scoped_lock const l(mutex);
    value.set(value.get() + 1);
  }
  bool attempt() {
    typename Mutex::scoped_lock l;
    if (!l.try_acquire(mutex)) return false;
    value.set(value.get() + 1);
    return true;
  }
};

template <typename Mutex>
void two_threads() {
  stage<Mutex> s;
  model::thread a("thread 1", [&s] {
    s.enter();
    s.enter();
  });
  s.enter();
  a.join();
  model::require(s.value.get() == 3, "all have been in, one after the other");
}
template <typename Mutex>
void three_threads() {
  stage<Mutex> s;
  model::thread a("thread 1", [&s] { s.enter(); });
  model::thread b("thread 2", [&s] { s.enter(); });
  s.enter();
  a.join();
  b.join();
  model::require(s.value.get() == 3, "all have been in, one after the other");
}
template <typename Mutex>
void attempts() {
  stage<Mutex> s;
  model::thread a("thread 1", [&s] { s.enter(); });
  bool const in = s.attempt();
  a.join();
  model::require(s.value.get() == (in ? 2 : 1), "an attempt that fails does nothing");
}

template <typename Mutex>
std::vector<model::scene> scenes_of() {
  return {{"two threads", two_threads<Mutex>, 4},
          {"three threads", three_threads<Mutex>, 2},
          {"attempts", attempts<Mutex>, 4}};
}

void check_speculative(std::vector<model::scene> const& scenes) {
  model::check_all(scenes, {}, 2);
  transactions_end = false;
  CHECK(model::caught_by(scenes, {}) != "");
  transactions_end = true;
}

}  // namespace

TEST_CASE("threads exclude each other") { model::check_all(scenes_of<tbb::spin_mutex>(), {}, 2); }

TEST_CASE("each order is needed") {
  model::check_each_order(scenes_of<tbb::spin_mutex>(), {"include/ashlar/sync/spin_mutex.h"});
}

TEST_CASE_TEMPLATE("transactions and holders of the lock exclude each other", M, tbb::speculative_spin_mutex,
                   foreign_mutex) {
  check_speculative(scenes_of<M>());
}

TEST_CASE_TEMPLATE("transactions and holders of the rw lock exclude each other", M, tbb::speculative_spin_rw_mutex,
                   foreign_rw_mutex) {
  check_speculative(model::rw_scenes<M>(3));
}
