// SPDX-License-Identifier: Apache-2.0
// os/thread_end.h with the destructors of keys. Systems call these several times over while any key has a value.
#pragma once

#include <pthread.h>

#include <cstdint>

namespace ashlar {
inline namespace v1 {
namespace os {

inline bool thread_end::ask(void* value) noexcept {
  std::uint64_t known = made_.load(mo::relaxed);
  if (known == 0) {
    pthread_key_t key;
    if (::pthread_key_create(&key, call_) != 0) return false;
    if (made_.compare_exchange(known, static_cast<std::uint64_t>(key) + 1, mo::relaxed, mo::relaxed)) {
      known = static_cast<std::uint64_t>(key) + 1;
    } else {
      ::pthread_key_delete(key);
    }
  }
  return ::pthread_setspecific(static_cast<pthread_key_t>(known - 1), value) == 0;
}

}  // namespace os
}  // namespace v1
}  // namespace ashlar
