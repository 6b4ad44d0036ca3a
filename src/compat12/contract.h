// SPDX-License-Identifier: Apache-2.0
// The binary contract of libtbb.so.12 on x86-64: the types that programs compiled against oneTBB's headers share with
// the library, with the offsets that their inlined code uses. The names in tbb::detail are those in the linker's
// symbols; members are named for what this layer does with them. Facts: sizes, offsets and signatures, pinned below and
// compared with the official headers by tests/compat12.
//
// Only this layer includes it: in our own headers some of these names mean other types (they lie in the inline
// namespace ashlar_v1 there).
#pragma once

#include <ashlar/base/atomic.h>
#include <ashlar/sched/core/context.h>
#include <ashlar/sched/policy/job.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <new>
#include <stdexcept>

namespace tbb::detail {

inline namespace d0 {
// What throw_exception throws; the numbers are the contract.
enum class exception_id {
  bad_alloc = 1,
  bad_last_alloc,
  user_abort,
  nonpositive_step,
  out_of_range,
  reservation_length_error,
  missing_wait,
  invalid_load_factor,
  invalid_key,
  bad_tagged_msg_cast,
  unsafe_wait
};
enum string_resource_index : std::uintptr_t {};
enum itt_relation : int {};
}  // namespace d0

namespace r1 {

class arena;
class concurrent_monitor;
struct suspend_point_type;

class ASHLAR_EXPORT bad_last_alloc : public std::bad_alloc {
 public:
  char const* what() const noexcept override;
};
class ASHLAR_EXPORT user_abort : public std::exception {
 public:
  char const* what() const noexcept override;
};
class ASHLAR_EXPORT missing_wait : public std::exception {
 public:
  char const* what() const noexcept override;
};
class ASHLAR_EXPORT unsafe_wait : public std::runtime_error {
 public:
  explicit unsafe_wait(char const* message) : std::runtime_error(message) {}
};

}  // namespace r1

namespace d1 {

using slot_id = unsigned short;
inline constexpr slot_id no_slot = 0xffff;
inline constexpr slot_id any_slot = 0xfffe;
enum itt_domain_enum : int {};

class delegate_base {
 public:
  virtual bool operator()() const = 0;
  virtual ~delegate_base() = default;
};

class wait_tree_vertex_interface {
 public:
  virtual void reserve(std::uint32_t n) = 0;
  virtual void release(std::uint32_t n) = 0;

 protected:
  virtual ~wait_tree_vertex_interface() = default;
};

class small_object_pool {};

// The program writes version, traits and name before it calls initialize, and reads the state for `proxy` only: then
// the object stands for another one and is never passed to the library. All else is ours.
class task_group_context {
 public:
  // unbound -> binding -> top or below, at the first use by a task or a wait; see contexts.cpp.
  enum state_number : std::uint8_t { unbound, binding, top, below, ended, proxy = 0xff };
  enum trait : std::uint8_t { own_fp = 1, concurrent_wait = 2, bound = 4 };

  ashlar::sched::fp_settings fp;
  std::uint32_t unused_8;
  std::uint8_t version;
  std::uint8_t traits;
  std::uint8_t unused_14;
  ashlar::atomic<std::uint8_t> state;
  task_group_context* actual;
  ashlar::atomic<std::uint64_t> begun;   // loop_memory.h
  ashlar::atomic<void*> kind;            // loop_memory.h; null: none
  ashlar::atomic<std::uint32_t> helped;  // loop_memory.h
  ashlar::atomic<std::uint32_t> care;    // loop_memory.h
  // The first exception that no wait has rethrown yet, on the heap.
  ashlar::atomic<std::exception_ptr*> exception;
  std::uint64_t unused_56;
  std::uintptr_t name;
  alignas(ashlar::sched::context) unsigned char node_bytes[56];

  ASHLAR_ALWAYS_INLINE ashlar::sched::context& node() noexcept {
    return *std::launder(reinterpret_cast<ashlar::sched::context*>(node_bytes));
  }
};

struct execution_data {
  task_group_context* context;
  slot_id original_slot;
  slot_id affinity_slot;
};

// The program writes the table's address and the version, and zeroes six words, which are ours from the call that hands
// the task over until its execute or cancel is called.
class alignas(64) task {
 protected:
  virtual ~task() = default;

 public:
  virtual task* execute(execution_data&) = 0;
  virtual task* cancel(execution_data&) = 0;

