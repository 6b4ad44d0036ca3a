// SPDX-License-Identifier: Apache-2.0
// Arenas and constraints of foreign programs, as the scheduler knows them.
#pragma once

#include "contract.h"

#include <ashlar/sched/arena/arena_handle.h>

namespace ashlar {
inline namespace v1 {
namespace compat12 {

namespace d1 = tbb::detail::d1;

// Null as long as the program's object hasn't been initialized.
sched::arena* made_arena(d1::task_arena_base const& a) noexcept;
sched::constraints constraints_of(d1::task_arena_base const& a) noexcept;

}  // namespace compat12
}  // namespace v1
}  // namespace ashlar
