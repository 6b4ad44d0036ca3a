// SPDX-License-Identifier: Apache-2.0
// A parallel_for over classic tasks whose scheduling optimisations can be switched, as the 2007 paper did for its
// figures 7, 8 and 9. Range and Body are those of tbb::parallel_for; the body is shared by all tasks, not copied.
//
// A splitting policy is a value carried by each task: wants_split(range) decides, a copy goes to each half after
// halve(), and stolen() is called in a task that runs on another thread than the one that made it.
#pragma once

#include <tbb/task.h>

#include "common/styles.h"

namespace kernels {

// Splits as long as the range allows, like tbb::simple_partitioner: the range's grain decides.
struct split_to_grain {
  template <typename Range>
  bool wants_split(Range const& r) const {
    return r.is_divisible();
  }
  void halve() {}
  void stolen() {}
};

// Splits into about `budget` pieces at first; a theft shows that other threads are hungry, so that the stolen
// piece is split further. The counterpart of tbb::auto_partitioner.
struct split_on_demand {
  int budget;

  template <typename Range>
  bool wants_split(Range const& r) const {
    return budget > 1 && r.is_divisible();
  }
  void halve() { budget /= 2; }
  void stolen() { budget = budget < 4 ? 4 : budget; }
};

template <style Style, typename Range, typename Body, typename Policy>
class for_task : public tbb::task {
 public:
  for_task(Range const& range, Body const& body, Policy policy) : range_(range), body_(body), policy_(policy) {}
  for_task(for_task& left, tbb::split s) : range_(left.range_, s), body_(left.body_), policy_(left.policy_) {}

  tbb::task* execute() override {
    if (this->is_stolen_task()) {
      policy_.stolen();
    }
    if (!policy_.wants_split(range_)) {
      body_(range_);
      return nullptr;
    }
    policy_.halve();
    return fork();
  }

 private:
  tbb::task* fork() {
    if constexpr (Style == style::blocking) {
      tbb::task& right = *new (allocate_child()) for_task(*this, tbb::split());
      tbb::task& left = *new (allocate_child()) for_task(range_, body_, policy_);
      set_ref_count(3);
      spawn(right);
      spawn_and_wait_for_all(left);
      return nullptr;
    } else {
      tbb::task& join = *new (allocate_continuation()) tbb::empty_task;
      tbb::task& right = *new (join.allocate_child()) for_task(*this, tbb::split());
      if constexpr (Style == style::recycling) {
        recycle_as_child_of(join);
        join.set_ref_count(2);
        spawn(right);
        return this;
      } else {
        tbb::task& left = *new (join.allocate_child()) for_task(range_, body_, policy_);
        join.set_ref_count(2);
        spawn(right);
        if constexpr (Style == style::bypass) {
          return &left;
        }
        spawn(left);
        return nullptr;
      }
    }
  }

  Range range_;
  Body const& body_;
  Policy policy_;
};

template <style Style, typename Range, typename Body, typename Policy>
void parallel_for_in_style(Range const& range, Body const& body, Policy policy) {
  if (!range.empty()) {
    using root = for_task<Style, Range, Body, Policy>;
    tbb::task::spawn_root_and_wait(*new (tbb::task::allocate_root()) root(range, body, policy));
  }
}

template <typename Range, typename Body, typename Policy>
void switchable_parallel_for(style s, Range const& range, Body const& body, Policy policy) {
  switch (s) {
    case style::blocking:
      return parallel_for_in_style<style::blocking>(range, body, policy);
    case style::continuation:
      return parallel_for_in_style<style::continuation>(range, body, policy);
    case style::bypass:
      return parallel_for_in_style<style::bypass>(range, body, policy);
    case style::recycling:
      return parallel_for_in_style<style::recycling>(range, body, policy);
  }
}

}  // namespace kernels
