// SPDX-License-Identifier: Apache-2.0
// With dialect_header.cpp and dialect_onetbb.cpp: files of both dialects in one program. This one is compiled with the macro.
#include <tbb/tbb.h>

static_assert(TBB_INTERFACE_VERSION < 12000, "compiled with -DASHLAR_CLASSIC_DIALECT=1");

struct counting : tbb::filter {
  counting() : tbb::filter(tbb::filter::serial_in_order) {}
  void* operator()(void*) override { return made < 10 ? &items[made++] : nullptr; }
  int made = 0;
  int items[10] = {};
};

int count_classic();

int count_classic() {
  tbb::task_scheduler_init init(2);
  tbb::mutex m;
  tbb::mutex::scoped_lock lock(m);
  bool const of_the_system = m.native_handle() != nullptr;
  counting source;
  tbb::pipeline line;
  line.add_filter(source);
  line.run(2);
  line.clear();
  return of_the_system ? source.made : 0;
}
