// SPDX-License-Identifier: Apache-2.0
#include <ashlar/flow/ports.h>

namespace ashlar::inline v1::flow {

__thread wait_token* body_token = nullptr;

}  // namespace ashlar::inline v1::flow
