// SPDX-License-Identifier: Apache-2.0
// Names below oneTBB's public surface (tbb::detail) that published programs use. Compiled only; check.py looks at the
// symbols of the object, so everything here is used and not only named.
#include <oneapi/tbb/detail/_aligned_space.h>
#include <oneapi/tbb/detail/_config.h>
#include <oneapi/tbb/detail/_exception.h>
#include <oneapi/tbb/detail/_machine.h>
#include <oneapi/tbb/detail/_small_object_pool.h>
#include <oneapi/tbb/detail/_task.h>
#include <oneapi/tbb/detail/_template_helpers.h>
#include <oneapi/tbb/detail/_utils.h>
#include <tbb/task_group.h>
#include <tbb/tbb.h>

#include <cstdint>
#include <string>
#include <utility>

namespace {

namespace d0 = tbb::detail::d0;
namespace d1 = tbb::detail::d1;
namespace r1 = tbb::detail::r1;

class counted_task : public d1::task {
 public:
  counted_task(d1::wait_context& count, d1::small_object_allocator& pool) : count_(count), pool_(pool) {}
  d1::task* execute(d1::execution_data& data) override {
    static_cast<void>(d1::is_same_affinity(data) || d1::is_stolen(data));
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

template <typename T>
using has_size = decltype(std::declval<T&>().size());

}  // namespace

void use_tasks() {
  tbb::task_group_context group;
  d1::wait_context count(1);
  count.reserve();
  count.release();
  d1::small_object_allocator pool{};
  auto* const first = pool.new_object<counted_task>(count, pool);
  d1::spawn(*first, group);
  d1::wait(count, group);
  d1::wait_context again(2);
  d1::spawn(*pool.new_object<counted_task>(again, pool), group, d1::slot_id{0});
  d1::execute_and_wait(*pool.new_object<counted_task>(again, pool), group, again, group);
  static_cast<void>(d1::current_task_ptr());
}

std::uintptr_t use_helpers() {
  d1::cpu_ctl_env settings;
  settings.get_env();
  settings.set_env();
  tbb::detail::machine_pause(1);
  d0::machine_pause(1);
  tbb::detail::yield();
  d0::suppress_unused_warning(tbb::detail::aligned_space<int>{});
  auto guard = tbb::detail::make_raii_guard([] {});
  tbb::detail::try_call([] {}).on_exception([] {});
  static_assert(tbb::detail::supports<std::string, has_size>::value);
  static_assert(tbb::detail::exception_id::bad_alloc == d0::exception_id::bad_alloc);
  auto const codec = d0::multi_core_type_codec::encode({1, 2});
  if (codec < 0) {
    r1::throw_exception(tbb::detail::exception_id::out_of_range);
  }
  return r1::cache_line_size() + tbb::detail::log2(8u) + tbb::detail::reverse_bits(1u) +
         tbb::detail::align_to_greater(std::uintptr_t{1}, tbb::detail::max_nfs_size);
}
