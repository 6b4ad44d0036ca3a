// SPDX-License-Identifier: Apache-2.0
// Tutorial, step 6: a table that all tasks write to.
#include <tbb/concurrent_hash_map.h>
#include <tbb/parallel_for.h>
#include <cstdio>
#include <string>

using table = tbb::concurrent_hash_map<std::string, int>;

int main() {
  char const* const words[] = {"slate", "granite", "marble", "slate"};
  table counts;
  tbb::parallel_for(0, 100000, [&](int i) {
    table::accessor entry;  // locks the entry while it lives
    counts.insert(entry, words[i % 4]);
    ++entry->second;
  });
  table::const_accessor slate;
  bool const found = counts.find(slate, "slate");
  std::printf("slate: %d\n", slate->second);
  return found && slate->second == 50000 ? 0 : 1;
}
