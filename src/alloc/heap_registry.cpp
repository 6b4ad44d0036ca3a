// SPDX-License-Identifier: Apache-2.0
#include "alloc/heap_registry.h"

#include "alloc/huge_cache.h"
#include "alloc/pool_regions.h"
#include "alloc/settings.h"

#include <pthread.h>

#include <cerrno>
#include <new>

namespace ashlar {
inline namespace v1 {
namespace alloc {

constinit heap no_heap;
constinit thread_local heap* current_heap = &no_heap;
constinit atomic<std::uint32_t> clean_epoch{0};

namespace {

enum class phase : unsigned char { fresh, attached, ending, ended };
constinit thread_local phase thread_phase ASHLAR_INITIAL_EXEC = phase::fresh;

struct registry {
  slow_lock lock;
  heap* all = nullptr;
  heap* idle = nullptr;
  pthread_key_t key = 0;
  atomic<bool> started{false};
  bool key_works = false;
  atomic<std::uint64_t> last_reclaim_ms{0};
};
constinit registry reg;

// Lock held.
void push_idle(heap* h) noexcept {
  h->idle = true;
  h->prev_idle = nullptr;
  h->next_idle = reg.idle;
  if (reg.idle) {
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

heap* adopt() noexcept {
  {
    slow_guard const g(reg.lock);
    if (heap* const h = reg.idle) {
      remove_idle(h);
      h->append_pending(h->mail().open());
      return h;
    }
  }
  void* const memory = central.metadata(sizeof(heap));
  if (!memory) {
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
void leave(heap* h) noexcept {
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

// The destructor of the thread's key. glibc runs these several times over while any key has a value; waiting
// for the second round lets the destructors of other keys still use the heap.
void thread_ends(void* value) noexcept {
  if (thread_phase == phase::attached) {
    thread_phase = phase::ending;
    if (pthread_setspecific(reg.key, value) == 0) {
      return;
    }
  }
  heap* const h = current_heap;
  thread_phase = phase::ended;
  current_heap = &no_heap;
  if (h != &no_heap) {
    h->flush();
    h->shrink();
    leave(h);
  }
}

void before_fork() noexcept {
  if (current_heap != &no_heap) {
    current_heap->take_mail();
  }
  pool_regions_lock().lock();
  reg.lock.lock();
  central.lock().lock();
}
void after_fork_in_parent() noexcept {
  central.lock().unlock();
  reg.lock.unlock();
  pool_regions_lock().unlock();
}
void after_fork_in_child() noexcept {
  central.lock().reset_in_child();
  reg.lock.reset_in_child();
  pool_regions_lock().reset_in_child();
  if (current_heap != &no_heap) {
    current_heap->mail().forget(false);
    current_heap->forget_random();
  }
  for (heap* h = reg.idle; h; h = h->next_idle) {
    h->mail().forget(true);
  }
}

// The process's first heap exists and is this thread's, so what is called here may allocate.
void start() noexcept {
  if (reg.started.exchange(true, mo::relaxed)) {
    return;
  }
  read_environment();
  pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

bool make_key() noexcept {
  slow_guard const g(reg.lock);
  if (!reg.key_works) {
    reg.key_works = pthread_key_create(&reg.key, thread_ends) == 0;
  }
  return reg.key_works;
}

}  // namespace

heap* heap_use::attach(bool& borrowed) noexcept {
  int const saved = errno;
  heap* const h = adopt();
  if (h) {
    current_heap = h;
    start();
    // Without a key the thread's end would go unnoticed: then every operation borrows.
    borrowed = thread_phase == phase::ended;
    if (thread_phase == phase::fresh) {
      thread_phase = phase::attached;
      if (!make_key() || pthread_setspecific(reg.key, h) != 0) {
        thread_phase = phase::ended;
        borrowed = true;
      }
    }
  }
  errno = saved;
  return h;
}

void heap_use::leave_borrowed(heap* h) noexcept {
  if (h) {
    current_heap = &no_heap;
    h->flush();
    leave(h);
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
  leave(h);
}

bool clean_idle_heaps() noexcept {
  heap* cleaned = nullptr;
  bool given = false;
  for (;;) {
    heap* h;
    {
      slow_guard const g(reg.lock);
      h = reg.idle;
      if (!h) {
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
  while (cleaned) {
    heap* const next = cleaned->next_idle;
    leave(cleaned);
    cleaned = next;
  }
  return given;
}

// Heaps at most once per tick of the coarse clock: a program that lives above its limit must not pay for this at every
// request. Huge objects always: there may be no memory but theirs.
void reclaim_from_heaps() noexcept {
  kept_huge.give_all();
  std::uint64_t const now = coarse_ms();
  if (reg.last_reclaim_ms.exchange(now, mo::relaxed) == now) {
    return;
  }
  clean_idle_heaps();
  heap* const mine = current_heap;
  if (mine != &no_heap) {
    mine->clean();
    mine->cleaned_epoch = clean_epoch.fetch_add(1, mo::relaxed) + 1;
  } else {
    clean_epoch.fetch_add(1, mo::relaxed);
  }
}

void for_each_heap(void (*f)(heap const&, void*), void* arg) noexcept {
  slow_guard const g(reg.lock);
  for (heap const* h = reg.all; h; h = h->next_heap) {
    f(*h, arg);
  }
}

}  // namespace alloc
}  // namespace v1
}  // namespace ashlar
