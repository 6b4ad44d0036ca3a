// SPDX-License-Identifier: Apache-2.0
// What AddressSanitizer and ThreadSanitizer must be told of changes between stacks. Also the ordinary library tells
// them: the program may be compiled with a sanitizer where the library is not, and then its bodies run on these stacks.
// The names are null where the program has no sanitizer.
#pragma once

#include <cstddef>

#ifdef __ELF__
extern "C" {
__attribute__((weak)) void __sanitizer_start_switch_fiber(void** left, void const* low, std::size_t size);    // NOLINT
__attribute__((weak)) void __sanitizer_finish_switch_fiber(void* here, void const** low, std::size_t* size);  // NOLINT
__attribute__((weak)) void __asan_unpoison_memory_region(void const volatile* low, std::size_t size);         // NOLINT
__attribute__((weak)) void* __tsan_get_current_fiber();                                                       // NOLINT
__attribute__((weak)) void* __tsan_create_fiber(unsigned flags);                                              // NOLINT
__attribute__((weak)) void __tsan_destroy_fiber(void* fiber);                                                 // NOLINT
__attribute__((weak)) void __tsan_switch_to_fiber(void* fiber, unsigned flags);                               // NOLINT
}
#else
// Names that a program may lack are ELF's.
inline constexpr void (*__sanitizer_start_switch_fiber)(void** left, void const* low,
                                                        std::size_t size) = nullptr;                    // NOLINT
inline constexpr void (*__sanitizer_finish_switch_fiber)(void*, void const**, std::size_t*) = nullptr;  // NOLINT
inline constexpr void (*__asan_unpoison_memory_region)(void const volatile*, std::size_t) = nullptr;    // NOLINT
inline constexpr void* (*__tsan_get_current_fiber)() = nullptr;                                         // NOLINT
inline constexpr void* (*__tsan_create_fiber)(unsigned) = nullptr;                                      // NOLINT
inline constexpr void (*__tsan_destroy_fiber)(void*) = nullptr;                                         // NOLINT
inline constexpr void (*__tsan_switch_to_fiber)(void*, unsigned) = nullptr;                             // NOLINT
#endif

namespace ashlar {
inline namespace v1 {
namespace os {

class sanitized_stack {
 public:
  sanitized_stack() noexcept = default;
  sanitized_stack(sanitized_stack const&) = delete;
  sanitized_stack& operator=(sanitized_stack const&) = delete;

  // The memory of a stack that is no thread's own has been made.
  void make(char* low, std::size_t size) noexcept {
    low_ = low;
    size_ = size;
    if (__tsan_create_fiber != nullptr) thread_ = __tsan_create_fiber(0);
  }
  // That memory is about to be given back.
  void forget() noexcept {
    if (__tsan_destroy_fiber != nullptr) __tsan_destroy_fiber(thread_);
    if (__asan_unpoison_memory_region != nullptr) __asan_unpoison_memory_region(low_, size_);
  }
  // Right before a change from the stack `from`.
  void begin_change(sanitized_stack& from, bool from_is_threads) noexcept {
    if (__sanitizer_start_switch_fiber != nullptr) __sanitizer_start_switch_fiber(&from.frames_, low_, size_);
    if (__tsan_switch_to_fiber == nullptr) return;
    if (from_is_threads) from.thread_ = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(thread_, 0);
  }
  // Right after a change to this stack; the stack that was left may be a thread's own, whose bounds are told here.
  void end_change(sanitized_stack& left) noexcept {
    if (__sanitizer_finish_switch_fiber != nullptr) __sanitizer_finish_switch_fiber(frames_, &left.low_, &left.size_);
  }

 private:
  void const* low_ = nullptr;
  std::size_t size_ = 0;
  void* frames_ = nullptr;  // what AddressSanitizer keeps for a stack that was left
  void* thread_ = nullptr;  // what ThreadSanitizer takes a stack for
};

}  // namespace os
}  // namespace v1
}  // namespace ashlar
