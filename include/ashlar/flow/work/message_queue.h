// SPDX-License-Identifier: Apache-2.0
// Messages that wait, first in, first out, with their tokens: a list of chunks. The caller locks, but for size().
#pragma once

#include <ashlar/base/atomic.h>
#include <ashlar/flow/engine/message.h>

#include <cstddef>
#include <new>
#include <utility>

namespace ashlar {
inline namespace v1 {
namespace flow {

template <typename T>
class message_queue {
 public:
  message_queue() noexcept = default;
  message_queue(message_queue const&) = delete;
  message_queue& operator=(message_queue const&) = delete;
  ~message_queue() {
    clear();
    give_back(head_);  // the last one, kept for more messages
    give_back(spare_);
  }

  bool empty() const noexcept { return size() == 0; }
  /// A guess, for those who look from outside.
  std::size_t size() const noexcept { return size_.load(mo::relaxed); }

  /// Throws std::bad_alloc, and what copying the message throws.
  ASHLAR_ALWAYS_INLINE void push(T& v, passage p) {
    if (ASHLAR_UNLIKELY(last_ == last_end_)) append_chunk();
    put_into<T>(last_->place, v, p);
    last_->token = p.use();
    ++last_;
    size_.store(size() + 1, mo::relaxed);
  }
  T& front() noexcept { return *std::launder(reinterpret_cast<T*>(first_->place)); }
  wait_token* front_token() const noexcept { return first_->token; }
  /// Ends the oldest message; its token's use is the caller's.
  ASHLAR_ALWAYS_INLINE void pop() noexcept {
    front().~T();
    size_.store(size() - 1, mo::relaxed);
    ++first_;
    if (ASHLAR_UNLIKELY(first_ == first_end_)) {
      next_chunk();
    } else if (first_ == last_) {
      first_ = last_ = head_->cells;  // a queue that runs empty stays in the same cache lines
    }
  }
  /// Gives back the uses of the token, or of all (null): the messages stay.
  void forget(wait_token const* t) noexcept {
    chunk* c = head_;
    for (cell* at = first_; at != last_; ++at) {
      if (at == c->cells + chunk_cells) {
        c = c->next;
        at = c->cells;
        if (at == last_) break;  // the chunk was appended for a message whose copy failed
      }
      at->token = wait_token::without(at->token, t);
    }
  }
  /// Takes all messages of the other one, and leaves it the memory of what was here, which was used up.
  void fill(message_queue& other) noexcept {
    std::swap(head_, other.head_);
    std::swap(tail_, other.tail_);
    std::swap(spare_, other.spare_);
    std::swap(first_, other.first_);
    std::swap(first_end_, other.first_end_);
    std::swap(last_, other.last_);
    std::swap(last_end_, other.last_end_);
    size_.store(other.size(), mo::relaxed);
    other.size_.store(0, mo::relaxed);
  }
  void clear() noexcept {
    while (!empty()) {
      wait_token* const t = front_token();
      pop();
      release_token(t);
    }
  }

 private:
  struct cell {
    alignas(T) unsigned char place[sizeof(T)];
    wait_token* token;
  };
  // About a page, at most.
  static constexpr std::size_t chunk_cells = sizeof(cell) <= 64 ? 63 : sizeof(cell) <= 512 ? 7 : 1;
  struct chunk {
    chunk* next;
    cell cells[chunk_cells];
  };

  ASHLAR_NOINLINE void append_chunk() {
    chunk* c = std::exchange(spare_, nullptr);
    if (c == nullptr) c = static_cast<chunk*>(::operator new(sizeof(chunk), std::align_val_t(alignof(chunk))));
    c->next = nullptr;
    if (tail_ != nullptr) {
      tail_->next = c;
    } else {
      head_ = c;
      first_ = c->cells;
      first_end_ = c->cells + chunk_cells;
    }
    tail_ = c;
    last_ = c->cells;
    last_end_ = c->cells + chunk_cells;
  }
  // The cells of the oldest chunk are used up.
  ASHLAR_NOINLINE void next_chunk() noexcept {
    chunk* const old = head_;
    head_ = old->next;
    if (head_ == nullptr) {
      tail_ = nullptr;
      first_ = first_end_ = last_ = last_end_ = nullptr;
    } else {
      first_ = head_->cells;
      first_end_ = head_->cells + chunk_cells;
    }
    if (spare_ == nullptr) {
      spare_ = old;
    } else {
      give_back(old);
    }
  }
  static void give_back(chunk* c) noexcept { ::operator delete(c, std::align_val_t(alignof(chunk))); }

  chunk* head_ = nullptr;
  chunk* tail_ = nullptr;
  chunk* spare_ = nullptr;
  cell* first_ = nullptr;  // the oldest message's, in head_
  cell* first_end_ = nullptr;
  cell* last_ = nullptr;  // the next free one, in tail_
  cell* last_end_ = nullptr;
  atomic<std::size_t> size_{0};
};

}  // namespace flow
}  // namespace v1
}  // namespace ashlar
