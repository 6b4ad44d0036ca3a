// SPDX-License-Identifier: Apache-2.0
// Sleeping on a word by FreeBSD's umtx (os/word_sleep.h).
#pragma once

#include <ashlar/base/atomic.h>

#include <sys/types.h>
#include <sys/umtx.h>

#include <cstdint>

namespace ashlar {
inline namespace v1 {
namespace os {

inline void sleep_on(atomic<std::uint32_t>& word, std::uint32_t expected) noexcept {
  ::_umtx_op(word.address(), UMTX_OP_WAIT_UINT_PRIVATE, expected, nullptr, nullptr);
}
inline void wake_one(atomic<std::uint32_t>& word) noexcept {
  ::_umtx_op(word.address(), UMTX_OP_WAKE_PRIVATE, 1, nullptr, nullptr);
}

}  // namespace os
}  // namespace v1
}  // namespace ashlar
