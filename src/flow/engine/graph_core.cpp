// SPDX-License-Identifier: Apache-2.0
#include <ashlar/flow/engine/graph_core.h>
#include <ashlar/flow/engine/message.h>
#include <ashlar/flow/engine/types.h>

#include <ashlar/sched/tasks/affinity.h>

#include <exception>
#include <new>
#include <utility>

namespace ashlar::inline v1::flow {

// ---- nodes

node_base::node_base(graph_core& g) : core_(reinterpret_cast<std::uintptr_t>(&g)) { g.register_node(*this); }

node_base::~node_base() { core().remove_node(*this); }

void graph_core::register_node(node_base& n) noexcept {
  guard const held(nodes_lock_);
  n.previous_ = last_;
  (last_ != nullptr ? last_->next_ : first_) = &n;
  last_ = &n;
}

void graph_core::remove_node(node_base& n) noexcept {
  guard const held(nodes_lock_);
  (n.previous_ != nullptr ? n.previous_->next_ : first_) = n.next_;
  (n.next_ != nullptr ? n.next_->previous_ : last_) = n.previous_;
}

node_base* graph_core::next_after(node_base const* n) noexcept {
  guard const held(nodes_lock_);
  return n == nullptr ? first_ : n->next_;
}

// ---- the graph

graph_core::graph_core(tbb::task_group_context* its)
    : count_(sched::this_slot()),
      group_(nullptr, nullptr,
             its != nullptr ? sched::context::standing | sched::context::hidden : sched::context::standing),
      users_(its) {
  slot& s = sched::this_slot();
  sched::context* const parent = its != nullptr ? &its->use(s) : s.binding_group();
  group_.bind(parent);
  group_.set_fp(parent != nullptr ? parent->fp() : s.group().fp());
  arena_ = sched::share_current_arena();
  spawns_in_.store(arena_, mo::relaxed);
  enter_roll();
  draw_waits();
}

graph_core::~graph_core() {
  try {
    wait_for_all();
  } catch (...) {
    // The program doesn't ask for it any more.
  }
  leave_roll();
  delete[] heap_;
  sched::drop_arena(*arena_);
}

void graph_core::attach() {
  sched::this_slot();
  sched::arena* const before = std::exchange(arena_, sched::share_current_arena());
  if (!enqueues_) spawns_in_.store(arena_, mo::relaxed);
  sched::drop_arena(*before);
}

void graph_core::start_specially(slot& s, job& j) {
  if (j.run == &select) return start_first(s, j);
  if (!enqueues_ && &s.home() == arena_) return s.spawn_or_run(j, key_of_new(s));
  try {
    tsan::release(&j);
    if (ASHLAR_UNLIKELY(enqueues_)) {
      sched::enqueue_job(*arena_, j, 1);
    } else {
      sched::submit_job(*arena_, j);
    }
  } catch (std::bad_alloc const&) {
    s.run(&j, s.child_key());
  }
}

// A job with a priority: threads of the arena take it before what they have, also in a loop of another node's body.
void graph_core::start_first(slot& s, job& j) {
  try {
    tsan::release(&j);
    if (enqueues_) {
      sched::enqueue_job(*arena_, j, 2);
    } else if (&s.home() == arena_) {
      sched::spawn_urgent(s, j, key_of_new(s));
    } else {
      sched::submit_urgent_job(*arena_, j);
    }
  } catch (std::bad_alloc const&) {
    s.run(&j, s.child_key());
  }
}

void graph_core::fail() noexcept {
  group_.record_exception();
  if (users_ != nullptr) users_->cancel_group_execution();
}

void graph_core::cancel() noexcept {
  group_.cancel();
  if (users_ != nullptr) users_->cancel_group_execution();
}

// ---- waiting

void graph_core::wait_from(sched::group_counter& count, slot& s) noexcept {
  if (!run_own_jobs(count, s)) count.wait(s);
}

void graph_core::wait_for_all() {
  slot& s = sched::this_slot();
  refuse_own_body(s);
  cancelled_.store(false, mo::relaxed);
  thrown_.store(false, mo::relaxed);
  if (works_in_arena(s)) {
    // As wait_from(), whose call takes 18 instructions for each wait.
    if (!run_own_jobs(count_, s)) count_.wait(s);
  } else if (!count_.done()) {
    call_in_arena(s, [this](slot& here) { wait_from(count_, here); });
  }
  if (ASHLAR_UNLIKELY(draws_waits_.load(mo::relaxed)) && first_ != nullptr) draw_to_file();
  if (ASHLAR_UNLIKELY(cancelled(s))) end_cancelled();
}

void graph_core::end_cancelled() {
  std::exception_ptr thrown;
  {
    guard const held(ending_lock_);
    if (!group_.is_cancelled()) return;  // another waiter was first
    // As long as the group is cancelled, nodes refuse what others push when they settle: no body begins.
    // A sender of the program's may refuse its edge by an exception; the others settle nevertheless.
    for (node_base* n = nullptr; (n = next_after(n)) != nullptr;) {
      if (!n->is_complete()) continue;
      ASHLAR_TRY { n->settle(); }
      ASHLAR_CATCH_ALL { group_.record_exception(); }
    }
    cancelled_.store(true, mo::relaxed);
    if (group_.has_exception()) {
      thrown_.store(true, mo::relaxed);
      thrown = group_.take_exception();
    }
    group_.reset();
    if (users_ != nullptr && (users_->traits() & tbb::task_group_context::concurrent_wait) == 0) users_->reset();
  }
  if (thrown) std::rethrow_exception(thrown);
}

std::int64_t graph_core::reservations(void const* of) noexcept {
  return static_cast<graph_core const*>(of)->reserved_.load(mo::acquire);  // [FG4]
}

// Not for whoever has reserved a wait, who may wait for this thread.
void graph_core::wait_for_activations() noexcept {
  slot& s = sched::this_slot();
  if (runs_on(s) || count_.done_but_for(&reservations, this)) return;
  call_in_arena(s, [this](slot& here) { count_.wait_but_for(&reservations, this, here); });
}

void graph_core::reserve_wait() {
  add(sched::this_slot());
  reserved_.fetch_add(1, mo::release);  // [FG3]
}

void graph_core::release_wait() {
  std::int64_t n = reserved_.load(mo::relaxed);
  do {
    if (n <= 0) {
      std::fputs("ashlar: tbb::flow::graph::release_wait without reserve_wait is ignored\n", stderr);
      return;
    }
  } while (!reserved_.compare_exchange(n, n - 1, mo::acq_rel, mo::relaxed));  // [FG1] [FG2]
  finish(sched::this_slot());
}

void graph_core::reset(unsigned flags) {
  group_.reset();
  if (users_ != nullptr) users_->reset();
  cancelled_.store(false, mo::relaxed);
  thrown_.store(false, mo::relaxed);
  attach();
  std::exception_ptr first;
  auto for_each = [&](auto const& f) {
    for (node_base* n = nullptr; (n = next_after(n)) != nullptr;) {
      ASHLAR_TRY { f(*n); }
      ASHLAR_CATCH_ALL {
        if (!first) first = std::current_exception();
      }
    }
  };
  // Who counts its predecessors begins anew when all edges are gone, whichever node was made first.
  if ((flags & rf_clear_edges) != 0) {
    for_each([](node_base& n) { n.reset_base(rf_clear_edges); });
  }
  for_each([flags](node_base& n) { n.reset_base(flags); });
  for_each([](node_base& n) { n.restart(); });
  if (first) std::rethrow_exception(first);
}

// ---- priorities

// Stands for one entry of the heap.
struct graph_core::selector : job {
  selector(graph_core& g, sched::task_pool* h) noexcept : job{&graph_core::select}, graph(&g), home(h) {}
  graph_core* graph;
  sched::task_pool* home;
};

job* graph_core::select(job* self, slot& here) noexcept {
  auto* const j = static_cast<selector*>(self);
  graph_core& g = *j->graph;
  here.pool().release(j, sizeof(selector), j->home);
  job* const what = g.take_first();
  if (what == nullptr) g.finish(here);  // another job has let it go first
  return what;
}

job* graph_core::let_urgent_first(slot& s, job& j) noexcept {
  // What waits may be outside of the isolated region.
  if (sched::isolation_of(s.key()) != 0) return nullptr;
  job* const first = take_first();
  if (first != nullptr) start(s, j);
  return first;
}

job* graph_core::prioritize(slot& s, job& j, unsigned priority) noexcept {
  sched::task_pool* home = nullptr;
  void* place = nullptr;
  try {
    place = s.pool().allocate(sizeof(selector), home);
    guard const held(priority_lock_);
    std::size_t const size = heap_size_.load(mo::relaxed);
    if (size == heap_room_) {
      std::size_t const room = heap_room_ == 0 ? 16 : 2 * heap_room_;
      auto* const larger = new entry[room];
      for (std::size_t i = 0; i < size; ++i) larger[i] = heap_[i];
      delete[] std::exchange(heap_, larger);
      heap_room_ = room;
    }
    entry const fresh{&j, priority, heap_number_++};
    std::size_t i = size;
    for (; i != 0 && before(fresh, heap_[(i - 1) / 2]); i = (i - 1) / 2) heap_[i] = heap_[(i - 1) / 2];
    heap_[i] = fresh;
    heap_size_.store(size + 1, mo::relaxed);
    spawns_in_.store(nullptr, mo::relaxed);
  } catch (std::bad_alloc const&) {
    if (place != nullptr) s.pool().release(place, sizeof(selector), home);
    return &j;
  }
  return new (place) selector(*this, home);
}

job* graph_core::take_first() noexcept {
  guard const held(priority_lock_);
  std::size_t const left = heap_size_.load(mo::relaxed) - 1;
  if (left + 1 == 0) return nullptr;
  heap_size_.store(left, mo::relaxed);
  if (left == 0 && !enqueues_) spawns_in_.store(arena_, mo::relaxed);
  job* const what = heap_[0].what;
  entry const moved = heap_[left];
  std::size_t i = 0;
  for (std::size_t child = 1; child < left; child = 2 * i + 1) {
    if (child + 1 < left && before(heap_[child + 1], heap_[child])) ++child;
    if (!before(heap_[child], moved)) break;
    heap_[i] = heap_[child];
    i = child;
  }
  heap_[i] = moved;
  return what;
}

}  // namespace ashlar::inline v1::flow
