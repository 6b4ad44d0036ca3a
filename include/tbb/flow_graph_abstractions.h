// SPDX-License-Identifier: Apache-2.0
// What code outside of a flow graph needs to know of it: graph_proxy, receiver_gateway.
#pragma once

#include <ashlar/flow/engine/abstractions.h>

#include <tbb/detail/closure/base.h>
