// SPDX-License-Identifier: Apache-2.0
// The entrance of a serial stage: lets one token in at a time, in order of their numbers or as they come.
//
// Model      tests/model/pipeline_gate_model.cpp
// Ordering   [PG1] ordered: arrival's exchange, acq_rel <-> [PG2] the predecessor's exchange on leaving, acq_rel: the
//                 second of the two sees the first, and enters the token. Once the predecessor has left, the cell is
//                 the token's alone: a look, acquire, is enough
//            [PG3] unordered: arrival's compare-exchange, acq_rel <-> [PG4] the holder's on leaving, acq_rel
#pragma once

#include <ashlar/algo/pipeline_stage.h>
#include <ashlar/base/atomic.h>
#include <ashlar/base/cache_line.h>
#include <ashlar/os/ticks.h>
#include <ashlar/sched/tasks/group_counter.h>

#include <cstdint>
#include <memory>

namespace ashlar::inline v1::algo {

class pipeline_run;

// An item on its way; a job when it goes on elsewhere than where it came from.
struct token : sched::job {
  pipeline_run* pipeline;
  sched::slot* by;
  sched::task_pool* home;
  std::uint64_t number;
  token* next;         // in a gate's list
  std::uint32_t at;    // the stage that comes next
  std::uint32_t held;  // it is past the gates of the stages below this one already
  bool timed;          // `work` is measured
  std::uint64_t work;  // ticks in bodies so far
  token_value value;
};

class alignas(no_sharing) gate {
 public:
  enum kind : unsigned char { open, ordered, unordered };

  // `numbering`: tokens get their number here.
  void set(kind k, bool numbering, std::size_t ring) {
    kind_ = k;
    numbering_ = numbering;
    if (k != ordered) return;
    cells_.reset(new atomic<std::uintptr_t>[ring]());
    mask_ = ring - 1;
    cells_[0].store(go, mo::relaxed);
  }

  // A guess: would the token have to stay?
  bool busy(token const& t) const noexcept {
    if (kind_ == open) return false;
    return kind_ == ordered ? cells_[t.number & mask_].load(mo::relaxed) != go : head_.load(mo::relaxed) != 0;
  }
  // Waits for as many ticks, as long as the token would have to stay. That costs less with a short token than to have
  // the thread inside take this one along, too, and after it each other one.
  void await(token const& t, std::uint64_t most) const noexcept {
    for (std::uint64_t const start = ticks(); busy(t) && ticks() - start < most;) {
      cpu_pause();
    }
  }
  // False: the token stays here, and whoever leaves before it takes it along.
  bool enter(token& t) noexcept {
    if (kind_ == open) return true;
    if (kind_ == ordered) {
      atomic<std::uintptr_t>& cell = cells_[t.number & mask_];
      if (cell.load(mo::acquire) != go &&                                            // [PG2]
          cell.exchange(reinterpret_cast<std::uintptr_t>(&t), mo::acq_rel) != go) {  // [PG1] [PG2]
        return false;
      }
      cell.store(0, mo::relaxed);
      return true;
    }
    std::uintptr_t head = head_.load(mo::relaxed);
    for (;;) {
      t.next = head > go ? reinterpret_cast<token*>(head) : nullptr;
      std::uintptr_t const wanted = head == 0 ? go : reinterpret_cast<std::uintptr_t>(&t);
      if (head_.compare_exchange(head, wanted, mo::acq_rel, mo::relaxed)) break;  // [PG3] [PG4]
    }
    if (head != 0) return false;
    return true;
  }
  void number(token& t) noexcept {
    if (numbering_) t.number = next_number_++;
  }
  // No token is on its way, and the next one, which comes to the gate before this one by this number, is inside from
  // now on, until it leaves: the same is true of those that come after it. Returns its number behind this gate.
  std::uint64_t close(std::uint64_t next) noexcept {
    if (kind_ == ordered) cells_[next & mask_].store(0, mo::relaxed);
    if (kind_ == unordered) head_.store(go, mo::relaxed);
    return numbering_ ? next_number_ : next;
  }
  // The token with this number leaves. Returns the one that enters in its place, or null.
  token* leave(std::uint64_t left) noexcept {
    if (kind_ == open) return nullptr;
    return kind_ == ordered ? leave_ordered(left) : leave_unordered();
  }
  // After the pipeline's end: a token that nobody fetched, or null.
  token* left_behind() noexcept {
    for (std::size_t i = 0; cells_ && i <= mask_; ++i) {
      std::uintptr_t const c = cells_[i].exchange(0, mo::relaxed);
      if (c > go) return reinterpret_cast<token*>(c);
    }
    if (ready_ == nullptr) take_arrivals(head_.exchange(0, mo::relaxed));
    return pop_ready();
  }

 private:
  static constexpr std::uintptr_t go = 1;  // a cell: the predecessor has left; the head: held, and nobody waits

  token* leave_ordered(std::uint64_t left) noexcept {
    atomic<std::uintptr_t>& cell = cells_[(left + 1) & mask_];
    std::uintptr_t const arrived = cell.exchange(go, mo::acq_rel);  // [PG2] [PG1]
    if (arrived == 0) return nullptr;
    cell.store(0, mo::relaxed);
    return reinterpret_cast<token*>(arrived);
  }
  token* leave_unordered() noexcept {
    if (ready_ == nullptr) {
      std::uintptr_t expected = go;
      if (head_.compare_exchange(expected, 0, mo::acq_rel, mo::relaxed)) return nullptr;  // [PG4] [PG3]
      take_arrivals(head_.exchange(go, mo::acq_rel));                                     // [PG4] [PG3]
    }
    return pop_ready();
  }
  // Turns the list of arrivals, newest first, into one in their order.
  void take_arrivals(std::uintptr_t list) noexcept {
    token* t = list > go ? reinterpret_cast<token*>(list) : nullptr;
    while (t != nullptr) {
      token* const older = t->next;
      t->next = ready_;
      ready_ = t;
      t = older;
    }
  }
  token* pop_ready() noexcept {
    token* const t = ready_;
    if (t != nullptr) ready_ = t->next;
    return t;
  }

  kind kind_ = open;
  bool numbering_ = false;
  std::uint64_t next_number_ = 0;  // the holder's
  token* ready_ = nullptr;         // the holder's
  std::size_t mask_ = 0;
  std::unique_ptr<atomic<std::uintptr_t>[]> cells_;
  atomic<std::uintptr_t> head_{0};  // 0: nobody inside
};

}  // namespace ashlar::inline v1::algo
