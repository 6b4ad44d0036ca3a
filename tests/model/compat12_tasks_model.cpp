// SPDX-License-Identifier: Apache-2.0
// Tasks of foreign programs with a thief: a wait ends after all tasks that its count stands for, and always; a context
// that two threads use first is bound once, before either goes on; one exception is kept and comes whole; a task of a
// named region is run once, by whichever thread finds it. tasks.cpp, contexts.cpp, isolated_tasks.cpp, the deque and
// the parking lot are the real ones; the program's inlined code counts by locked instructions and notifies.
#include <scenes.h>

#include <parking_lot.h>
#include <two_slots.h>
#pragma GCC diagnostic ignored "-Winvalid-offsetof"  // of a program's task, as where the library is built
#include "compat12/contexts.cpp"
#include "compat12/isolated_tasks.cpp"
#include "compat12/tasks.cpp"

#include <cxxabi.h>

#include <memory>

using namespace ashlar;
using namespace ashlar::compat12;

namespace ashlar::inline v1::sched {

__thread void* running_above = nullptr;

void slot::unreserve(index) noexcept {}
bool slot::can_share() const noexcept { return false; }  // no group is timed
std::uint64_t slot::call_took(std::uint64_t) const noexcept { return 0; }
void spawn_to(slot&, job&, job_key, unsigned) { model::require(false, "no task has an affinity"); }

// A context without a tree.
bool context::cancel() noexcept { return (state_.fetch_or(cancelled, mo::acq_rel) & cancelled) == 0; }
bool context::any_cancelled() noexcept { return false; }
bool context::is_cancelled() noexcept { return (state_.load(mo::acquire) & cancelled) != 0; }
void context::reset() noexcept { state_.store(0, mo::relaxed); }
fp_settings capture_fp() noexcept { return {}; }
std::size_t active_control(int) noexcept { return 0; }

}  // namespace ashlar::inline v1::sched

namespace ashlar::inline v1::obs {

// No trace.
atomic<bool> trace_is_on{false};
void begin_code_region(void const*) noexcept {}
void end_trace_region() noexcept {}

}  // namespace ashlar::inline v1::obs

namespace {

namespace r1 = tbb::detail::r1;

struct program_context : foreign_context {
  program_context() {
    version = 1;
    traits = bound;
    r1::initialize(*this);
    model::label(*this, "context");
  }
  ~program_context() {
    r1::reset(*this);
    r1::destroy(*this);
  }
};

struct stage : model::two_slots {
  static constexpr int most = 3;

  model::var<int> results[most];

