// SPDX-License-Identifier: Apache-2.0
// The activations and reservations of a graph, which are in one count: a node that is destroyed waits for all
// activations, whatever is reserved or released meanwhile, and does not wait for reservations; each release takes one
// reservation. graph_core.cpp, the counter and the parking lot are the real ones.
#include <scenes.h>

#include <parking_lot.h>
#include "flow/engine/graph_core.cpp"
#include "sched/queue/deque.cpp"
#include "sched/tasks/task_group.cpp"

#include <parked_slot.h>

namespace ashlar {
inline namespace v1 {

inline void must_not_be_called() noexcept { model::require(false, "the model needs no such thing"); }

namespace sched {

__thread slot* current_slot = nullptr;
slot& attach_thread() { __builtin_unreachable(); }
void wake_waiters(void const* address) noexcept { model::the_lot->wake_address(address); }
arena* share_current_arena() noexcept { return &current_slot->home(); }
void drop_arena(arena&) noexcept {}
void submit_job(arena&, job&) { must_not_be_called(); }
void submit_urgent_job(arena&, job&) { must_not_be_called(); }
void spawn_urgent(slot&, job&, job_key) { must_not_be_called(); }
void enqueue_job(arena&, job&, int) { must_not_be_called(); }
bool arena_visit::enter(arena&) { return must_not_be_called(), false; }
void arena_visit::leave() noexcept {}
void call_in_full_arena(arena&, void (*)(void*), void*) { must_not_be_called(); }
void slot::attend() noexcept { must_not_be_called(); }
void slot::spawn_or_run_beyond(job&, job_key) noexcept { must_not_be_called(); }
void slot::run(job*, job_key) noexcept { must_not_be_called(); }
bool slot::run_newest_specially() noexcept { return must_not_be_called(), false; }
void slot::switch_fp(fp_settings const*) noexcept { must_not_be_called(); }
bool slot::check_cancelled(context&) noexcept { return false; }
void bind_context(context&, context*, bool, atomic<bool>&) noexcept { must_not_be_called(); }
bool context::cancel() noexcept { return must_not_be_called(), false; }
bool context::is_cancelled() noexcept { return false; }
void context::record_exception() noexcept { must_not_be_called(); }
std::exception_ptr context::take_exception() noexcept { return must_not_be_called(), nullptr; }
void context::reset() noexcept { must_not_be_called(); }
void* task_pool::refill(std::size_t) { return must_not_be_called(), nullptr; }
void task_pool::release_remote(void*, std::size_t, task_pool*) noexcept { must_not_be_called(); }

}  // namespace sched

namespace flow {

void graph_core::enter_roll() noexcept {}
void graph_core::leave_roll() noexcept {}
void graph_core::draw_waits() noexcept {}
void graph_core::draw_to_file() noexcept {}
void graph_core::throw_own_body() { __builtin_unreachable(); }

}  // namespace flow
}  // namespace v1
}  // namespace ashlar

using namespace ashlar;

namespace {

// The main thread waits.
struct scene {
  scene() {
    model::own(sched::current_slot);
    model::the_lot = &lot;
    model::any_slot = &slots[0];
    model::label(lot, "lot");
    model::label(sched::foreign_group_waiters, "foreign_group_waiters");
    for (unsigned i = 0; i < 4; ++i) slots[i].belong_to(*reinterpret_cast<sched::arena*>(this), i);
    sit(0);
    graph = new flow::graph_core(nullptr);
    model::label(*graph, "graph");
  }
  ~scene() { delete graph; }
  void sit(int i) { sched::current_slot = &slots[i]; }
  void begin_activation() { graph->add(*sched::current_slot); }
  void end_activation() {
    result.set(1);
    graph->finish(*sched::current_slot);
  }
  void wait() {
    graph->wait_for_activations();
    model::require(result.get() == 1, "the wait is over before the activation");
  }

  model::parking_lot lot;
  sched::slot slots[4];
  flow::graph_core* graph = nullptr;
  model::var<int> result;
};

void reserved_meanwhile() {
  scene s;
  s.begin_activation();
  model::thread activation("runs the activation", [&] {
    s.sit(1);
    s.end_activation();
  });
  model::thread other("reserves", [&] {
    s.sit(2);
    s.graph->reserve_wait();
    s.graph->release_wait();
  });
  s.wait();
  activation.join();
  other.join();
}

// Whoever has the reservation releases it after the wait: it isn't waited for.
void reserved_all_the_time() {
  scene s;
  s.begin_activation();
  s.graph->reserve_wait();
  model::thread activation("runs the activation", [&] {
    s.sit(1);
    s.end_activation();
  });
  s.wait();
  s.graph->release_wait();
  activation.join();
}

// Two release at the same time: no reservation is left that would make a later wait end early.
void two_releases() {
  scene s;
  s.graph->reserve_wait();
  s.graph->reserve_wait();
  model::thread other("releases", [&] {
    s.sit(2);
    s.graph->release_wait();
  });
  s.graph->release_wait();
  other.join();
  s.begin_activation();
  model::thread activation("runs the activation", [&] {
    s.sit(1);
    s.end_activation();
  });
  s.wait();
  activation.join();
}

// Who reserves hands the reservation over.
void released_by_another() {
  scene s;
  s.begin_activation();
  model::thread activation("runs the activation", [&] {
    s.sit(1);
    s.end_activation();
  });
  atomic<bool> reserved{false};
  model::thread one("reserves", [&] {
    s.sit(2);
    s.graph->reserve_wait();
    reserved.store(true, mo::release);
  });
  model::thread other("releases", [&] {
    s.sit(3);
    while (!reserved.load(mo::acquire)) cpu_pause();
    s.graph->release_wait();
  });
  s.wait();
  activation.join();
  one.join();
  other.join();
}

model::scene const scenes[] = {{"reserved meanwhile", reserved_meanwhile, 1},
                               {"reserved all the time", reserved_all_the_time},
                               {"two releases", two_releases, 3},
                               {"released by another", released_by_another, 1}};

}  // namespace

TEST_CASE("a node waits for activations, and not for reservations") { model::check_all(scenes, {}, 2); }

// [FG1] [FG2]: two releases need one step, whatever its order: the count that each of them changes next has its own.
TEST_CASE("each order is needed") {
  model::check_each_order(scenes, {"src/flow/engine/graph_core.cpp"}, {"FG1", "FG2"});
}
