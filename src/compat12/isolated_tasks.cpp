// SPDX-License-Identifier: Apache-2.0
#include "isolated_tasks.h"

#include <ashlar/sync/spin_mutex.h>

#include <pthread.h>

#include <new>

namespace ashlar::inline v1::compat12 {

using sched::isolation_of;
using sched::job;
using sched::job_key;
using sched::slot;

struct messenger : job {
  job* what;
  job_key key;
  sched::task_pool* home;
  messenger* newer;
  messenger* older;
  bool linked;
};

class isolated_bucket {
 public:
  static isolated_bucket& of(std::uint32_t tag) noexcept { return all[tag % count]; }

  void add(messenger& m) noexcept {
    lock_.lock();
    m.linked = true;
    m.newer = nullptr;
    m.older = newest_;
    if (newest_ != nullptr) {
      newest_->newer = &m;
    } else {
      oldest_.store(&m, mo::relaxed);
    }
    newest_ = &m;
    isolated_sleeper const* s = sleepers_;
    while (s != nullptr && s->tag_ != isolation_of(m.key)) s = s->next_;
    void const* const address = s != nullptr ? s->address_ : nullptr;
    lock_.unlock();
    if (address != nullptr) sched::wake_waiters(address);
  }
  // True for the one thread that takes it.
  bool remove(messenger& m) noexcept {
    tbb::spin_mutex::scoped_lock const guard(lock_);
    bool const taken = m.linked;
    if (taken) unlink(m);
    return taken;
  }
  bool waits(messenger const& m) noexcept {
    tbb::spin_mutex::scoped_lock const guard(lock_);
    return m.linked;
  }
  job* take(std::uint32_t tag, job_key& key) noexcept {
    if (empty()) return nullptr;
    tbb::spin_mutex::scoped_lock const guard(lock_);
    messenger* const m = find(tag);
    if (m == nullptr) return nullptr;
    unlink(*m);
    key = m->key;
    return m->what;
  }
  bool any(std::uint32_t tag) noexcept {
    if (empty()) return false;
    tbb::spin_mutex::scoped_lock const guard(lock_);
    return find(tag) != nullptr;
  }
  bool enlist(isolated_sleeper& s) noexcept {
    tbb::spin_mutex::scoped_lock const guard(lock_);
    if (find(s.tag_) != nullptr) return false;
    if (!s.registered_) {
      s.registered_ = true;
      s.next_ = sleepers_;
      sleepers_ = &s;
    }
    return true;
  }
  void strike_off(isolated_sleeper& s) noexcept {
    tbb::spin_mutex::scoped_lock const guard(lock_);
    isolated_sleeper** at = &sleepers_;
    while (*at != &s && *at != nullptr) at = &(*at)->next_;
    if (*at != nullptr) *at = s.next_;
  }

  // No thread that is gone in the child may hold a lock there, and none of them sleeps.
  static void before_fork() noexcept {
    for (isolated_bucket& b : all) b.lock_.lock();
  }
  static void in_parent() noexcept {
    for (isolated_bucket& b : all) b.lock_.unlock();
  }
  static void in_child() noexcept {
    for (isolated_bucket& b : all) b.sleepers_ = nullptr;
    in_parent();
  }

 private:
  static constexpr std::size_t count = 16;
  static isolated_bucket all[count];

  // Without the lock: whoever must not miss a job looks again under it.
  bool empty() const noexcept { return oldest_.load(mo::relaxed) == nullptr; }
  messenger* find(std::uint32_t tag) const noexcept {
    messenger* m = oldest_.load(mo::relaxed);
    while (m != nullptr && isolation_of(m->key) != tag) m = m->newer;
    return m;
  }
  void unlink(messenger& m) noexcept {
    m.linked = false;
    (m.newer != nullptr ? m.newer->older : newest_) = m.older;
    if (m.older != nullptr) {
      m.older->newer = m.newer;
    } else {
      oldest_.store(m.newer, mo::relaxed);
    }
  }

  tbb::spin_mutex lock_;
  atomic<messenger*> oldest_{nullptr};
  messenger* newest_ = nullptr;
  isolated_sleeper* sleepers_ = nullptr;
};

isolated_bucket isolated_bucket::all[count];

namespace {

job* deliver(job* self, slot& here) noexcept {
  auto& m = *static_cast<messenger*>(self);
  job* const what = m.what;
  bool const mine = isolated_bucket::of(isolation_of(m.key)).remove(m);
  here.pool().release(&m, sizeof m, m.home);
  return mine ? what->run(what, here) : nullptr;
}

[[maybe_unused]] int const registered =
    pthread_atfork(&isolated_bucket::before_fork, &isolated_bucket::in_parent, &isolated_bucket::in_child);

}  // namespace

void spawn_isolated(slot& here, job& what) {
  sched::task_pool* home;
  void* const place = here.pool().allocate(sizeof(messenger), home);
  auto* const m = new (place) messenger{{&deliver}, &what, here.child_key(), home, nullptr, nullptr, false};
  isolated_bucket& bucket = isolated_bucket::of(isolation_of(m->key));
  bucket.add(*m);
  try {
    here.spawn(*m, m->key);
  } catch (...) {
    if (bucket.remove(*m)) {
      here.pool().release(m, sizeof *m, home);
      throw;
    }
    // Another thread runs it already: all is well, and the messenger is not needed.
    here.pool().release(m, sizeof *m, home);
  }
}

void named_region_scope::sweep() noexcept {
  while (here_.has_spawned()) {
    job_key key;
    job* const newest = here_.pop(key);
    if (newest == nullptr) return;
    auto& m = *static_cast<messenger*>(newest);
    if (newest->run != &deliver || isolated_bucket::of(isolation_of(key)).waits(m)) return here_.spawn(*newest, key);
    here_.pool().release(&m, sizeof m, m.home);
  }
}

job* take_isolated(std::uint32_t tag, job_key& key) noexcept { return isolated_bucket::of(tag).take(tag, key); }
bool any_isolated(std::uint32_t tag) noexcept { return isolated_bucket::of(tag).any(tag); }

bool isolated_sleeper::announce() noexcept { return isolated_bucket::of(tag_).enlist(*this); }
void isolated_sleeper::leave() noexcept { isolated_bucket::of(tag_).strike_off(*this); }

}  // namespace ashlar::inline v1::compat12
