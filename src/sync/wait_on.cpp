// SPDX-License-Identifier: Apache-2.0
// The buckets of sleepers (include/ashlar/sync/wait_on.h). A sleeper's record lies on its stack; it is in the list
// of its bucket until a waker takes it off, and then the waker's store to `token` is the last access to it.
//
// [W3] bucket unlocked  -> [W4] bucket locked (the list and the words that conditions read)
// [W5] token set by the waker -> [W6] sleeper reads it (the record may vanish now)
#include <ashlar/sync/wait_on.h>

#include "os/futex.h"
#include "os/membarrier.h"

#include <ashlar/sync/backoff.h>

namespace ashlar {
inline namespace v1 {
namespace sync {

struct sleeper {
  void const* key;
  sleeper* next = nullptr;
  atomic<std::uint32_t> token{0};
  wait_kind kind;

  sleeper(void const* address, wait_kind k) noexcept : key(address), kind(k) {}
};

namespace {

// After so many wakers that found nobody, a bucket is disarmed. Arming costs the next sleeper a heavy fence of up
// to 10 us, a futile look about 10 ns.
#ifdef ASHLAR_MODEL
constexpr std::uint32_t patience = 0;
#else
constexpr std::uint32_t patience = 200;
#endif

class bucket_lock {
 public:
  explicit bucket_lock(wait_bucket& b) noexcept : bucket_(b) { lock(); }
  ~bucket_lock() { unlock(); }
  bucket_lock(bucket_lock const&) = delete;
  bucket_lock& operator=(bucket_lock const&) = delete;

  void lock() noexcept {
    for (backoff wait; bucket_.locked.exchange(1, mo::acquire) != 0;) {  // [W4]
      do wait.pause();
      while (bucket_.locked.load(mo::relaxed) != 0);
    }
  }
  void unlock() noexcept { bucket_.locked.store(0, mo::release); }  // [W3]

 private:
  wait_bucket& bucket_;
};

// Makes wakers look into the bucket from now on. Called with the lock held; may release it for the fence. The count
// keeps others from disarming.
void arm(wait_bucket& b, bucket_lock& lock) noexcept {
  ++b.armed_sleepers;
  b.futile_wakes = 0;
  if (!wakers_use_light_fence() || b.fenced) return;
  b.armed.store(1, mo::relaxed);
  lock.unlock();
  os::heavy_fence();  // [W2]
  lock.lock();
  b.fenced = true;
}

void leave(wait_bucket& b, wait_kind kind) noexcept {
  if (kind == wait_kind::armed) --b.armed_sleepers;
}

// A waker found nobody for its address.
void grow_impatient(wait_bucket& b) noexcept {
  if (b.armed_sleepers != 0 || !wakers_use_light_fence()) return;
  if (b.fenced && b.futile_wakes++ < patience) return;  // not fenced: as it was when the library was loaded
  b.futile_wakes = 0;
  b.fenced = false;
  b.armed.store(0, mo::relaxed);
}

void append(wait_bucket& b, sleeper& s) noexcept {
  (b.last ? b.last->next : b.first) = &s;
  b.last = &s;
}

// Takes the first sleeper of this key off the list.
sleeper* take(wait_bucket& b, void const* key) noexcept {
  sleeper* before = nullptr;
  for (sleeper* s = b.first; s; before = s, s = s->next) {
    if (s->key != key) continue;
    (before ? before->next : b.first) = s->next;
    if (b.last == s) b.last = before;
    leave(b, s->kind);
    return s;
  }
  return nullptr;
}

// Takes this sleeper off the list; false if a waker has done so.
bool take(wait_bucket& b, sleeper& me) noexcept {
  sleeper* before = nullptr;
  for (sleeper* s = b.first; s; before = s, s = s->next) {
    if (s != &me) continue;
    (before ? before->next : b.first) = s->next;
    if (b.last == s) b.last = before;
    leave(b, s->kind);
    return true;
  }
  return false;
}

void rouse(sleeper& s) noexcept {
  atomic<std::uint32_t>& token = s.token;
  token.store(1, mo::release);  // [W5]
  os::futex_wake(token, 1);
}

wait_result sleep(wait_bucket& b, sleeper& me, std::uint64_t nanoseconds) noexcept {
  while (me.token.load(mo::acquire) == 0) {  // [W6]
    if (nanoseconds == wait_forever) {
      os::futex_wait(me.token, 0);
      continue;
    }
    bool const over = !os::futex_wait_for(me.token, 0, nanoseconds);
    // A record that is off the list is about to be woken: the token decides.
    bucket_lock const lock(b);
    if (take(b, me)) return over ? wait_result::timed_out : wait_result::woken;
    nanoseconds = wait_forever;
  }
  return wait_result::woken;
}

}  // namespace

wait_result wait_on(void const* address, bool (*still)(void const*) noexcept, void const* context, wait_kind kind,
                    std::uint64_t nanoseconds) noexcept {
  wait_bucket& b = bucket_of(address);
  sleeper me(address, kind);
  {
    bucket_lock lock(b);
    if (kind == wait_kind::armed) arm(b, lock);
    if (!still(context)) {
      leave(b, kind);
      return wait_result::refused;
    }
    append(b, me);
  }
  return sleep(b, me, nanoseconds);
}

wait_result wait_after(void const* address, void (*enlisted)(void*) noexcept, void* context,
                       std::uint64_t nanoseconds) noexcept {
  wait_bucket& b = bucket_of(address);
  sleeper me(address, wait_kind::noted);
  {
    bucket_lock const lock(b);
    append(b, me);
  }
  enlisted(context);
  return sleep(b, me, nanoseconds);
}

std::size_t wake_one(void const* address) noexcept {
  wait_bucket& b = bucket_of(address);
  sleeper* s;
  {
    bucket_lock const lock(b);
    s = take(b, address);
    if (!s) grow_impatient(b);
  }
  if (!s) return 0;
  rouse(*s);
  return 1;
}

std::size_t wake_all(void const* address) noexcept {
  wait_bucket& b = bucket_of(address);
  sleeper* first = nullptr;
  sleeper** end = &first;
  {
    bucket_lock const lock(b);
    while (sleeper* const s = take(b, address)) {
      s->next = nullptr;
      *end = s;
      end = &s->next;
    }
  }
  std::size_t n = 0;
  for (; first; ++n) {
    sleeper* const next = first->next;
    rouse(*first);
    first = next;
  }
  return n;
}

}  // namespace sync
}  // namespace v1
}  // namespace ashlar
