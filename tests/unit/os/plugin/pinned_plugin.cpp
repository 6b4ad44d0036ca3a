// SPDX-License-Identifier: Apache-2.0
// A plugin whose thread outlives its dlclose; thread_test.cpp opens it.
#include "os/thread.h"

#include <cstdint>

extern "C" __attribute__((visibility("default"))) bool plugin_start(std::uint32_t* word) {
  auto const body = [](void* p) {
    auto* const w = static_cast<std::uint32_t*>(p);
    __atomic_store_n(w, 1, __ATOMIC_RELEASE);
    while (__atomic_load_n(w, __ATOMIC_ACQUIRE) != 2) ashlar::os::yield();
    __atomic_store_n(w, 3, __ATOMIC_RELEASE);
  };
  return ashlar::os::start_detached(body, word, 0, "plugin");
}
