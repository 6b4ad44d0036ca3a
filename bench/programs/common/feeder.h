// SPDX-License-Identifier: Apache-2.0
// A loop whose body may add iterations: parallel_do in TBB 2020, parallel_for_each with a feeder in oneTBB and Ashlar.
#pragma once

#include <bench/tbb_peer.h>

#if TBB_INTERFACE_VERSION < 12000
#include <tbb/parallel_do.h>
#else
#include <tbb/parallel_for_each.h>
#endif

namespace programs {

#if TBB_INTERFACE_VERSION < 12000
template <typename Item>
using feeder = tbb::parallel_do_feeder<Item>;

template <typename Iterator, typename Body>
void for_each_fed(Iterator first, Iterator last, Body const& body) {
  tbb::parallel_do(first, last, body);
}
#else
template <typename Item>
using feeder = tbb::feeder<Item>;

template <typename Iterator, typename Body>
void for_each_fed(Iterator first, Iterator last, Body const& body) {
  tbb::parallel_for_each(first, last, body);
}
#endif

}  // namespace programs
