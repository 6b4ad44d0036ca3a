// SPDX-License-Identifier: Apache-2.0
// aggregator: execute(body) runs the bodies of all threads one at a time; returns when its own has run. What the body
// throws goes to the caller. Not recursive.
//
// aggregator_ext<Handler>: process(operation) hands an object derived from aggregator_operation to the handler,
// together with those of other threads, as a list in the order of their coming: handler(aggregator_operation* first).
// The handler reads next(), then calls start(), performs the operation and calls finish(), for each; it runs in one
// thread at a time and must not throw.
#pragma once

#include <ashlar/base/interface.h>
#include <ashlar/containers/aggregator.h>

#include <tbb/detail/closure/atomic.h>
#include <tbb/detail/closure/stddef.h>
