// SPDX-License-Identifier: Apache-2.0
// A live task of the simulation, the deques that hold it and the pool that it comes from.
#pragma once

#include "program/bad_input.h"
#include "program/program.h"

#include <memory>
#include <string>
#include <vector>

namespace ashlar::sim {

struct task_record {
  static constexpr std::uint32_t nobody = ~0u;
  static constexpr picoseconds not_buried = ~picoseconds(0);

  task_state state;
  task_record* parent = nullptr;
  std::uint32_t pending = 0;  // children whose subtrees are not complete
  std::uint32_t depth = 0;
  std::uint32_t worker = nobody;  // who runs it or ran it last
  std::uint32_t thief = nobody;   // who took one of its children last
  bool counted = false;           // as a group: others have moved its counter since its worker looked
  bool ended = false;
  bool blocked = false;                   // in a blocking wait
  bool suspended = false;                 // in a wait_continuation
  task_record* group = nullptr;           // with group counters: the task whose wait covers its children
  picoseconds buried_since = not_buried;  // when the wait was over, if its worker was busy on top of it
};

class record_pool {
 public:
  explicit record_pool(std::uint64_t limit) : limit_(limit) {}

  task_record* make(task_state const& state, task_record* parent) {
    if (free_.empty()) grow();
    task_record* const r = free_.back();
    free_.pop_back();
    *r = {.state = state, .parent = parent, .depth = parent == nullptr ? 0 : parent->depth + 1};
    return r;
  }
  void release(task_record* r) { free_.push_back(r); }
  std::uint64_t made() const noexcept { return made_; }

 private:
  void grow() {
    constexpr std::size_t block = 512;
    if (made_ >= limit_) {
      throw bad_input("the graph has more than " + std::to_string(limit_) +
                      " open tasks: too large for the memory allowed");
    }
    blocks_.push_back(std::make_unique<task_record[]>(block));
    for (std::size_t i = block; i-- > 0;) free_.push_back(&blocks_.back()[i]);
    made_ += block;
  }

  std::uint64_t const limit_;
  std::uint64_t made_ = 0;
  std::vector<std::unique_ptr<task_record[]>> blocks_;
  std::vector<task_record*> free_;
};

// The owner's end is the back; thieves take from the front.
class ring {
 public:
  std::size_t size() const noexcept { return back_ - front_; }
  bool empty() const noexcept { return back_ == front_; }
  void push(task_record* r) {
    if (size() == slots_.size()) grow();
    slots_[back_++ & (slots_.size() - 1)] = r;
  }
  task_record* pop() noexcept { return slots_[--back_ & (slots_.size() - 1)]; }
  task_record* take() noexcept { return slots_[front_++ & (slots_.size() - 1)]; }
  task_record* oldest() const noexcept { return slots_[front_ & (slots_.size() - 1)]; }
  task_record* newest() const noexcept { return slots_[(back_ - 1) & (slots_.size() - 1)]; }
  std::size_t front() const noexcept { return front_; }
  std::size_t back() const noexcept { return back_; }

 private:
  void grow() {
    std::vector<task_record*> larger(2 * slots_.size());
    for (std::size_t i = front_; i != back_; ++i) larger[i & (larger.size() - 1)] = slots_[i & (slots_.size() - 1)];
    slots_.swap(larger);
  }
  std::size_t front_ = 0, back_ = 0;
  std::vector<task_record*> slots_ = std::vector<task_record*>(16);
};

}  // namespace ashlar::sim
