// SPDX-License-Identifier: Apache-2.0
// task_group: run, defer, cancel, wait, exceptions, groups inside of tasks, contexts, isolation.
#include "line_counts.h"
#include "subjects.h"

#define TBB_PREVIEW_ISOLATED_TASK_GROUP 1
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <algorithm>
#include <memory>
#include <set>

namespace differ {

namespace {

// A task's function object, whose copies are counted as living.
template <typename F>
struct job {
  explicit job(F f) : body(std::move(f)) {}
  void operator()() const { body(); }
  F body;
  counted alive;
};

// What the groups inside of tasks came to: how often each line.
class outcomes {
 public:
  void add(std::string const& line, bool certain) { lines_.add(line, certain); }
  // Where a group that a task makes is cancelled before its first task.
  void add_forgotten(std::string const& path, std::string const& result) {
    std::lock_guard<std::mutex> const guard(lock_);
    forgotten_[path].insert(result);
  }
  void tell(book& told) const {
    for (auto const& [path, results] : forgotten_) told.known("early cancel", path, *results.begin());
    lines_.tell(told, "groups: a line of what is cancelled");
  }

 private:
  std::mutex lock_;
  line_counts lines_;
  std::map<std::string, std::set<std::string>> forgotten_;
};

// The steps up to a wait, and what they come to as far as it is determined.
struct epoch {
  void add(step const& s) {
    bool const starts = s.kind == "run" || s.kind == "run_and_wait" || (s.kind == "defer" && s.a % 3 != 0);
    if (s.kind == "cancel") cancelled = true;
    if (s.kind == "cancel" && started + faults() == 0) nothing_runs = true;
    tried |= starts;
    if (!starts || nothing_runs) return;
    started += s.kind == "run" ? s.n : 1;
    if (s.wrong == fault::exception) thrown_values.insert(s.b);
    if (s.wrong == fault::cancellation) task_cancels = true;
  }
  int faults() const { return static_cast<int>(thrown_values.size()) + (task_cancels ? 1 : 0); }
  // Do all tasks run, or none? Does the wait end in one way only?
  bool all_or_none() const { return nothing_runs || (!cancelled && faults() == 0); }
  bool one_end() const { return nothing_runs || faults() + (cancelled ? 1 : 0) <= 1; }

  int started = 0;
  bool tried = false;  // to start one
  bool cancelled = false;
  bool nothing_runs = false;
  bool task_cancels = false;
  std::set<int> thrown_values;
  std::atomic<int> ran{0};
};

bool ends_epoch(step const& s) {
  return s.kind == "wait" || s.kind == "run_and_wait" || (s.kind == "defer" && s.a % 3 == 2);
}

// A group and its steps. Certain: no group around it may be cancelled. What a task's group came to that was cancelled
// before its first task is a known difference.
class scene {
 public:
  scene(step const& scope, std::string path, outcomes& seen, bool certain, bool in_task)
      : scope_(scope), path_(std::move(path)), seen_(seen), certain_(certain), in_task_(in_task) {
    for (step const& s : scope.body) {
      if (epochs_.empty() || over_) epochs_.push_back(std::make_unique<epoch>());
      epochs_.back()->add(s);
      over_ = ends_epoch(s);
    }
    if (epochs_.empty() || over_) epochs_.push_back(std::make_unique<epoch>());
  }

  void play() {
    for (std::size_t i = 0; i < scope_.body.size(); ++i) act(scope_.body[i], path_ + "." + std::to_string(i));
    if (at_ < epochs_.size()) finish(path_ + ".end", [this] { return group_->wait(); });
  }

 private:
  epoch& now() { return *epochs_[at_]; }
  bool forgotten() {
    bool const first = std::none_of(epochs_.begin(), epochs_.begin() + static_cast<std::ptrdiff_t>(at_),
                                    [](auto const& e) { return e->tried; });
    return in_task_ && first && now().nothing_runs;
  }

  auto make_job(step const& s, std::string const& path) {
    auto body = [this, &s, path, e = &now(), forgotten = forgotten()] {
      ++e->ran;
      linger();
      if (!s.body.empty()) scene(s, path, seen_, certain_ && e->all_or_none() && !forgotten, true).play();
      if (s.wrong == fault::exception && !planted("group loses an exception")) throw deliberate{s.b};
      if (s.wrong == fault::cancellation) group_->cancel();
    };
    return job<decltype(body)>(std::move(body));
  }

