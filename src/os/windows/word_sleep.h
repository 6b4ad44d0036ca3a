// SPDX-License-Identifier: Apache-2.0
// Sleeping on a word by WaitOnAddress (os/word_sleep.h).
#pragma once

#include <ashlar/base/atomic.h>

#include "os/windows/system.h"

#include <cstdint>

namespace ashlar {
inline namespace v1 {
namespace os {

inline void sleep_on(atomic<std::uint32_t>& word, std::uint32_t expected) noexcept {
  ::WaitOnAddress(word.address(), &expected, sizeof expected, INFINITE);
}
inline void wake_one(atomic<std::uint32_t>& word) noexcept { ::WakeByAddressSingle(word.address()); }

}  // namespace os
}  // namespace v1
}  // namespace ashlar
