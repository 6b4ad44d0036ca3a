// SPDX-License-Identifier: Apache-2.0
#include <ashlar/sched/tasks/affinity.h>

#include "sched/arena/arena.h"
#include "sched/core/observed.h"
#include "sched/queue/mailbox.h"

#include <new>

namespace ashlar::inline v1::sched {

namespace {

job_kind const proxies(&task_proxy::open);

task_proxy& make_proxy(slot& s, job& what, job_key key) {
  task_pool* home;
  void* const block = s.pool().allocate(sizeof(task_proxy), home);
  return *new (block) task_proxy(what, key, home);
}

// Throws std::bad_alloc; then the proxy is free.
void spawn_proxy(slot& s, task_proxy& l, job_key key) {
  try {
    s.spawn(l, key);
  } catch (...) {
    l.free(s.pool());
    throw;
  }
}

}  // namespace

job* task_proxy::open(job* self, slot& here) noexcept {
  auto& l = *static_cast<task_proxy*>(self);
  job* const what = l.what;
  here.take_key(l.key);  // the arena's queue doesn't keep it
  if (l.take()) return what;
  l.free(here.pool());
  return nullptr;
}

void spawn_to(slot& s, job& what, job_key key, unsigned target) {
  arena& a = s.home();
  if (target == s.position() || target >= a.concurrency() || a.mail(target).full()) return s.spawn(what, key);
  task_proxy& l = make_proxy(s, what, key);
  trace_spawn(what);
  // A thread that looks for work at this moment is given the time to find its mail.
  bool const reserve = a.mail(target).idle() && a.searching() != 0;
  if (reserve) s.count_offer(s.bottom());
  spawn_proxy(s, l, reserve ? key | key_reserved | key_mailed : key);
  a.mail(target).post(l);
}

void spawn_urgent(slot& s, job& what, job_key key) {
  task_proxy& l = make_proxy(s, what, key);
  spawn_proxy(s, l, key);
  try {
    s.home().submit_spawned(l, true);
  } catch (std::bad_alloc const&) {
    if (!l.take()) return l.free(s.pool());
    s.run(&what, key);  // and whoever meets the proxy in the deque frees it
  }
}

void spawn_deferred(slot& s, job& what) { s.home().submit_spawned(what, false); }

}  // namespace ashlar::inline v1::sched
