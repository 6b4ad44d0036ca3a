// SPDX-License-Identifier: Apache-2.0
#include "alloc/heap_registry.h"

#include <new>

namespace ashlar::inline v1::alloc {

namespace {

struct registry {
  slow_lock lock;
  heap* all = nullptr;
  heap* idle = nullptr;
};
constinit registry reg;

// Lock held.
void push_idle(heap* h) noexcept {
  h->idle = true;
  h->prev_idle = nullptr;
  h->next_idle = reg.idle;
  if (reg.idle != nullptr) {
    reg.idle->prev_idle = h;
  }
  reg.idle = h;
}
void remove_idle(heap* h) noexcept {
  h->idle = false;
  (h->prev_idle ? h->prev_idle->next_idle : reg.idle) = h->next_idle;
  if (h->next_idle) {
    h->next_idle->prev_idle = h->prev_idle;
  }
}

}  // namespace

heap* adopt_heap() noexcept {
  {
    slow_guard const g(reg.lock);
    if (heap* const h = reg.idle) {
      remove_idle(h);
      h->append_pending(h->mail().open());
      return h;
    }
  }
  void* const memory = central.metadata(sizeof(heap));
  if (memory == nullptr) {
    return nullptr;
  }
  heap* const h = new (memory) heap;
  h->cleaned_epoch = clean_epoch.load(mo::relaxed);
  slow_guard const g(reg.lock);
  make_secrets();
  h->next_heap = reg.all;
  reg.all = h;
  return h;
}

// Makes the heap idle. Mail that arrives between closing and the list is found by the second look, because the poster
// asks for the lock after posting.
void leave_heap(heap* h) noexcept {
  for (;;) {
    do {
      while (h->has_mail()) {
        h->receive(~0u);
      }
    } while (!h->mail().close());
    slow_guard const g(reg.lock);
    push_idle(h);
    if (!h->mail().has_mail()) {
      return;
    }
    remove_idle(h);
    h->append_pending(h->mail().open());
  }
}

void tend_idle_heap(heap* h) noexcept {
  {
    slow_guard const g(reg.lock);
    if (!h->idle) {
      return;
    }
    remove_idle(h);
    h->append_pending(h->mail().open());
  }
  leave_heap(h);
}

bool clean_idle_heaps() noexcept {
  heap* cleaned = nullptr;
  bool given = false;
  for (;;) {
    heap* h;
    {
      slow_guard const g(reg.lock);
      h = reg.idle;
      if (h == nullptr) {
        break;
      }
      remove_idle(h);
      h->append_pending(h->mail().open());
    }
    while (h->has_mail()) {
      h->receive(~0u);
    }
    given = h->clean() || given;
    h->next_idle = cleaned;
    cleaned = h;
  }
  while (cleaned != nullptr) {
    heap* const next = cleaned->next_idle;
    leave_heap(cleaned);
    cleaned = next;
  }
  return given;
}

void for_each_heap(void (*f)(heap const&, void*), void* arg) noexcept {
  slow_guard const g(reg.lock);
  for (heap const* h = reg.all; h != nullptr; h = h->next_heap) {
    f(*h, arg);
  }
}

slow_lock& heap_registry_lock() noexcept { return reg.lock; }

void forget_mail_of_idle_heaps() noexcept {
  for (heap* h = reg.idle; h != nullptr; h = h->next_idle) {
    h->mail().forget(true);
  }
}

}  // namespace ashlar::inline v1::alloc
