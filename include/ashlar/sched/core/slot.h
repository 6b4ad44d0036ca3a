// SPDX-License-Identifier: Apache-2.0
// A thread's place in an arena: the deque and what the fast paths touch. A thread sits in one slot at a time and finds
// it through one thread-local pointer. The slot outlives the thread's stay; jobs left in its deque are found by
// thieves.
//
// Threads    everything here is the owner's but what thieves may do with jobs, the attention bits, and what
//            slot_claim.h offers to others.
// Ordering   [S1] spawn: bottom store, light fence, attention load <-> [S2] parking: attention or-ed, heavy
//                 fence, rescan of the deques (src/sched/README.md, 'Parking')
//            [C7] see context.h
// Cost       spawn: the deque's push plus one load and branch.
#pragma once

#include <ashlar/base/tsan.h>
#include <ashlar/sched/core/arena_call.h>
#include <ashlar/sched/core/attention.h>
#include <ashlar/sched/core/context_job.h>
#include <ashlar/sched/core/fp_word.h>
#include <ashlar/sched/core/slot_claim.h>
#include <ashlar/sched/park/wait_target.h>
#include <ashlar/sched/queue/deque.h>
#include <ashlar/sched/queue/task_pool.h>

#include <utility>

namespace ashlar {
inline namespace v1 {
namespace sched {

class arena;
class thread_data;
class stack_set;
class slot;

// The slot of the calling thread, or null before its first use of the library.
extern ASHLAR_EXPORT ASHLAR_INITIAL_EXEC __thread slot* current_slot;

// Gives the calling thread a slot in an arena of its own. Throws std::bad_alloc.
ASHLAR_EXPORT ASHLAR_COLD slot& attach_thread();

ASHLAR_ALWAYS_INLINE slot& this_slot() {
  slot* const s = current_slot;
  return ASHLAR_LIKELY(s != nullptr) ? *s : attach_thread();
}

// What the occupant of a slot is, or does.
enum occupant_state : unsigned char { occupied_by_application, occupied_by_idle_worker, occupied_by_busy_worker };

// Its bases have pages of their own: the jobs, who occupies the slot, what the owner is to look at.
class alignas(no_sharing) slot : private deque, private slot_claim, private attention_word {
 public:
  using deque::index;

  slot() noexcept { running_.group = &root_; }
  ASHLAR_EXPORT ~slot();
  slot(slot const&) = delete;
  slot& operator=(slot const&) = delete;

  // The arena that the slot is part of, with the words of its bodies, the slot's position there, and who sits in it.
  void belong_to(arena& a, unsigned at, fp_settings const* words = nullptr) noexcept {
    arena_ = &a;
    position_ = at;
    arena_fp_ = words;
  }
  arena& home() const noexcept { return *arena_; }
  unsigned position() const noexcept { return position_; }
  // False if somebody else sits here. `on_cpu`: where a worker runs.
  bool sit_down(thread_data& who, task_pool& its_pool, bool as_worker, unsigned on_cpu) noexcept {
    if (!claim(reinterpret_cast<std::uintptr_t>(&who) | (as_worker ? worker : 0))) return false;
    thread_ = &who;
    pool_ = &its_pool;
    begin_outermost(0);
    running_.fp = nullptr;
    seen_word_ = no_fp_word;
    in_function_ = false;
    lent_ = nullptr;
    announced_ = 0;
    state_.store(as_worker ? occupied_by_idle_worker : occupied_by_application, mo::relaxed);
    if (as_worker) cpu_.store(on_cpu, mo::relaxed);
    return true;
  }
  using slot_claim::forget_occupant;
  using slot_claim::held_by_application;
  using slot_claim::held_by_worker;
  using slot_claim::is_free;
  using slot_claim::leave;
  // Null if nobody sits here. Only the address is known to be right.
  thread_data const* occupant() const noexcept { return reinterpret_cast<thread_data const*>(occupant_word()); }
  thread_data& thread() const noexcept { return *thread_; }
  task_pool& pool() const noexcept { return *pool_; }
  // For threads that look from outside.
  occupant_state state() const noexcept { return static_cast<occupant_state>(state_.load(mo::relaxed)); }
  unsigned cpu() const noexcept { return cpu_.load(mo::relaxed); }
  // Observers up to this number know of the occupant.
  bool announced_to(std::uint64_t newest) const noexcept { return announced_ >= newest; }
  // Observers up to `newest` know of the occupant from now on. Returns up to which one they did before.
  std::uint64_t announce_to(std::uint64_t newest) noexcept { return std::exchange(announced_, newest); }
  // The stacks of suspended tasks, if a task was ever suspended here; own_stacks makes them.
  stack_set* stacks() const noexcept { return stacks_; }
  ASHLAR_EXPORT stack_set& own_stacks();

  // Makes a job available to thieves. Throws std::bad_alloc (then nothing has happened).
  ASHLAR_ALWAYS_INLINE void spawn(job& what, job_key key) {
    tsan::release(&what);
    push(&what, key);
    fence_light();  // [S1]
    if (ASHLAR_UNLIKELY(attention_bits() != 0)) attend();
  }
  ASHLAR_ALWAYS_INLINE void spawn(job& what) { spawn(what, child_key()); }
  ASHLAR_ALWAYS_INLINE void spawn(context_job& what) { spawn(what, child_key() + key_of_context); }
  // The same, but where there is no memory the job is run at once.
  ASHLAR_ALWAYS_INLINE void spawn_or_run(job& what, job_key key) noexcept {
    tsan::release(&what);
    if (ASHLAR_UNLIKELY(!push_within(&what, key))) return spawn_or_run_beyond(what, key);
    fence_light();  // [S1]
    if (ASHLAR_UNLIKELY(attention_bits() != 0)) attend();
  }

  // The same for a job that may be too small to be worth a theft: awake thieves leave it alone while it is young, and
  // nobody is woken for it (decision record 6). `first`: it is the first one of its loop; thieves count these.
  ASHLAR_EXPORT void offer(job& what, job_key key, bool first = true);
  // The thread has stolen a job of key_halved, and calls others only now that it has offered parts of the job: a thread
  // that is called may run in its stead, on the same processor, and would not find them. Before any body, and any wait.
  ASHLAR_ALWAYS_INLINE void call_others() noexcept {
    if (ASHLAR_UNLIKELY(attention_bits() & attention_calls)) call_those_due();
  }
  ASHLAR_EXPORT void call_those_due() noexcept;
  // How long the owner's last push that called somebody took for the call, in ticks; 0 if that was before `since`.
  ASHLAR_EXPORT std::uint64_t call_took(std::uint64_t since) const noexcept;
  // For what was pushed, and takes the time.
  void call_somebody() noexcept;
  // So many are to be called.
  void call_later(unsigned threads) noexcept;
  // Makes the reserved jobs at `from` and above ordinary ones.
  ASHLAR_EXPORT void unreserve(index from) noexcept;
  // Gives all jobs of the deque to everybody in the arena, before another stack of the slot goes on.
  void lay_aside() noexcept;
  // The running task is in an isolated region, to which a region in it has left jobs: gives those to everybody in the
  // arena, because a wait takes for its own what lies above its base.
  ASHLAR_ALWAYS_INLINE void end_inner_region() noexcept {
    if (ASHLAR_UNLIKELY(isolation() != 0) && has_spawned()) lay_strangers_aside();
  }
  // The first job of a loop lies at `at`, reserved: thieves count these, and know by it that an older one is gone. Or
  // it is the job of as many loops.
  void count_offer(index at, std::uint32_t loops = 1) noexcept {
    newest_offer_.store(std::uint64_t{offers() + loops} << 32 | static_cast<std::uint32_t>(at), mo::relaxed);
  }
  // Thieves tell each other that one of them is at the jobs that lie here. begin_visit: false if one is.
  bool visited() const noexcept { return visited_.load(mo::relaxed); }
  bool begin_visit() noexcept { return !visited_.exchange(true, mo::relaxed); }
  void end_visit() noexcept { visited_.store(false, mo::relaxed); }
  // The number of loops' reserved jobs ever pushed here (decision record 6), and the same with the newest one's place.
  std::uint32_t offers() const noexcept { return static_cast<std::uint32_t>(newest_offer() >> 32); }
  std::uint64_t newest_offer() const noexcept { return newest_offer_.load(mo::relaxed); }
  // False if no other thread can take part in this arena's work.
  ASHLAR_EXPORT bool can_share() const noexcept;
  // The number of threads that may take part in it, the caller included.
  ASHLAR_EXPORT unsigned parallelism() const noexcept;
  // The number of the arena's slots, whatever the limits are at the moment: what is divided by this is divided the same
  // way in each run, and on each machine.
  ASHLAR_EXPORT unsigned arena_size() const noexcept;
  // The number of other threads that could help now: those that look for work here, and those that the market could
  // send. A guess.
  ASHLAR_EXPORT unsigned helpers() const noexcept;

  // ---- The jobs that lie here, for their owner.
  using deque::bottom;
  using deque::has_jobs;
  using deque::make_room;
  using deque::newest_job;
  using deque::pop;
  using deque::popped_from;
  // The newest job, if it lies at `from` or above and no thief has it.
  ASHLAR_ALWAYS_INLINE job* take_back(index from, job_key& key) noexcept {
    return bottom() > from ? pop(key) : nullptr;
  }
  // True if the running task has jobs here, or had when a thief came.
  ASHLAR_ALWAYS_INLINE bool has_spawned() const noexcept { return bottom() > base(); }
  // Runs the newest of these. False if there is none.
  ASHLAR_ALWAYS_INLINE bool run_newest() noexcept {
    if (!has_spawned()) return false;
    if (ASHLAR_UNLIKELY(attention_bits() & (attention_urgent | attention_observe))) return run_newest_specially();
    job_key key;
    job* const what = pop(key);
    if (what == nullptr) return false;
    run_unobserved(what, key);
    return true;
  }

  // ---- The same jobs, for anyone.
  using deque::drop_jobs_if;
  using deque::jobs_guess;
  using deque::looks_empty;
  using deque::oldest_guess;
  using deque::publish;
  using deque::raise_split;
  using deque::steal;

  using attention_word::attention_bits;
  using attention_word::drop;
  using attention_word::drop_hint;
  using attention_word::hint;
  using attention_word::raise;
  using attention_word::raise_where_down;

  // True if the calling task must start nothing new: its context, which is read only if it must be, is cancelled.
  ASHLAR_ALWAYS_INLINE bool cancelled(context* const& c) noexcept {
    return ASHLAR_UNLIKELY(attention_bits() & attention_cancel) && check_cancelled(*c);
  }
  ASHLAR_ALWAYS_INLINE bool cancelled(context& c) noexcept { return cancelled(&c); }

  // True if something keeps the owner from its fast path through a task: a cancelled context, statistics, a trace.
  ASHLAR_ALWAYS_INLINE bool disturbed() const noexcept {
    return ASHLAR_UNLIKELY(attention_bits() & (attention_cancel | attention_observe));
  }
  // While disturbed(): bracket a job that the caller has taken back and runs in its own frame, for the trace.
  ASHLAR_EXPORT ASHLAR_COLD static void begin_taken_back(job& what) noexcept;
  ASHLAR_EXPORT ASHLAR_COLD static void end_taken_back(job& what) noexcept;

  // Runs a popped or stolen job, and what it returns, as a task: nested waits take back only what was spawned since.
  ASHLAR_EXPORT void run(job* what, job_key key) noexcept;
  // The same for a job that the owner popped itself: only jobs of other groups change the floating-point settings.
  ASHLAR_ALWAYS_INLINE void run_own(job* what, job_key key) noexcept {
    if (ASHLAR_UNLIKELY(attention_bits() & attention_observe)) return run(what, key);
    run_unobserved(what, key);
  }
  // The same while nobody observes.
  ASHLAR_ALWAYS_INLINE void run_unobserved(job* what, job_key key) noexcept {
    index const outer_base = running_.base;
    job_key const outer_key = running_.key;
    context* const outer_group = running_.group;
    fp_settings const* const outer_fp = running_.fp;
    running_.base = bottom();
    running_.key = running_key(key);
    do {
      what = what->run(what, *this);
    } while (ASHLAR_UNLIKELY(what != nullptr));
    running_.base = outer_base;
    running_.key = outer_key;
    running_.group = outer_group;
    use_fp(outer_fp);
  }
  // The same for a worker that runs no other task, with a job that it searched for.
  void run_outermost(job* what, job_key key) noexcept;
  // Runs other jobs until the target is reached; parks when there are none. The target's address is not touched after
  // done() returned true.
  ASHLAR_EXPORT void wait(wait_target const& target) noexcept;
  // Hands the job to the arena's queue of enqueued jobs: first in, first out, never popped by its spawner first.
  ASHLAR_EXPORT void enqueue(job& what, int priority);

  // True if the owner, a worker, is to go elsewhere: what lies in its deque is for others then.
  ASHLAR_ALWAYS_INLINE bool recalled() const noexcept {
    return ASHLAR_UNLIKELY(attention_bits() & attention_recall) && is_recalled();
  }
  // The same between two jobs that the owner takes back itself, without a wait: what is urgent comes first.
  ASHLAR_ALWAYS_INLINE bool is_wanted_elsewhere() noexcept {
    return ASHLAR_UNLIKELY(attention_bits() & (attention_recall | attention_urgent)) && run_urgent_unless_recalled();
  }
  // Many thieves may come for what the owner begins with: the jobs that it pushes next are theirs, too, from the start.
  ASHLAR_EXPORT void expect_thieves() noexcept;
  using deque::publish_next;

  // Runs enqueued jobs of high priority, of which attention_urgent tells.
  ASHLAR_EXPORT ASHLAR_COLD void run_urgent() noexcept;

  // ---- The running task. Whoever changes something restores it.
  // The innermost running task's group; the root outside of any task.
  context& group() const noexcept { return *running_.group; }
  context& root() noexcept { return root_; }
  bool outside_tasks() const noexcept { return running_.group == &root_; }
  context* enclosing_group() const noexcept { return outside_tasks() ? nullptr : running_.group; }
  // Where a context hangs that is bound here, and may live longer than what runs here.
  context* binding_group() const noexcept {
    context* const g = enclosing_group();
    return ASHLAR_UNLIKELY(g != nullptr && g->is_hidden()) ? g->parent() : g;
  }
  // The same also in a body that was called outside of tasks, and has a group nevertheless (lent_scope).
  bool in_no_task() const noexcept { return outside_tasks() || (running_.group == lent_ && !depth_of(running_.key)); }
  // The innermost running classic task, or null.
  void* task() const noexcept { return running_.task; }
  // True if neither a task of the occupant runs nor an isolated region of its own.
  bool runs_nothing() const noexcept { return outside_tasks() && base() == 0 && task() == nullptr && key() == 0; }
  // The running task's isolation and depth, and those of what it spawns.
  ASHLAR_ALWAYS_INLINE job_key key() const noexcept { return running_.key; }
  ASHLAR_ALWAYS_INLINE job_key child_key() const noexcept { return running_.key + 1; }
  ASHLAR_ALWAYS_INLINE std::uint32_t isolation() const noexcept { return isolation_of(running_.key); }
  bool marked() const noexcept { return (running_.key & key_marked) != 0; }
  // A wait pops down to here: what lies below belongs to enclosing frames.
  ASHLAR_ALWAYS_INLINE index base() const noexcept { return running_.base; }

  // Nested waits leave alone the jobs that lie below `above`, or all that are in the deque now.
  ASHLAR_ALWAYS_INLINE void keep_jobs(index above) noexcept { running_.base = above; }
  ASHLAR_ALWAYS_INLINE void keep_jobs() noexcept { keep_jobs(bottom()); }
  // The same; and the thread takes only jobs with this tag. What a region goes back to: the key and the base of before.
  struct region {
    job_key key;
    index base;
  };
  ASHLAR_ALWAYS_INLINE region begin_region(std::uint32_t tag) noexcept {
    region const outer{key(), base()};
    running_.key = (running_.key & key_depth_mask) | job_key{tag} << key_isolation_shift;
    keep_jobs();
    return outer;
  }
  ASHLAR_ALWAYS_INLINE void end_region(region const& outer) noexcept {
    running_.key = outer.key;
    running_.base = outer.base;
  }
  // A task of the same group begins, in the caller's frame.
  ASHLAR_ALWAYS_INLINE void begin(void* what, job_key its_key) noexcept {
    running_.key = its_key;
    running_.task = what;
  }
  // The classic task that began before goes on.
  ASHLAR_ALWAYS_INLINE void return_to(void* what) noexcept { running_.task = what; }
  // The running job turns out to be the messenger of another job, which has this key.
  void take_key(job_key of) noexcept { running_.key = running_key(of); }
  // Others may wait for the running task by itself, while its function runs.
  void mark() noexcept { running_.key |= key_marked; }
  // Makes `group` the running task's group and gives the thread its floating-point settings. For jobs that begin on
  // this thread; slot::run undoes both.
  ASHLAR_ALWAYS_INLINE void enter(context& group) noexcept {
    running_.group = &group;
    use_fp(group.fp());
  }
  // The same for a job that is no classic task; null: it is of no group.
  void enter_apart(context* group) noexcept {
    enter(group != nullptr ? group->mix() : root_);
    running_.task = nullptr;
  }
  fp_settings const* fp() const noexcept { return running_.fp; }
  ASHLAR_ALWAYS_INLINE void use_fp(fp_settings const* wanted) noexcept {
    if (ASHLAR_UNLIKELY(wanted != running_.fp)) switch_fp(wanted);
  }
  // As if the thread had just sat down, but for the jobs below `from` and floating-point settings.
  void begin_outermost(index from) noexcept {
    running_.group = &root_;
    running_.key = 0;
    running_.base = from;
    running_.task = nullptr;
  }
  // A function of the arena's begins in the middle of a task: of no group and no isolated region, with the words that
  // the caller has set.
  void begin_function() noexcept {
    running_.group = &root_;
    running_.key &= key_depth_mask;
    running_.task = nullptr;
    if (running_.fp != nullptr) seen_word_ = no_fp_word;
    running_.fp = nullptr;
  }

  // Whether the occupant is in a function of task_arena::execute: there its waits take nothing that was enqueued, which
  // is to run beside the function. Returns what was the case before.
  bool enter_function(bool on) noexcept { return std::exchange(in_function_, on); }
  // The innermost function of an arena's that the occupant is in. Not to be relied on where tasks were suspended.
  arena_call const* call() const noexcept { return call_; }
  void begin_call(arena_call const* c) noexcept { call_ = c; }

  // True if the thread's floating-point words are those that bodies have here: the group's, or the arena's. A program
  // that has changed the thread's words since must not get other results where the thread calls the bodies itself.
  ASHLAR_ALWAYS_INLINE bool has_words_of_bodies() noexcept { return has_words_of_bodies(fp_word()); }
  // The same where the caller has just read the fp_word().
  ASHLAR_ALWAYS_INLINE bool has_words_of_bodies(std::uint32_t word) noexcept {
#ifdef ASHLAR_MODEL
    return static_cast<void>(word), true;
#else
    return ASHLAR_LIKELY(word == seen_word_) || look_at_words();
#endif
  }
  // Gives the thread the words that bodies have here. The caller gives it back those of before.
  ASHLAR_EXPORT ASHLAR_COLD void take_words_of_bodies(fp_settings& before) noexcept;
  ASHLAR_EXPORT ASHLAR_COLD static void give_words_back(fp_settings const& words) noexcept;
  // The same for a fork-join, which reading the word would lengthen by a fourth: asked outside of bodies only. A body
  // that has changed the words itself has its own in what it forks and calls itself. True also if only the sticky flags
  // have changed since the last look.
  ASHLAR_ALWAYS_INLINE bool may_have_other_words() const noexcept {
#ifdef ASHLAR_MODEL
    return false;
#else
    return ASHLAR_UNLIKELY(running_.group == &root_) && fp_word() != seen_word_;
#endif
  }

 private:
  struct running_task {
    job_key key = 0;
    index base = 0;
    void* task = nullptr;
    context* group = nullptr;
    fp_settings const* fp = nullptr;  // what the thread's control words are set to; null: the arena's
    fp_settings own_fp{};             // what they were before, while others are in force
  };

 public:
  // A running task to go back to.
  class frame {
   public:
    frame() noexcept = default;
    explicit frame(slot const& s) noexcept : saved_(s.running_) {}
    void restore(slot& s) const noexcept { s.go_back_to(saved_); }

   private:
    running_task saved_;
  };
  // For a scope, nested waits may be told to leave more jobs alone.
  class base_scope {
   public:
    ASHLAR_ALWAYS_INLINE explicit base_scope(slot& s) noexcept : slot_(s), outer_(s.running_.base) {}
    ASHLAR_ALWAYS_INLINE ~base_scope() { slot_.running_.base = outer_; }
    base_scope(base_scope const&) = delete;
    base_scope& operator=(base_scope const&) = delete;

   private:
    slot& slot_;
    index const outer_;
  };
  // Makes `group` the running task's group for a scope.
  class group_scope {
   public:
    ASHLAR_ALWAYS_INLINE group_scope(slot& s, context& group) noexcept : slot_(s), outer_(s.running_.group) {
      s.running_.group = &group;
    }
    ASHLAR_ALWAYS_INLINE ~group_scope() { slot_.running_.group = outer_; }
    group_scope(group_scope const&) = delete;
    group_scope& operator=(group_scope const&) = delete;

   private:
    slot& slot_;
    context* const outer_;
  };
  // The same for a body that is called, perhaps outside of tasks, and is none itself.
  class lent_scope {
   public:
    lent_scope(slot& s, context& group) noexcept
        : slot_(s), outer_(std::exchange(s.lent_, s.in_no_task() ? &group : s.lent_)), group_(s, group) {}
    ~lent_scope() { slot_.lent_ = outer_; }

   private:
    slot& slot_;
    context* const outer_;
    group_scope const group_;
  };
  // What another thread sees of the running task; to be compared only. `look` reads the two without an order.
  template <typename Look>
  void glimpse(Look look, context const*& in, std::uint32_t& isolation) const noexcept {
    in = look(running_.group);
    isolation = isolation_of(look(running_.key));
  }
  // The same of a thread that runs something at all: a task, or a function of the arena's.
  template <typename Look>
  bool seems_at_work(Look look) const noexcept {
    return look(running_.group) != &root_ || look(in_function_);
  }

 private:
  void go_back_to(running_task const& t) noexcept {
    if (running_.fp != t.fp) seen_word_ = no_fp_word;
    running_ = t;
  }
  ASHLAR_EXPORT ASHLAR_COLD bool look_at_words() noexcept;
  ASHLAR_EXPORT void switch_fp(fp_settings const* wanted) noexcept;
  ASHLAR_EXPORT ASHLAR_COLD void attend() noexcept;
  // spawn_or_run() where the ring of the deque must grow.
  ASHLAR_EXPORT ASHLAR_COLD void spawn_or_run_beyond(job& what, job_key key) noexcept;
  // run_newest() where enqueued jobs of high priority go first, or somebody observes.
  ASHLAR_EXPORT ASHLAR_COLD bool run_newest_specially() noexcept;
  ASHLAR_EXPORT ASHLAR_COLD void lay_strangers_aside() noexcept;
  bool move_aside(bool strangers) noexcept;
  ASHLAR_EXPORT ASHLAR_COLD bool check_cancelled(context& c) noexcept;
  ASHLAR_EXPORT ASHLAR_COLD bool is_recalled() const noexcept;
  ASHLAR_EXPORT ASHLAR_COLD bool run_urgent_unless_recalled() noexcept;

  context root_{nullptr, nullptr};
  unsigned position_ = 0;
  atomic<unsigned> cpu_{0};  // where the occupant ran when it sat down
  atomic<std::uint64_t> newest_offer_{0};
  std::uint64_t announced_ = 0;
  atomic<unsigned char> state_{0};
  atomic<bool> visited_{false};
  // The owner's alone.
  alignas(no_sharing) running_task running_;
  task_pool* pool_ = nullptr;  // the occupant's small objects
  thread_data* thread_ = nullptr;
  arena* arena_ = nullptr;
  stack_set* stacks_ = nullptr;
  fp_settings const* arena_fp_ = nullptr;
  arena_call const* call_ = nullptr;
  context* lent_ = nullptr;               // the group of a body that was called outside of tasks
  bool in_function_ = false;              // the occupant is in a function that the arena was told to call
  std::uint32_t seen_word_ = no_fp_word;  // the fp_word() with which the words were last found to be those of bodies
};

using base_scope = slot::base_scope;
using group_scope = slot::group_scope;

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
