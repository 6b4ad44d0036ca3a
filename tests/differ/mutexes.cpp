// SPDX-License-Identifier: Apache-2.0
// Every mutex in every state that it can be in, asked by every function that does not wait; and by several threads.
#include "subjects.h"

#include <tbb/null_mutex.h>
#include <tbb/null_rw_mutex.h>
#include <tbb/parallel_for.h>
#include <tbb/queuing_mutex.h>
#include <tbb/queuing_rw_mutex.h>
#include <tbb/spin_mutex.h>
#include <tbb/spin_rw_mutex.h>
#if DIFFER_ONETBB
#include <tbb/mutex.h>
#include <tbb/rw_mutex.h>
#else
#include <tbb/reader_writer_lock.h>
#include <tbb/recursive_mutex.h>
#endif

#include <memory>
#include <thread>
#include <type_traits>

namespace differ {

namespace {

template <typename Mutex, typename = void>
constexpr bool has_members = false;
template <typename Mutex>
constexpr bool has_members<Mutex, std::void_t<decltype(std::declval<Mutex&>().try_lock())>> = true;
template <typename Mutex, typename = void>
constexpr bool shares_by_members = false;
template <typename Mutex>
constexpr bool shares_by_members<Mutex, std::void_t<decltype(std::declval<Mutex&>().try_lock_shared())>> = true;

constexpr bool is_queuing_rw(tbb::queuing_rw_mutex const*) { return true; }
constexpr bool is_queuing_rw(void const*) { return false; }

// Calls f, on a thread of its own if the step says so.
template <typename F>
void somewhere(bool elsewhere, F const& f) {
  if (!elsewhere) return f();
  std::thread(f).join();
}

template <typename Mutex>
class scene {
  using lock = typename Mutex::scoped_lock;
  static constexpr bool rw = Mutex::is_rw_mutex;
  static constexpr bool null = std::is_empty_v<Mutex>;

 public:
  // Nothing here waits: what would is tried instead.
  void act(step const& s, std::string const& path, book& told) {
    bool const write = s.a % 2 == 0 || !rw;
    if (s.kind == "acquire") {
      take(s, write, free_for(write), path, told);
    } else if (s.kind == "try") {
      take(s, write, false, path, told);
    } else if (s.kind == "construct") {
      construct(write, path, told);
    } else if (s.kind == "release") {
      release(s);
    } else if (s.kind == "change") {
      change(s, path, told);
    } else if (s.kind == "members") {
      members(s, path, told);
    } else if (s.kind == "parallel") {
      if (held_.empty() && !by_members_) parallel(s, path, told);
    }
    ask(s, path, told);
  }
  void end() {
    held_.clear();
    if (by_members_) leave_members();
  }

 private:
  struct holder {
    std::unique_ptr<lock> held = std::make_unique<lock>();
    bool write = true;
  };
  bool free_for(bool write) const {
    if (null) return true;
    if (by_members_ && (write || member_writes_)) return false;
    for (holder const& h : held_) {
      if (write || h.write) return false;
    }
    return true;
  }
  // Is there a reader only, so that a queuing_rw_mutex may refuse another one?
  bool readers_alone() const { return !held_.empty() && free_for(false); }

  static bool try_acquire(lock& l, Mutex& m, bool write) {
    if constexpr (rw) return l.try_acquire(m, write);
    return l.try_acquire(m);
  }
  static void acquire(lock& l, Mutex& m, bool write) {
    if constexpr (rw) {
      l.acquire(m, write);
    } else {
      l.acquire(m);
    }
  }

  void tell_try(bool got, bool write, std::string const& what, book& told) {
    if (is_queuing_rw(&mutex_) && !write && readers_alone()) {
      told.known("reader beside readers", what, got);
    } else {
      told.tell(what, got);
    }
    if (!is_queuing_rw(&mutex_) || write) told.expect(got == free_for(write), what);
  }

  void take(step const& s, bool write, bool may_wait, std::string const& path, book& told) {
    if (held_.size() > 5) return;
    holder h;
    h.write = write;
    bool got = true;
    somewhere(s.b % 3 == 0, [&] {
      if (may_wait) {
        acquire(*h.held, mutex_, write);
      } else {
        got = try_acquire(*h.held, mutex_, write);
      }
    });
    if (planted("mutex lets a writer in") && write && !got) got = true;
    tell_try(got, write, path + (write ? " writes" : " reads"), told);
    bool const open = is_queuing_rw(&mutex_) && !may_wait && !write && readers_alone();
    if (got && !open && free_for(write)) held_.push_back(std::move(h));
  }

  void construct(bool write, std::string const& path, book& told) {
    if (!free_for(write)) return;
    if constexpr (rw) {
      lock const l(mutex_, write);
      told.tell(path + " is held", text(free_now(true)) + text(is_queuing_rw(&mutex_) || free_now(false)));
    } else {
      lock const l(mutex_);
      told.tell(path + " is held", free_now(true));
    }
  }

