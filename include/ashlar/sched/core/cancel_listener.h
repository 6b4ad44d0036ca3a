// SPDX-License-Identifier: Apache-2.0
// Callbacks that a cancelled context calls. The tree of contexts knows nothing of them but two functions, which are
// there from the first registration on.
//
// Threads    attach and detach from any thread. detach waits for a callback that runs on another thread.
// Invariants CB1 a callback is called at most once, and not after detach() has returned.
//            CB2 a callback that is attached to a context that is cancelled, or is cancelled later, is called.
// Ordering   [CB1] attach: watch set, seq_cst; cancelled nodes read, seq_cst <-> [CB2] cancel: nodes counted, seq_cst;
//            watch read, seq_cst
//            [CB3] callback ended: state, release -> [CB4] detach: state, acquire (what it has done)
// Model      tests/model/cancel_listener_model.cpp
#pragma once

#include <ashlar/base/atomic.h>
#include <ashlar/base/config.h>

#include <cstdint>

namespace ashlar {
inline namespace v1 {
namespace sched {

class context;

struct cancel_ring {
  cancel_ring* next;
  cancel_ring* previous;
};

/// What is called when a context is cancelled. The function follows in the derived class.
class cancel_listener : private cancel_ring {
 public:
  using function = void (*)(cancel_listener&) noexcept;
  explicit cancel_listener(function f) noexcept : cancel_ring{nullptr, nullptr}, call_(f) {}
  cancel_listener(cancel_listener const&) = delete;
  cancel_listener& operator=(cancel_listener const&) = delete;

  /// Calls the function at once if the context is cancelled. Once in the life of the listener.
  ASHLAR_EXPORT void attach(context& to) noexcept;
  /// The function is not called from now on. Waits until it has returned if another thread is in it.
  ASHLAR_EXPORT void detach() noexcept;

 private:
  friend class cancel_listeners;
  enum : std::uint32_t { loose, attached, running, over };

  function const call_;
  context* of_ = nullptr;
  void const* runner_ = nullptr;  // the thread that is in the function
  bool* detached_ = nullptr;      // for the runner, if the listener goes meanwhile
  atomic<std::uint32_t> state_{loose};
};

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
