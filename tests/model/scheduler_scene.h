// SPDX-License-Identifier: Apache-2.0
// The scheduler's own code in a model: the market with its parts, the workers' life, the arena, its pushes, waits and
// the parking lot. What stands in for the rest: a search is one look at each deque, time stands still, and processors
// are busy as the scene says.
#pragma once

#include <engine/model.h>
#include <engine/os.h>
#include <parking_lot.h>

#include "sched/api/delegate.cpp"
#include "sched/api/task_arena.cpp"
#include "sched/arena/arena.cpp"
#include "sched/arena/dispatch.cpp"
#include "sched/arena/push.cpp"
#include "sched/core/rest.cpp"
#include "sched/core/worker_source.cpp"
#include "sched/market/allotment.cpp"
#include "sched/market/deputies.cpp"
#include "sched/market/load.cpp"
#include "sched/market/market.cpp"
#include "sched/market/progress.cpp"
#include "sched/market/termination.cpp"
#include "sched/market/thread_limit.cpp"
#include "sched/market/watch_duty.cpp"
#include "sched/market/worker.cpp"
#include "sched/market/workers.cpp"
#include "sched/park/process_locks.cpp"
#include "sched/park/wait_target.cpp"
#include "sched/queue/deque.cpp"

#include <ashlar/sched/park/latch.h>

#include <memory>
#include <optional>
#include <vector>

namespace ashlar::model {

// Of the execution.
struct surroundings {
  atomic<unsigned> busy_processors{0};  // application threads take up so many
  unsigned other_threads = 0;           // of the application, which share loops
  std::vector<thread> workers;
  // Deputies: none are looked for unless a scene wants them.
  std::uint64_t place_kept = sync::wait_forever;
  std::uint64_t now = 1'000'000'000;
  std::uint64_t passes = 0;  // nanoseconds between two looks at the clock
};
inline surroundings* around = nullptr;

}  // namespace ashlar::model

// Stacks don't overflow here.
namespace ashlar::inline v1::obs {

signal_stack::signal_stack() noexcept = default;
signal_stack::~signal_stack() { static_cast<void>(memory_); }

}  // namespace ashlar::inline v1::obs

