// SPDX-License-Identifier: Apache-2.0
#include "sched/occupancy.h"

#include <pthread.h>

#include <algorithm>

namespace ashlar::sched {

namespace {

// 0 if the system doesn't tell.
std::uint64_t read_clock(clockid_t clock) noexcept {
  timespec t{};
  if (clock_gettime(clock, &t) != 0) return 0;
  return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(t.tv_nsec);
}

void start_clock(occupancy::thread& t) noexcept {
  if (pthread_getcpuclockid(pthread_self(), &t.clock) != 0) t.clock = CLOCK_THREAD_CPUTIME_ID;
  t.used = read_clock(t.clock);
}

}  // namespace

void occupancy::enroll(thread& t) noexcept {
  start_clock(t);
  t.next = first_;
  t.previous = nullptr;
  if (first_ != nullptr) first_->previous = &t;
  first_ = &t;
  threads_.fetch_add(1, mo::relaxed);
}

void occupancy::dismiss(thread& t) noexcept {
  (t.previous != nullptr ? t.previous->next : first_) = t.next;
  if (t.next != nullptr) t.next->previous = t.previous;
  threads_.fetch_sub(1, mo::relaxed);
  processors_ = std::min(processors_, threads());
}

void occupancy::survive(thread* t) noexcept {
  first_ = nullptr;
  processors_ = 0;
  threads_.store(0, mo::relaxed);
  if (t != nullptr) enroll(*t);  // its clock is another one here
}

bool occupancy::measure(std::uint64_t now, observer by) noexcept {
  std::uint64_t const elapsed = now - measured_.load(mo::relaxed);
  measured_.store(now, mo::relaxed);
  // A thread that shares its processor with the observer and one more still gets a third.
  std::uint64_t const busy_from = elapsed / (by == observer::asleep ? 2 : 3);
  std::uint64_t sum = 0;
  unsigned busy = 0;
  for (thread* t = first_; t != nullptr; t = t->next) {
    std::uint64_t const clock = read_clock(t->clock);
    std::uint64_t const used = clock - std::min(t->used, clock);
    t->used = clock;
    sum += used;
    busy += used >= busy_from;
  }
  unsigned const before = processors_;
  // Many threads on few processors get less than a third each.
  unsigned const by_sum = static_cast<unsigned>((sum + elapsed / 2) / elapsed);
  processors_ = elapsed < valid ? std::max(busy, by_sum) : 0;  // a longer time says nothing about this moment
  return processors_ != before;
}

}  // namespace ashlar::sched
