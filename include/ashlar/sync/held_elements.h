// SPDX-License-Identifier: Apache-2.0
// Which thread holds which element of a table, in programs with assertions, and who waits for one, while somebody wants
// to know. A thread that waits for an element that it holds itself waits for ever: assertions say so at once, and the
// hang report later.
//
// Threads    any. Nobody waits; what finds no place is not told of.
// Cost       with assertions a load and a branch for each lock of an element that an accessor takes or gives back;
//            without, nothing but in waits.
#pragma once

#include <ashlar/base/atomic.h>

namespace ashlar {
inline namespace v1 {
namespace sync {

extern ASHLAR_EXPORT atomic<bool> elements_are_recorded;
/// Records elements from now on. `asserts`: a wait for an own element is a failed assertion.
ASHLAR_EXPORT void record_elements(bool asserts) noexcept;

ASHLAR_EXPORT ASHLAR_COLD void record_held(void const* element) noexcept;
ASHLAR_EXPORT ASHLAR_COLD void record_released(void const* element) noexcept;

/// An accessor of the calling thread takes the element, or gives it back.
#if TBB_USE_ASSERT
inline void element_taken(void const* element) noexcept {
  if (elements_are_recorded.load(mo::relaxed)) record_held(element);
}
inline void element_released(void const* element) noexcept {
  if (elements_are_recorded.load(mo::relaxed)) record_released(element);
}
#else
inline void element_taken(void const*) noexcept {}
inline void element_released(void const*) noexcept {}
#endif

#ifdef ASHLAR_MODEL
struct element_wait {
  explicit element_wait(void const*) noexcept {}
  ~element_wait() {}
};
#else
/// A wait of the calling thread for an element.
class element_wait {
 public:
  explicit element_wait(void const* element) noexcept
      : place_(ASHLAR_UNLIKELY(elements_are_recorded.load(mo::relaxed)) ? begin(element) : nullptr) {}
  ~element_wait() {
    if (ASHLAR_UNLIKELY(place_ != nullptr)) end(place_);
  }
  element_wait(element_wait const&) = delete;
  element_wait& operator=(element_wait const&) = delete;

 private:
  ASHLAR_EXPORT ASHLAR_COLD static void* begin(void const* element) noexcept;
  ASHLAR_EXPORT ASHLAR_COLD static void end(void* place) noexcept;

  void* const place_;  // null: it is not told of
};
#endif

/// What the thread with this number in the system waits for, in words; null: for no element.
char const* awaited_element(int thread) noexcept;

}  // namespace sync
}  // namespace v1
}  // namespace ashlar
