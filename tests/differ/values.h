// SPDX-License-Identifier: Apache-2.0
// Values that count how many of them live, and throw when the program says so.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <mutex>
#include <vector>

namespace differ {

struct deliberate {
  int value = 0;
};

// Copies, and calls of comparisons and hash functions, until one throws; never when negative. Programs set them around
// a call that one thread makes.
inline std::atomic<int> copies_left{-1};
inline std::atomic<int> calls_left{-1};
inline void may_throw(std::atomic<int>& left) {
  if (left.load(std::memory_order_relaxed) >= 0 && left-- == 0) throw deliberate{7};
}

inline std::atomic<long> living{0};

// Of int, and no more than moves and copies: a moved-from one holds -1.
struct counted {
  counted() : counted(0) {}
  counted(int v) : value(v) { ++living; }  // NOLINT: implicit, as an int
  counted(counted const& other) : value((may_throw(copies_left), other.value)) { ++living; }
  counted(counted&& other) noexcept : value(other.value) {
    other.value = -1;
    ++living;
  }
  counted& operator=(counted const& other) {
    may_throw(copies_left);
    value = other.value;
    return *this;
  }
  counted& operator=(counted&& other) noexcept {
    int const v = other.value;
    other.value = -1;
    value = v;
    return *this;
  }
  ~counted() { --living; }
  friend bool operator==(counted const& a, counted const& b) { return may_throw(calls_left), a.value == b.value; }
  friend bool operator!=(counted const& a, counted const& b) { return !(a == b); }
  friend bool operator<(counted const& a, counted const& b) { return may_throw(calls_left), a.value < b.value; }
  friend bool operator>(counted const& a, counted const& b) { return b < a; }
  friend bool operator<=(counted const& a, counted const& b) { return !(b < a); }
  friend bool operator>=(counted const& a, counted const& b) { return !(a < b); }
  int value;
};

// The same without anything to count: trivial types take other ways through containers.
struct plain {
  plain() = default;
  plain(int v) : value(v) {}  // NOLINT: implicit, as an int
  friend bool operator==(plain const& a, plain const& b) { return a.value == b.value; }
  friend bool operator!=(plain const& a, plain const& b) { return a.value != b.value; }
  friend bool operator<(plain const& a, plain const& b) { return a.value < b.value; }
  friend bool operator>(plain const& a, plain const& b) { return a.value > b.value; }
  friend bool operator<=(plain const& a, plain const& b) { return a.value <= b.value; }
  friend bool operator>=(plain const& a, plain const& b) { return a.value >= b.value; }
  int value = 0;
};

inline std::size_t tbb_hasher(counted const& c) {
  return may_throw(calls_left), static_cast<std::size_t>(c.value) % 61;
}

// Bodies call it: in some programs a few of them take long, so that other threads come in between.
void linger();

// What tasks saw, whichever came first.
class tally {
 public:
  void add(int value) {
    std::lock_guard<std::mutex> const guard(lock_);
    seen_.push_back(value);
  }
  std::vector<int> sequence() const { return seen_; }
  std::vector<int> snapshot() const {  // while others may add
    std::lock_guard<std::mutex> const guard(lock_);
    return seen_;
  }
  std::vector<int> sorted() const;
  int count() const { return static_cast<int>(seen_.size()); }
  void clear() { seen_.clear(); }

 private:
  mutable std::mutex lock_;
  std::vector<int> seen_;
};

}  // namespace differ

namespace std {
template <>
struct hash<differ::counted> {
  size_t operator()(differ::counted const& c) const { return differ::tbb_hasher(c); }
};
}  // namespace std
