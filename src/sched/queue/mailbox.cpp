// SPDX-License-Identifier: Apache-2.0
#include "sched/queue/mailbox.h"

namespace ashlar::sched {

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

job* mailbox::receive(task_pool& own, search_limits const& limits, job_key& key) noexcept {
  letter* l = first_.load(mo::acquire);  // [B2]
  while (l != nullptr) {
    if (!limits.allow(l->key)) return nullptr;
    letter* const after = remove_first(l);
    key = l->key;
    job* const what = l->what;
    if (l->take()) return what;
    l->free(own);
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

}  // namespace ashlar::sched
