// SPDX-License-Identifier: Apache-2.0
#include "sched/arena/arena.h"

#include "os/fp_control.h"
#include "os/membarrier.h"
#include "os/thread.h"
#include "os/topology.h"
#include "sched/core/observed.h"
#include "sched/core/worker_source.h"
#include "sched/queue/mailbox.h"

#include <memory>
#include <new>
#include <utility>

namespace ashlar::inline v1::sched {

struct arena::cold_state {
  mailbox mail;
  std::unique_ptr<slot_attachment> attachment;
  deque::index bound = 0;  // of publish_deques
};

mailbox& arena::mail(unsigned i) noexcept { return cold_states_[i].mail; }

std::unique_ptr<slot_attachment>& arena::attachment(unsigned i) noexcept { return cold_states_[i].attachment; }

arena::arena(unsigned concurrency, arena_settings const& s, std::vector<unsigned> const& cpus)
    : fast_leave(s.fast_leave),
      settings_(s),
      concurrency_(concurrency),
      reserved_(s.reserved < concurrency ? s.reserved : concurrency),
      priority_(s.priority),
      slots_(std::make_unique<slot[]>(slot_count())),
      cold_states_(std::make_unique<cold_state[]>(slot_count())),
      binding_(cpus.empty() ? nullptr : std::make_unique<os::cpu_mask>(cpus)) {
  os::fp_control const words = os::read_fp_control();
  fp = {words.mxcsr, words.x87};
  for (unsigned i = 0; i < slot_count(); ++i) {
    slots_[i].belong_to(*this, i, &fp);
  }
}

arena::~arena() = default;

arena& arena::create(unsigned concurrency, arena_settings const& s, std::vector<unsigned> const& cpus) {
  auto* const a = new arena(concurrency, s, cpus);
  worker_source::get().add(*a);
  return *a;
}

void arena::release() noexcept {
  if (references_.release()) destroy();
}

void arena::destroy() noexcept {
  if (has_visible_work()) {
    // The last user has left jobs behind, which take over the reference.
    references_.adopt();
    return worker_source::get().abandon(*this);
  }
  worker_source::get().remove(*this);
  delete this;
}

ASHLAR_ALWAYS_INLINE slot* arena::take_slot(unsigned i, thread_data& who, bool as_worker, unsigned on_cpu) noexcept {
  slot& s = slots_[i];
  if (!s.sit_down(who, who.pool, as_worker, on_cpu)) return nullptr;
  if (ASHLAR_UNLIKELY(i >= in_use_.load(mo::relaxed))) extend_use(i);
  return &s;
}

slot* arena::occupy(thread_data& who) noexcept {
  retain();  // before a place is taken: a child that is forked meanwhile gives back one for each place
  for (unsigned i = 0; i < concurrency_; ++i) {
    slot* const s = take_slot(i, who, false, 0);
    if (s == nullptr) continue;
    if (ASHLAR_UNLIKELY(i >= reserved_)) externals_.fetch_add(1, mo::relaxed);
    return s;
  }
  release();  // not the last: the caller has one
  return nullptr;
}

// Begins with the place that the worker had last, and goes round from there: from loop to loop threads keep their
// places, and what is remembered for a place is in its thread's cache.
slot* arena::occupy_as_worker(thread_data& who) noexcept {
  unsigned const end = slot_count();
  unsigned const cpu = os::current_cpu();
  unsigned i = who.last_position >= reserved_ && who.last_position < end ? who.last_position : reserved_;
  for (unsigned left = end - reserved_; left != 0; --left, i = i + 1 < end ? i + 1 : reserved_) {
    slot* const s = take_slot(i, who, true, cpu);
    if (s == nullptr) continue;
    who.last_position = i;
    return s;
  }
  return nullptr;
}

// The first push in a new slot reports itself: sleepers that armed the arena before didn't know the slot. The bits of a
// slot in use are kept up to date while nobody sits in it.
void arena::extend_use(unsigned i) noexcept {
  unsigned used = in_use_.load(mo::relaxed);
  while (used <= i) {
    std::uint32_t const bits = attention_wake | worker_source::get().standing_bits();
    for (unsigned n = used; n <= i; ++n) slots_[n].hint(bits);
    if (!in_use_.compare_exchange(used, i + 1, mo::release, mo::relaxed)) continue;  // [A5]
    // Bits that were raised before the slots were in use.
    for (unsigned n = used; n <= i; ++n) slots_[n].raise(worker_source::get().standing_bits());  // [M1]
    return;
  }
}

ASHLAR_ALWAYS_INLINE void arena::free_slot(slot& s) noexcept {
  cold_states_[s.position()].mail.set_idle(false);
  s.leave();
  if (ASHLAR_UNLIKELY(slot_waiters.load(mo::relaxed) != 0)) parking_lot::get().wake_slot_waiter(*this);  // [A8]
}

void arena::vacate(slot& s) noexcept {
  arena& a = s.home();
  a.free_slot(s);
  if (ASHLAR_UNLIKELY(s.position() >= a.reserved_)) a.let_workers_come();
  a.release();
}

void arena::vacate_by_worker(slot& s) noexcept { s.home().free_slot(s); }

// An application thread has left a slot that a worker could use: also for jobs that were pushed when there was no free
// slot for a worker.
void arena::let_workers_come() noexcept {
  externals_.fetch_sub(1, mo::relaxed);
  fence_seq_cst();  // [A10]
  restore_bits(pushes::all);
  if (has_visible_work()) worker_source::get().advertise(*this);
}

bool arena::has_application_threads() const noexcept {
  for (unsigned i = 0; i < slots_in_use(); ++i) {
    if (slots_[i].held_by_application()) return true;
  }
  return false;
}

slot* arena::slot_of(thread_data const& who) noexcept {
  for (unsigned i = 0; i < slots_in_use(); ++i) {
    if (slots_[i].occupant() == &who) return &slots_[i];
  }
  return nullptr;
}

arena const* arena::bind(thread_data& t) const noexcept {
  try {
    if (t.own_cpus == nullptr) t.own_cpus = std::make_unique<os::cpu_mask>(os::cpu_mask::of_this_thread());
    binding_->apply();
  } catch (std::bad_alloc const&) {
    // There is no memory for the mask: the thread works where it is.
  }
  return std::exchange(t.bound_to, this);
}

void arena::unbind(thread_data& t, arena const* outer) noexcept {
  t.bound_to = outer;
  if (outer != nullptr) {
    outer->binding_->apply();
  } else if (t.own_cpus != nullptr) {
    t.own_cpus->apply();
    t.own_cpus.reset();
  }
}

void arena::before_fork() noexcept { aside.before_fork(); }

void arena::after_fork() noexcept { aside.after_fork(); }

namespace {

// Whether the object lies on the stack of a thread that is gone. A new thread may get that stack.
bool lies_on_stack_of(thread_data const& t, void const* what) noexcept {
  if (t.stack_middle() == nullptr) return false;
  std::size_t const half = t.stack_size / 2;
  auto const at = reinterpret_cast<std::uintptr_t>(what);
  auto const middle = reinterpret_cast<std::uintptr_t>(t.stack_middle());
  return (at > middle ? at - middle : middle - at) <= half;
}

}  // namespace

// Jobs of the occupant that are objects of their own are left to others.
void arena::forget_occupant(unsigned i) noexcept {
  slot& s = slots_[i];
  if (s.held_by_application()) references_.forget_one();
  thread_data const& gone = *s.occupant();
  s.drop_jobs_if([&gone](job& what) {
    job const* const content = content_of_proxy(what);
    return lies_on_stack_of(gone, content != nullptr ? content : &what);
  });
  s.forget_occupant();
}

void arena::forget_threads(thread_data const* survivor) noexcept {
  publishing_.store(false, mo::relaxed);
  slot_waiters.store(0, mo::relaxed);
  searching_.store(0, mo::relaxed);
  enqueued.forget_threads();
  for (unsigned i = 0; i < slots_in_use(); ++i) {
    thread_data const* const who = slots_[i].occupant();
    cold_states_[i].mail.forget_senders();
    if (who != nullptr && who != survivor) forget_occupant(i);
  }
  unsigned externals = 0;
  for (unsigned i = reserved_; i < slots_in_use(); ++i) externals += slots_[i].held_by_application();
  externals_.store(externals, mo::relaxed);
}

unsigned arena::worker_slots() const noexcept {
  if (only_reserved()) return 1;
  unsigned const slots = concurrency_ - reserved_;
  unsigned const externals = externals_.load(mo::relaxed);
  return externals < slots ? slots - externals : 0;
}

bool arena::has_free_slot_for_worker() const noexcept {
  for (unsigned i = reserved_; i < slot_count(); ++i) {
    if (slots_[i].is_free()) return true;
  }
  return false;
}

bool arena::has_free_slot() const noexcept {
  for (unsigned i = 0; i < concurrency_; ++i) {
    if (slots_[i].is_free()) return true;
  }
  return false;
}

unsigned arena::occupants() const noexcept {
  unsigned n = 0;
  for (unsigned i = 0; i < slots_in_use(); ++i) n += !slots_[i].is_free();
  return n;
}

void arena::enqueue(job& what, int priority) {
  trace_spawn(what);
  enqueued.push(what, priority);
  if (priority == 2) raise_urgent();
  report_enqueued();
}

void arena::submit_spawned(job& what, bool urgent) {
  trace_spawn(what);
  enqueued.push_spawned(what, urgent);
  if (urgent) raise_urgent();
  report_enqueued();
}

// A slot that comes into use meanwhile misses the bit: its occupant finds the job when it searches.
void arena::raise_urgent() noexcept {
  unsigned const n = slots_in_use();
  for (unsigned i = 0; i < n; ++i) {
    // The bit is raised always: one that is up may be about to be dropped.
    slots_[i].raise(attention_urgent);  // [A11]
  }
}

job* arena::take_urgent(slot& s) noexcept {
  bool const enqueued_only = for_enqueued_only(s.position());
  job* what = enqueued.try_pop_urgent(enqueued_only);
  if (what != nullptr) return what;
  s.drop(attention_urgent);  // [A12]
  what = enqueued.try_pop_urgent(enqueued_only);
  if (what != nullptr) s.hint(attention_urgent);
  return what;
}

void arena::enqueue_call(job& what) {
  trace_spawn(what);
  enqueued.push_call(what);
  report_enqueued();
}

void arena::report_enqueued() noexcept {
  fence_asymmetric();  // [S1]
  if (ASHLAR_LIKELY((attention_.attention_bits() & attention_wake) == 0)) return;
  if (answer_push(attention_)) worker_source::get().advertise(*this);
}

bool arena::answer_push(attention_word& attention) noexcept {
  fence_seq_cst();  // [H1]
  if (wake_rule::left_to_waiters(searching())) return false;
  attention.drop_hint(attention_wake);
  fence_seq_cst();  // [H1]
  return wake_rule::calls_for_push(searching());
}

bool arena::has_visible_work() noexcept { return !enqueued.empty() || !aside.empty() || has_jobs_in_slots(); }

bool arena::has_jobs_in_slots() noexcept {
  unsigned const n = slots_in_use();
  for (unsigned i = 0; i < n; ++i) {
    if (!slots_[i].looks_empty()) return true;
  }
  return false;
}

bool arena::publish_deques() noexcept {
  if (publishing_.load(mo::relaxed) || publishing_.exchange(true, mo::acquire)) return false;  // [O1]
  unsigned const n = slots_in_use();
  for (unsigned i = 0; i < n; ++i) cold_states_[i].bound = slots_[i].raise_split();
  os::heavy_fence();  // [D9] of deque.h
  for (unsigned i = 0; i < n; ++i) slots_[i].publish(cold_states_[i].bound);
  publishing_.store(false, mo::release);  // [O1]
  return true;
}

std::uint32_t arena::offers() noexcept {
  std::uint32_t sum = 0;
  unsigned const n = slots_in_use();
  for (unsigned i = 0; i < n; ++i) sum += slots_[i].offers();
  return sum;
}

bool arena::arm() noexcept {
  // Where all bits are up already, each push that misses one is seen by the thread that raised it.
  if (raise(attention_wake)) os::heavy_fence();  // [S2]
  return has_visible_work();
}

bool arena::restore_bits(pushes which) noexcept {
  if (answered()) return false;
  if (which == pushes::all) {
    if (!raise(attention_wake)) return false;
  } else {
    fence_seq_cst();                                      // [S2]
    if (!attention_.raise(attention_wake)) return false;  // [S2]
  }
  os::heavy_fence();  // [S2]
  return true;
}

bool arena::raise(std::uint32_t bit) noexcept {
  fence_seq_cst();                                  // [S2]
  bool changed = attention_.raise_where_down(bit);  // [S2]
  unsigned const n = slots_in_use();
  for (unsigned i = 0; i < n; ++i) changed |= slots_[i].raise_where_down(bit);  // [S2]
  return changed;
}

void arena::lower(std::uint32_t bit) noexcept {
  attention_.drop_hint(bit);
  unsigned const n = slots_in_use();
  for (unsigned i = 0; i < n; ++i) slots_[i].drop_hint(bit);
}

}  // namespace ashlar::inline v1::sched
