// SPDX-License-Identifier: Apache-2.0
#include "sched/policy/occupancy.h"

#include <algorithm>
#include <utility>

namespace ashlar::inline v1::sched {

namespace {

void start_clock(occupancy::thread& t, std::uint64_t now) noexcept {
  t.clock = os::own_cpu_clock();
  t.used = os::read_cpu_clock(t.clock);
  t.measured = now;
  t.busy = true;
}

}  // namespace

void occupancy::enroll(thread& t, std::uint64_t now) noexcept {
  if (now - measured_.load(mo::relaxed) >= interval(observer::running)) measure(now, observer::running);
  start_clock(t, now);
  t.enrolled = true;
  t.next = first_;
  t.previous = nullptr;
  if (first_ != nullptr) first_->previous = &t;
  first_ = &t;
  threads_.fetch_add(1, mo::relaxed);
  ++processors_;
}

void occupancy::dismiss(thread& t) noexcept {
  if (!std::exchange(t.enrolled, false)) return;
  (t.previous != nullptr ? t.previous->next : first_) = t.next;
  if (t.next != nullptr) t.next->previous = t.previous;
  threads_.fetch_sub(1, mo::relaxed);
  if (t.busy && processors_ != 0) --processors_;
  processors_ = std::min(processors_, threads());
}

void occupancy::wake(thread& t, std::uint64_t now) noexcept {
  if (t.busy) return;
  t.used = os::read_cpu_clock(t.clock);
  t.measured = now;
  t.busy = true;
  ++processors_;
}

void occupancy::survive(thread* t, std::uint64_t now) noexcept {
  first_ = nullptr;
  processors_ = 0;
  threads_.store(0, mo::relaxed);
  if (t != nullptr && t->enrolled) enroll(*t, now);  // its clock is another one here
}

// What part of a processor the thread took up since it was measured, in thousandths.
std::uint64_t occupancy::judge(thread& t, std::uint64_t now, observer by) noexcept {
  std::uint64_t const elapsed = now - t.measured;
  if (elapsed < interval(by) / 2) return t.busy ? 1000 : 0;  // new: it is too soon to tell
  std::uint64_t const clock = os::read_cpu_clock(t.clock);
  std::uint64_t const used = clock - std::min(t.used, clock);
  t.used = clock;
  t.measured = now;
  // A thread that shares its processor with the observer and one more still gets a third. A long time says nothing
  // about this moment.
  t.busy = elapsed < valid && used >= elapsed / (by == observer::asleep ? 2 : 3);
  return elapsed < valid ? used * 1000 / elapsed : 0;
}

bool occupancy::measure(std::uint64_t now, observer by) noexcept {
  measured_.store(now, mo::relaxed);
  std::uint64_t sum = 0;
  unsigned busy = 0;
  for (thread* t = first_; t != nullptr; t = t->next) {
    sum += judge(*t, now, by);
    busy += t->busy;
  }
  unsigned const before = processors_;
  // Many threads on few processors get less than a third each.
  processors_ = std::max(busy, static_cast<unsigned>((sum + 500) / 1000));
  return processors_ != before;
}

}  // namespace ashlar::inline v1::sched
