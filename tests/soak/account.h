// SPDX-License-Identifier: Apache-2.0
// The book in which a random program's tasks are kept: each has run once, or was cancelled and never runs; in a
// program, or a part of one, without cancellation and exceptions all have run.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace soak {

class account {
 public:
  void fail(std::string const& what) {
    std::lock_guard const guard(lock_);
    if (failures_.size() < 10) failures_.push_back(what);
  }
  void expect(bool condition, char const* what) {
    if (!condition) fail(what);
  }
  std::vector<std::string> failures() {
    std::lock_guard const guard(lock_);
    return failures_;
  }

  std::atomic<std::uint64_t> ran{0};
  std::atomic<std::uint64_t> cancelled{0};
  std::atomic<std::uint64_t> open{0};  // tickets that are neither

 private:
  std::mutex lock_;
  std::vector<std::string> failures_;
};

// Belongs to one task; copies are the same one. May the task be cancelled? Then it may end without having run.
class ticket {
 public:
  ticket(account& book, bool may_be_cancelled) : state_(std::make_shared<state>(book, may_be_cancelled)) {}
  void run() const {
    if (state_->runs.fetch_add(1) != 0) state_->book.fail("a task ran twice");
  }

 private:
  struct state {
    state(account& b, bool may) : book(b), may_be_cancelled(may) { ++book.open; }
    state(state const&) = delete;
    state& operator=(state const&) = delete;
    ~state() {
      bool const has_run = runs != 0;
      if (!has_run && !may_be_cancelled) book.fail("a task was lost");
      ++(has_run ? book.ran : book.cancelled);
      --book.open;
    }
    account& book;
    bool const may_be_cancelled;
    std::atomic<int> runs{0};
  };
  std::shared_ptr<state> state_;
};

// The iterations of a loop.
class marks {
 public:
  marks(account& book, int n) : book_(book), hits_(static_cast<std::size_t>(n)) {}
  void hit(int i) {
    if (hits_[static_cast<std::size_t>(i)].fetch_add(1, std::memory_order_relaxed) != 0) {
      book_.fail("an iteration ran twice");
    }
  }
  // Once the loop is over.
  void settle(bool may_be_cancelled) {
    std::uint64_t ran = 0;
    for (auto const& h : hits_) ran += h.load(std::memory_order_relaxed) != 0;
    if (ran != hits_.size() && !may_be_cancelled) book_.fail("an iteration was lost");
    book_.ran += ran;
    book_.cancelled += hits_.size() - ran;
  }

 private:
  account& book_;
  std::vector<std::atomic<unsigned char>> hits_;
};

}  // namespace soak
