// SPDX-License-Identifier: Apache-2.0
// Classic TBB's tasks: reference counts, children, continuations, recycling, lists, bypass, roots in groups of their
// own, exceptions and cancellation. Ours has them in both dialects.
#include "line_counts.h"
#include "subjects.h"

#if DIFFER_TASKS
#include <tbb/task.h>

#include <algorithm>
#include <thread>

namespace differ {

namespace {

using tbb::task;

// The children of a task, or of what took its place.
struct family {
  std::atomic<int> ended{0};
  std::atomic<int> living{0};  // as objects
};

// A group of tasks: the roots of one context, and what is below them.
struct scene {
  scene(line_counts& l, bool c) : lines(l), certain(c) {}
  line_counts& lines;
  bool certain;  // all of its tasks run
  std::atomic<int> ran{0};
  std::atomic<task::affinity_id> place{0};  // where a task ran that was stolen
};

void check(scene& where, bool right, std::string const& what) {
  if (!right) where.lines.add("WRONG " + what, true);
}

// Has this step's root a group of its own?
bool own_group(step const& s) { return s.kind == "root" && s.b % 3 != 2; }
bool cancelled_before(step const& s) { return s.kind == "root" && s.b % 3 == 1 && s.b / 3 % 5 == 0; }

// The faults in a group's steps.
int faults(std::vector<step> const& body) {
  int found = 0;
  for (step const& s : body) {
    found += s.wrong == fault::none ? 0 : 1;
    if (!own_group(s)) found += faults(s.body);
  }
  return found;
}

void fail(step const& s) {
  if (s.wrong == fault::exception && !planted("task loses an exception")) throw deliberate{s.b};
  if (s.wrong == fault::cancellation) task::self().cancel_group_execution();
}

// The children have ended, and nothing of them is there any more.
void tell_children(scene& where, std::string const& path, family const& children, int missing = 0) {
  where.lines.add(path + " its children ended " + std::to_string(children.ended - missing), where.certain);
  check(where, children.living == 0, path + " a child is still there");
}

bool fails_late(step const& s) {
  return s.b % 2 == 1 && (s.kind == "continuation" || s.kind == "recycle" || s.kind == "safe");
}

// Runs when the children of the task whose place it takes are over.
class join_task : public task {
 public:
  join_task(step const& s, std::string path, scene& where, family* kin)
      : s_(s), path_(std::move(path)), where_(where), kin_(kin) {}
  ~join_task() override {
    if (kin_ != nullptr) --kin_->living;
  }
  task* execute() override {
    tell_children(where_, path_, mine);
    if (fails_late(s_)) fail(s_);
    if (kin_ != nullptr) ++kin_->ended;
    return nullptr;
  }
  family mine;

 private:
  step const& s_;
  std::string const path_;
  scene& where_;
  family* kin_;
  counted alive_;
};

void play_roots(step const& s, std::string const& path, line_counts& lines, bool certain);

class job : public task {
 public:
  // A root: its parent is none of ours.
  job(step const& s, std::string path, scene& where, family* kin, bool is_root)
      : s_(s), path_(std::move(path)), where_(where), kin_(kin), is_root_(is_root) {
    if (kin_ != nullptr) ++kin_->living;
  }
  ~job() override {
    if (kin_ != nullptr) --kin_->living;
  }
  task* execute() override;
  void note_affinity(affinity_id id) override { where_.place = id; }

 private:
  using action = task* (job::*)();
  int children() const {
    int all = 0;
    for (step const& inner : s_.body) all += inner.n;
    return all;
  }
  // Calls use(job) for each child that allocate() makes a place for.
  template <typename Allocate, typename Use>
  void make_children(family& kin, Allocate const& allocate, Use const& use, bool roots = false) {
    int index = 0;
    for (step const& inner : s_.body) {
      for (int i = 0; i < inner.n; ++i) {
        job& made = *new (allocate()) job(inner, path_ + "." + std::to_string(index), where_, &kin, roots);
        check(where_, made.state() == allocated, path_ + " a new task has another state");
        if (inner.b % 5 == 0) made.set_affinity(where_.place);
        use(made);
      }
      ++index;
    }
  }
  // Spawns them all but the last one, which is returned.
  template <typename Parent>
  task* all_but_one(Parent& parent, family& kin) {
    task* last = nullptr;
    make_children(
        kin, [&]() -> decltype(auto) { return parent.allocate_child(); },
        [&](job& j) {
          if (last != nullptr) spawn(*last);
          last = &j;
        });
    return last;
  }
  template <typename Parent>
  void make_list(Parent& parent, family& kin, tbb::task_list& list) {
    make_children(kin, [&]() -> decltype(auto) { return parent.allocate_child(); }, [&](job& j) { list.push_back(j); });
  }

