// SPDX-License-Identifier: Apache-2.0
// Prints what docs/compatibility.md says that TBB 2020 does otherwise, a line each; run.py wants every line to differ.
#define TBB_SUPPRESS_DEPRECATED_MESSAGES 1
#include <tbb/tbb.h>

#include "../told.h"

int main() {
  int ran = 0;
  auto handle = tbb::make_task([&] { ++ran; });
  tbb::structured_task_group group;
  group.run(handle);
  group.wait();
  tell("a handle that is run again", thrown([&] {
         group.run(handle);
         group.wait();
       }));
  tell("hash of a number", long(tbb::tbb_hasher(5)));
}
