// SPDX-License-Identifier: Apache-2.0
// Simulated processors that run the program's threads, one at a time: each thread has a clock of its own, and
// goes on as long as nothing is to happen before that clock's time. What a thread does between two calls of the world
// takes no time; the calls tell what takes how long. The threads are real ones with their stacks and thread-local
// variables, so the library and the program need no change for it; but what they run, the program's first thread runs
// in their place, one after the other (context.h). Only at their ends, to destroy what is theirs, they run themselves.
//
// More threads than processors take turns: whoever becomes ready gets a free processor, or waits for the first one
// whose thread sleeps, yields, or has had its slice.
#pragma once

#include "product/context.h"
#include "product/costs.h"
#include "product/lines.h"
#include "product/real_calls.h"

#include <deque>
#include <memory>
#include <optional>
#include <queue>
#include <unordered_map>
#include <vector>

namespace ashlar::sim::product {

struct counts {
  std::uint64_t handovers = 0;  // from one real thread to another
  std::uint64_t fences = 0, sleeps = 0, wakes = 0, yields = 0, accesses = 0;
};

class world {
 public:
  static constexpr nanoseconds never = ~nanoseconds{0};

  struct thread {
    unsigned index = 0;
    unsigned processor = 0;
    enum class state { running, ready, asleep, over } is = state::asleep;
    bool timed_out = false;
    void const* key = nullptr;  // what it sleeps at
    nanoseconds now = 0, used = 0;
    nanoseconds placed = 0;   // when it got its processor
    nanoseconds owed = 0;     // for interruptions
    nanoseconds read_at = 0;  // when it got the last line by a read
    std::uint64_t event = 0;  // the only one that is valid
    // Where it goes on; once on_its_own, as a thread of the system that waits for its turn.
    context place;
    bool on_its_own = false;
    turn mine;
  };

  static world& here();  // the first caller becomes its first thread

  costs const& cost() const noexcept { return costs_; }
  nanoseconds now() const noexcept { return current_->now; }
  thread& self() const noexcept { return *current_; }
  thread* find(unsigned index) const noexcept { return index < threads_.size() ? threads_[index].get() : nullptr; }
  nanoseconds used_by_all() const noexcept;

  // The caller computes for so long.
  void advance(nanoseconds duration) {
    current_->now += duration;
    current_->used += duration;
    if (current_->now > horizon_) go_on();
  }
  void access(void const volatile* word, bool writes) {
    thread& me = *current_;
    ++counted.accesses;
    nanoseconds taken = lines_->access(costs_, me.processor, word, writes, me.now);
    if (!writes && taken == costs_.cached) {
      // What a thread does that only reads what it has, no other one can see.
      me.now += taken;
      me.used += taken;
      if (me.now > reader_s_horizon_) go_on();
      return;
    }
    if (!writes) {
      // A processor looks ahead and asks for several lines at once.
      if (me.now <= me.read_at + costs_.ahead) taken = taken / costs_.overlap + 1;
      me.read_at = me.now + taken;
    }
    advance(taken);
  }
  // Nothing that comes later is asked for earlier.
  void serialize() noexcept { current_->read_at = 0; }

  // What the system takes for something, which is not always the same: between 1 - spread and 1 + spread times as long,
  // and in the whole run by a factor of its own.
  nanoseconds varied(nanoseconds duration) { return about(duration, costs_.spread) * pace_ / 1000; }
  void advance_about(nanoseconds duration) { advance(varied(duration)); }

  // Sleeps until somebody wakes the key, or until the deadline; false if that came first. No time passes before it
  // sleeps, so what the caller has looked at is still so.
  bool sleep(void const* key, nanoseconds deadline = never);
  int wake(void const* key, int count);
  bool wake_one(void const* key);  // no time passes for the caller
  void yield();
  void heavy_fence();

  // A new thread: its maker calls make, and end is the last that the thread calls. go_on_alone leaves the thread of the
  // system that runs the contexts for the thread's own one.
  thread& make();
  [[noreturn]] void go_on_alone();
  void end();
  void join(thread& t);

  counts counted;
  std::uint64_t transfers() const noexcept { return lines_->transfers; }

 private:
  using state = thread::state;
  struct event {
    nanoseconds at;
    std::uint64_t number;
    thread* whose;
    bool operator<(event const& o) const noexcept { return at != o.at ? at > o.at : number > o.number; }
  };

  world();
  nanoseconds about(nanoseconds duration, nanoseconds spread);
  void go_on();
  void schedule(thread& t, nanoseconds at);
  void place(thread& t, unsigned processor, nanoseconds at);
  void make_ready(thread& t, nanoseconds at);
  void interrupt(unsigned processor);
  void leave_processor();
  void run_next();
  void hand_over(thread& from);
  void drive();
  void set_horizon();
  void forget_sleeper(thread& t);

  costs costs_;
  std::optional<lines> lines_;
  std::vector<std::unique_ptr<thread>> threads_;
  thread* current_ = nullptr;
  context driver_;  // of the program's first thread, on a stack of its own: gives others their turn
  turn driver_s_turn_;
  nanoseconds horizon_ = 0, reader_s_horizon_ = 0;
  std::priority_queue<event> events_;
  std::uint64_t numbers_ = 0;
  std::uint64_t random_;
  nanoseconds pace_;  // thousandths
  std::deque<thread*> ready_;
  struct processor {
    thread* runs = nullptr;
    nanoseconds free_since = 0;
  };
  std::vector<processor> processors_;
  std::unordered_map<void const*, std::deque<thread*>> sleepers_;
};

}  // namespace ashlar::sim::product
