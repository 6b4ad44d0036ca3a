// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace soak {

// The arenas that all programs share, before the first program.
void make_shared_arenas();

}  // namespace soak
