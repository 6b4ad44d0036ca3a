// SPDX-License-Identifier: Apache-2.0
// How a message passes from node to node: by a reference to its value and a word that says whether the value may be
// moved from, and who waits for what the message causes.
//
// Ordering   [FT1] release of a joint token's use: acq_rel -> [FT2] the last one ends it, or one of its
//                 tokens: acquire
// Model      tests/model/flow_token_model.cpp
#pragma once

#include <ashlar/sched/queue/task_pool.h>
#include <ashlar/sched/tasks/group_counter.h>

#include <cstdint>
#include <type_traits>
#include <utility>

namespace ashlar {
inline namespace v1 {
namespace flow {

/// try_put_and_wait waits for this: for each message with the token there is one use. A join of messages with different
/// tokens makes a joint one, which uses both. Uses that the waiting thread takes and gives back cost no locked
/// instruction.
class wait_token {
 public:
  /// `s`: the slot of the thread that is going to wait.
  explicit wait_token(sched::slot& s) noexcept : uses_(s) {}
  wait_token(wait_token const&) = delete;
  wait_token& operator=(wait_token const&) = delete;

  /// The caller has a use, or is the thread that is going to wait.
  ASHLAR_ALWAYS_INLINE void retain() noexcept { retain(sched::current_slot); }
  /// `s`: the calling thread's slot, if it has one.
  ASHLAR_ALWAYS_INLINE void retain(sched::slot const* s) noexcept {
    if (ASHLAR_LIKELY(first_ == nullptr)) {
      uses_.add(s);
    } else {
      joint_uses_.fetch_add(1, mo::relaxed);
    }
  }
  /// The token may be gone when this returns.
  void release() noexcept {
    if (ASHLAR_LIKELY(first_ == nullptr)) {
      sched::slot* const s = sched::current_slot;
      uses_.finish(s, s);
    } else {
      release_joint();
    }
  }
  /// The same by the thread that has the slot. If that is the one that waits, there is nobody to be woken.
  ASHLAR_ALWAYS_INLINE void release(sched::slot& s) noexcept {
    if (ASHLAR_LIKELY(second_.load(mo::relaxed) == nullptr)) {
      uses_.undo(s);
    } else {
      release();
    }
  }
  /// From now on another thread may wait in place of the caller, whose release() wakes it. The token is not joint.
  void let_others_wait() noexcept { second_.store(this, mo::relaxed); }
  /// Only the thread that has made the token waits for it.
  bool is_plain() const noexcept { return second_.load(mo::relaxed) == nullptr; }
  sched::group_counter& uses() noexcept { return uses_; }
  /// Takes over a use of each. Throws std::bad_alloc; then both are as before.
  ASHLAR_EXPORT static wait_token* join(wait_token* a, wait_token* b);
  /// One more use of t, or of none, in a joint token. Throws std::bad_alloc; then both are as before.
  static void add(wait_token*& joint, wait_token* t) {
    if (ASHLAR_UNLIKELY(t != nullptr)) add_use(joint, *t);
  }
  /// Gives back the uses of t that the caller's use of `kept` stands for, or all (t: null); what is left, or null. A
  /// joint token that others use, too, loses no single t.
  static wait_token* without(wait_token* kept, wait_token const* t) noexcept {
    return ASHLAR_LIKELY(kept == nullptr) ? nullptr : take_from(kept, t);
  }

 private:
  ASHLAR_EXPORT ASHLAR_COLD static wait_token* take_from(wait_token* kept, wait_token const* t) noexcept;
  ASHLAR_EXPORT ASHLAR_COLD static void add_use(wait_token*& joint, wait_token& t);
  ASHLAR_EXPORT void release_joint() noexcept;
  sched::group_counter uses_;
  // Of a joint token.
  wait_token* first_ = nullptr;
  atomic<wait_token*> second_{nullptr};  // this: the token is not joint, and others may wait
  atomic<std::int64_t> joint_uses_{1};
};

class passage {
 public:
  static passage copied(wait_token* t = nullptr) noexcept { return passage(word_of(t)); }
  static passage moved(wait_token* t = nullptr) noexcept { return passage(word_of(t) | 1); }

  bool movable() const noexcept { return (word_ & 1) != 0; }
  wait_token* token() const noexcept { return reinterpret_cast<wait_token*>(word_ & ~std::uintptr_t{1}); }
  /// What the body makes of the message.
  passage as_moved() const noexcept { return passage(word_ | 1); }
  /// The same message for a receiver after which there are others.
  passage shared() const noexcept { return passage(word_ & ~std::uintptr_t{1}); }
  /// The token with a use for a message that is kept; null if there is none.
  ASHLAR_ALWAYS_INLINE wait_token* use() const noexcept {
    wait_token* const t = token();
    if (ASHLAR_UNLIKELY(t != nullptr)) t->retain();
    return t;
  }

 private:
  explicit passage(std::uintptr_t word) noexcept : word_(word) {}
  // The compiler is told that bit 0 is free, so that it need not clear it where it has just set it.
  static std::uintptr_t word_of(wait_token* t) noexcept {
    return reinterpret_cast<std::uintptr_t>(__builtin_assume_aligned(t, alignof(wait_token)));
  }
  std::uintptr_t word_;
};

inline void release_token(wait_token* t) noexcept {
  if (ASHLAR_UNLIKELY(t != nullptr)) t->release();
}

/// Made by a thread that is about to give back its use of the token, and asked afterwards: whether what this thread
/// waits for may be over. Then it returns to its wait, whatever else there is to do: that may have no end.
class own_wait {
 public:
  own_wait(wait_token* t, sched::slot const& s) noexcept {
    if (t == nullptr) return;
    if (ASHLAR_UNLIKELY(!t->is_plain())) {
      is_unknown_ = true;  // the token may be gone by then
    } else if (t->uses().is_of(s)) {
      uses_ = &t->uses();  // the wait holds it
    }
  }
  bool over() const noexcept { return is_unknown_ || (uses_ != nullptr && uses_->done()); }

 private:
  sched::group_counter const* uses_ = nullptr;
  bool is_unknown_ = false;
};

/// A message of a type that can't be copied has come by a way on which only copies pass. Throws std::logic_error.
[[noreturn]] ASHLAR_EXPORT void throw_not_copyable();

/// Makes a T from the message.
template <typename T>
ASHLAR_ALWAYS_INLINE T make_value(T& from, passage p) {
  if constexpr (std::is_copy_constructible_v<T>) {
    if constexpr (!std::is_trivially_copy_constructible_v<T>) {
      if (p.movable()) return T(std::move(from));
    }
    return T(static_cast<T const&>(from));
  } else {
    if (!p.movable()) throw_not_copyable();
    return T(std::move(from));
  }
}
template <typename T>
ASHLAR_ALWAYS_INLINE T* put_into(void* place, T& from, passage p) {
  return ::new (place) T(make_value<T>(from, p));
}
template <typename T>
ASHLAR_ALWAYS_INLINE void assign_to(T& to, T& from, passage p) {
  if constexpr (std::is_copy_assignable_v<T>) {
    if constexpr (!std::is_trivially_copyable_v<T>) {
      if (p.movable()) {
        to = std::move(from);
        return;
      }
    }
    to = static_cast<T const&>(from);
  } else {
    if (!p.movable()) throw_not_copyable();
    to = std::move(from);
  }
}

}  // namespace flow
}  // namespace v1
}  // namespace ashlar