// ---- The system: two processors, on which the kernel puts nobody in another's way.
namespace ashlar {
inline namespace v1 {

std::uintptr_t stack_identity() noexcept { return 0; }

namespace os {

std::uint64_t now_ns() noexcept { return model::around->now += model::around->passes; }
std::uint64_t thread_cpu_ns() noexcept { return 0; }
unsigned available_cpus() noexcept { return 2; }
int thread_id() noexcept { return 0; }
void yield() noexcept { cpu_pause(); }
void wait_until_gone(int) noexcept {}
void sleep_ns(std::uint64_t) noexcept {}
bool recent_allowance(unsigned&) noexcept { return false; }
std::optional<unsigned> env_unsigned(char const*, unsigned, unsigned) noexcept { return std::nullopt; }
cpu_mask::cpu_mask(std::vector<unsigned> const&) { model::require(false, "no arena is bound"); }
bool cpu_mask::apply() const noexcept { return true; }
cpu_mask cpu_mask::of_this_thread() { return cpu_mask({}); }

bool start_detached(void (*entry)(void*), void* argument, std::size_t, char const*) noexcept {
  static constexpr char const* names[] = {"worker 1", "worker 2", "worker 3"};
  auto& workers = model::around->workers;
  workers.emplace_back(names[workers.size()], [entry, argument] { entry(argument); });
  return true;
}

}  // namespace os

namespace obs {

atomic<bool> trace_on_{false};
void end_trace_lane() noexcept {}

}  // namespace obs

void settle_memory() noexcept {}
void report_version() noexcept {}

// ---- The parts of the scheduler that are left out.
namespace sched {

__thread thread_data* current_thread = nullptr;
__thread slot* current_slot = nullptr;

thread_data::thread_data(bool worker)
    : is_worker(worker),
      made_on(0),
      pool(*reinterpret_cast<task_pool*>(this)),
      counters(*new obs::counters),
      random_(1) {
  model::beside(counters);
  model::beside(tid);
}
thread_data::~thread_data() = default;
slot::~slot() = default;
mailbox::~mailbox() = default;
job* task_proxy::open(job*, slot&) noexcept { return nullptr; }
void learn_topology() noexcept {}
std::uint64_t place_kept_ns() noexcept { return model::around->place_kept; }
// Nothing is stolen that was not worth it.
unsigned pause_before_theft(thread_data const&, unsigned) noexcept { return 0; }
void announce_entry(slot&) noexcept {}
void announce_exit(slot&) noexcept {}
void announce_end(thread_data&) noexcept {}
std::uint64_t newest_global_observer() noexcept { return 0; }
void trace_push(slot&) noexcept {}
void run_observed(slot&, job*) noexcept {}
void write_spawn(job&) noexcept {}
void slot::switch_fp(fp_settings const*) noexcept {}

policies& policies::get() noexcept {
  static constinit policies all;
  return all;
}

// Whatever is measured is new enough to count and old enough to be measured again.
void occupancy::enroll(thread& t, std::uint64_t now) noexcept {
  t.enrolled = true;
  threads_.fetch_add(1 + std::exchange(model::around->other_threads, 0u), mo::relaxed);
  measure(now, observer::running);
}
void occupancy::dismiss(thread& t) noexcept {
  if (std::exchange(t.enrolled, false)) threads_.fetch_sub(1, mo::relaxed);
}
void occupancy::wake(thread&, std::uint64_t) noexcept {}
void occupancy::survive(thread*, std::uint64_t) noexcept {}
bool occupancy::measure(std::uint64_t now, observer) noexcept {
  measured_.store(now - interval(observer::running), mo::relaxed);
  unsigned const busy = model::around->busy_processors.load(mo::relaxed);
  return std::exchange(processors_, busy) != busy;
}

job* search_elsewhere(slot& s, search_limits const& limits, job_key& key) noexcept {
  arena& a = s.home();
  if (!a.enqueued.empty()) {
    job* what = nullptr;
    if (limits.enqueued_only) {
      what = a.enqueued.try_pop_job();
    } else if (limits.takes_any()) {
      what = a.enqueued.try_pop_call();
      s.thread().found = what != nullptr ? job_place::elsewhere : job_place::queue;
      if (what == nullptr && limits.takes_enqueued()) what = a.enqueued.try_pop(1);
    }
    if (what != nullptr) {
      key = 1;
      return what;
    }
  }
  if (limits.enqueued_only) return nullptr;
  s.thread().found = job_place::deque;
  for (unsigned i = 0; i < a.slots_in_use(); ++i) {
    if (i == s.position()) continue;
    slot& from = a.at(i);
    while (!from.looks_empty()) {
      job* what;
      deque::outcome const got = from.steal(what, key, [&](job_key k) { return limits.allow(k); });
      if (got == deque::outcome::taken) return what;
      if (got != deque::outcome::lost) break;
    }
  }
  return nullptr;
}
job* dig_for_work(slot&, search_limits const&, own_jobs const*, job_key&) noexcept { return nullptr; }

bool stack_set::runnable() const noexcept { return false; }
void stack_set::enter(sleeper&) noexcept {}
bool stack_set::announce() noexcept { return true; }
void stack_set::step_aside(wait_target const&) noexcept {}
bool stack_set::leaves_job_to_others() noexcept { return false; }
void stack_set::serve(bool) noexcept {}

void context::retire() noexcept {}
thread_data& make_thread_data() { return *current_thread; }
void finish_stacks(slot&) noexcept {}
int constrained_concurrency(constraints const&) { return 2; }
std::vector<unsigned> binding_of(constraints const&) { return {}; }

}  // namespace sched
}  // namespace v1
}  // namespace ashlar