  void act(step const& s, std::string const& path) {
    if (s.kind == "run") {
      for (int i = 0; i < s.n; ++i) {
        if (planted("group loses a task") && i == 4) continue;
        group_->run(make_job(s, path));
      }
    } else if (s.kind == "defer") {
      defer(s, path);
    } else if (s.kind == "cancel") {
      if (!planted("group ignores cancel")) group_->cancel();
    } else if (s.kind == "wait") {
      finish(path, [this] { return group_->wait(); });
    } else if (s.kind == "run_and_wait") {
      auto const body = make_job(s, path);
      finish(path, [&] { return group_->run_and_wait(body); });
    } else if (s.kind == "isolate") {
      tbb::this_task_arena::isolate([&] { scene(s, path, seen_, certain_, in_task_).play(); });
    } else if (s.kind == "deep") {
      cancel_from_within(s, path);
    }
  }

  // A group is cancelled in loops that lie in its task: the innermost knows.
  void cancel_from_within(step const& s, std::string const& path) {
#if DIFFER_ONETBB
    tbb::task_group_context apart(tbb::task_group_context::isolated);
    tbb::task_group group(apart);
    bool knows = false;
    auto const innermost = [&](int) {
      group.cancel();
      knows = tbb::is_current_task_group_canceling();
    };
    auto const inner = [&](int) { tbb::parallel_for(0, 1, innermost); };
    group.run([&] {
      if (s.a % 2 == 0) return inner(0);
      tbb::parallel_for(0, 1, inner);
    });
    bool const canceled = group.wait() == tbb::canceled;
    if (!knows || !canceled) seen_.add(path + " WRONG: not cancelled from within", true);
#else
    static_cast<void>(s);
    static_cast<void>(path);
#endif
  }

  void defer(step const& s, std::string const& path) {
#if DIFFER_ONETBB
    auto handle = group_->defer(make_job(s, path));
    if (s.a % 3 == 0) return;  // dropped: never runs
    if (s.a % 3 == 1) {
      group_->run(std::move(handle));
    } else {
      finish(path, [&] { return group_->run_and_wait(std::move(handle)); });
    }
#else
    if (s.a % 3 == 1) group_->run(make_job(s, path));
    if (s.a % 3 == 2) finish(path, [&] { return group_->run_and_wait(make_job(s, path)); });
#endif
  }

  template <typename Wait>
  void finish(std::string const& path, Wait const& wait) {
    std::string result;
    bool const early = planted("group waits too short");
    int ran = now().ran;
    std::string const out = thrown([&] {
      auto const status = early ? tbb::complete : wait();
      result = status == tbb::complete ? "complete" : status == tbb::canceled ? "canceled" : "not complete";
    });
    if (!early) ran = now().ran;
    if (out != "nothing") result = "threw " + out;
    if (planted("group tells complete") && result == "canceled") result = "complete";
    if (early) thrown([&] { wait(); });
    if (forgotten() && certain_) seen_.add_forgotten(path, result + " " + std::to_string(ran));
    bool const certain = certain_ && !forgotten();
    seen_.add(path + " " + result, certain && now().one_end());
    seen_.add(path + " ran " + std::to_string(ran), certain && now().all_or_none());
    if (ran > now().started && !forgotten()) seen_.add(path + " WRONG: more ran than there are", true);
    ++at_;
  }

  step const& scope_;
  std::string const path_;
  outcomes& seen_;
  bool const certain_;
  bool const in_task_;
  bool over_ = false;
  std::vector<std::unique_ptr<epoch>> epochs_;
  std::size_t at_ = 0;
  std::unique_ptr<tbb::task_group> group_ = std::make_unique<tbb::task_group>();
};

void groups(step const& program, book& told) {
  outcomes seen;
  scene(program, "group", seen, true, false).play();
  seen.tell(told);
}

}  // namespace

void add_groups(subjects& table) { table["group"] = groups; }

}  // namespace differ
