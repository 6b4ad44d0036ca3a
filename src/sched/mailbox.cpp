// SPDX-License-Identifier: Apache-2.0
#include "sched/mailbox.h"

#include "sched/arena.h"
#include "sched/observed.h"

#include <ashlar/sched/affinity.h>

#include <new>

namespace ashlar::sched {

namespace {

void free_letter(slot& s, letter& l) noexcept {
  task_pool* const home = l.home;
  task_pool::release(s, &l, sizeof(letter), home);
}

// A letter that was popped or stolen from a deque.
job* open_letter(job* self, slot& here) noexcept {
  auto& l = *static_cast<letter*>(self);
  job* const what = l.what;
  here.key_ = running_key(l.key);  // the arena's queue doesn't keep it
  if (l.take()) return what;
  free_letter(here, l);
  return nullptr;
}

}  // namespace

job* content_of_letter(job& j) noexcept {
  return j.run == &open_letter ? static_cast<letter&>(j).what : nullptr;
}

letter::letter(job& content, job_key k, task_pool* pool) noexcept
    : job{&open_letter}, what(&content), key(k), home(pool) {}

void mailbox::post(letter& l) noexcept {
  size_.fetch_add(1, mo::relaxed);
  atomic<letter*>* const link = last_.exchange(&l.next, mo::acq_rel);  // [B3]
  link->store(&l, mo::release);                                        // [B1]
}

letter* mailbox::remove_first(letter* first) noexcept {
  letter* second = first->next.load(mo::acquire);  // [B2]
  if (second == nullptr) {
    first_.store(nullptr, mo::relaxed);
    atomic<letter*>* expected = &first->next;
    if (last_.compare_exchange(expected, &first_, mo::acq_rel, mo::acquire)) {  // [B4]
      size_.fetch_sub(1, mo::relaxed);
      return nullptr;
    }
    // Somebody has got hold of the link and is about to fill it.
    while ((second = first->next.load(mo::acquire)) == nullptr) cpu_pause();  // [B2]
  }
  first_.store(second, mo::relaxed);
  size_.fetch_sub(1, mo::relaxed);
  return second;
}

job* mailbox::receive(slot& s, search_limits const& limits, job_key& key) noexcept {
  letter* l = first_.load(mo::acquire);  // [B2]
  while (l != nullptr) {
    if (limits.nested && !may_take(limits.policy, limits.waiting, l->key)) return nullptr;
    letter* const after = remove_first(l);
    key = l->key;
    job* const what = l->what;
    if (l->take()) return what;
    free_letter(s, *l);
    l = after;
  }
  return nullptr;
}

mailbox::~mailbox() {
  letter* l = first_.load(mo::acquire);  // [B2]
  while (l != nullptr) {
    letter* const after = l->next.load(mo::acquire);  // [B2]
    // The deques are gone, and with them the other copy.
    task_pool::release_from_outside(l, sizeof(letter), l->home);
    l = after;
  }
}

void spawn_to(slot& s, job& what, job_key key, unsigned target) {
  arena& a = *s.arena_;
  if (target == s.index_ || target >= a.concurrency() || a.mail(target).full()) return s.spawn(what, key);
  task_pool* home;
  void* const block = task_pool::allocate(s, sizeof(letter), home);
  auto* const l = new (block) letter(what, key, home);
  note_spawn(what);
  // A thread that looks for work at this moment is given the time to find its mail.
  bool const reserve = a.mail(target).idle() && a.searching() != 0;
  if (reserve) s.offers_.store(s.offers_.load(mo::relaxed) + 1, mo::relaxed);
  try {
    s.spawn(*l, reserve ? key | key_reserved | key_mailed : key);
  } catch (...) {
    free_letter(s, *l);
    throw;
  }
  a.mail(target).post(*l);
}

void spawn_urgent(slot& s, job& what, job_key key) {
  task_pool* home;
  void* const block = task_pool::allocate(s, sizeof(letter), home);
  auto* const l = new (block) letter(what, key, home);
  try {
    s.spawn(*l, key);
  } catch (...) {
    free_letter(s, *l);
    throw;
  }
  try {
    s.arena_->enqueue(*l, 2);
  } catch (std::bad_alloc const&) {
    if (!l->take()) return free_letter(s, *l);
    s.run(&what, key);  // and whoever meets the letter in the deque frees it
  }
}

}  // namespace ashlar::sched