namespace ashlar::model {

using namespace ashlar::sched;

struct source_of_execution : worker_source {
  alignas(locked_sleepers) static inline char buckets_[sizeof(locked_sleepers)];
  static void renew() {
    new (&the_source_) atomic<worker_source*>{nullptr};
    new (&without_workers_) atomic<bool>{false};
    new (&sched::parking_lot::get()) sched::parking_lot;
    new (&buckets_) locked_sleepers;
  }
};

inline arena& make_arena(unsigned slots, unsigned reserved) {
  arena_settings settings;
  settings.reserved = reserved;
  return arena::create(slots, settings);
}

inline void wait_for(slot& here, latch& over) {
  here.wait(wait_until(&over, "a latch", [&] { return over.done(); }, [&] { return over.announce(); }));
}

// The calling thread is an application's, and sits nowhere.
inline void become_external() { current_thread = new thread_data(false); }

// The calling thread, in an arena of its own or in one that is there.
class application {
 public:
  explicit application(unsigned slots, unsigned reserved = 1) : application(make_arena(slots, reserved)) {}
  explicit application(arena& a) : data_(*new thread_data(false)) {
    current_thread = &data_;
    current_slot = slot_ = a.occupy(data_);
  }
  slot& own_slot() { return *slot_; }
  arena& home() { return own_slot().home(); }
  void spawn(job& what) { own_slot().spawn(what); }
  void wait(latch& over) { wait_for(own_slot(), over); }
  void leave() {
    if (slot_ == nullptr) return;
    market::get().dismiss(data_.share);
    arena::vacate(*slot_);
    current_slot = slot_ = nullptr;
  }
  // There is another application thread, so that processors are measured.
  void beside_another() { model::around->other_threads = 1; }

 private:
  thread_data& data_;
  slot* slot_;
};

// One execution, with so many workers. All jobs that it makes have to be run.
class scheduler_scene {
 public:
  explicit scheduler_scene(unsigned workers) {
    around = &surroundings_;
    own(current_thread);
    own(current_slot);
    source_of_execution::renew();
    set_workers(workers);
    members_ = &market::get().members();
    may_rest([this] { return over(); });
  }
  // Nobody looks after what was left to busy or absent threads: whatever a call loses stays lost.
  void without_watchdog() { market::get().duty().take(); }
  void set_workers(unsigned most) { market::get().set_controls(most + 1, 0, false); }
  template <typename Body>
  job& make(Body body) {
    struct counted : job {
      counted(scheduler_scene& s, Body b) : job{&run_counted}, scene(s), body(std::move(b)) {}
      static job* run_counted(job* self, slot& here) noexcept {
        auto& me = static_cast<counted&>(*self);
        me.body(here);
        --me.scene.left_;
        return nullptr;
      }
      scheduler_scene& scene;
      Body body;
    };
    ++left_;
    return *new counted(*this, std::move(body));
  }
  job& make() {
    return make([](slot&) {});
  }
  job& make(latch& over) {
    return make([&over](slot&) { latch::set(over); });
  }
  // Something else that has to be done so many times, and is done.
  void expect(int times) { left_ += times; }
  void done() { --left_; }
  void set_busy(unsigned processors) { surroundings_.busy_processors.store(processors, mo::relaxed); }
  // Threads that sleep look for work that nobody can come for.
  void with_deputies() {
    surroundings_.place_kept = 1;
    surroundings_.passes = 20'000'000;
  }
  // All arenas have to end, too.
  void end_arenas() { arenas_end_ = true; }
  // The calling thread does nothing any more: what is left is the workers'.
  void rest() {
    if (surroundings_.workers.empty()) require(over(), "a job or an arena is left, and no worker was made");
    for (std::size_t i = 0; i < surroundings_.workers.size(); ++i) surroundings_.workers[i].join();
  }

 private:
  bool over() const { return left_ == 0 && (!arenas_end_ || arenas() == 0); }
  unsigned arenas() const {
    unsigned n = 0;
    members_->for_each([&n](arena&) { ++n; });
    return n;
  }

  surroundings surroundings_;
  int left_ = 0;
  bool arenas_end_ = false;
  membership* members_ = nullptr;
};

}  // namespace ashlar::model
