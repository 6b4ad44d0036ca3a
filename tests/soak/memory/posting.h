// SPDX-License-Identifier: Apache-2.0
// Tasks in shapes: threads without a slot make them, workers of arenas run them.
#pragma once

#include "shapes.h"

#include <tbb/task_arena.h>

namespace growth {

/// The arenas of a shape: one, with one or several workers, or three that work for each other.
class arenas {
 public:
  explicit arenas(shape s) {
    // In a ring all workers find room in each, so that none waits for a place in an arena whose workers wait, too.
    unsigned const room = s == shape::ring ? many + 1 : s == shape::one_to_many ? many : 1;
    for (unsigned a = 0; a < (s == shape::ring ? many : 1); ++a) {
      all_.push_back(std::make_unique<tbb::task_arena>(static_cast<int>(room), 0));
      all_.back()->initialize();
    }
  }
  tbb::task_arena& at(unsigned i) { return *all_[i % all_.size()]; }

 private:
  std::vector<std::unique_ptr<tbb::task_arena>> all_;
};

/// submit(arena, ended) has a task in the arena that calls ended(), once. In a ring that posts the next into the next
/// arena.
template <typename Submit>
class posting {
 public:
  posting(run& r, long live, Submit submit) : run_(r), live_(live), submit_(std::move(submit)), arenas_(r.form) {}

  void go() {
    if (run_.form == shape::ring) {
      for (unsigned k = 0; k < live_; ++k) post(k);
    } else {
      std::vector<std::thread> posters;
      for (unsigned t = 0; t < makers(run_.form); ++t) posters.emplace_back([this] { make(); });
      for (std::thread& t : posters) t.join();
    }
    while (there_.load() > 0) std::this_thread::yield();
  }

 private:
  struct end {
    posting* whole;
    unsigned at;
    void operator()() const {
      if (whole->run_.form == shape::ring && whole->run_.m.count(1)) whole->post(at + 1);
      --whole->there_;
    }
  };
  friend end;

  void post(unsigned at) {
    ++there_;
    submit_(arenas_.at(at), end{this, at});
  }
  void make() {
    pace p(run_.m);
    while (p.step()) {
      while (there_.load(std::memory_order_relaxed) >= live_) std::this_thread::yield();
      post(0);
    }
  }

  run& run_;
  long const live_;
  Submit submit_;
  arenas arenas_;
  std::atomic<long> there_{0};
};

template <typename Submit>
void post(run& r, long live, Submit submit) {
  posting<Submit>(r, live, std::move(submit)).go();
}

}  // namespace growth
