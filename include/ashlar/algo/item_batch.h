// SPDX-License-Identifier: Apache-2.0
// Batches of items for parallel_for_each and its relatives, and the sources they are taken from. A batch is worked
// through from its front; its rear half can be split off while it is worked on.
//
// Batch: size(), run(n, call, here) (calls call.visit(item) for the first n items and drops them, until
// call.stopped(here); may throw), split(). Source: batch; most (items in a batch); take(batch&, n) fills an empty batch
// with up to n items and tells whether more may follow. A source is used by one thread at a time and compares iterators
// by == alone. All of it may throw what the user's types throw.
#pragma once

#include <ashlar/base/config.h>

#include <cstddef>
#include <new>
#include <utility>

namespace ashlar {
inline namespace v1 {
namespace algo {

/// Items that stay where they are, behind a forward iterator.
template <typename It>
class iterator_batch {
 public:
  explicit iterator_batch(It const& at) : at_(at) {}

  std::size_t size() const noexcept { return size_; }
  template <typename Call, typename Slot>
  ASHLAR_ALWAYS_INLINE void run(std::size_t n, Call& call, Slot& here) {
    for (; n != 0 && !call.stopped(here); --n) {
      call.visit(*at_);
      ++at_;
      --size_;
    }
  }
  iterator_batch split() {
    iterator_batch rear(at_);
    std::size_t const front = size_ - size_ / 2;
    for (std::size_t i = 0; i < front; ++i) ++rear.at_;
    rear.size_ = size_ - front;
    size_ = front;
    return rear;
  }
  void extend(std::size_t n) noexcept { size_ = n; }

 private:
  It at_;
  std::size_t size_ = 0;
};

/// Owned items, copied from an input iterator or a stream.
template <typename Item>
class item_batch {
 public:
  item_batch() noexcept = default;
  item_batch(item_batch&& other) noexcept
      : items_(std::exchange(other.items_, nullptr)), front_(other.front_), back_(other.back_) {}
  item_batch& operator=(item_batch&&) = delete;
  ~item_batch() {
    if (items_ == nullptr) return;
    while (front_ != back_) items_[--back_].~Item();
    ::operator delete(items_, std::align_val_t{alignof(Item)});
  }

  std::size_t size() const noexcept { return back_ - front_; }
  void reserve(std::size_t n) {
    items_ = static_cast<Item*>(::operator new(n * sizeof(Item), std::align_val_t{alignof(Item)}));
  }
  template <typename Value>
  void push(Value&& value) {
    ::new (static_cast<void*>(items_ + back_)) Item(std::forward<Value>(value));
    ++back_;
  }
  template <typename Call, typename Slot>
  void run(std::size_t n, Call& call, Slot& here) {
    for (; n != 0 && !call.stopped(here); --n) {
      Item& item = items_[front_];
      call.visit_own(item);
      ++front_;
      item.~Item();
    }
  }
  item_batch split() {
    std::size_t const rest = back_ - size() / 2;
    item_batch rear;
    rear.reserve(back_ - rest);
    for (std::size_t i = rest; i < back_; ++i) rear.push(std::move(items_[i]));
    while (back_ != rest) items_[--back_].~Item();
    return rear;
  }

 private:
  Item* items_ = nullptr;
  std::size_t front_ = 0;
  std::size_t back_ = 0;
};

template <typename It>
class forward_source {
 public:
  using batch = iterator_batch<It>;
  static constexpr std::size_t most = 4096;  // what fits the second-level cache: the items are touched twice

  forward_source(It const& first, It const& last) : at_(first), last_(last) {}

  batch begin_batch() const { return batch(at_); }
  bool take(batch& b, std::size_t n) {
    std::size_t taken = 0;
    for (; taken < n && !(at_ == last_); ++taken) ++at_;
    b.extend(taken);
    return !(at_ == last_);
  }

 private:
  It at_;
  It last_;
};

template <typename It, typename Item>
class input_source {
 public:
  using batch = item_batch<Item>;
  static constexpr std::size_t most = sizeof(Item) <= 64 ? 256 : 16;

  input_source(It const& first, It const& last) : at_(first), last_(last) {}

  batch begin_batch() const noexcept { return batch(); }
  bool take(batch& b, std::size_t n) {
    if (at_ == last_) return false;
    b.reserve(n);
    for (; n != 0 && !(at_ == last_); --n) {
      b.push(*at_);
      ++at_;
    }
    return !(at_ == last_);
  }

 private:
  It at_;
  It last_;
};

/// A stream of classic parallel_while: pop_if_present(item) is false at its end.
template <typename Stream, typename Item>
class stream_source {
 public:
  using batch = item_batch<Item>;
  static constexpr std::size_t most = sizeof(Item) <= 64 ? 256 : 16;

  explicit stream_source(Stream& s) noexcept : stream_(s) {}

  batch begin_batch() const noexcept { return batch(); }
  bool take(batch& b, std::size_t n) {
    b.reserve(n);
    for (; n != 0; --n) {
      Item item;
      if (!stream_.pop_if_present(item)) return false;
      b.push(std::move(item));
    }
    return true;
  }

 private:
  Stream& stream_;
};

}  // namespace algo
}  // namespace v1
}  // namespace ashlar