  task* end() {
    if (kin_ != nullptr) ++kin_->ended;
    return nullptr;
  }
  task* told_and_end() {
    tell_children(where_, path_, mine_);
    return end();
  }
  join_task& make_join() {
    join_task& made = *new (allocate_continuation()) join_task(s_, path_, where_, kin_);
    kin_ = nullptr;
    check(where_, parent() == nullptr, path_ + " has a parent behind its continuation");
    return made;
  }

  task* block();
  task* additional();
  task* spread();
  task* continuation();
  task* recycle();
  task* safe();
  task* child();
  task* again();
  task* enqueued();
  task* outside();
  task* destroyed();
  task* root();

  step const& s_;
  std::string const path_;
  scene& where_;
  family* kin_;
  bool const is_root_;
  family mine_;
  counted alive_;
  int phase_ = 0;
};

task* job::execute() {
  static std::map<std::string, action> const actions = {
      {"block", &job::block},         {"additional", &job::additional},
      {"spread", &job::spread},       {"continuation", &job::continuation},
      {"recycle", &job::recycle},     {"safe", &job::safe},
      {"child", &job::child},         {"again", &job::again},
      {"enqueued", &job::enqueued},   {"outside", &job::outside},
      {"destroyed", &job::destroyed}, {"root", &job::root}};
  check(where_, &self() == this && state() == executing, path_ + " is not the task that runs");
  check(where_, ref_count() == 0, path_ + " has a count when it begins");
  linger();
  ++where_.ran;
  where_.lines.add(path_ + " ran, " + std::to_string(phase_), where_.certain);
  if (fails_late(s_) == (phase_ != 0)) fail(s_);
  auto const found = actions.find(s_.kind);
  return found != actions.end() ? (this->*found->second)() : end();
}

task* job::block() {
  int const skipped = planted("task waits too short") && children() > 5 ? 1 : 0;
  set_ref_count(children() + 1);
  tbb::task_list list;
  if (s_.a % 4 == 0 || s_.a % 4 == 2) {
    task* const last = all_but_one(*this, mine_);
    if (s_.a % 4 == 0 && last != nullptr) spawn(*last);
    s_.a % 4 == 0 || last == nullptr ? wait_for_all() : spawn_and_wait_for_all(*last);
  } else {
    make_list(*this, mine_, list);
    if (s_.a % 4 == 1) spawn(list);
    s_.a % 4 == 1 ? wait_for_all() : spawn_and_wait_for_all(list);
    check(where_, list.empty(), path_ + " a list that was spawned is not empty");
  }
  check(where_, ref_count() == 0, path_ + " has a count after it waited");
  tell_children(where_, path_, mine_, skipped);
  return end();
}

task* job::additional() {
  set_ref_count(1);
  make_children(
      mine_, [&]() -> decltype(auto) { return allocate_additional_child_of(*this); }, [&](job& j) { spawn(j); });
  wait_for_all();
  return told_and_end();
}

// Its children are its parent's.
task* job::spread() {
  if (!is_root_) {
    make_children(
        *kin_, [&]() -> decltype(auto) { return allocate_additional_child_of(*parent()); }, [&](job& j) { spawn(j); });
  }
  return end();
}

task* job::continuation() {
  int const n = children();
  join_task& after = make_join();
  after.set_ref_count(n);
  if (n == 0) return &after;
  if (s_.a % 3 == 0) {
    tbb::task_list list;
    make_list(after, after.mine, list);
    spawn(list);
    return nullptr;
  }
  bool const bypass = s_.a % 3 == 1;
  task* const last = all_but_one(after, after.mine);
  if (planted("task forgets what it is returned") && n == 3) {
    destroy(*last);
    return nullptr;
  }
  if (bypass) return last;
  spawn(*last);
  return nullptr;
}

task* job::recycle() {
  if (children() == 0) return end();
  if (phase_++ != 0) return told_and_end();
  set_ref_count(children());
  recycle_as_continuation();
  return all_but_one(*this, mine_);
}

task* job::safe() {
  if (phase_++ != 0) return told_and_end();
  set_ref_count(children() + 1);
  recycle_as_safe_continuation();
  if (task* const last = all_but_one(*this, mine_)) spawn(*last);
  return nullptr;
}

task* job::child() {
  if (phase_++ != 0) return end();
  join_task& after = make_join();
  kin_ = &after.mine;
  ++kin_->living;
  after.set_ref_count(children() + 1);
  recycle_as_child_of(after);
  check(where_, parent() == &after, path_ + " is not the child that it became");
  if (task* const last = all_but_one(after, after.mine)) spawn(*last);
  return this;
}

task* job::again() {
  if (is_root_ || phase_ > s_.a % 3) return end();
  ++phase_;
  if (planted("task is recycled once more") && phase_ == 2 && s_.a % 3 == 1) --phase_;
  recycle_to_reexecute();
  return new (allocate_additional_child_of(*parent())) tbb::empty_task;
}

// TBB 2020's waits inside of tasks take nothing that is enqueued: so a program's roots alone enqueue, and don't wait.
task* job::enqueued() {
  if (phase_++ != 0) return told_and_end();
  bool const may_enqueue = std::count(path_.begin(), path_.end(), '.') == 1;
  set_ref_count(children() + 1);
  recycle_as_safe_continuation();
  make_children(
      mine_, [&]() -> decltype(auto) { return allocate_child(); },
      [&](job& j) { may_enqueue ? enqueue(j) : spawn(j); });
  return nullptr;
}

// One count is another thread's.
task* job::outside() {
  set_ref_count(children() + 2);
  std::atomic<bool> before{false};
  struct joining {
    std::thread thread;
    ~joining() { thread.join(); }
  } const other{std::thread([this, &before] {
    std::this_thread::yield();
    before = true;
    decrement_ref_count();
  })};
  if (task* const last = all_but_one(*this, mine_)) spawn(*last);
  wait_for_all();
  check(where_, before, path_ + " its wait ended before the count was 1");
  return told_and_end();
}

task* job::destroyed() {
  set_ref_count(1);
  check(where_, add_ref_count(children()) == children() + 1, path_ + " add_ref_count");
  make_children(mine_, [&]() -> decltype(auto) { return allocate_child(); }, [&](job& j) { destroy(j); });
  check(where_, ref_count() == 1, path_ + " children that are destroyed count");
  increment_ref_count();
  check(where_, decrement_ref_count() == 1, path_ + " decrement_ref_count");
  set_ref_count(0);
  return told_and_end();
}

task* job::root() {
  if (own_group(s_)) {
    play_roots(s_, path_, where_.lines, where_.certain);
  } else {
    make_children(
        mine_, []() -> decltype(auto) { return allocate_root(); }, [](job& j) { spawn_root_and_wait(j); }, true);
    tell_children(where_, path_, mine_);
  }
  return end();
}

// All roots of a context; in a list, or one behind the other until one throws.
std::string run_roots(step const& s, std::string const& path, scene& where, tbb::task_group_context& context) {
  return thrown([&] {
    tbb::task_list list;
    for (std::size_t i = 0; i < s.body.size(); ++i) {
      for (int k = 0; k < s.body[i].n; ++k) {
        if (planted("task of a list is lost") && k == 3) continue;
        auto& made =
            *new (task::allocate_root(context)) job(s.body[i], path + "." + std::to_string(i), where, nullptr, true);
        if (s.a % 2 == 0) {
          list.push_back(made);
        } else {
          task::spawn_root_and_wait(made);
        }
      }
    }
    task::spawn_root_and_wait(list);
  });
}

void play_roots(step const& s, std::string const& path, line_counts& lines, bool certain) {
  bool const isolated = s.b % 3 == 1;
  bool const none = cancelled_before(s);
  int const wrong = faults(s.body);
  tbb::task_group_context context(isolated ? tbb::task_group_context::isolated : tbb::task_group_context::bound);
  for (int round = 0; round < 2; ++round) {
    scene where(lines, certain && wrong == 0 && !none);
    if (none && !planted("task runs though it is cancelled")) context.cancel_group_execution();
    std::string const out = run_roots(s, path, where, context);
    lines.add(path + " roots threw " + out, certain && (wrong <= 1 || none));
    lines.add(path + " cancelled " + text(context.is_group_execution_cancelled()), certain);
    if (none) lines.add(path + " ran though cancelled: " + std::to_string(where.ran), certain);
    if (s.b / 3 % 4 != 0) return;
    context.reset();
  }
}

void tasks(step const& program, book& told) {
  line_counts lines;
  play_roots(program, "task", lines, true);
  lines.tell(told, "tasks: a line of a group that is stopped");
}

}  // namespace

void add_tasks(subjects& table) { table["task"] = tasks; }

}  // namespace differ
#endif
