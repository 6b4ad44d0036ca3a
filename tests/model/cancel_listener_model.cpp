// SPDX-License-Identifier: Apache-2.0
// Callbacks of contexts: one that is attached beside a cancel is called once; detach waits for another thread that is
// in the callback, and no callback begins after that; a callback may detach itself and others. context.cpp and
// cancel_listener.cpp are the real ones.
#include <engine/state.h>
#include <scenes.h>
#include <sleepers.h>
#include <source_without_workers.h>

#include "sched/core/cancel_listener.cpp"
#include "sched/core/context.cpp"
#include "sched/tasks/task_group_context.cpp"
#include "sync/parker.cpp"
#include "sync/wait_on.cpp"

using namespace ashlar;
using sched::context;

namespace {

model::source_without_workers the_source;

}  // namespace

namespace ashlar::inline v1::sched {

worker_source& worker_source::make() noexcept { return the_source; }

void const* calling_thread() noexcept { return &model::the.threads[model::the.current]; }

}  // namespace ashlar::inline v1::sched

namespace {

// Counts its calls, and sees what was done before the cancel.
struct counting : sched::cancel_listener {
  explicit counting(model::var<int> const* before = nullptr, counting* other = nullptr) noexcept
      : cancel_listener(&call), reason(before), takes_out(other) {}
  static void call(cancel_listener& l) noexcept {
    auto& c = static_cast<counting&>(l);
    ++c.calls;
    if (c.reason != nullptr) model::require(c.reason->get() == 1, "the callback sees what came before the cancel");
    if (c.takes_out != nullptr) c.takes_out->detach();
    c.done.set(1);
  }
  model::var<int> const* reason;
  counting* takes_out;
  model::var<int> done{0};
  int calls = 0;
};

struct stage {
  model::sleepers asleep;
  context root{nullptr, nullptr};
  context leaf{&root};
  model::var<int> reason{0};

  stage() { sched::cancel_listeners::begin_anew(); }
  void cancel() {
    reason.set(1);
    root.cancel();
  }
};

void attached_beside_cancel() {
  stage s;
  counting c(&s.reason);
  model::thread a("cancels", [&] { s.cancel(); });
  c.attach(s.leaf);
  a.join();
  c.detach();
  model::require(c.calls == 1, "a callback that is attached beside a cancel is called once");
}

void detached_beside_cancel() {
  stage s;
  counting c(&s.reason);
  c.attach(s.leaf);
  model::thread a("cancels", [&] { s.cancel(); });
  c.detach();
  int const called = c.calls;
  if (called != 0) model::require(c.done.get() == 1, "the callback has ended when it is detached");
  a.join();
  model::require(c.calls == called, "no callback begins after that");
}

void cancelled_by_two() {
  stage s;
  counting c;
  c.attach(s.leaf);
  model::thread a("cancels", [&] { s.root.cancel(); });
  s.leaf.cancel();
  a.join();
  c.detach();
  model::require(c.calls == 1, "it is called once");
}

void detaches_another() {
  stage s;
  counting second;
  counting first(nullptr, &second);
  first.attach(s.root);
  second.attach(s.leaf);
  model::thread a("cancels", [&] { s.root.cancel(); });
  first.detach();
  a.join();
  second.detach();
  model::require(first.calls + second.calls == 1, "one that was taken out before its turn is not called");
}

void bound_beside_cancel() {
  stage s;
  context late(nullptr, nullptr);
  atomic<bool> settled{false};
  counting c;
  c.attach(late);
  model::thread a("cancels", [&] { s.root.cancel(); });
  sched::bind_context(late, &s.root, true, settled);
  a.join();
  c.detach();
  model::require(c.calls == 1, "one whose context is bound beside the cancel is called");
}

void cancelled_beside_another() {
  stage s;
  context other(nullptr, nullptr);
  counting c;
  counting d;
  c.attach(s.leaf);
  d.attach(other);
  model::thread a("cancels", [&] { s.root.cancel(); });
  other.cancel();
  d.detach();
  a.join();
  c.detach();
  model::require(c.calls == 1 && d.calls == 1, "who detaches after a cancel finds it called, by whomever");
}

model::scene const scenes[] = {{"cancelled beside another", cancelled_beside_another},
                               {"attached beside cancel", attached_beside_cancel},
                               {"detached beside cancel", detached_beside_cancel},
                               {"cancelled by two", cancelled_by_two},
                               {"detaches another", detaches_another},
                               {"bound beside cancel", bound_beside_cancel}};

model::options without_leaks() {
  model::options how;
  how.leaks = false;
  return how;
}

}  // namespace

TEST_CASE("a callback is called once, and not after its end") { model::check_all(scenes, without_leaks(), 1); }

TEST_CASE("each order is needed") {
  model::check_each_order(scenes, {"include/ashlar/sched/core/cancel_listener.h", "src/sched/core/cancel_listener.cpp"},
                          {}, without_leaks());
  CHECK(model::caught_by(scenes, model::tagged("src/sched/core/context.cpp", "CB2"), without_leaks()) != "");
}
