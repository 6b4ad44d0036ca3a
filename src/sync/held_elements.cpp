// SPDX-License-Identifier: Apache-2.0
#include <ashlar/sync/held_elements.h>

#include "os/thread.h"

#include <ashlar/base/assert.h>

#include <cstddef>
#include <cstdint>

namespace ashlar::inline v1::sync {

atomic<bool> elements_are_recorded{false};

namespace {

atomic<bool> asserts_on_own{false};

// Two open tables of fixed size: a child of a fork finds no lock closed.
struct holding {
  atomic<void const*> element{nullptr};  // null: free
  atomic<void const*> holder{nullptr};
};
struct waiting {
  atomic<int> thread{0};  // 0: free
  atomic<bool> for_own{false};
};
constexpr std::size_t holdings_size = 4096, waits_size = 256, farthest = 64;
holding holdings[holdings_size];
waiting waits[waits_size];

// An address that no other thread has at the same time.
void const* me() noexcept {
  static thread_local char here;
  return &here;
}

holding& place(void const* element, std::size_t n) noexcept {
  auto const mixed = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(element)) * 0x9E3779B97F4A7C15u;
  return holdings[((mixed >> 40) + n) % holdings_size];
}

// The first place of the element that belongs to `holder` (null: to anybody), or null.
holding* find(void const* element, void const* holder) noexcept {
  for (std::size_t n = 0; n < farthest; ++n) {
    holding& h = place(element, n);
    if (h.element.load(mo::relaxed) != element) continue;
    if (holder == nullptr || h.holder.load(mo::relaxed) == holder) return &h;
  }
  return nullptr;
}

}  // namespace

void record_elements(bool asserts) noexcept {
  if (asserts) asserts_on_own.store(true, mo::relaxed);
  elements_are_recorded.store(true, mo::relaxed);
}

void record_held(void const* element) noexcept {
  for (std::size_t n = 0; n < farthest; ++n) {
    holding& h = place(element, n);
    void const* nobody = nullptr;
    if (!h.element.compare_exchange(nobody, element, mo::relaxed, mo::relaxed)) continue;
    return h.holder.store(me(), mo::relaxed);
  }
}

// Another thread may give back what the holder has taken.
void record_released(void const* element) noexcept {
  holding* h = find(element, me());
  if (h == nullptr) h = find(element, nullptr);
  if (h == nullptr) return;
  h->holder.store(nullptr, mo::relaxed);
  h->element.store(nullptr, mo::relaxed);
}

void* element_wait::begin(void const* element) noexcept {
  bool const own = find(element, me()) != nullptr;
  if (own && asserts_on_own.load(mo::relaxed)) {
    assertion_failure("concurrent_hash_map", __LINE__, "the element is not held by the calling thread",
                      "a second accessor, or erase, waits for an accessor of the same thread for ever");
  }
  int const thread = os::thread_id();
  for (waiting& w : waits) {
    int nobody = 0;
    if (!w.thread.compare_exchange(nobody, thread, mo::relaxed, mo::relaxed)) continue;
    w.for_own.store(own, mo::relaxed);
    return &w;
  }
  return nullptr;
}

void element_wait::end(void* place) noexcept { static_cast<waiting*>(place)->thread.store(0, mo::relaxed); }

char const* awaited_element(int thread) noexcept {
  for (waiting const& w : waits) {
    if (w.thread.load(mo::relaxed) != thread) continue;
    return w.for_own.load(mo::relaxed) ? "an element that the thread holds itself"
                                       : "an element of a concurrent_hash_map";
  }
  return nullptr;
}

}  // namespace ashlar::inline v1::sync
