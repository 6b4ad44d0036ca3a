// SPDX-License-Identifier: Apache-2.0
// Prints what docs/compatibility.md says that TBB 2020 does otherwise, a line each; run.py wants every line to differ.
#define TBB_SUPPRESS_DEPRECATED_MESSAGES 1
#include "both.h"

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
  tell("an enqueued function throws", in_child([] {
         alarm(5);
         std::atomic<bool> next{false};
         tbb::task_arena arena(2);  // one slot is for callers: a worker runs one function after the other
         arena.enqueue([] { throw 1; });
         arena.enqueue([&] { next = true; });
         while (!next) std::this_thread::yield();
         return 0;
       }));
  tell("hash of a number", long(tbb::tbb_hasher(5)));
  differences_from_both();
}
