// SPDX-License-Identifier: Apache-2.0
// Whether an exception that the library throws or hands on ends the process (global_control::terminate_on_exception).
#pragma once

#include <ashlar/base/config.h>

namespace ashlar {
inline namespace v1 {

void end_process_on_exception(bool on) noexcept;
bool exceptions_end_process() noexcept;

}  // namespace v1
}  // namespace ashlar
