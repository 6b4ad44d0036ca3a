// SPDX-License-Identifier: Apache-2.0
#include <ashlar/algo/small_loop.h>

#include <tbb/blocked_range.h>

#include <doctest/doctest.h>

#include <climits>

namespace {

using ashlar::algo::length_bits;
using ashlar::algo::small_loop_history;
using word = small_loop_history::word;

word after(word before, unsigned bits, bool small) { return small_loop_history(before).after(bits, small); }
bool expected(word w, unsigned bits) { return small_loop_history(w).expects_small(bits); }

struct lengthless {};

}  // namespace

TEST_CASE("small_loop: the bits of a length") {
  using range = tbb::blocked_range<std::size_t>;
  CHECK(length_bits(range(0, 1)) == 1);
  CHECK(length_bits(range(0, 7)) == 3);
  CHECK(length_bits(range(0, 8)) == 4);
  CHECK(length_bits(range(0, SIZE_MAX)) == CHAR_BIT * sizeof(std::size_t));
  CHECK(length_bits(lengthless()) == 0);
}

TEST_CASE("small_loop: a small execution speaks for those that are not longer") {
  for (unsigned bits = 0; bits <= 64; ++bits) {
    CAPTURE(bits);
    CHECK_FALSE(expected(0, bits));
    word const once = after(0, bits, true);
    CHECK(expected(once, bits));
    if (bits != 0) CHECK(expected(once, bits - 1));
    CHECK_FALSE(expected(once, bits + 1));
    // A shorter one does not take away what is known of the longer one, and a longer one that was large changes
    // nothing.
    CHECK(after(once, bits / 2, true) == once);
    CHECK(after(once, bits + 1, false) == once);
    CHECK(expected(after(once, bits + 1, true), bits + 1));
  }
}

TEST_CASE("small_loop: the second disappointment in a row counts") {
  word const known = after(0, 10, true);
  word const doubtful = after(known, 8, false);
  CHECK(expected(doubtful, 10));
  CHECK(after(doubtful, 8, false) == 0);
  CHECK(after(doubtful, 8, true) == known);
  // What a loop that was large again shows afterwards holds for its own length only.
  CHECK_FALSE(expected(after(0, 3, true), 10));
}
