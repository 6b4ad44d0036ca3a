// SPDX-License-Identifier: Apache-2.0
#include "algo/pipeline_pace.h"

#include <doctest/doctest.h>

using ashlar::algo::token_pace;
using ashlar::os::tuning;

namespace {

// A pipeline whose tokens have some work, and leave faster or not when they are shared.
struct run {
  tuning tuned{1.0};
  token_pace pace{tuned};
  std::uint64_t now = 0;
  std::uint64_t number = 0;
  bool alone = true;
  std::uint64_t tokens_alone = 0;

  // Makes so many tokens.
  void make(std::uint64_t tokens, std::uint64_t work, std::uint64_t took_alone, std::uint64_t took_shared) {
    for (std::uint64_t i = 0; i < tokens; ++i) {
      if (pace.due(number)) alone = pace.judge(number, 0, number == 0 ? 0 : work, now);
      tokens_alone += alone;
      now += alone ? took_alone : took_shared;
      ++number;
    }
  }
};

}  // namespace

TEST_CASE("tokens of less work than a theft are one thread's") {
  run r;
  r.make(10'000, 200, 220, 110);
  CHECK(r.tokens_alone == 10'000);
}

TEST_CASE("tokens that take as long as it takes to wake a thread are shared, however fast they leave") {
  run r;
  r.make(10'000, 20'000, 20'000, 40'000);
  CHECK(r.tokens_alone == 1);  // the first, of which nothing is known
}

TEST_CASE("tokens that leave faster when they are shared are shared") {
  run r;
  r.make(10'000, 2000, 2100, 1900);
  CHECK(r.tokens_alone == 1);
}

TEST_CASE("tokens that leave no faster are one thread's, but for some periods") {
  run r;
  r.make(100'000, 2000, 2100, 2500);
  CHECK(r.tokens_alone > 85'000);

  SUBCASE("what one thread takes beside the bodies counts") {
    std::uint64_t const before = r.tokens_alone;
    r.make(100'000, 2000, 2100, 2050);
    CHECK(r.tokens_alone - before < 60'000);
  }
}

TEST_CASE("one slow period is borne for one more") {
  run r;
  r.make(1 + 10 * 64, 2000, 2100, 1200);
  r.make(64, 2000, 2100, 5000);
  r.make(10'000, 2000, 2100, 1200);
  CHECK(r.tokens_alone <= 1 + 2 * 64);
}

TEST_CASE("a period whose way was no choice tells nothing about tokens for which there is one") {
  run r;
  r.make(1 + 10 * 64, 20'000, 20'000, 40'000);
  r.make(10'000, 2000, 2100, 1900);
  CHECK(r.tokens_alone == 1);
}

TEST_CASE("work that becomes longer is shared again") {
  run r;
  r.make(5000, 300, 320, 400);
  CHECK(r.tokens_alone == 5000);
  r.make(5000, 30'000, 30'000, 15'000);
  CHECK(r.tokens_alone < 5000 + 100);
}
