// SPDX-License-Identifier: Apache-2.0
// Prints what oneTBB's headers lay down of the types that programs share with the library.
// Private members among them: compiled with -fno-access-control.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>

#include <tbb/global_control.h>
#include <tbb/tbb.h>

namespace d1 = tbb::detail::d1;

#define SIZE(type) std::printf(#type " %zu/%zu\n", sizeof(type), alignof(type))
#define PLACE(type, member) std::printf(#type "::" #member " %zu\n", offsetof(type, member))

struct a_task : d1::task {
  d1::task* execute(d1::execution_data&) override { return nullptr; }
  d1::task* cancel(d1::execution_data&) override { return this; }
};

// The position of a virtual function in the table, by the pointer to it (Itanium ABI).
template <typename Function>
static long slot_of(Function f) {
  std::uintptr_t words[2];
  static_assert(sizeof f == sizeof words);
  std::memcpy(words, &f, sizeof f);
  return static_cast<long>((words[0] - 1) / sizeof(void*));
}

int main() {
  SIZE(d1::task);
  PLACE(d1::task, m_version_and_traits);
  PLACE(d1::task, m_reserved);
  std::printf("task::execute slot %ld\n", slot_of(&a_task::execute));
  std::printf("task::cancel slot %ld\n", slot_of(&a_task::cancel));
  SIZE(d1::execution_data);
  PLACE(d1::execution_data, original_slot);
  PLACE(d1::execution_data, affinity_slot);
  SIZE(d1::wait_context);
  PLACE(d1::wait_context, m_ref_count);
  SIZE(d1::task_group_context);
  PLACE(d1::task_group_context, my_version);
  PLACE(d1::task_group_context, my_traits);
  PLACE(d1::task_group_context, my_state);
  PLACE(d1::task_group_context, my_actual_context);
  PLACE(d1::task_group_context, my_name);
  std::printf("proxy %d\n", static_cast<int>(d1::task_group_context::state::proxy));
  {
    d1::task_group_context c(d1::task_group_context::bound,
                             d1::task_group_context::fp_settings | d1::task_group_context::concurrent_wait);
    unsigned char traits;
    std::memcpy(&traits, &c.my_traits, 1);
    std::printf("traits %d\n", traits);
  }
  SIZE(d1::small_object_allocator);
  SIZE(d1::task_arena_base);
  PLACE(d1::task_arena_base, my_version_and_traits);
  PLACE(d1::task_arena_base, my_initialization_state);
  PLACE(d1::task_arena_base, my_arena);
  PLACE(d1::task_arena_base, my_max_concurrency);
  PLACE(d1::task_arena_base, my_num_reserved_slots);
  PLACE(d1::task_arena_base, my_priority);
  PLACE(d1::task_arena_base, my_numa_id);
  PLACE(d1::task_arena_base, my_core_type);
  PLACE(d1::task_arena_base, my_max_threads_per_core);
  std::printf("high %d\n", static_cast<int>(d1::task_arena_base::priority::high));
  SIZE(d1::constraints);
  SIZE(d1::global_control);
  PLACE(d1::global_control, my_value);
  PLACE(d1::global_control, my_reserved);
  PLACE(d1::global_control, my_param);
  SIZE(d1::task_scheduler_handle);
  SIZE(d1::task_scheduler_observer);
  PLACE(d1::task_scheduler_observer, my_proxy);
  PLACE(d1::task_scheduler_observer, my_task_arena);
  std::printf("observer::entry slot %ld\n", slot_of(&d1::task_scheduler_observer::on_scheduler_entry));
  std::printf("observer::exit slot %ld\n", slot_of(&d1::task_scheduler_observer::on_scheduler_exit));
  SIZE(d1::delegate_base);
  std::printf("delegate slot %ld\n", slot_of(&d1::delegate_base::operator()));
  SIZE(d1::base_filter);
  PLACE(d1::base_filter, my_filter_mode);
  std::printf("filter slot %ld\n", slot_of(&d1::base_filter::operator()));
  std::printf("filter::finalize slot %ld\n", slot_of(&d1::base_filter::finalize));
  SIZE(d1::filter_node);
  PLACE(d1::filter_node, left);
  PLACE(d1::filter_node, right);
  std::printf("filter_node slot %ld\n", slot_of(&d1::filter_node::create_filter));
  SIZE(d1::queuing_rw_mutex);
  SIZE(d1::queuing_rw_mutex::scoped_lock);
  PLACE(d1::queuing_rw_mutex::scoped_lock, my_mutex);
  SIZE(d1::rtm_mutex);
  SIZE(d1::rtm_mutex::scoped_lock);
  PLACE(d1::rtm_mutex::scoped_lock, m_transaction_state);
  SIZE(d1::rtm_rw_mutex);
  SIZE(d1::rtm_rw_mutex::scoped_lock);
  PLACE(d1::rtm_rw_mutex::scoped_lock, m_transaction_state);
}