  std::uint64_t version_and_traits;
  ashlar::sched::job link;
  task_group_context* context;
  slot_id spawner;
  slot_id affinity;
  std::uint32_t unused_36;
  std::uint64_t unused_40[3];
};

// The program counts; whoever brings the count to 0 calls notify_waiters with the object's address.
class wait_context {
 public:
  std::uint64_t version_and_traits;
  ashlar::atomic<std::uint64_t> count;
};

struct constraints {
  int numa_id;
  int max_concurrency;
  int core_type;
  int max_threads_per_core;
};

class task_arena_base {
 public:
  enum : std::intptr_t {
    has_core_type = 1,
    fast_leave = 2
  };  // flags; without the first the last two members are garbage
  enum : int { uninitialized, pending, initialized };
  static constexpr int priority_step = 0x7fffffff / 4;  // low 1, normal 2, high 3 times

  std::intptr_t flags;
  ashlar::atomic<int> initialization;
  ashlar::atomic<r1::arena*> made;
  int max_concurrency;
  unsigned reserved_slots;
  int priority;
  int numa_id;
  int core_type;
  int max_threads_per_core;
};

class task_scheduler_observer {
 public:
  ashlar::atomic<void*> record;  // the program reads whether it is null
  ashlar::atomic<std::intptr_t> unused_16;
  task_arena_base* where;
  virtual void on_scheduler_entry(bool worker) = 0;
  virtual void on_scheduler_exit(bool worker) = 0;
  virtual ~task_scheduler_observer() = default;
};

class global_control {
 public:
  std::size_t value;
  ashlar::atomic<void*> record;
  int parameter;
};

class task_scheduler_handle {
 public:
  global_control* control;  // the program reads whether it is null
};

class base_filter {
 public:
  enum : unsigned { serial = 1, out_of_order = 2, may_make_null = 4 };

  virtual void* operator()(void* item) = 0;
  virtual ~base_filter() = default;
  virtual void finalize(void* item) = 0;

  base_filter* unused_8;
  void* unused_16;
  unsigned mode;
  void* unused_32;
};

class filter_node {
 public:
  ashlar::atomic<std::intptr_t> references;
  filter_node* left;
  filter_node* right;
  virtual base_filter* create_filter() const = 0;
  virtual ~filter_node() = default;
};

class queuing_rw_mutex {
 public:
  class scoped_lock {
   public:
    alignas(8) unsigned char bytes[32];  // the program reads whether the first word is null
  };
  std::uint64_t word;
};

class alignas(128) rtm_mutex {
 public:
  class scoped_lock {
   public:
    enum : int { none, transacting, real };
    rtm_mutex* mutex;
    int state;
  };
  std::uint8_t word;
};

class alignas(128) rtm_rw_mutex {
 public:
  class scoped_lock {
   public:
    enum : int { none, transacting_reader, transacting_writer, real_reader, real_writer };
    rtm_rw_mutex* mutex;
    int state;
  };
  std::uint64_t word;
};

static_assert(sizeof(task_group_context) == 128 && alignof(task_group_context) == 8);
static_assert(offsetof(task_group_context, version) == 12 && offsetof(task_group_context, traits) == 13);
static_assert(offsetof(task_group_context, state) == 15 && offsetof(task_group_context, actual) == 16);
static_assert(offsetof(task_group_context, name) == 64);
static_assert(sizeof(ashlar::sched::context) <= sizeof(task_group_context::node_bytes));
static_assert(sizeof(execution_data) == 16 && offsetof(execution_data, original_slot) == 8);
static_assert(offsetof(execution_data, affinity_slot) == 10);
static_assert(sizeof(task) == 64 && alignof(task) == 64 && sizeof(ashlar::sched::job) == 8);
static_assert(sizeof(wait_context) == 16 && offsetof(wait_context, count) == 8);
static_assert(sizeof(constraints) == 16);
static_assert(sizeof(task_arena_base) == 48 && alignof(task_arena_base) == 8);
static_assert(offsetof(task_arena_base, initialization) == 8 && offsetof(task_arena_base, made) == 16);
static_assert(offsetof(task_arena_base, max_concurrency) == 24 && offsetof(task_arena_base, reserved_slots) == 28);
static_assert(offsetof(task_arena_base, priority) == 32 && offsetof(task_arena_base, numa_id) == 36);
static_assert(offsetof(task_arena_base, core_type) == 40 && offsetof(task_arena_base, max_threads_per_core) == 44);
static_assert(sizeof(task_scheduler_observer) == 32 && sizeof(base_filter) == 40 && sizeof(filter_node) == 32);
static_assert(sizeof(global_control) == 24 && offsetof(global_control, parameter) == 16);
static_assert(sizeof(task_scheduler_handle) == 8 && sizeof(delegate_base) == 8);
static_assert(sizeof(queuing_rw_mutex) == 8 && sizeof(queuing_rw_mutex::scoped_lock) == 32);
static_assert(sizeof(rtm_mutex) == 128 && sizeof(rtm_mutex::scoped_lock) == 16);
static_assert(sizeof(rtm_rw_mutex) == 128 && sizeof(rtm_rw_mutex::scoped_lock) == 16);

}  // namespace d1

}  // namespace tbb::detail
