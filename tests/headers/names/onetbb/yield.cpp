// SPDX-License-Identifier: Apache-2.0
// A header of tbb::detail from which programs take the standard's yield, without a header of their own.
#include <oneapi/tbb/detail/_machine.h>

namespace {
using std::this_thread::yield;
}

void give_way() {
  yield();
  tbb::detail::d0::yield();
}
