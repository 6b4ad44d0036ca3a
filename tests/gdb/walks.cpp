// SPDX-License-Identifier: Apache-2.0
// Two walks through the library for walks.py, which stops at begin_walk and end_walk: a loop of which a sleeping worker
// is to take a part, and a classic task that is recycled.
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <thread>

extern "C" {
__attribute__((noinline)) void begin_walk() { __asm__ __volatile__("" ::: "memory"); }
__attribute__((noinline)) void end_walk() { __asm__ __volatile__("" ::: "memory"); }
__attribute__((noinline)) void user_code(std::atomic<int>& arrived, int wanted) {
  ++arrived;
  while (arrived.load() < wanted) {
  }
}
}

namespace {

// Each of two threads has to run a part.
void loop() {
  std::atomic<int> arrived{0};
  tbb::parallel_for(tbb::blocked_range<int>(0, 2), [&](tbb::blocked_range<int> const&) { user_code(arrived, 2); });
}

// A parent that splits, waits for its children as its own continuation, and joins.
class recycled : public tbb::task {
 public:
  recycled(std::atomic<int>& arrived, int depth) : arrived_(arrived), depth_(depth) {}
  tbb::task* execute() override {
    user_code(arrived_, 0);
    if (depth_ == 0) return nullptr;
    set_ref_count(3);
    spawn(*new (allocate_child()) recycled(arrived_, depth_ - 1));
    spawn(*new (allocate_child()) recycled(arrived_, depth_ - 1));
    depth_ = 0;
    recycle_as_safe_continuation();
    return nullptr;
  }

 private:
  std::atomic<int>& arrived_;
  int depth_;
};

void classic(int depth) {
  std::atomic<int> arrived{0};
  tbb::task::spawn_root_and_wait(*new (tbb::task::allocate_root()) recycled(arrived, depth));
}

}  // namespace

int main(int, char** words) {
  bool const is_loop = std::strcmp(words[1], "loop") == 0;
  setenv("ASHLAR_NUM_THREADS", "2", 1);  // a machine with one processor has a slot for the worker, too
  tbb::global_control const threads(tbb::global_control::max_allowed_parallelism, is_loop ? 2 : 1);
  for (int i = 0; i < 2; ++i) {
    // The second time everything is made that is made at a first use, and the worker sleeps.
    if (i == 1) std::this_thread::sleep_for(std::chrono::milliseconds(300));
    if (i == 1) begin_walk();
    is_loop ? loop() : classic(1);
  }
  end_walk();
  return 0;
}
