// SPDX-License-Identifier: Apache-2.0
#include "alloc/thread_heap.h"

#include "alloc/heap_registry.h"
#include "alloc/huge_cache.h"
#include "alloc/pool_regions.h"
#include "alloc/settings.h"
#include "os/process.h"
#include "os/thread_end.h"

#include <cerrno>

namespace ashlar::inline v1::alloc {

constinit thread_local heap* current_heap ASHLAR_INITIAL_EXEC = &no_heap;

namespace {

enum class phase : unsigned char { fresh, attached, ending, ended };
constinit thread_local phase thread_phase ASHLAR_INITIAL_EXEC = phase::fresh;

void thread_ends(void* value) noexcept;
constinit os::thread_end at_end{thread_ends};
constinit atomic<bool> start_begun{false};
constinit atomic<std::uint64_t> last_reclaim_ms{0};

// The calls at a thread's end are made several times over; waiting for the second round lets others' calls still use
// the heap.
void thread_ends(void* value) noexcept {
  if (thread_phase == phase::attached) {
    thread_phase = phase::ending;
    if (at_end.ask(value)) {
      return;
    }
  }
  heap* const h = current_heap;
  thread_phase = phase::ended;
  current_heap = &no_heap;
  if (h != &no_heap) {
    h->flush();
    h->shrink();
    leave_heap(h);
  }
}

void before_fork() noexcept {
  if (current_heap != &no_heap) {
    current_heap->take_mail();
  }
  pool_regions_lock().lock();
  heap_registry_lock().lock();
  central.lock().lock();
}
void after_fork_in_parent() noexcept {
  central.lock().unlock();
  heap_registry_lock().unlock();
  pool_regions_lock().unlock();
}
void after_fork_in_child() noexcept {
  central.lock().reset_in_child();
  heap_registry_lock().reset_in_child();
  pool_regions_lock().reset_in_child();
  if (current_heap != &no_heap) {
    current_heap->mail().forget(false);
    current_heap->forget_random();
  }
  forget_mail_of_idle_heaps();
}

// The process's first heap exists and is this thread's, so what is called here may allocate.
void start() noexcept {
  if (start_begun.exchange(true, mo::relaxed)) {
    return;
  }
  read_environment();
  os::call_at_fork(before_fork, after_fork_in_parent, after_fork_in_child);
}

// A thread that forks while another one allocates for the first time must find the hooks. Early, because the hooks of
// what uses the allocator have to be registered later.
[[gnu::constructor(101)]] void at_load() noexcept { start(); }

}  // namespace

heap* heap_use::attach(bool& borrowed) noexcept {
  int const saved = errno;
  heap* const h = adopt_heap();
  if (h != nullptr) {
    current_heap = h;
    start();
    report_version();
    // Without the call the thread's end would go unnoticed: then every operation borrows.
    borrowed = thread_phase == phase::ended;
    if (thread_phase == phase::fresh) {
      thread_phase = phase::attached;
      if (!at_end.ask(h)) {
        thread_phase = phase::ended;
        borrowed = true;
      }
    }
  }
  errno = saved;
  return h;
}

void heap_use::leave_borrowed(heap* h) noexcept {
  if (h != nullptr) {
    current_heap = &no_heap;
    h->flush();
    leave_heap(h);
  }
}

// Heaps at most once per tick of the coarse clock: a program that lives above its limit must not pay for this at every
// request. Huge objects always: there may be no memory but theirs.
void reclaim_from_heaps() noexcept {
  kept_huge.give_all();
  std::uint64_t const now = coarse_ms();
  if (last_reclaim_ms.exchange(now, mo::relaxed) == now) {
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

}  // namespace ashlar::inline v1::alloc
