// SPDX-License-Identifier: Apache-2.0
// A thread waits for a message, and may sleep: an entry of the process's list (graph_roll.cpp), for a scope.
#pragma once

#include <ashlar/flow/engine/graph_core.h>

namespace ashlar::inline v1::flow {

class token_wait {
 public:
  token_wait(graph_core& g, sched::group_counter const& uses) noexcept;
  ~token_wait();
  token_wait(token_wait const&) = delete;
  token_wait& operator=(token_wait const&) = delete;
  static void forget_other_threads() noexcept;

 private:
  friend class graph_core;
  // The list is locked.
  void enter() noexcept;
  graph_core* const graph_;
  void const* const thread_ = &sched::current_slot;  // differs from thread to thread
  sched::group_counter const* const uses_;
  token_wait* previous_ = nullptr;
  token_wait* next_ = nullptr;
};

}  // namespace ashlar::inline v1::flow
