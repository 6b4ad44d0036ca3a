// SPDX-License-Identifier: Apache-2.0
// Observers of several arenas, and limits that come and go in any order: a body runs in a thread that every observer of
// its arena has seen coming, and has not seen leaving.
#include "subjects.h"

#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>
#include <tbb/task_scheduler_observer.h>

#include <chrono>
#include <memory>
#include <thread>

namespace differ {

namespace {

class watcher : public tbb::task_scheduler_observer {
 public:
  watcher(tbb::task_arena* arena, int where) : where_(where), explicit_(arena != nullptr) {
    if (arena != nullptr) arena_ = std::make_unique<explicit_watcher>(*this, *arena);
  }
  watcher(watcher const&) = delete;
  watcher& operator=(watcher const&) = delete;
  ~watcher() override { watch(false); }

  void watch(bool on) {
    if (on) off_ = false;
    if (explicit_) {
      arena_->observe(on);
    } else {
      observe(on);
    }
    off_ = !on;
  }
  bool watches() const { return explicit_ ? arena_->is_observing() : is_observing(); }
  int where() const { return where_; }

  void on_scheduler_entry(bool) override { came(); }
  void on_scheduler_exit(bool) override { went(); }
  void came() {
    std::lock_guard<std::mutex> const guard(lock_);
    if (++inside_[std::this_thread::get_id()] > 1) ++twice_;
    if (off_) ++late_;
    ++entries_;
  }
  void went() {
    std::lock_guard<std::mutex> const guard(lock_);
    --inside_[std::this_thread::get_id()];
  }
  // Has this thread come?
  bool sees_me() {
    std::lock_guard<std::mutex> const guard(lock_);
    return inside_[std::this_thread::get_id()] > 0;
  }
  void forget() {  // who was inside while nothing was watched may have left
    std::lock_guard<std::mutex> const guard(lock_);
    inside_.clear();
  }
  int twice() const { return twice_; }
  int late() const { return late_; }
  int entries() const { return entries_; }

 private:
  class explicit_watcher : public tbb::task_scheduler_observer {
   public:
    explicit_watcher(watcher& owner, tbb::task_arena& arena) : tbb::task_scheduler_observer(arena), owner_(owner) {}
    explicit_watcher(explicit_watcher const&) = delete;
    explicit_watcher& operator=(explicit_watcher const&) = delete;
    ~explicit_watcher() override { observe(false); }
    void on_scheduler_entry(bool) override { owner_.came(); }
    void on_scheduler_exit(bool) override { owner_.went(); }

   private:
    watcher& owner_;
  };

  int const where_;
  bool const explicit_;
  std::unique_ptr<explicit_watcher> arena_;
  std::atomic<bool> off_{true};
  std::mutex lock_;
  std::map<std::thread::id, int> inside_;
  std::atomic<int> twice_{0}, late_{0}, entries_{0};
};

class scene {
 public:
  explicit scene(step const& program) {
    for (int i = 0; i < 2; ++i) {
      arenas_.push_back(std::make_unique<tbb::task_arena>(2 + (program.a + i) % 3, static_cast<unsigned>(1)));
    }
  }

  void act(step const& s, std::string const& path, book& told) {
    if (s.kind == "control") {
      controls_.push_back(std::make_unique<tbb::global_control>(tbb::global_control::max_allowed_parallelism,
                                                                static_cast<std::size_t>(1 + s.a % 12)));
    } else if (s.kind == "uncontrol") {
      if (!controls_.empty()) controls_.erase(controls_.begin() + s.a % static_cast<int>(controls_.size()));
    } else if (s.kind == "watch") {
      watch(s, path, told);
    } else if (s.kind == "unwatch") {
      if (!watchers_.empty()) unwatch(s, path, told);
    } else if (s.kind == "loop") {
      in(s.a % 3, [&] { loop(s, s.a % 3, path, told); });
    } else if (s.kind == "nested") {
      nested(s, path, told);
    } else if (s.kind == "group") {
      group(s, path, told);
    } else if (s.kind == "enqueue") {
      enqueue(s, path, told);
    }
    told.tell(path + " limit", tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism));
  }

  void end(book& told) {
    int twice = 0, late = 0;
    for (auto const& w : watchers_) {
      w->watch(false);
      twice += w->twice();
      late += w->late();
    }
    told.tell("came twice", twice);
    told.tell("came when nothing was watched", late);
  }

