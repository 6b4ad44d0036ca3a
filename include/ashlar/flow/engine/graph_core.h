// SPDX-License-Identifier: Apache-2.0
// What a graph is below its public class: its group, its arena, its count of activations, its nodes.
//
// A node's work is an activation: a job that belongs to the graph and carries one count of it. An activation that hands
// a message on returns the job that the message made, which inherits its count: a chain of nodes counts once.
//
// Threads    any, except where a member says otherwise.
// Invariants F1 a job that a receiver returns has no count yet; whoever gets it gives it one: its own, or a new one.
//            F2 the count is given back by the last instruction that touches the graph or a node.
// Ordering   [FG1] release_wait: acq_rel <-> [FG2] another release_wait: one of them takes a reservation, not two
//            [FG3] reserve_wait: reserved_ up after the count, release -> [FG4] a wait for activations only: reserved_,
//                  acquire, before the count
//            [FN1] a node is complete: release -> [FN2] the graph calls what a node has overridden: acquire
// Model      tests/model/flow_waits_model.cpp
#pragma once

#include <ashlar/base/object_name.h>
#include <ashlar/sched/arena/arena_handle.h>
#include <ashlar/sched/core/words_scope.h>
#include <ashlar/sched/tasks/group_counter.h>
#include <ashlar/sched/tasks/task_group_context.h>
#include <ashlar/sync/spin_mutex.h>

#include <cstdint>
#include <cstdio>
#include <utility>

