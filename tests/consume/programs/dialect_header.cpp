// SPDX-License-Identifier: Apache-2.0
// A classic pipeline without the macro: its header comes first. Both classes named here exist in dialect_classic.cpp,
// too.
#include <tbb/pipeline.h>
#include <tbb/tbb.h>

static_assert(TBB_INTERFACE_VERSION >= 12000, "compiled without the macro");

namespace {
struct counting : tbb::filter {
  counting() : tbb::filter(tbb::filter::serial_in_order) {}
  void* operator()(void*) override { return made < 20 ? &items[made++] : nullptr; }
  int made = 0;
  int items[20] = {};
};
}  // namespace

int count_by_header();

int count_by_header() {
  counting source;
  tbb::pipeline line;
  line.add_filter(source);
  line.run(2);
  line.clear();
  tbb::mutex m;
  tbb::mutex::scoped_lock lock(m);
  return sizeof(m) == 1 ? source.made : 0;
}
