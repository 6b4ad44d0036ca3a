// SPDX-License-Identifier: Apache-2.0
#include "product/world.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>

namespace ashlar::sim::product {

namespace {

constexpr int skipped = 77;  // the exit code of a test that this system can't run

[[noreturn]] void fail(char const* what, int code = 70) {
  std::fprintf(stderr, "simulated processors: %s\n", what);
  std::_Exit(code);
}

}  // namespace

world& world::here() {
  static world* const only = new world;  // threads outlive static variables
  return *only;
}

world::world() {
  char const* const told = std::getenv("ASHLAR_SIMULATED");
  if (told != nullptr && !read(costs_, told)) fail("ASHLAR_SIMULATED is not name=value,name=value with known names");
  random_ = costs_.seed * 0x9E3779B97F4A7C15u + 1;
  pace_ = about(1000, costs_.pace);
  processors_.resize(costs_.processors);
  lines_.emplace(costs_.processors);
  threads_.push_back(std::make_unique<thread>());
  current_ = threads_[0].get();
  current_->is = state::running;
  current_->now = 1'000'000'000;  // a clock that shows 0 is taken for one that was never set
  processors_[0].runs = current_;
  if (!can_change_contexts()) fail("the system doesn't allow programs to set their thread pointer", skipped);
  constexpr std::size_t size = 64 * 1024;
  driver_ = fresh_context(new char[size] + size, [] { here().drive(); });
  set_horizon();
}

nanoseconds world::used_by_all() const noexcept {
  nanoseconds sum = 0;
  for (auto const& t : threads_) sum += t->used;
  return sum;
}

nanoseconds world::about(nanoseconds duration, nanoseconds spread) {
  random_ ^= random_ << 13;
  random_ ^= random_ >> 7;
  random_ ^= random_ << 17;
  nanoseconds const thousandths = 1000 - spread + (random_ >> 20) % (2 * spread + 1);
  return duration * thousandths / 1000;
}

void world::set_horizon() {
  nanoseconds const end_of_slice = ready_.empty() ? never : current_->placed + costs_.slice;
  nanoseconds const next = events_.empty() ? never : events_.top().at + costs_.slack;
  horizon_ = std::min(next, end_of_slice);
  reader_s_horizon_ = std::min(next == never ? never : next + costs_.readers_slack, end_of_slice);
}

void world::schedule(thread& t, nanoseconds at) {
  t.event = ++numbers_;
  events_.push({at, t.event, &t});
}

void world::place(thread& t, unsigned processor, nanoseconds at) {
  processors_[processor].runs = &t;
  t.is = state::running;
  t.processor = processor;
  t.now = t.placed = at;
  schedule(t, at);
}

// On the processor that it had last, if that is free; else on the one that has been free for the shortest time.
void world::make_ready(thread& t, nanoseconds at) {
  unsigned best = t.processor;
  if (processors_[best].runs != nullptr) {
    for (unsigned p = 0; p < processors_.size(); ++p) {
      if (processors_[p].runs != nullptr) continue;
      if (processors_[best].runs != nullptr || processors_[p].free_since > processors_[best].free_since) best = p;
    }
  }
  t.now = at;
  if (processors_[best].runs == nullptr) {
    return place(t, best, std::max(at, processors_[best].free_since) + varied(costs_.idle_exit));
  }
  t.is = state::ready;
  ready_.push_back(&t);
}

// The caller's processor goes to whoever waits for it.
void world::leave_processor() {
  unsigned const p = current_->processor;
  processors_[p] = {nullptr, current_->now};
  if (ready_.empty()) return;
  thread& next = *ready_.front();
  ready_.pop_front();
  place(next, p, std::max(next.now, current_->now) + costs_.change);
}

void world::go_on() {
  thread& me = *current_;
  me.now += me.owed;
  me.used += std::exchange(me.owed, 0);
  if (!ready_.empty() && me.now >= me.placed + costs_.slice) {
    leave_processor();
    me.is = state::ready;
    ready_.push_back(&me);
  } else {
    schedule(me, me.now);
  }
  run_next();
}

void world::interrupt(unsigned processor) {
  if (thread* const there = processors_[processor].runs) there->owed += costs_.timer_hit;
}

void world::run_next() {
  thread* const from = current_;
  for (;;) {
    if (events_.empty()) fail("all threads sleep, and no timer is set: the program would hang");
    event const next = events_.top();
    events_.pop();
    thread& t = *next.whose;
    if (t.event != next.number) continue;
    if (t.is == state::asleep) {
      t.timed_out = t.key != nullptr;
      forget_sleeper(t);
      interrupt(t.processor);
      make_ready(t, next.at);
      continue;
    }
    current_ = &t;
    set_horizon();
    break;
  }
  if (current_ == from) return;
  ++counted.handovers;
  hand_over(*from);
}

// Once another thread of the system has its turn, nothing of the world may be touched before one's own.
void world::hand_over(thread& from) {
  thread const& to = *current_;
  if (!from.on_its_own) return simulated_change_context(&from.place, to.on_its_own ? &driver_ : &to.place);
  bool const over = from.is == state::over;
  to.on_its_own ? current_->mine.give() : driver_s_turn_.give();
  if (!over) from.mine.take();
}

void world::drive() {
  for (;;) {
    while (!current_->on_its_own) simulated_change_context(&driver_, &current_->place);
    current_->mine.give();
    driver_s_turn_.take();
  }
}

void world::go_on_alone() {
  current_->on_its_own = true;
  simulated_change_context(&current_->place, &driver_);
  std::abort();
}

void world::forget_sleeper(thread& t) {
  if (t.key == nullptr) return;
  auto const found = sleepers_.find(t.key);
  auto& all = found->second;
  all.erase(std::find(all.begin(), all.end(), &t));
  if (all.empty()) sleepers_.erase(found);
  t.key = nullptr;
}

bool world::sleep(void const* key, nanoseconds deadline) {
  thread& me = *current_;
  ++counted.sleeps;
  me.is = state::asleep;
  me.timed_out = false;
  me.key = key;
  me.event = ++numbers_;  // none
  if (key != nullptr) sleepers_[key].push_back(&me);
  if (deadline != never) schedule(me, std::max(deadline, me.now) + varied(costs_.timer));
  leave_processor();
  run_next();
  return !me.timed_out;
}

bool world::wake_one(void const* key) {
  auto const found = sleepers_.find(key);
  if (found == sleepers_.end()) return false;
  thread& t = *found->second.front();
  forget_sleeper(t);
  make_ready(t, current_->now);
  set_horizon();
  return true;
}

int world::wake(void const* key, int count) {
  int woken = 0;
  for (; woken < count && wake_one(key); ++woken) {
    ++counted.wakes;
    advance_about(costs_.wake_call);
  }
  return woken;
}

void world::yield() {
  ++counted.yields;
  advance(costs_.yield);
  if (ready_.empty()) return;
  thread& me = *current_;
  leave_processor();
  me.is = state::ready;
  ready_.push_back(&me);
  run_next();
}

void world::heavy_fence() {
  ++counted.fences;
  for (processor& p : processors_) {
    if (p.runs != nullptr && p.runs != current_) p.runs->owed += costs_.fence_hit;
  }
  advance(costs_.fence);
}

world::thread& world::make() {
  threads_.push_back(std::make_unique<thread>());
  thread& t = *threads_.back();
  t.index = static_cast<unsigned>(threads_.size()) - 1;
  t.processor = current_->processor;
  make_ready(t, current_->now + varied(costs_.create));
  set_horizon();
  return t;
}

void world::end() {
  thread& me = *current_;
  me.is = state::over;
  while (wake_one(&me)) {
  }
  leave_processor();
  run_next();
}

void world::join(thread& t) {
  while (t.is != state::over) sleep(&t);
}

}  // namespace ashlar::sim::product
