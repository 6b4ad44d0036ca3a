// SPDX-License-Identifier: Apache-2.0
// The table of buckets, its set-up when the library is loaded and after fork().
//
// All buckets start armed, so that locks work in constructors of static objects that run before ours. Each disarms
// itself when a waker has found nobody: to write the whole table when the library is loaded would cost every process 20
// us.
#include <ashlar/sync/wait_table.h>

#include "os/fork.h"
#include "os/membarrier.h"

namespace ashlar::inline v1::sync {

constinit wait_bucket wait_table[std::size_t{1} << wait_buckets_log2];

namespace {

atomic<bool> light_fence{false};

// The other threads are gone, and with them the sleepers and the holders of bucket locks.
void reset_in_child() noexcept {
  for (wait_bucket& b : wait_table) {
    b.first = nullptr;
    b.last = nullptr;
    b.armed_sleepers = 0;
    b.futile_wakes = 0;
    b.fenced = false;
    b.locked.store(0, mo::relaxed);
    b.armed.store(light_fence.load(mo::relaxed) ? 0 : 1, mo::relaxed);
  }
}

struct set_up {
  set_up() noexcept {
    os::add_fork_hooks({nullptr, nullptr, reset_in_child});
    if (os::heavy_fence_available()) light_fence.store(true, mo::release);  // [W7]
  }
};
set_up const at_load;

}  // namespace

bool wakers_use_light_fence() noexcept { return light_fence.load(mo::acquire); }  // [W8]

}  // namespace ashlar::inline v1::sync
