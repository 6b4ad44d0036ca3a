// SPDX-License-Identifier: Apache-2.0
// Index loops at the limits of their types. This file is compiled so that a signed overflow traps (test.cmake).
#include <tbb/parallel_for.h>

#include <doctest/doctest.h>

#include <atomic>
#include <limits>
#include <type_traits>

namespace {

template <typename Index>
constexpr Index least = std::numeric_limits<Index>::min();
template <typename Index>
constexpr Index most = std::numeric_limits<Index>::max();

// Runs the loop and compares the number of its iterations, and their sum, with those of a serial one.
template <typename Index, typename... Partitioner>
void check_loop(Index first, Index last, Index step, Partitioner const&... partitioner) {
  unsigned long long n = 0, sum = 0;
  for (Index i = first; i < last;) {
    ++n;
    sum += static_cast<unsigned long long>(i);
    if (static_cast<unsigned long long>(last) - static_cast<unsigned long long>(i) <=
        static_cast<unsigned long long>(step)) {
      break;
    }
    i = static_cast<Index>(i + step);
  }
  std::atomic<unsigned long long> seen{0}, total{0};
  tbb::parallel_for(
      first, last, step,
      [&](Index i) {
        ++seen;
        total += static_cast<unsigned long long>(i);
      },
      partitioner...);
  CHECK(seen == n);
  CHECK(total == sum);
}

template <typename Index>
void check_limits() {
  constexpr Index most_of_it = static_cast<Index>(most<Index> / 3 * 2);
  for (Index const step : {most<Index>, most_of_it, static_cast<Index>(most<Index> / 2)}) {
    check_loop<Index>(0, most<Index>, step);
    check_loop<Index>(least<Index>, most<Index>, step);
    check_loop<Index>(least<Index>, most<Index>, step, tbb::simple_partitioner());
    check_loop<Index>(static_cast<Index>(most<Index> - 100), most<Index>, step);
    if constexpr (std::is_signed_v<Index>) {
      check_loop<Index>(least<Index>, 0, step, tbb::static_partitioner());
      check_loop<Index>(static_cast<Index>(least<Index> + 1), -1, step);
    }
  }
  for (Index const step : {Index{1}, Index{3}, Index{7}}) {
    check_loop<Index>(static_cast<Index>(most<Index> - 50), most<Index>, step);
    check_loop<Index>(least<Index>, static_cast<Index>(least<Index> + 50), step, tbb::simple_partitioner());
  }
}

}  // namespace

TEST_CASE_TEMPLATE("an index loop stays in its type", Index, signed char, unsigned char, char, short, unsigned short,
                   int, unsigned, long, unsigned long, long long, unsigned long long) {
  check_limits<Index>();
}

TEST_CASE_TEMPLATE("a narrow index runs through all of its type", Index, signed char, unsigned char, short,
                   unsigned short) {
  check_loop<Index>(least<Index>, most<Index>, 1);
  check_loop<Index>(least<Index>, most<Index>, 1, tbb::simple_partitioner());
  check_loop<Index>(least<Index>, most<Index>, 100);
}