 private:
  template <typename F>
  void in(int arena, F const& f) {
    if (arena == 0) return f();
    arenas_[static_cast<std::size_t>(arena - 1)]->execute(f);
  }

  // Of an arena, or of the one that this thread is in.
  void watch(step const& s, std::string const& path, book& told) {
    if (s.b % 7 == 0 && watch_again(path, told)) return;
    if (watchers_.size() > 5) return;
    int const arena = s.a % 3;
    bool const by_name = s.b % 2 == 0 && arena != 0;
    watchers_.push_back(
        std::make_unique<watcher>(by_name ? arenas_[static_cast<std::size_t>(arena - 1)].get() : nullptr, arena));
    watcher& w = *watchers_.back();
    told.tell(path + " watches before", w.watches());
    if (by_name) {
      w.watch(true);
    } else {
      in(arena, [&] { w.watch(true); });
    }
    if (s.b % 5 == 0) w.watch(true);
    told.tell(path + " watches", w.watches());
  }

  bool watch_again(std::string const& path, book& told) {
    for (auto const& w : watchers_) {
      if (w->watches()) continue;
      in(w->where(), [&] { w->watch(true); });
      told.tell(path + " watches again", w->watches());
      return true;
    }
    return false;
  }

  void unwatch(step const& s, std::string const& path, book& told) {
    auto const at = watchers_.begin() + s.a % static_cast<int>(watchers_.size());
    (*at)->watch(false);
    told.tell(path + " watches", (*at)->watches());
    if (s.b % 3 == 0) {
      told.tell(path + " late", (*at)->late());
      watchers_.erase(at);
    } else {
      (*at)->forget();
    }
  }

  // The observers of the arena that do not see the thread of a body.
  int unseen(int arena) {
    if (planted("observer misses a thread")) return 1;
    int count = 0;
    for (auto const& w : watchers_) count += w->watches() && w->where() == arena && !w->sees_me() ? 1 : 0;
    return count;
  }

  void loop(step const& s, int arena, std::string const& path, book& told) {
    std::atomic<int> missed{0};
    tbb::parallel_for(0, s.n, [&](int) {
      linger();
      missed += unseen(arena);
    });
    told.tell(path + " bodies that were not seen", missed.load());
  }

  void nested(step const& s, std::string const& path, book& told) {
    int const outer = s.a % 3, inner = s.b % 3;
    in(outer, [&] {
      loop(s, outer, path + " before", told);
      in(inner, [&] { loop(s, inner == 0 ? outer : inner, path + " inside", told); });
      loop(s, outer, path + " after", told);
    });
  }

  void group(step const& s, std::string const& path, book& told) {
    int const arena = s.a % 3;
    std::atomic<int> missed{0};
    tbb::task_group tasks;
    in(arena, [&] {
      for (int i = 0; i < s.n; ++i) {
        tasks.run([&] {
          linger();
          missed += unseen(arena);
        });
      }
      tasks.wait();
    });
    told.tell(path + " tasks that were not seen", missed.load());
  }

  void enqueue(step const& s, std::string const& path, book& told) {
    int const arena = 1 + s.a % 2;
    std::atomic<int> missed{0}, ran{0};
    for (int i = 0; i < s.n; ++i) {
      arenas_[static_cast<std::size_t>(arena - 1)]->enqueue([&] {
        missed += unseen(arena);
        ++ran;
      });
    }
    auto const end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (ran != s.n && std::chrono::steady_clock::now() < end) std::this_thread::yield();
    told.tell(path + " ran", ran.load());
    told.tell(path + " enqueued tasks that were not seen", missed.load());
  }

  std::vector<std::unique_ptr<tbb::task_arena>> arenas_;
  std::vector<std::unique_ptr<tbb::global_control>> controls_;
  std::vector<std::unique_ptr<watcher>> watchers_;
};

void play(step const& program, book& told) {
  scene one(program);
  for (std::size_t i = 0; i < program.body.size(); ++i) {
    one.act(program.body[i], std::to_string(i) + " " + program.body[i].kind, told);
  }
  one.end(told);
}

// In the arena of the program, or in the implicit one of a thread that comes for the first time.
void observers(step const& program, book& told) {
  if (program.b % 3 != 0) return play(program, told);
  std::thread([&] { play(program, told); }).join();
}

}  // namespace

void add_observers(subjects& table) { table["observer"] = observers; }

}  // namespace differ
