// SPDX-License-Identifier: Apache-2.0
// How long a thread competes for a lock before it sleeps. Short pauses win a lock that is held for some hundred ns;
// the yields pay off when its holder waits for a processor, and together last about as long as a sleep and a wake-up.
#pragma once

#include <ashlar/sync/backoff.h>

namespace ashlar {
inline namespace v1 {
namespace sync {

#ifdef ASHLAR_MODEL
inline constexpr int most_spins = 0;
inline constexpr int most_yields = 0;
#else
inline constexpr int most_spins = 30;
inline constexpr int most_yields = 30;
#endif

// True as soon as attempt() is; false when it is time to sleep.
template <typename Attempt>
bool contend(Attempt const& attempt) noexcept {
  if (attempt()) return true;
  for (int n = 0, pauses = 4; n < most_spins; ++n) {
    for (int i = 0; i < pauses; ++i) cpu_pause();
    if (attempt()) return true;
    if (pauses < 64) pauses *= 2;
  }
  for (int n = 0; n < most_yields; ++n) {
    yield_thread();
    if (attempt()) return true;
  }
  return false;
}

}  // namespace sync
}  // namespace v1
}  // namespace ashlar
