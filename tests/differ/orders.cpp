// SPDX-License-Identifier: Apache-2.0
// Tasks in an order: handles and completion handles as predecessors that are yet to be run, run, are over or were
// cancelled; ways to submit a task, to wait for it, and to hand its completion on.
#include "subjects.h"

#if DIFFER_ONETBB  // TBB 2020 has no handles
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <array>
#include <deque>
#include <memory>
#include <utility>

namespace differ {

namespace {

#if __has_include(<ashlar/base/config.h>)
constexpr bool ours = true;
#else
constexpr bool ours = false;
#endif
constexpr int own_slots[] = {3, 5};  // no arena of a program has as many

struct work_item {
  tbb::task_handle handle;
  tbb::task_completion_handle completion;
  std::vector<int> before;
  int arena = -1;  // where it was enqueued
  std::atomic<int> ran{0};
  std::atomic<int> slots{0};
  std::atomic<int> early{0};  // predecessors that were not over
  std::atomic<bool> over{false};
  bool in_doubt = false;  // its round was cancelled
};

char const* name_of(tbb::task_group_status status) {
  switch (status) {
    case tbb::not_complete:
      return "not complete";
    case tbb::complete:
      return "complete";
    case tbb::canceled:
      return "canceled";
    default:
      return "task complete";
  }
}

class scene {
 public:
  void act(step const& s, std::string const& path, book& told) {
    if (s.kind == "wait") {
      submit_all();
      finish(path, told, [this] { return group_.wait(); });
    } else if (s.kind == "arena_wait") {
      submit_all();
      tbb::task_arena here{tbb::attach{}};
      finish(path, told, [&] { return here.wait_for(group_); });
    } else if (s.kind == "wait_for" || s.kind == "arena_wait_for") {
      wait_for(s, path, told);
    } else if (s.kind == "handles") {
      handles(s, path, told);
    } else {
      add(s);
      submit(s, path, told);
    }
  }
  void end(book& told) {
    submit_all();
    finish("end", told, [this] { return group_.wait(); });
    if (!was_faulty_) told.tell("extra tasks", extra_.load());
  }

 private:
  // Its body may return a handle, hand its completion on, or make a successor of itself.
  void body_of(work_item& w, step const& s) {
    for (int const p : w.before) w.early += items_[static_cast<std::size_t>(p)].over ? 0 : 1;
    ++w.ran;
    w.slots = tbb::this_task_arena::max_concurrency();
    linger();
    if (s.wrong == fault::exception) throw deliberate{s.b};
    if (s.wrong == fault::cancellation) group_.cancel();
    if (s.b % 9 == 3) hand_on(w, 1 + s.b % 2);
    if (s.b % 9 == 4) {
      tbb::task_handle next = group_.defer([this, &w] {
        w.early += w.over ? 0 : 1;
        ++extra_;
      });
      tbb::task_group::set_task_order(w.completion, next);
      group_.run(std::move(next));
    }
    if (s.b % 9 != 3) w.over = true;
  }
  void hand_on(work_item& w, int times) {
    tbb::task_handle rest = group_.defer([this, &w, times] {
      linger();
      ++extra_;
      if (times > 1) return hand_on(w, times - 1);
      w.over = true;
    });
    tbb::task_group::transfer_this_task_completion_to(rest);
    group_.run(std::move(rest));
  }
  tbb::task_handle returned(step const& s) {
    if (s.b % 7 == 6) return tbb::task_handle();
    return group_.defer([this] { ++extra_; });
  }

  void add(step const& s) {
    auto const index = static_cast<int>(items_.size());
    work_item& w = items_.emplace_back();
    round_is_faulty_ = round_is_faulty_ || s.wrong != fault::none;
    was_faulty_ = was_faulty_ || round_is_faulty_;
    if (s.kind == "returns") {
      w.handle = group_.defer([this, &w, &s] {
        body_of(w, s);
        return returned(s);
      });
    } else {
      w.handle = group_.defer([this, &w, &s, alive = counted(index)] { body_of(w, s); });
    }
    w.completion = w.handle;
    for (int k = 0; k < s.n % 4 && index > 0; ++k) order(w, (s.a + k * s.b) % index, s);
  }
  void order(work_item& w, int which, step const& s) {
    work_item& p = items_[static_cast<std::size_t>(which)];
    if (planted("order forgets a predecessor") && w.before.size() == 1) {
      // and yet it is asked whether that one is over
    } else if (s.a % 2 == 0 && p.handle) {
      tbb::task_group::set_task_order(p.handle, w.handle);
    } else {
      tbb::task_group::set_task_order(p.completion, w.handle);
    }
    if (!p.in_doubt) w.before.push_back(which);
  }

