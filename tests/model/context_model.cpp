// SPDX-License-Identifier: Apache-2.0
// Cancellation: who knows of a cancel sees it from every node below, whatever a walk before has remembered; a slot
// never forgets that something is cancelled; one exception is kept, whole, and who finds it cancelled sees what came
// before. context.cpp and slot.cpp are the real ones; the bit of every slot is raised as arena::raise does.
#include <scenes.h>
#include <source_without_workers.h>

#include "sched/core/context.cpp"
#include "sched/core/slot.cpp"
#include "sched/queue/deque.cpp"
#include "sched/tasks/task_group_context.cpp"

#include <exception>
#include <memory>

using namespace ashlar;
using sched::context;

namespace {

sched::slot* the_slot = nullptr;  // of the execution

struct raising final : model::source_without_workers {
  void raise_all(std::uint32_t bit) noexcept override {
    fence_seq_cst();
    if (the_slot == nullptr || (the_slot->attention_bits() & bit) != 0) return;
    the_slot->raise(bit);
  }
};
raising the_source;

}  // namespace

namespace ashlar::inline v1::sched {

worker_source& worker_source::make() noexcept { return the_source; }

slot::~slot() = default;  // no stacks

}  // namespace ashlar::inline v1::sched

namespace {

// A node below another one, and a slot whose fast path asks for cancellation only while its bit is up.
struct tree {
  context root{nullptr, nullptr};
  context middle{&root};
  context leaf{&middle};
  sched::slot here;
  model::var<int> reason{0};

  tree() {
    the_slot = &here;
    model::label(root, "root");
    model::label(middle, "middle");
    model::label(leaf, "leaf");
    model::label(here, "slot");
  }
  ~tree() { the_slot = nullptr; }
  void cancel(context& c) {
    reason.set(1);
    c.cancel();
  }
  bool sees(context& c) {
    if (!here.cancelled(c)) return false;
    model::require(reason.get() == 1, "who sees a cancel sees what came before it");
    return true;
  }
};

// A look beside the cancel may remember the path as clean, but not beyond the cancel.
void cancel_beside_look() {
  tree t;
  context other(nullptr, nullptr);
  other.cancel();  // so that somebody looks
  model::thread a("cancels", [&] { t.cancel(t.root); });
  t.sees(t.leaf);
  a.join();
  model::require(t.sees(t.leaf) && t.sees(t.middle) && t.sees(t.root), "a cancel is seen from below");
  model::require(!other.parent() && t.root.is_cancelled(), "and at the node");
}

void cancel_in_the_middle() {
  tree t;
  model::thread a("cancels", [&] { t.cancel(t.middle); });
  t.sees(t.leaf);
  a.join();
  model::require(t.sees(t.leaf) && !t.here.cancelled(t.root), "a cancel is seen from below only");
}

// The slot drops its bit, because nothing is cancelled any more, while another node is cancelled.
void bit_dropped_beside_cancel() {
  tree t;
  {
    context old(nullptr, nullptr);
    old.cancel();
  }
  model::require(t.here.attention_bits() & sched::attention_cancel, "the bit stays up");
  model::thread a("cancels", [&] { t.cancel(t.root); });
  t.sees(t.leaf);
  a.join();
  model::require(t.sees(t.leaf), "the bit is not lost");
}

void cancelled_once() {
  tree t;
  int first = 0;
  model::thread a("cancels", [&] { first = t.root.cancel(); });
  int const second = t.root.cancel();
  a.join();
  model::require(first + second == 1, "one call has done it");
}

// Threads throw the number of what they have written before.
struct throwing : tree {
  model::var<int> written[2];

