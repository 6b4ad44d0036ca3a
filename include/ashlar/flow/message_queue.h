// SPDX-License-Identifier: Apache-2.0
// Messages that wait, first in, first out, with their tokens: a list of chunks. The caller locks.
#pragma once

#include <ashlar/flow/message.h>

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

  bool empty() const noexcept { return size_ == 0; }
  std::size_t size() const noexcept { return size_; }

  // Throws std::bad_alloc, and what copying the message throws.
  void push(T& v, passage p) {
    if (tail_ == nullptr || end_ == chunk_cells) append_chunk();
    cell& c = tail_->cells[end_];
    put_into<T>(c.place, v, p);
    c.token = p.use();
    ++end_;
    ++size_;
  }
  T& front() noexcept { return *std::launder(reinterpret_cast<T*>(head_->cells[begin_].place)); }
  wait_token* front_token() const noexcept { return head_->cells[begin_].token; }
  // Ends the oldest message; its token's use is the caller's.
  void pop() noexcept {
    front().~T();
    --size_;
    if (++begin_ == (head_ == tail_ ? end_ : chunk_cells)) next_chunk();
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

  void append_chunk() {
    chunk* c = std::exchange(spare_, nullptr);
    if (c == nullptr) c = static_cast<chunk*>(::operator new(sizeof(chunk), std::align_val_t(alignof(chunk))));
    c->next = nullptr;
    if (tail_ != nullptr) {
      tail_->next = c;
    } else {
      head_ = c;
      begin_ = 0;
    }
    tail_ = c;
    end_ = 0;
  }
  // The cells of the oldest chunk are used up.
  void next_chunk() noexcept {
    if (head_ == tail_ && end_ != chunk_cells) {
      begin_ = end_ = 0;
      return;
    }
    chunk* const old = head_;
    head_ = old->next;
    begin_ = 0;
    if (head_ == nullptr) tail_ = nullptr;
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
  std::size_t begin_ = 0;  // the oldest message's cell in head_
  std::size_t end_ = 0;    // the next free cell of tail_
  std::size_t size_ = 0;
};

}  // namespace flow
}  // namespace v1
}  // namespace ashlar