  void submit(step const& s, std::string const& path, book& told) {
    work_item& w = items_.back();
    if (s.kind == "later") return;
    if (s.kind == "enqueue") {
      w.arena = s.a % 2;
      arenas_[static_cast<std::size_t>(w.arena)].enqueue(std::move(w.handle));
    } else if (s.kind == "enqueue_here") {
      tbb::this_task_arena::enqueue(std::move(w.handle));
    } else if (s.kind == "run_and_wait") {
      submit_all_but(w);
      finish(path, told, [&] { return group_.run_and_wait(std::move(w.handle)); });
    } else if (s.kind == "run_and_wait_for") {
      submit_all_but(w);
      tell_status(path, told, [&] { return group_.run_and_wait_for_task(std::move(w.handle)); });
    } else if (s.kind == "call_and_wait") {
      submit_all();
      finish(path, told, [&] { return group_.run_and_wait([&] { return returned(s); }); });
    } else {
      group_.run(std::move(w.handle));
    }
    told.tell(path + " handle afterwards", static_cast<bool>(w.handle));
  }
  void submit_all() {
    for (work_item& w : items_) {
      if (w.handle) group_.run(std::move(w.handle));
    }
  }
  void submit_all_but(work_item& last) {
    for (work_item& w : items_) {
      if (w.handle && &w != &last) group_.run(std::move(w.handle));
    }
  }

  // In a round that fails it is open whether the wait for one task throws, or leaves that to the wait for all.
  template <typename Wait>
  void tell_status(std::string const& path, book& told, Wait const& wait) {
    tbb::task_group_status status = tbb::not_complete;
    std::string const out = thrown([&] { status = wait(); });
    if (round_is_faulty_) {
      told.open("the wait for one task of those that fail throws", out == "nothing" ? 0 : 1);
    } else {
      told.tell(path + " status", out + " " + name_of(status));
    }
  }
  void wait_for(step const& s, std::string const& path, book& told) {
    submit_all();
    if (items_.empty()) return;
    work_item& w = items_[static_cast<std::size_t>(s.a) % items_.size()];
    if (w.in_doubt) return;
    tbb::task_arena here{tbb::attach{}};
    tell_status(path, told, [&] {
      return s.kind == "wait_for" ? group_.wait_for_task(w.completion) : here.wait_for(w.completion);
    });
    if (!round_is_faulty_) told.tell(path + " over", w.over.load());
  }

  // Copies, moves, assignments and comparisons of handles.
  void handles(step const& s, std::string const& path, book& told) {
    tbb::task_handle empty;
    tbb::task_completion_handle none;
    told.tell(path + " empty", text(static_cast<bool>(empty)) + text(empty == nullptr) + text(nullptr != empty) +
                                   text(static_cast<bool>(none)) + text(none == nullptr) + text(nullptr != none));
    if (items_.empty()) return;
    tbb::task_completion_handle const& one = items_[static_cast<std::size_t>(s.a) % items_.size()].completion;
    tbb::task_completion_handle const& two = items_[static_cast<std::size_t>(s.b) % items_.size()].completion;
    told.tell(path + " equal", text(one == two) + text(one != two) + text(one != nullptr));
    tbb::task_completion_handle copy(one);
    none = two;
    tbb::task_completion_handle moved(std::move(none));
    told.tell(path + " moved", text(moved == two) + text(none == nullptr) + text(copy == one));
    copy = std::move(moved);
    told.tell(path + " assigned", text(copy == two) + text(static_cast<bool>(moved)));
    tbb::task_handle made = group_.defer([this] { ++extra_; });
    copy = made;
    empty = std::move(made);
    told.tell(path + " handle", text(static_cast<bool>(made)) + text(empty != nullptr) +
                                    text(copy == tbb::task_completion_handle(empty)));
    if (s.b % 2 == 0) group_.run(std::move(empty));
  }

  template <typename Wait>
  void finish(std::string const& path, book& told, Wait const& wait) {
    std::string result;
    std::string const out = thrown([&] { result = name_of(wait()); });
    if (!round_is_faulty_) told.tell(path + " ended", out + " " + result);
    for (; ended_ < items_.size(); ++ended_) tell_item(items_[ended_], std::to_string(ended_), told);
    round_is_faulty_ = false;
  }
  void tell_item(work_item& w, std::string const& path, book& told) {
    told.expect(w.early == 0, path + ": runs before its predecessor is over");
    w.in_doubt = round_is_faulty_;
    if (round_is_faulty_) return told.expect(w.ran <= 1, path + ": runs twice");
    told.tell(path + " ran", text(w.ran.load()) + text(w.over.load()));
    told.tell(path + " status", name_of(group_.get_status_of(w.completion)));
    if (w.arena < 0) return;
    bool const there = w.slots == own_slots[w.arena];
    if (w.before.empty()) {
      told.tell(path + " in its arena", there);
    } else {
      told.known("enqueued successor", path + " in its arena", there);
      if (ours) told.expect(there, path + ": an enqueued successor runs in another arena");
    }
  }

  std::array<tbb::task_arena, 2> arenas_{tbb::task_arena(own_slots[0]), tbb::task_arena(own_slots[1])};
  tbb::task_group group_;
  std::deque<work_item> items_;
  std::size_t ended_ = 0;
  bool round_is_faulty_ = false;
  bool was_faulty_ = false;
  std::atomic<int> extra_{0};
};

void orders(step const& program, book& told) {
  scene one;
  for (std::size_t i = 0; i < program.body.size(); ++i) {
    one.act(program.body[i], std::to_string(i) + " " + program.body[i].kind, told);
  }
  one.end(told);
}

}  // namespace

void add_orders(subjects& table) { table["order"] = orders; }

}  // namespace differ
#endif
