// SPDX-License-Identifier: Apache-2.0
// The layouts that compiled programs rely on (docs/abi.md). One that differs breaks them: the soname has to rise if a
// release has had it. Private members among them: compiled with -fno-access-control.
#include <ashlar/algo/join_counter.h>
#include <ashlar/sched/arena/arena_handle.h>
#include <ashlar/sched/core/slot.h>
#include <ashlar/sched/tasks/classic_prefix.h>
#include <ashlar/sched/tasks/group_counter.h>
#include <ashlar/sched/tasks/task_group_context.h>
#include <ashlar/sched/tasks/wait_count.h>

#include <cstddef>

using namespace ashlar::sched;

#pragma GCC diagnostic ignored "-Winvalid-offsetof"

static_assert(sizeof(slot) == 512 && alignof(slot) == 128);
static_assert(offsetof(slot, bottom_) == 0 && offsetof(slot, occupant_) == 256 && offsetof(slot, bits_) == 264);
static_assert(offsetof(slot, position_) == 312 && offsetof(slot, root_) == 272 && offsetof(slot, newest_offer_) == 320);
static_assert(offsetof(slot, running_) == 384 && offsetof(slot, pool_) == 432 && offsetof(slot, thread_) == 440);
static_assert(offsetof(slot, arena_) == 448 && offsetof(slot, stacks_) == 456);
using running = slot::running_task;
static_assert(offsetof(running, key) == 0 && offsetof(running, base) == 8 && offsetof(running, task) == 16);
static_assert(offsetof(running, group) == 24 && offsetof(running, fp) == 32 && sizeof(running) == 48);

static_assert(sizeof(deque) == 256 && alignof(deque) == 128 && sizeof(deque::cell) == 16);
static_assert(offsetof(deque, bottom_) == 0 && offsetof(deque, limit_) == 8 && offsetof(deque, ring_) == 16);
static_assert(offsetof(deque, split_) == 24 && offsetof(deque, top_) == 128 && offsetof(deque, published_) == 136);
static_assert(sizeof(deque::ring) == 16 && offsetof(deque::ring, mask) == 8);
static_assert(sizeof(job) == 8 && sizeof(attention_word) == 4 && offsetof(slot_claim, occupant_) == 0);

static_assert(sizeof(context) == 40 && offsetof(context, parent_) == 0 && offsetof(context, fp_) == 8);
static_assert(offsetof(context, state_) == 16 && offsetof(context, clean_epoch_) == 20);
static_assert(offsetof(context, exception_) == 24 && offsetof(context, facade_) == 32);
static_assert(sizeof(tbb::task_group_context) == 80);

static_assert(sizeof(group_counter) == 280 && offsetof(group_counter, run_here_) == 128);
static_assert(offsetof(group_counter, done_here_) == 136 && offsetof(group_counter, run_elsewhere_) == 264);
static_assert(offsetof(group_counter, done_elsewhere_) == 272 && sizeof(group_job) == 40);
static_assert(sizeof(wait_target) == 56 && sizeof(wait_count) == 8 && sizeof(task_pool) == 256);
static_assert(sizeof(task_prefix) == 64 && alignof(task_prefix) == 64);
static_assert(sizeof(arena_visit) == 120 && sizeof(arena_holder) == 40);
static_assert(sizeof(ashlar::algo::join_counter) == 16);
