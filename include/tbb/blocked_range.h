// SPDX-License-Identifier: Apache-2.0
// blocked_range: a half-open interval [begin, end) with a grain size, for the algorithms to split.
//
//   tbb::parallel_for(tbb::blocked_range<std::size_t>(0, n), [&](tbb::blocked_range<std::size_t> const& r) {
//     for (std::size_t i = r.begin(); i != r.end(); ++i) work(i);
//   });
#pragma once

#include <ashlar/base/blocked_range.h>
#include <ashlar/base/interface.h>

// blocked_range<Value>(begin, end, grainsize = 1)
//
// Value is an integer, a pointer, a random-access iterator or a class with these: copying; a < b; b - a, which
// converts to size_t; a + d, where d is a size_t or of the type of b - a. From C++20 on another type does not satisfy
// the template's constraint. A forward declaration in C++20 needs the same constraint, so include this header instead.
//
// const_iterator                          Value, whatever it is
// size_type                               std::size_t
// begin(), end(), grainsize()             what the constructor got
// size()                                  end - begin; end must not come before begin
// empty()                                 !(begin < end)
// is_divisible()                          grainsize < size()
// blocked_range(r, split)                 takes the second half of r, which must be divisible; r keeps the first half,
//                                         and of an odd size the smaller part. Both parts have at least half a grain.
// blocked_range(r, proportional_split&)   takes the share right / (left + right) of r at its end, rounded; neither
//                                         part is empty unless its share is 0. Parts may be smaller than half a grain.
// blocked_range()                         an empty range whose bounds are value-initialised
// is_splittable_in_proportion             true (classic TBB)
//
// Any bounds of an integer type of up to 64 bits are valid, even where end - begin overflows the type. The grain size
// must be positive. Operations throw only what those of Value throw; a splitting constructor that throws leaves r
// as it was if Value's assignment does so. Objects are values: distinct ones may be used by different threads.
namespace tbb {}

// The names below the public surface that programs have used.
namespace tbb {
namespace detail {
namespace d1 {
inline namespace ashlar_v1 {
using ::tbb::blocked_range;
}  // namespace ashlar_v1
}  // namespace d1
}  // namespace detail
}  // namespace tbb

#include <tbb/detail/closure/base.h>
#if !ASHLAR_LEAN_HEADERS
#if !ASHLAR_CLASSIC_DIALECT
#include <iterator>
#endif
#endif
