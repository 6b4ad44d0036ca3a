// SPDX-License-Identifier: Apache-2.0
#include <ashlar/sched/tasks/isolated_task_group.h>

#include "sched/core/observed.h"

#include <cstddef>
#include <vector>

namespace ashlar::inline v1::sched {

// The caller has just laid the newest job back.
bool raise_isolated(slot& s, std::uint32_t tag) {
  uncount_spawn(s);
  struct entry {
    job* what;
    job_key key;
  };
  auto const most = static_cast<std::size_t>(s.bottom() - s.base());
  std::vector<entry> jobs;  // the newest first
  jobs.reserve(most);
  while (jobs.size() < most && s.has_spawned()) {
    entry e{};
    e.what = s.pop(e.key);
    if (e.what == nullptr) break;
    jobs.push_back(e);
  }
  // The jobs go back in their old order, except for the raised ones. There was room for them before.
  bool found = false;
  for (bool const raised : {false, true}) {
    for (std::size_t i = jobs.size(); i-- > 0;) {
      bool const wanted = isolation_of(jobs[i].key) == tag;
      if (wanted == raised) spawn_again(s, *jobs[i].what, jobs[i].key);
      found = found || wanted;
    }
  }
  return found;
}

}  // namespace ashlar::inline v1::sched
