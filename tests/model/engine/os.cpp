// SPDX-License-Identifier: Apache-2.0
// What threads ask of the system: fences, pauses, futexes, mutexes (std::mutex of the code under test included).
#include "engine/os.h"

#include <dlfcn.h>
#include <pthread.h>

#include "engine/state.h"
#include "os/cpu_exclusion.h"

namespace ashlar::model {

namespace {

access system_call(action what, void* address, site where, int target = 0) {
  return {what, mo::seq_cst, mo::seq_cst, 0, address, 0, 0, where, target};
}

void fence_of(thread_state& t, access const& a, char const* note) {
  apply_fence(t);
  note_step(t, a, -1, 0, 0, note);
  wake_dependent(the.self(), a);
}

void fall_asleep(thread_state& t, access const& a, bool timed) {
  t.now = status::asleep;
  t.waits_on = a.address;
  t.timed = timed;
  t.timed_out = false;
  t.forget_rounds();
  note_step(t, a, -1, 0, 0, "falls asleep");
  schedule(system_call(action::resume, a.address, a.where));
  // Woken: the word is as the waker knew it. Nothing else is ordered.
  place const* const p = t.timed_out ? nullptr : find_place(a.address);
  if (p != nullptr) t.current.raise(p->index, p->wake_floor);
  note_step(t, a, -1, 0, 0, t.timed_out ? "times out" : "wakes up");
}

bool for_no_reason(int& done, int allowed) {
  if (done >= allowed || decide(2) == 0) return false;
  ++done;
  return true;
}

// True unless the time is over.
bool wait_on(atomic<std::uint32_t>& word, std::uint32_t expected, bool timed, site where) {
  if (!the.active) return true;
  inside const in;
  access const a{action::futex_wait, mo::relaxed, mo::relaxed, 4, word.address(), 0, expected, where, 0};
  schedule(a);
  thread_state& t = the.self();
  if (execute(t, a).value != expected) return true;
  if (for_no_reason(the.spurious, the.how->spurious)) return true;
  if (timed && for_no_reason(the.timeouts, the.how->timeouts)) return false;
  fall_asleep(t, a, timed);
  return !t.timed_out;
}

void wake(void* address, int count, site where) {
  if (!the.active) return;
  inside const in;
  access const a = system_call(action::futex_wake, address, where);
  schedule(a);
  thread_state& me = the.self();
  if (place* const p = find_place(address)) p->wake_floor = std::max(p->wake_floor, me.current.get(p->index));
  note_step(me, a, -1, 0, 0, "");
  for (; count > 0; --count) {
    int sleepers[max_threads], n = 0;
    for (int i = 0; i < the.thread_count; ++i) {
      if (the.threads[i].now == status::asleep && the.threads[i].waits_on == address) sleepers[n++] = i;
    }
    if (n == 0) break;
    the.threads[sleepers[decide(n)]].now = status::ready;
  }
  wake_dependent(me, a);
}

// Else it stands still during the call; what it has done is visible, as after a context switch.
bool meets_others(thread_state const& t) { return t.now == status::ready && t.pending.what != action::join; }

void on_mutex(pthread_mutex_t* m, action what, order o, std::uint64_t value) {
  inside const in;
  access const a{what, o, o, 4, m, value, 0, {"mutex", 0}, 0};
  schedule(a);
  execute(the.self(), a);
}

using mutex_call = int (*)(pthread_mutex_t*);
int real_call(mutex_call& known, char const* name, pthread_mutex_t* m) {
  static bool resolving = false;
  if (known == nullptr) {
    if (resolving) return 0;  // by dlsym itself; the checker has one thread
    resolving = true;
    known = reinterpret_cast<mutex_call>(dlsym(RTLD_NEXT, name));
    resolving = false;
  }
  return known(m);
}

}  // namespace

void fence(site where) noexcept {
  if (!the.active || weakened(where)) return;
  inside const in;
  access const a = system_call(action::fence, nullptr, where);
  schedule(a);
  fence_of(the.self(), a, "");
}

std::uint64_t heavy_fences = 0;

void heavy_fence(site where) noexcept {
  ++heavy_fences;
  if (heavy_fence_missing) return fence(where);
  if (!the.active || weakened(where)) return;
  inside const in;
  int const me = the.current;
  access const own = system_call(action::fence, nullptr, where);
  schedule(own);
  fence_of(the.self(), own, "heavy, begins");
  for (int i = 0; i < the.thread_count; ++i) {
    thread_state& other = the.threads[i];
    if (i == me) continue;
    access const remote = system_call(action::remote_fence, nullptr, where, i);
    if (meets_others(other)) schedule(remote);
    fence_of(other, remote, "by a heavy one");
  }
  fence_of(the.self(), own, "heavy, ends");
}

void pause(site where) noexcept {
  if (!the.active) return;
  inside const in;
  thread_state& t = the.self();
  if (t.pauses++ < the.how->free_pauses) return;
  // A failed compare-exchange has told the loop something: only the second round like it waits.
  bool const searching = the.how->how == search::exhaustive && the.how->replay.empty();
  bool const again = !t.spin.empty() && t.spin == t.last_spin;
  if (again && t.waited && searching) leave(engine::ending::pruned);  // explored without this round
  t.waited = !t.told || again;
  t.told = false;
  if (t.waited) {
    schedule(system_call(action::pause, nullptr, where));
    if (sleep_sets() && t.spin.size() == 1) {
      t.awaited = t.spin[0].place + max_threads;
      t.from = t.spin[0].number;
    }
  }
  t.last_spin.swap(t.spin);
  t.spin.clear();
}

}  // namespace ashlar::model

namespace ashlar::inline v1::os {

void futex_wait(atomic<std::uint32_t>& word, std::uint32_t expected, char const* f, unsigned l) noexcept {
  model::wait_on(word, expected, false, {f, l});
}
bool futex_wait_for(atomic<std::uint32_t>& word, std::uint32_t expected, std::uint64_t, char const* f,
                    unsigned l) noexcept {
  return model::wait_on(word, expected, true, {f, l});
}
void futex_wake(atomic<std::uint32_t>& word, int count, char const* f, unsigned l) noexcept {
  model::wake(word.address(), count, {f, l});
}
void heavy_fence(char const* f, unsigned l) noexcept { model::heavy_fence({f, l}); }

// All threads of a model are one thread of the system.
unsigned current_cpu() noexcept { return 0; }

}  // namespace ashlar::inline v1::os

extern "C" int pthread_mutex_lock(pthread_mutex_t* m) noexcept {
  using namespace ashlar;
  static model::mutex_call real = nullptr;
  if (!model::the.user) return model::real_call(real, "pthread_mutex_lock", m);
  model::on_mutex(m, model::action::lock, mo::acquire, 1);
  return 0;
}

extern "C" int pthread_mutex_unlock(pthread_mutex_t* m) noexcept {
  using namespace ashlar;
  static model::mutex_call real = nullptr;
  if (!model::the.user) return model::real_call(real, "pthread_mutex_unlock", m);
  model::on_mutex(m, model::action::store, mo::release, 0);
  return 0;
}

// Which CPU a thread runs on is no part of a model.
namespace ashlar::inline v1::os {

void cpu_exclusion::begin(int, unsigned, unsigned) noexcept {}
void cpu_exclusion::end() noexcept {}

}  // namespace ashlar::inline v1::os
