// SPDX-License-Identifier: Apache-2.0
// Two libraries in one process, one built with our headers and one with oneTBB's (FOREIGN), each with objects of types
// that both define in tbb::detail::d1; and the program that calls both (HOST).
#ifdef HOST
#include <cstdio>

extern "C" bool use_ours();
extern "C" bool use_foreign();

int main() {
  bool const ours = use_ours(), foreign = use_foreign();
  std::printf("with our headers: %d, with oneTBB's: %d\n", ours, foreign);
  return ours && foreign ? 0 : 1;
}
#else
#include <oneapi/tbb/detail/_small_object_pool.h>
#include <oneapi/tbb/detail/_task.h>
#include <tbb/task_group.h>

#include <atomic>

namespace d1 = tbb::detail::d1;

namespace {

std::atomic<int> runs{0};

class counted : public d1::task {
 public:
  counted(d1::wait_context& count, d1::small_object_allocator& pool) : count_(count), pool_(pool) {}
  d1::task* execute(d1::execution_data& data) override {
    ++runs;
    return finish(data);
  }
  d1::task* cancel(d1::execution_data& data) override { return finish(data); }

 private:
  d1::task* finish(d1::execution_data& data) {
    d1::wait_context& count = count_;
    d1::small_object_allocator pool = pool_;
    pool.delete_object(this, data);
    count.release();
    return nullptr;
  }
  d1::wait_context& count_;
  d1::small_object_allocator pool_;
};

bool use() {
  constexpr int tasks = 1000;
  runs = 0;
  tbb::task_group_context group;
  d1::wait_context count(tasks);
  for (int i = 0; i < tasks; ++i) {
    d1::small_object_allocator pool{};
    d1::spawn(*pool.new_object<counted>(count, pool), group);
  }
  d1::wait(count, group);
  return runs == tasks;
}

}  // namespace

#ifdef FOREIGN
extern "C" bool use_foreign() { return use(); }
#else
extern "C" bool use_ours() { return use(); }
#endif
#endif
