// SPDX-License-Identifier: Apache-2.0
// The places of a node that runs at most `limit` bodies at once: how many are
// taken, how many messages wait for one, whether predecessors may have more,
// and the lock of the messages that wait, in one word. Who takes a place that
// is free, or gives back one that nobody waits for, needs one compare-exchange
// and no lock.
//
//   bits 0..23  taken   bits 24..61  messages that wait   bit 62  predecessors
//   may have more   bit 63  locked
//
// Threads    any.
// Invariants PL1 a message waits only while all places are taken.
//            PL2 while the word is locked nobody but the one who has locked it
//            changes it.
// Ordering   [PL1] a place is given back: release, or the word is unlocked:
// release
//                  -> [PL2] it is taken, or the word is locked: acquire (what
//                  the body before has done; the queue)
#pragma once

#include <ashlar/base/atomic.h>
#include <ashlar/sync/backoff.h>

#include <cstddef>
#include <cstdint>

namespace ashlar {
inline namespace v1 {
namespace flow {

class places {
 public:
  using word = std::uint64_t;
  static constexpr std::uint32_t most = std::uint32_t{1} << 23;
  std::uint32_t const limit;

  /// limit 0: any number; then nothing else is to be called.
  explicit places(std::uint32_t most_at_once) noexcept : limit(most_at_once) {}
  places(places const&) = delete;
  places& operator=(places const&) = delete;

  /// A guess, for those who look from outside.
  std::uint32_t taken() const noexcept { return taken_of(word_.load(mo::relaxed)); }
  std::size_t waiting() const noexcept { return waiting_of(word_.load(mo::relaxed)); }

  /// One place is taken, by the caller, and no message that was put before the call waits.
  ASHLAR_ALWAYS_INLINE bool has_none_waiting() const noexcept { return word_.load(mo::relaxed) == 1; }

  /// Takes a place; false: none is free, or somebody looks after the messages
  /// that wait.
  ASHLAR_ALWAYS_INLINE bool enter() noexcept {
    word w = word_.load(mo::relaxed);
    while (w < limit) {
      if (ASHLAR_LIKELY(word_.compare_exchange(w, w + 1, mo::acquire, mo::relaxed))) return true;  // [PL2]
    }
    return false;
  }
  /// Gives a place back; false: it is still the caller's, because something may
  /// wait for it.
  ASHLAR_ALWAYS_INLINE bool leave() noexcept {
    word w = word_.load(mo::relaxed);
    while (w <= limit) {
      if (ASHLAR_LIKELY(word_.compare_exchange(w, w - 1, mo::release, mo::relaxed))) return true;  // [PL1]
    }
    return false;
  }

  /// The word, locked, for a scope. What the holder changes becomes visible when
  /// it ends.
  class hold {
   public:
    explicit hold(places& p) noexcept : places_(&p), word_(p.lock()) {}
    ~hold() {
      places_->word_.store(word_, mo::release);  // [PL1]
    }
    hold(hold const&) = delete;
    hold& operator=(hold const&) = delete;

    bool has_room() const noexcept { return taken_of(word_) < places_->limit; }
    void take() noexcept { ++word_; }
    void give_back() noexcept { --word_; }
    std::size_t waiting() const noexcept { return waiting_of(word_); }
    bool has_waiting() const noexcept { return waiting_of(word_) != 0; }
    bool has_several_waiting() const noexcept { return (word_ & ~pull_bit) >= 2 * one_waiting; }
    void add_waiting() noexcept { word_ += one_waiting; }
    void remove_waiting() noexcept { word_ -= one_waiting; }
    void forget_waiting() noexcept { word_ &= ~(waiting_mask * one_waiting); }
    bool may_pull() const noexcept { return (word_ & pull_bit) != 0; }
    void set_may_pull(bool may) noexcept { word_ = may ? word_ | pull_bit : word_ & ~pull_bit; }
    void clear() noexcept { word_ = 0; }

   private:
    places* const places_;
    word word_;
  };

 private:
  static constexpr word locked = word{1} << 63;
  static constexpr word pull_bit = word{1} << 62;
  static constexpr word one_waiting = word{1} << 24;
  static constexpr word waiting_mask = (word{1} << 38) - 1;
  static std::uint32_t taken_of(word w) noexcept { return static_cast<std::uint32_t>(w & (one_waiting - 1)); }
  static std::size_t waiting_of(word w) noexcept { return w / one_waiting & waiting_mask; }

  ASHLAR_ALWAYS_INLINE word lock() noexcept {
    word w = word_.load(mo::relaxed);
    if (ASHLAR_LIKELY((w & locked) == 0 && word_.compare_exchange(w, w | locked, mo::acquire,
                                                                  mo::relaxed))) {  // [PL2]
      return w;
    }
    return lock_slowly();
  }
  ASHLAR_NOINLINE word lock_slowly() noexcept {
    sync::lock_backoff wait;
    for (;;) {
      word w = word_.load(mo::relaxed);
      if ((w & locked) == 0 && word_.compare_exchange(w, w | locked, mo::acquire, mo::relaxed)) return w;  // [PL2]
      wait.pause();
    }
  }

  atomic<word> word_{0};
};

}  // namespace flow
}  // namespace v1
}  // namespace ashlar
