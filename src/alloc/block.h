// SPDX-License-Identifier: Apache-2.0
// A free object: its first word links it into a list, its second one holds a signature that only free objects have, so
// that who frees it again is found out. In the ordinary build that is the address of its page's descriptor, which no
// program knows, and half of it is compared; free_check.cpp makes sure. In the hardened build (CMake:
// ASHLAR_MALLOC_HARDENED) both words are encoded with a secret and the object's address, which finds out who writes to
// freed memory, too: hardened.cpp.
//
// Threads: none of its own; an object belongs to the list that holds it.
#pragma once

#include <ashlar/base/config.h>

#include <cstddef>
#include <cstdint>

namespace ashlar {
inline namespace v1 {
namespace alloc {

#ifdef ASHLAR_MALLOC_HARDENED
inline constexpr bool hardened = true;
#else
inline constexpr bool hardened = false;
#endif

// Objects are marked as free, so that a second free is noticed. Without it only for the measurement of README.md, 'What
// the check costs'.
#ifdef ASHLAR_MALLOC_UNCHECKED
inline constexpr bool checked = false;
#else
inline constexpr bool checked = true;
#endif

// What the ends of pages, of large objects and of the allocator's own structures keep unreadable.
inline constexpr std::size_t guard_bytes = hardened ? 4096 : 0;

// What an object of the hardened build has behind its bytes, at least: a word that knows its size. hardened.cpp.
inline constexpr std::size_t tail_bytes = hardened ? 8 : 0;

// Random numbers of the process, made before the first object is handed out; unused in the ordinary build.
struct secrets {
  std::uintptr_t link;
  std::uintptr_t signature;
};
extern secrets secret;

class block {
 public:
  ASHLAR_ALWAYS_INLINE block* next() const noexcept { return reinterpret_cast<block*>(link_ ^ mask()); }
  ASHLAR_ALWAYS_INLINE void set_next(block* b) noexcept { link_ = reinterpret_cast<std::uintptr_t>(b) ^ mask(); }

  // A cleared signature must not be one: in the ordinary build the descriptor must not lie at a multiple of 4 GiB.
  static bool can_sign(void const* pg) noexcept {
    return hardened || static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(pg)) != 0;
  }
  // Is it free, as far as the signature tells? pg: its page.
  ASHLAR_ALWAYS_INLINE bool signed_free(void const* pg) const noexcept {
    if constexpr (!checked) {
      return false;
    } else if constexpr (hardened) {
      return !((signature_ ^ signature(pg)) << 16);
    } else {
      return static_cast<std::uint32_t>(signature_) == static_cast<std::uint32_t>(signature(pg));
    }
  }
  // Nobody wrote to the signature of an object in a page's list.
  bool unharmed(void const* pg) const noexcept { return signature_ == signature(pg); }
  ASHLAR_ALWAYS_INLINE void sign(void const* pg) noexcept {
    if constexpr (checked) signature_ = signature(pg);
  }
  ASHLAR_ALWAYS_INLINE void forget_signature() noexcept {
    if constexpr (checked) signature_ = 0;
  }

 private:
  std::uintptr_t address() const noexcept { return reinterpret_cast<std::uintptr_t>(this); }
  ASHLAR_ALWAYS_INLINE std::uintptr_t mask() const noexcept {
    if constexpr (hardened) {
      return secret.link + address();
    } else {
      return 0;
    }
  }
  ASHLAR_ALWAYS_INLINE std::uintptr_t signature(void const* pg) const noexcept {
    if constexpr (hardened) {
      return (address() ^ secret.signature) * 0x9e3779b97f4a7c15u >> 16;
    } else {
      return reinterpret_cast<std::uintptr_t>(pg);
    }
  }

  std::uintptr_t link_;
  std::uintptr_t signature_;  // the head of a message has its number of objects in the upper 16 bits
};

}  // namespace alloc
}  // namespace v1
}  // namespace ashlar