  void release(step const& s) {
    if (held_.empty()) return;
    auto const at = held_.begin() + s.a % static_cast<std::ptrdiff_t>(held_.size());
    somewhere(s.b % 3 == 0, [&] {
      if (s.b % 2 == 0) {
        at->held->release();
      } else {
        at->held.reset();
      }
    });
    held_.erase(at);
  }

  void change(step const& s, std::string const& path, book& told) {
    if constexpr (rw) {
      if (held_.empty()) return;
      holder& h = held_[static_cast<std::size_t>(s.a) % held_.size()];
      if (s.b % 2 == 0) {
        told.tell(path + " becomes a reader", h.write ? h.held->downgrade_to_reader() : true);
        h.write = false;
      } else if (!h.write && (held_.size() == 1 || null) && !by_members_) {
        told.tell(path + " becomes a writer", h.held->upgrade_to_writer());
        h.write = true;
      }
#if DIFFER_ONETBB
      told.tell(path + " is a writer", null || h.held->is_writer() == h.write);
#endif
    }
  }

  void members(step const& s, std::string const& path, book& told) {
    if constexpr (has_members<Mutex>) {
      if (by_members_) return leave_members();
      bool const write = s.a % 2 == 0 || !shares_by_members<Mutex>;
      bool const may_wait = s.b % 2 == 0 && free_for(write);
      bool got = true;
      if (write) {
        may_wait ? mutex_.lock() : static_cast<void>(got = mutex_.try_lock());
      } else if constexpr (shares_by_members<Mutex>) {
        may_wait ? mutex_.lock_shared() : static_cast<void>(got = mutex_.try_lock_shared());
      }
      tell_try(got, write, path + (write ? " writes" : " reads"), told);
      by_members_ = got;
      member_writes_ = write;
    }
  }
  void leave_members() {
    if constexpr (shares_by_members<Mutex>) {
      member_writes_ ? mutex_.unlock() : mutex_.unlock_shared();
    } else if constexpr (has_members<Mutex>) {
      mutex_.unlock();
    }
    by_members_ = false;
  }

  bool free_now(bool write) {
    lock l;
    return try_acquire(l, mutex_, write);
  }
  // Whoever asks gets in or not, and leaves at once.
  void ask(step const& s, std::string const& path, book& told) {
    somewhere(s.n % 4 == 0, [&] {
      tell_try(free_now(true), true, path + ": a writer comes in", told);
      if constexpr (rw) tell_try(free_now(false), false, path + ": a reader comes in", told);
      if constexpr (has_members<Mutex>) {
        bool const got = mutex_.try_lock();
        if (got) mutex_.unlock();
        tell_try(got, true, path + ": locked by its member", told);
      }
      if constexpr (shares_by_members<Mutex>) {
        bool const got = mutex_.try_lock_shared();
        if (got) mutex_.unlock_shared();
        tell_try(got, false, path + ": shared by its member", told);
      }
    });
  }

  // Writers count; readers see both counts equal, whether they become writers or not.
  void parallel(step const& s, std::string const& path, book& told) {
    if constexpr (!null) {
      int one = 0, two = 0;
      std::atomic<int> torn{0};
      tbb::parallel_for(0, s.n * 4, [&](int i) {
        bool const write = !rw || (i + s.a) % 3 == 0;
        lock l;
        acquire(l, mutex_, write);
        torn += one != two ? 1 : 0;
        if (!write && i % 5 == 0) {
          if constexpr (rw) l.upgrade_to_writer();
        }
        if (write || i % 5 == 0) {
          ++one;
          linger();
          ++two;
        }
        if constexpr (rw) {
          if (write && i % 2 == 0) torn += l.downgrade_to_reader() && one != two ? 1 : 0;
        }
        if (i % 7 == 0) l.release();
      });
      told.tell(path + " counted", text(one) + " " + text(two) + " " + text(torn.load()));
    }
  }

  Mutex mutex_;
  std::vector<holder> held_;
  bool by_members_ = false;
  bool member_writes_ = false;
};

template <typename Mutex>
void play(step const& program, book& told) {
  told.tell("traits", text(Mutex::is_rw_mutex) + text(Mutex::is_recursive_mutex) + text(Mutex::is_fair_mutex));
  scene<Mutex> one;
  for (std::size_t i = 0; i < program.body.size(); ++i) {
    one.act(program.body[i], std::to_string(i) + " " + program.body[i].kind, told);
  }
  one.end();
}

void mutexes(step const& program, book& told) {
  constexpr subject kinds[] = {
      play<tbb::spin_mutex>, play<tbb::queuing_mutex>, play<tbb::spin_rw_mutex>, play<tbb::queuing_rw_mutex>,
      play<tbb::null_mutex>, play<tbb::null_rw_mutex>,
#if DIFFER_ONETBB
      play<tbb::mutex>,      play<tbb::rw_mutex>,
#endif
  };
  kinds[static_cast<std::size_t>(program.a) % std::size(kinds)](program, told);
}

}  // namespace

void add_mutexes(subjects& table) { table["mutex"] = mutexes; }

}  // namespace differ
