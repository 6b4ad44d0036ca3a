// SPDX-License-Identifier: Apache-2.0
// Prints what docs/compatibility.md says that oneTBB does otherwise, a line each. run.py wants every line to differ, so
// that no row of the table there outlives its difference.
#include <tbb/tbb.h>

#include "../told.h"

#include <exception>
#include <string>
#include <utility>

namespace {

template <typename F>
std::string text_of(F const& f) {
  try {
    f();
  } catch (std::exception const& e) {
    return e.what();
  }
  return "";
}

}  // namespace

int main() {
  tbb::concurrent_vector<int> v;
  v.grow_by(5);
  tell("grow_to_at_least of less", v.grow_to_at_least(3) - v.begin());
  tell("text of an exception", text_of([&] { v.at(1000); }));
  tbb::concurrent_bounded_queue<int> q;
  tell("capacity by default", q.capacity());
  q.set_capacity(-1);
  tell("capacity of -1", q.capacity());
  tell("buckets at first", long(tbb::concurrent_hash_map<int, int>().bucket_count()));
  tbb::concurrent_unordered_set<int> one{1};
  tell("a range of one element is divisible", one.range().is_divisible());
  tell("fp_settings", tbb::task_group_context::fp_settings);
  using keyed = tbb::enumerable_thread_specific<int, tbb::cache_aligned_allocator<int>, tbb::ets_key_per_instance>;
  keyed from;
  from.local() = 1;
  tbb::enumerable_thread_specific<int> to;
  to = std::move(from);
  tell("thread-local elements that were moved from", long(from.size()));
}