  stage() { model::own(sched::running_above); }
  void need(int n) {
    for (int i = 0; i < n; ++i) model::require(results[i].get() == 1, "the wait ends after each task, which runs once");
  }
};

// A count and the tasks that it stands for. It may be gone as soon as it is 0.
struct program_wait : d1::wait_context {
  explicit program_wait(std::uint64_t n) {
    version_and_traits = 1;
    count.store(n, mo::relaxed);
    model::label(count, "count");
  }
  void release() {
    auto const address = reinterpret_cast<std::uintptr_t>(static_cast<d1::wait_context*>(this));
    if (count.fetch_sub(1, mo::seq_cst) == 1) r1::notify_waiters(address);
  }
};

struct piece : d1::task {
  piece(stage& s, int i, program_wait& w) : in(s), number(i), counted(w) {}
  task* execute(d1::execution_data&) override {
    in.results[number].set(in.results[number].get() + 1);
    counted.release();
    return nullptr;
  }
  task* cancel(d1::execution_data& data) override { return execute(data); }
  stage& in;
  int number;
  program_wait& counted;
};

void spawned() {
  stage s;
  program_context group;
  auto count = std::make_unique<program_wait>(2);
  piece first(s, 0, *count), second(s, 1, *count);
  model::thread thief("thief", [&s] { s.steal(); });
  r1::spawn(first, group);
  r1::spawn(second, group);
  r1::wait(*count, group);
  s.need(2);
  count.reset();
  thief.join();
}

void executed() {
  stage s;
  program_context group;
  auto count = std::make_unique<program_wait>(2);
  struct splitting : piece {
    splitting(piece& o, foreign_context& g) : piece(o.in, 0, o.counted), other(o), group(g) {}
    task* execute(d1::execution_data& data) override {
      r1::spawn(other, group);
      return piece::execute(data);
    }
    piece& other;
    foreign_context& group;
  };
  piece other(s, 1, *count);
  splitting root(other, group);
  model::thread thief("thief", [&s] { s.steal(); });
  r1::execute_and_wait(root, group, *count, group);
  s.need(2);
  count.reset();
  thief.join();
}

// Inside tasks of another group, which becomes the parent. A group that is bound below a task is no application's loop.
void used_by_two() {
  stage s;
  sched::context outer(nullptr, nullptr);
  program_context group;
  auto const first_use = [&] {
    sched::slot& here = *sched::current_slot;
    here.enter(outer);
    sched::context& node = use(group, here);
    model::require(node.parent() == &outer, "a context that is used is bound");
    model::require(group.care.load(mo::relaxed) == plain, "and is no loop of the application's");
  };
  model::thread other("uses it, too", [&] {
    s.sit_as_thief();
    first_use();
  });
  first_use();
  other.join();
}

struct failure {
  model::var<int>* written;
};

// A stolen task throws; the wait rethrows what it threw, once.
void thrown() {
  stage s;
  model::own_pointer(reinterpret_cast<void**>(abi::__cxa_get_globals()));  // what the thread handles
  program_context group;
  auto count = std::make_unique<program_wait>(1);
  struct throwing : piece {
    using piece::piece;
    task* execute(d1::execution_data&) override {
      in.results[number].set(1);
      throw failure{&in.results[number]};
    }
    task* cancel(d1::execution_data&) override {
      counted.release();
      return nullptr;
    }
  };
  throwing only(s, 0, *count);
  model::thread thief("thief", [&s] { s.steal(); });
  r1::spawn(only, group);
  bool caught = false;
  try {
    r1::wait(*count, group);
  } catch (failure const& f) {
    caught = f.written->get() == 1;
  }
  model::require(caught, "the wait throws what the task threw");
  thief.join();
}

// A second wait of the group takes the exception before the count of the task is down.
void taken_early() {
  stage s;
  model::own_pointer(reinterpret_cast<void**>(abi::__cxa_get_globals()));
  program_context group;
  model::thread thrower("throws", [&] {
    s.results[0].set(1);
    try {
      throw failure{&s.results[0]};
    } catch (...) {
      record_exception(group);
    }
  });
  try {
    rethrow(group);
  } catch (failure const& f) {
    model::require(f.written->get() == 1, "an exception comes with what was done before");
  }
  thrower.join();
}

constexpr std::intptr_t region = 77;

// The spawner never comes back to its job: the wait in the region finds it in the table, or the thief its messenger.
template <bool Thief>
void named_region() {
  new (&isolated_bucket::of(tag_of_name(region))) isolated_bucket;  // its lists are no atomics
  stage s;
  program_context group;
  auto count = std::make_unique<program_wait>(1);
  piece only(s, 0, *count);
  model::thread spawner("spawner", [&] {
    s.sit_as_thief();
    named_region_scope const scope(region);
    r1::spawn(only, group);
    if (Thief) s.slots[1].run_newest();
  });
  {
    named_region_scope const scope(region);
    r1::wait(*count, group);
  }
  s.need(1);
  count.reset();
  spawner.join();
}

model::scene const scenes[] = {{"spawned", spawned, 2},
                               {"executed", executed, 2},
                               {"used by two", used_by_two},
                               {"thrown", thrown, 3},
                               {"taken early", taken_early},
                               {"named region", named_region<false>, 2},
                               {"named region and spawner", named_region<true>, 1}};

}  // namespace

TEST_CASE("waits end after their tasks, contexts are bound once") {
  model::check_all(scenes, model::without_leaks(), 1);
}

TEST_CASE("each order is needed") {
  model::check_each_order(scenes, {"src/compat12/tasks.cpp", "src/compat12/contexts.cpp", "src/compat12/contexts.h"},
                          {}, model::without_leaks());
}