  void fail(int i) {
    written[i].set(1);
    leaf.record_exception(std::make_exception_ptr(i));
  }
  // The number of the exception that is kept; -1: none yet.
  int kept() {
    if (!leaf.has_exception()) return -1;
    try {
      leaf.rethrow();
    } catch (int i) {
      model::require(written[i].get() == 1, "an exception comes with what was done before");
      return i;
    }
    return -1;
  }
};

void exception() {
  throwing t;
  model::thread a("throws", [&] { t.fail(0); });
  t.kept();
  a.join();
  model::require(t.kept() == 0 && t.leaf.is_cancelled(), "an exception is kept, and cancels");
  t.leaf.reset();
}

void two_exceptions() {
  throwing t;
  model::thread a("throws", [&] { t.fail(0); });
  t.fail(1);
  int const seen = t.kept();
  a.join();
  int const at_last = t.kept();
  model::require(at_last >= 0 && (seen < 0 || seen == at_last), "the first one is kept");
  t.leaf.reset();
}

// Two waits of the group end at once: one of them gets the exception, and both leave the group as new.
struct two_waits : throwing {
  two_waits() { fail(0); }
  // The number of the exception that the caller got; -1: none.
  int take() {
    std::exception_ptr const what = leaf.take_exception();
    if (what == nullptr) return -1;
    try {
      std::rethrow_exception(what);
    } catch (int i) {
      return i;
    }
  }
  int end_wait() {
    int const got = take();
    leaf.reset();
    return got;
  }
  void use_again() {
    model::require(!leaf.has_exception() && !here.cancelled(leaf), "the group is as new");
    fail(1);
    model::require(end_wait() == 1, "the next exception is kept, too");
  }
};

void taken_by_two() {
  two_waits t;
  int first = -1;
  model::thread a("waits", [&] { first = t.end_wait(); });
  int const second = t.end_wait();
  a.join();
  model::require((first == 0) != (second == 0) && first + second == -1, "one waiter gets the exception");
  t.use_again();
}

void taken_beside_rethrow() {
  two_waits t;
  int first = -1;
  model::thread a("waits", [&] { first = t.end_wait(); });
  int const seen = t.kept();  // another wait of the context, which leaves it the exception
  a.join();
  model::require(first == 0 && seen <= 0, "a copy leaves the exception to its taker");
  t.use_again();
}

void reset_beside_rethrow() {
  two_waits t;
  model::thread a("resets", [&] { t.leaf.reset(); });
  t.kept();
  a.join();
  t.use_again();
}

void reset_by_two() {
  two_waits t;
  model::thread a("resets", [&] { t.leaf.reset(); });
  t.leaf.reset();
  a.join();
  t.use_again();
}

// Who finds the exception taken sees what its taker has done before.
void looks_beside_taker() {
  two_waits t;
  model::var<int> done{0};
  model::thread a("waits", [&] {
    done.set(1);
    t.take();
  });
  if (!t.leaf.has_exception()) model::require(done.get() == 1, "the taker's work is seen");
  a.join();
  t.leaf.reset();
}

// The exception is stored by one thread and taken by another.
void taken_when_stored() {
  throwing t;
  model::thread a("throws", [&] { t.fail(0); });
  std::exception_ptr const what = t.leaf.take_exception();
  if (what != nullptr) model::require(t.written[0].get() == 1, "an exception comes with what was done before");
  a.join();
  t.leaf.reset();
}

// The public object is made while another thread asks for the priority.
void priority_of_new_facade() {
  context group(nullptr, nullptr);
  context below(&group);
  model::label(group, "group");
  model::thread a("sets a priority", [&] { group.facade().set_priority(tbb::priority_high); });
  int const seen = below.priority();
  model::require(seen == tbb::priority_normal || seen == tbb::priority_high, "a priority is one that was set");
  a.join();
  model::require(below.priority() == tbb::priority_high, "the priority holds below the group");
}

// Two threads use a context first; one of them has just made the group that may become its parent.
void bound_by_two() {
  context old(nullptr, nullptr), others(nullptr, nullptr);
  old.cancel();  // so that somebody looks at parents
  tbb::task_group_context group;
  std::unique_ptr<context> fresh;
  model::thread a("uses the group in a new one", [&] {
    sched::slot here;
    fresh = std::make_unique<context>(nullptr, nullptr);
    here.enter(*fresh);
    group.use(here);
  });
  sched::slot here;
  here.enter(others);
  context& node = group.use(here);
  model::require(!group.is_group_execution_cancelled(), "neither parent is cancelled");
  a.join();
  model::require(node.parent() == &others || node.parent() == fresh.get(), "the group has one of the two parents");
}

model::scene const scenes[] = {{"cancel beside look", cancel_beside_look, 3},
                               {"cancel in the middle", cancel_in_the_middle, 3},
                               {"bit dropped beside cancel", bit_dropped_beside_cancel, 3},
                               {"cancelled once", cancelled_once},
                               {"priority of new facade", priority_of_new_facade},
                               {"bound by two", bound_by_two},
                               {"exception", exception},
                               {"two exceptions", two_exceptions, 3},
                               {"taken by two", taken_by_two, 3},
                               {"taken beside rethrow", taken_beside_rethrow, 3},
                               {"reset beside rethrow", reset_beside_rethrow, 3},
                               {"reset by two", reset_by_two, 3},
                               {"looks beside taker", looks_beside_taker},
                               {"taken when stored", taken_when_stored, 3}};

model::options without_leaks() {
  model::options how;
  how.leaks = false;
  return how;
}

}  // namespace

TEST_CASE("no cancel is missed") { model::check_all(scenes, without_leaks(), 1); }

TEST_CASE("each order is needed") {
  model::check_each_order(
      scenes,
      {"include/ashlar/sched/core/context.h", "src/sched/core/context.cpp", "include/ashlar/sched/core/attention.h",
       "include/ashlar/sched/tasks/task_group_context.h", "src/sched/tasks/task_group_context.cpp"},
      // Other protocols of the same word.
      {"A11", "CB2", "S2"}, without_leaks());
}
