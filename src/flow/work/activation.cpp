// SPDX-License-Identifier: Apache-2.0
#include <ashlar/flow/work/activation.h>

namespace ashlar::inline v1::flow {

__thread unsigned call_depth = 0;
__thread std::uintptr_t call_entry = 0;

job* pass_on_after_newest(graph_core& g, slot& here, job& more, bool tiny) noexcept {
  sched::job_key key;
  job* const newest = here.take_back(here.base(), key);
  if (newest == nullptr) return pass_on(g, here, more);
  g.start_counted(here, more, tiny);
  try {
    if (key & sched::key_reserved) {
      here.offer(*newest, key, false);
    } else {
      here.spawn(*newest, key);
    }
  } catch (std::bad_alloc const&) {
    here.run(newest, key);
  }
  return nullptr;
}

}  // namespace ashlar::inline v1::flow
