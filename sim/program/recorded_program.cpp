// SPDX-License-Identifier: Apache-2.0
#include "program/recorded_program.h"

#include <stdexcept>
#include <utility>

namespace ashlar::sim {

namespace {

[[noreturn]] void reject(std::uint32_t task, char const* what) {
  throw std::invalid_argument("task " + std::to_string(task) + " " + what);
}

}  // namespace

task_state recorded_program::state_of(std::uint32_t task) const noexcept {
  task_state state;
  state.kind = tasks_[task].region;
  state.pc = tasks_[task].first;
  state.a = task;
  return state;
}

step recorded_program::next(task_state& self, task_state& child) const {
  if (self.pc == none) return {step_kind::end};
  recorded_step const& s = steps_[self.pc];
  self.pc = s.next;
  if (s.kind == step_kind::spawn) child = state_of(s.child);
  return {s.kind, s.work};
}

std::string recorded_program::region_name(std::uint32_t region) const { return regions_.at(region); }

std::uint32_t recorded_program::builder::add_region(std::string name) {
  made_.regions_.push_back(std::move(name));
  return static_cast<std::uint32_t>(made_.regions_.size() - 1);
}

std::uint32_t recorded_program::builder::add_task(std::uint32_t region) {
  if (region >= made_.regions_.size()) throw std::invalid_argument("region " + std::to_string(region) + " is unknown");
  made_.tasks_.push_back({region, none, none, join_kind::inherited, made_.tasks_.empty()});
  return static_cast<std::uint32_t>(made_.tasks_.size() - 1);
}

void recorded_program::builder::check(std::uint32_t task) const {
  if (task >= made_.tasks_.size()) reject(task, "is unknown");
}

void recorded_program::builder::append(std::uint32_t task, step_kind kind, picoseconds work, std::uint32_t child) {
  check(task);
  auto& t = made_.tasks_[task];
  auto const at = static_cast<std::uint32_t>(made_.steps_.size());
  if (at == none) throw std::invalid_argument("too many steps");
  if (t.last == none) {
    t.first = at;
  } else {
    made_.steps_[t.last].next = at;
  }
  t.last = at;
  made_.steps_.push_back({work, child, none, kind});
}

void recorded_program::builder::work(std::uint32_t task, picoseconds duration) {
  check(task);
  std::uint32_t const last = made_.tasks_[task].last;
  if (last != none && made_.steps_[last].kind == step_kind::work) {
    made_.steps_[last].work += duration;
  } else {
    append(task, step_kind::work, duration, none);
  }
}

void recorded_program::builder::spawn(std::uint32_t task, std::uint32_t child) {
  check(child);
  if (made_.tasks_[child].spawned) reject(child, child == 0 ? "is the root and can't be spawned" : "is spawned twice");
  append(task, step_kind::spawn, 0, child);
  made_.tasks_[child].spawned = true;
}

recorded_program recorded_program::builder::build() {
  if (made_.tasks_.empty()) throw std::invalid_argument("a program needs a task");
  std::uint32_t number = 0;
  for (auto& t : made_.tasks_) {
    if (!t.spawned) reject(number, "is never spawned");
    for (std::uint32_t at = t.first; at != none; at = made_.steps_[at].next) {
      step_kind const kind = made_.steps_[at].kind;
      if (kind != step_kind::wait && kind != step_kind::wait_continuation) continue;
      join_kind const join = kind == step_kind::wait ? join_kind::blocking : join_kind::continuation;
      if (t.join != join_kind::inherited && t.join != join) reject(number, "mixes both kinds of waits");
      t.join = join;
    }
    ++number;
  }
  // Each task but the root is spawned once, but a circle that the root doesn't reach would pass for that.
  std::vector<std::uint32_t> open{0};
  std::size_t reached = 0;
  while (!open.empty()) {
    recorded_task const& t = made_.tasks_[open.back()];
    open.pop_back();
    ++reached;
    for (std::uint32_t at = t.first; at != none; at = made_.steps_[at].next) {
      if (made_.steps_[at].kind == step_kind::spawn) open.push_back(made_.steps_[at].child);
    }
  }
  if (reached != made_.tasks_.size()) throw std::invalid_argument("some tasks spawn each other in a circle");
  return std::exchange(made_, recorded_program());
}

}  // namespace ashlar::sim
