// SPDX-License-Identifier: Apache-2.0
// Classic TBB's parallel_while: a body for each item of a stream, and for items that bodies add.
#pragma once

#include <ashlar/algo/item_batch.h>
#include <ashlar/algo/item_walk.h>
#include <ashlar/base/interface.h>
#include <ashlar/sched/tasks/task_group_context.h>

namespace tbb {

/// Body has a type argument_type and a const call operator for it. A Stream has pop_if_present(argument_type&), which
/// is called by one thread at a time and returns false at the stream's end; items are default-constructed, then filled.
///
/// One run() at a time. add() may be called by bodies while run() lasts, from any thread that executes them. Exceptions
/// as for parallel_for_each.
template <typename Body>
class parallel_while {
 public:
  using value_type = std::remove_cv_t<std::remove_reference_t<typename Body::argument_type>>;

  parallel_while() noexcept = default;
  parallel_while(parallel_while const&) = delete;
  parallel_while& operator=(parallel_while const&) = delete;

  template <typename Stream>
  void run(Stream& stream, Body const& body) {
    ashlar::sched::slot& s = ashlar::sched::this_slot();
    ashlar::sched::context group(&s.group());
    ashlar::sched::group_scope const scope(s, group);
    ashlar::algo::item_work<Body, value_type> work(body, group, s);
    ashlar::algo::stream_source<Stream, value_type> source(stream);
    running const r(*this, work);
    ashlar::algo::walk_items(s, source, work);
  }

  /// Adds a copy of the item to those that are worked on.
  void add(value_type const& item) { items_->add(item); }

 private:
  class running {
   public:
    running(parallel_while& w, feeder<value_type>& items) noexcept : while_(w) { w.items_ = &items; }
    ~running() { while_.items_ = nullptr; }
    running(running const&) = delete;
    running& operator=(running const&) = delete;

   private:
    parallel_while& while_;
  };

  feeder<value_type>* items_ = nullptr;
};

}  // namespace tbb

#include <tbb/detail/closure/tasks.h>
