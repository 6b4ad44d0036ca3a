// SPDX-License-Identifier: Apache-2.0
#include "program/record.h"

#include "program/bad_input.h"

#include <map>
#include <vector>

namespace ashlar::sim {

namespace {

class unfolding {
 public:
  unfolding(program const& p, std::uint64_t most_tasks) : program_(p), most_(most_tasks) {}

  recorded_program unfold() {
    begin(add(program_.root()));
    while (!frames_.empty() || !deque_.empty()) {
      if (frames_.empty()) {
        pop();
      } else {
        advance();
      }
    }
    return builder_.build();
  }

 private:
  struct born {
    std::uint32_t number;
    task_state state;
  };
  struct frame {
    born task;
    std::size_t base;      // of the deque: newer ones are its own
    bool waiting = false;  // until its own are done
  };

  born add(task_state const& state) {
    if (++tasks_ > most_) {
      throw bad_input("the graph has more than " + std::to_string(most_) + " tasks: too large to be recorded");
    }
    std::uint32_t const region = program_.region_of(state);
    auto const [at, fresh] = regions_.try_emplace(region, 0);
    if (fresh) at->second = builder_.add_region(program_.region_name(region));
    return {builder_.add_task(at->second), state};
  }
  void begin(born const& task) { frames_.push_back({task, deque_.size()}); }
  void pop() {
    born const task = deque_.back();
    deque_.pop_back();
    begin(task);
  }

  void advance() {
    frame& top = frames_.back();
    if (top.waiting && deque_.size() > top.base) return pop();
    top.waiting = false;
    std::uint32_t const task = top.task.number;
    task_state child;
    step const s = program_.next(top.task.state, child);
    switch (s.kind) {
      case step_kind::work:
        builder_.work(task, s.work);
        break;
      case step_kind::spawn:
        deque_.push_back(add(child));
        builder_.spawn(task, deque_.back().number);
        break;
      case step_kind::wait:
        builder_.wait(task);
        top.waiting = true;
        break;
      case step_kind::wait_continuation:
        builder_.wait_continuation(task);
        top.waiting = true;
        break;
      case step_kind::end:
        frames_.pop_back();
        break;
    }
  }

  program const& program_;
  std::uint64_t const most_;
  std::uint64_t tasks_ = 0;
  recorded_program::builder builder_;
  std::map<std::uint32_t, std::uint32_t> regions_;
  std::vector<frame> frames_;
  std::vector<born> deque_;
};

}  // namespace

recorded_program record(program const& p, std::uint64_t most_tasks) { return unfolding(p, most_tasks).unfold(); }

}  // namespace ashlar::sim
