// SPDX-License-Identifier: Apache-2.0
#include <ashlar/flow/activation.h>

namespace ashlar::flow {

__thread unsigned call_depth = 0;
__thread std::uintptr_t call_entry = 0;

}  // namespace ashlar::flow
