// SPDX-License-Identifier: Apache-2.0
#include "sched/queue/mailbox.h"

namespace ashlar::inline v1::sched {

void mailbox::post(task_proxy& l) noexcept {
  size_.fetch_add(1, mo::relaxed);
  atomic<task_proxy*>* const link = last_.exchange(&l.next, mo::acq_rel);  // [B3]
  link->store(&l, mo::release);                                            // [B1]
}

task_proxy* mailbox::remove_first(task_proxy* first) noexcept {
  task_proxy* second = first->next.load(mo::acquire);  // [B2]
  if (second == nullptr) {
    first_.store(nullptr, mo::relaxed);
    atomic<task_proxy*>* expected = &first->next;
    if (last_.compare_exchange(expected, &first_, mo::acq_rel, mo::acquire)) {  // [B4]
      size_.fetch_sub(1, mo::relaxed);
      return nullptr;
    }
    // Another thread has claimed the link and is about to fill it.
    while ((second = first->next.load(mo::acquire)) == nullptr) cpu_pause();  // [B2]
  }
  first_.store(second, mo::relaxed);
  size_.fetch_sub(1, mo::relaxed);
  return second;
}

job* mailbox::receive(task_pool& own, search_limits const& limits, job_key& key) noexcept {
  task_proxy* l = first_.load(mo::acquire);  // [B2]
  while (l != nullptr) {
    if (!limits.allow(l->key)) return nullptr;
    task_proxy* const after = remove_first(l);
    key = l->key;
    job* const what = l->what;
    if (l->take()) return what;
    l->free(own);
    l = after;
  }
  return nullptr;
}

mailbox::~mailbox() {
  task_proxy* l = first_.load(mo::acquire);  // [B2]
  while (l != nullptr) {
    task_proxy* const after = l->next.load(mo::acquire);  // [B2]
    // The deques are gone, and with them the other copy.
    task_pool::release_from_outside(l, sizeof(task_proxy), l->home);
    l = after;
  }
}

}  // namespace ashlar::inline v1::sched