namespace ashlar {
inline namespace v1 {
namespace flow {

using sched::job;
using sched::slot;
using lock = tbb::spin_mutex;

/// Holds a lock to the end of a scope. A scoped_lock may be empty, too, which costs a look where the compiler can't
/// tell.
class guard {
 public:
  explicit guard(lock& l) noexcept : lock_(l) { lock_.lock(); }
  guard(guard const&) = delete;
  guard& operator=(guard const&) = delete;
  ~guard() { lock_.unlock(); }

 private:
  lock& lock_;
};

class graph_core;
class picture;
class wait_token;

/// What takes a thread off the fast path through a node.
inline constexpr std::uint32_t disturbing = sched::attention_cancel | sched::attention_observe;

/// The part of a node that its graph knows.
class ASHLAR_EXPORT node_base {
 public:
  ASHLAR_EXPORT explicit node_base(graph_core& g);
  node_base(node_base const&) = delete;
  node_base& operator=(node_base const&) = delete;

  graph_core& core() const noexcept { return *reinterpret_cast<graph_core*>(core_.load(mo::relaxed) & ~complete_bit); }
  node_base* next() const noexcept { return next_; }
  node_base* previous() const noexcept { return previous_; }

  /// A copy of the name, under which traces show the node's body; null: none. Not while the node runs. Throws
  /// std::bad_alloc.
  void keep_name(char const* name) const { name_ = name; }
  object_name const& name() const noexcept { return name_; }

  /// The node's part of graph::reset(). Nothing runs in the graph.
  virtual void reset_base(unsigned flags) = 0;
  /// After a reset of all nodes: those that begin by themselves do.
  virtual void restart() {}
  /// After a wait that ended cancelled: what was under way is forgotten, so that no later message is stuck behind it.
  /// Other threads may put messages meanwhile, and make nodes: it is called for those that are complete.
  virtual void settle() {}
  /// The graph is cancelled: nobody waits any more for the messages that the node keeps. Any thread, while others use
  /// it.
  virtual void forget_tokens() {}
  /// Tells what the node is and does. Any thread. Throws std::bad_alloc.
  virtual void describe(picture&) {}
  /// Calls the node's body once and sends nothing, for frozen graphs; null: the node, which has so many predecessors in
  /// the graph, can't be a part of one. The body may throw. Observed: the thread's attention_observe may be up.
  using lone_call = void (*)(node_base& n, bool observed);
  virtual lone_call get_lone_call(int /*predecessors*/) noexcept { return nullptr; }

 protected:
  ASHLAR_EXPORT virtual ~node_base();
  /// For a constructor that a node has for nodes which derive from it.
  struct part {};
  /// The last member of a node's class. So it begins when all other members are there: the graph may call what the node
  /// has overridden, and the node gets its first edges. It ends before any of them goes: its destructor waits for the
  /// graph's activations, unless the calling thread runs one. See living_node.h.
  class life {
   public:
    /// `where` (node_set.h): what the node's constructor was given.
    template <typename Node, typename Where,
              typename = decltype(std::declval<Where const&>().make_edges(std::declval<Node&>()))>
    life(Node& n, Where const& where) : life(&n) {
      where.make_edges(n);
    }
    /// The same without edges: in a graph, or as a copy.
    life(node_base& n, graph_core const& /*where*/) noexcept : life(&n) {}
    life(node_base& n, node_base const& /*copied*/) noexcept : life(&n) {}
    /// Of a base of a node that has one itself.
    explicit life(part) noexcept : node_(nullptr) {}
    life(life const&) = delete;
    life& operator=(life const&) = delete;
    ASHLAR_ALWAYS_INLINE ~life() {
      if (node_ != nullptr) node_->let_activations_end();
    }

   private:
    explicit life(node_base* n) noexcept : node_(n) { n->complete(); }
    node_base* const node_;
  };

 private:
  ASHLAR_ALWAYS_INLINE void let_activations_end() noexcept;
  void complete() noexcept { core_.store(core_.load(mo::relaxed) | complete_bit, mo::release); }  // [FN1]
  friend class graph_core;
  static constexpr std::uintptr_t complete_bit = 1;
  bool is_complete() const noexcept { return (core_.load(mo::acquire) & complete_bit) != 0; }  // [FN2]
  mutable object_name name_;
  atomic<std::uintptr_t> core_;  // a graph_core*, and complete_bit
  node_base* previous_ = nullptr;
  node_base* next_ = nullptr;
};

class graph_core {
 public:
  /// In the arena of the calling thread. `its`: the user's context, or null. Throws std::bad_alloc.
  ASHLAR_EXPORT explicit graph_core(tbb::task_group_context* its);
  /// Waits; exceptions of bodies are dropped.
  ASHLAR_EXPORT ~graph_core();
  graph_core(graph_core const&) = delete;
  graph_core& operator=(graph_core const&) = delete;

  /// The arena of the calling thread from now on. Nothing runs in the graph.
  ASHLAR_EXPORT void attach();

  sched::context& group() noexcept { return group_; }
  bool cancelled(slot& s) noexcept { return s.cancelled(group_); }
  /// The same for any thread, and at once. A node keeps no token from then on: it asks while it holds the lock of what
  /// it keeps, which forget_tokens() takes later.
  bool ends_waits() noexcept { return group_.is_cancelled(); }
  /// The calling thread runs a body of this graph.
  bool runs_on(slot& s) noexcept {
    for (sched::context* c = &s.group(); c != nullptr; c = c->parent()) {
      if (c == &group_) return true;
    }
    return false;
  }

  /// What an activation begins with. True: it has to look more closely, because something is cancelled or observed, or
  /// jobs with a priority wait.
  ASHLAR_ALWAYS_INLINE bool enter(slot& here) noexcept {
    here.enter(group_);
    return (here.attention_bits() & disturbing) != 0 || has_urgent();
  }

  ASHLAR_ALWAYS_INLINE void add(slot& s) noexcept { count_.add(s); }
  /// The graph may be gone when this returns.
  ASHLAR_ALWAYS_INLINE void finish(slot& s) noexcept { count_.finish(&s, s); }
  bool idle() const noexcept { return count_.done(); }

  /// Jobs are enqueued in the arena from now on, and not spawned by who has work in it: workers come for them even if
  /// nobody waits. Before the graph has any.
  void enqueue_jobs() noexcept {
    enqueues_ = true;
    spawns_in_.store(nullptr, mo::relaxed);
  }
  /// Counts the job and gives it to the graph's arena. Where there is no memory for that, it is run at once.
  ASHLAR_ALWAYS_INLINE void start(job& j) { start(sched::this_slot(), j); }
  /// `tiny`: it may be too small to be worth a theft (slot::offer).
  ASHLAR_ALWAYS_INLINE void start(slot& s, job& j, bool tiny = false) {
    add(s);
    start_counted(s, j, tiny);
  }
  /// The same for a job that has its count.
  ASHLAR_ALWAYS_INLINE void start_counted(slot& s, job& j, bool tiny = false) {
    if (ASHLAR_UNLIKELY(&s.home() != spawns_in_.load(mo::relaxed))) return start_specially(s, j);
    sched::job_key const key = key_of_new(s);
    if (!tiny) return s.spawn_or_run(j, key);
    ASHLAR_TRY { s.offer(j, key); }
    ASHLAR_CATCH_ALL { s.run(&j, key); }
  }

  /// The job, to be run in the order of priority: another one stands for it, and runs the job with the highest priority
  /// of those that wait. Without memory the job goes without priority.
  ASHLAR_EXPORT job* prioritize(slot& s, job& j, unsigned priority) noexcept;
  /// Jobs with a priority wait: what has none lets them go first.
  bool has_urgent() const noexcept { return heap_size_.load(mo::relaxed) != 0; }
  /// Starts the job again and returns a job with a priority in its place, which gets its count; null: go on.
  ASHLAR_EXPORT job* let_urgent_first(slot& s, job& j) noexcept;

  /// Whether a put is refused because the graph is cancelled: five instructions while nothing in the process is.
  ASHLAR_ALWAYS_INLINE bool refuses() noexcept {
    slot const* const s = sched::current_slot;
    return ASHLAR_UNLIKELY(s == nullptr || (s->attention_bits() & sched::attention_cancel) != 0) && is_cancelled_here();
  }

  /// Stores the exception that is being handled and cancels the graph.
  ASHLAR_EXPORT ASHLAR_COLD void fail() noexcept;
  /// The same for one that has left the body of a node: if it is that the body has waited for its own graph, it names
  /// the node.
  ASHLAR_EXPORT ASHLAR_COLD void fail_in(node_base const& n) noexcept;
  ASHLAR_EXPORT void cancel() noexcept;
  bool was_cancelled() const noexcept { return cancelled_.load(mo::relaxed); }
  bool has_thrown() const noexcept { return thrown_.load(mo::relaxed); }

  /// Throws tbb::unsafe_wait in a body of this graph.
  void refuse_own_body(slot& s) {
    if (ASHLAR_UNLIKELY(!s.outside_tasks()) && runs_on(s)) throw_own_body();
  }
  /// Throws that, or what a body has thrown.
  ASHLAR_EXPORT void wait_for_all();
  /// Until all uses of the token are given back. When the graph is cancelled, nodes give back the uses of what they
  /// keep: the wait then lasts until the bodies of its messages that run have ended. Rethrows what a body has thrown.
  ASHLAR_EXPORT void wait_for_token(wait_token& t);
  ASHLAR_EXPORT void reserve_wait();
  ASHLAR_EXPORT void release_wait();
  /// Nothing runs in the graph.
  ASHLAR_EXPORT void reset(unsigned flags);
  ASHLAR_EXPORT void wait_for_activations() noexcept;
  /// In a build with assertions: a node is destroyed while something runs. Says so on stderr, with the node's name.
  ASHLAR_EXPORT ASHLAR_COLD void tell_of_early_end(node_base& n) noexcept;

  node_base* first() const noexcept { return first_; }
  /// How many nodes were registered before it.
  std::size_t number_of(node_base const& n) noexcept;

  // ---- what the graph tells of itself (graph.h)
  ASHLAR_EXPORT void count_messages(bool on);
  bool counts_messages() const noexcept { return counts_messages_.load(mo::relaxed); }
  void describe(picture& to);
  ASHLAR_EXPORT void dot(std::FILE* to);
  ASHLAR_EXPORT std::size_t report_mistakes(std::FILE* to);
  ASHLAR_EXPORT void explain(std::FILE* to);

  // ---- classic TBB's extraction. Throw std::bad_alloc.
  // f(argument, sender<T>) for each edge to the receiver.
  ASHLAR_EXPORT void for_each_predecessor(void const* receiver, void (*f)(void* argument, void* sender),
                                          void* argument);
  /// Removes all edges of a node.
  ASHLAR_EXPORT void extract(node_base& n);

  /// As node_base's; it stands before the names of the graph's nodes.
  void keep_name(char const* name) const { name_ = name; }
  object_name const& name() const noexcept { return name_; }

 private:
  friend class node_base;
  friend class frozen_plan;
  struct selector;
  struct own_body_waits;
  [[noreturn]] ASHLAR_COLD void throw_own_body();
  ASHLAR_NOINLINE ASHLAR_COLD bool is_cancelled_here() noexcept { return cancelled(sched::this_slot()); }
  // start_counted() in all cases.
  ASHLAR_EXPORT void start_specially(slot& s, job& j);
  ASHLAR_NOINLINE ASHLAR_COLD void start_first(slot& s, job& j);
  // What an activation spawns is its sibling.
  sched::job_key key_of_new(slot& s) noexcept {
    return &s.group() == &group_ ? sched::running_key(s.key()) : s.child_key();
  }
  ASHLAR_EXPORT static job* select(job* self, slot& here) noexcept;

  // The roll of all graphs, so that the hang report can explain the one that a thread waits for.
  void enter_roll() noexcept;
  void leave_roll() noexcept;
  static void explain_waited_for(void const* address);
  // The waits for messages of graphs that are cancelled now.
  static void wake_cancelled() noexcept;
  // ASHLAR_FLOW_DOT: begins, and does, what it asks for.
  void draw_waits() noexcept;
  void draw_to_file() noexcept;
  void register_node(node_base& n) noexcept;
  void remove_node(node_base& n) noexcept;
  static std::int64_t reservations(void const* of) noexcept;
  static void wait_from(sched::group_counter& count, slot& s) noexcept;
  // The thread's own jobs come first, straight from the deque: a wait that needs no other thread has no other cost.
  // True: the count is complete; false: the thread has no own jobs.
  ASHLAR_ALWAYS_INLINE static bool run_own_jobs(sched::group_counter& count, slot& s) noexcept {
    return run_own_jobs_after(count.ended_here(), count, s);
  }
  // The same behind `ended_before` jobs of the thread's own.
  ASHLAR_ALWAYS_INLINE static bool run_own_jobs_after(std::int64_t ended_before, sched::group_counter& count,
                                                      slot& s) noexcept {
    sched::words_scope const words(s);
    while (!count.done_after(ended_before)) {
      ended_before = count.ended_here();
      if (!s.run_newest()) return false;
    }
    return true;
  }
  // Until the uses of a token are given back, by a thread that has no own jobs.
  ASHLAR_NOINLINE void wait_for_uses(sched::group_counter& uses, slot& s) noexcept;
  // What a body has thrown, which stays.
  ASHLAR_NOINLINE void throw_stored();
  // Of all nodes; false: the graph is not cancelled any more.
  bool forget_tokens() noexcept;
  // f(slot) of a thread in the graph's arena. Throws std::bad_alloc; then f was not called.
  template <typename F>
  void call_in_arena(slot& s, F const& f);
  // In an isolated region the thread would leave alone what was put before the region began.
  bool works_in_arena(slot& s) const noexcept { return &s.home() == arena_ && sched::isolation_of(s.key()) == 0; }
  // The calling thread does not.
  ASHLAR_NOINLINE void wait_from_outside(sched::group_counter& uses);
  void end_cancelled();
  // The first node, or the one after n: others may be registered meanwhile.
  node_base* next_after(node_base const* n) noexcept;

  mutable object_name name_;
  sched::group_counter count_;
  sched::context group_;
  sched::arena* arena_ = nullptr;
  // arena_; null if jobs are enqueued, or while some with a priority wait
  atomic<sched::arena*> spawns_in_{nullptr};
  tbb::task_group_context* users_ = nullptr;
  graph_core* previous_graph_ = nullptr;
  graph_core* next_graph_ = nullptr;
  node_base* first_ = nullptr;
  node_base* last_ = nullptr;
  atomic<std::int64_t> reserved_{0};
  lock nodes_lock_;
  lock ending_lock_;
  lock priority_lock_;
  atomic<bool> cancelled_{false};
  atomic<bool> thrown_{false};
  atomic<bool> counts_messages_{false};
  atomic<bool> draws_waits_{false};
  bool enqueues_ = false;
  // A heap of the jobs with a priority.
  struct entry {
    job* what;
    unsigned priority;
    std::uint64_t number;
  };
  static bool before(entry const& a, entry const& b) noexcept {
    return a.priority != b.priority ? a.priority > b.priority : a.number < b.number;
  }
  job* take_first() noexcept;
  entry* heap_ = nullptr;
  atomic<std::size_t> heap_size_{0};  // written under the lock
  std::size_t heap_room_ = 0;
  std::uint64_t heap_number_ = 0;
};

/// Writes a complete SVG document, which needs nothing else to be shown. Throws std::bad_alloc.
ASHLAR_EXPORT void write_svg(graph_core& g, std::FILE* to);

template <typename F>
void graph_core::call_in_arena(slot& s, F const& f) {
  if (works_in_arena(s)) return f(s);
  sched::call_in_arena(*arena_, [&f] { f(sched::this_slot()); });
}

ASHLAR_ALWAYS_INLINE void node_base::let_activations_end() noexcept {
  graph_core& g = core();
  if (ASHLAR_LIKELY(g.idle())) return;
#if TBB_USE_ASSERT
  g.tell_of_early_end(*this);
#endif
  g.wait_for_activations();
}

// ---- answers of receivers
/// What a receiver answers besides a job: null for `refused`, and this for `taken, and nothing is to be run`.
inline job* accepted() noexcept { return reinterpret_cast<job*>(std::uintptr_t(-1)); }
inline job* job_or_null(job* answer) noexcept { return answer == accepted() ? nullptr : answer; }

/// Others, too, want the thread: the job is started, and the count goes back to the graph. Null.
ASHLAR_NOINLINE ASHLAR_COLD inline job* leave_to_others(graph_core& g, slot& here, job& next) noexcept {
  g.start(here, next);
  g.finish(here);
  return nullptr;
}

ASHLAR_ALWAYS_INLINE bool others_want(slot& here) noexcept {
  return ASHLAR_UNLIKELY((here.attention_bits() & (sched::attention_urgent | sched::attention_recall)) != 0);
}

/// The end of an activation: the count goes on with the job.
ASHLAR_ALWAYS_INLINE job* pass_on(graph_core& g, slot& here, job& next) noexcept {
  return others_want(here) ? leave_to_others(g, here, next) : &next;
}
/// The same with what receivers have answered: without a job the count goes back to the graph.
ASHLAR_ALWAYS_INLINE job* pass_on(graph_core& g, slot& here, job* answer) noexcept {
  if (job* const next = job_or_null(answer)) return others_want(here) ? leave_to_others(g, here, *next) : next;
  g.finish(here);
  return nullptr;
}

}  // namespace flow
}  // namespace v1
}  // namespace ashlar
