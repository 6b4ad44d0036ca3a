// SPDX-License-Identifier: Apache-2.0
// The pace at which a heap takes its mail bounds what can wait, whatever other threads do: all their choices up to some
// length are tried. The steps of the owner are those of heap::allocate_slow.
#include <doctest/doctest.h>

#include "alloc/mail_pace.h"

#include <cstdint>
#include <initializer_list>

using ashlar::alloc::mail_pace;

namespace {

struct owner {
  mail_pace pace;
  std::uint64_t live = 0;      // the program has them
  std::uint64_t mail = 0;      // freed by others, one message each
  std::uint64_t at_start = 0;  // lived when mail began to wait without a break
  std::uint64_t last = 0;      // objects that the last slow call made available

  void receive(std::uint64_t most) {
    std::uint64_t const n = most < mail ? most : mail;
    mail -= n;
    if (mail == 0) {
      pace.rest();
    } else {
      pace.took(static_cast<std::uint32_t>(most));
    }
  }
  void freed_by_others(std::uint64_t n) {
    if (mail == 0) {
      at_start = live;
    }
    live -= n;
    mail += n;
  }
  // A slow call that makes `objects` available, of a page that others sent back or of a new one.
  void slow_call(std::uint32_t objects, bool new_page) {
    if (pace.is_due()) {
      receive(pace.due());
    }
    pace.hand_out(objects);
    while (new_page && mail != 0 && pace.is_due()) {
      receive(mail_pace::visit);
    }
    live += objects;
    last = objects;
  }
};

// What waits is at most what lived when it began to, what the last slow call gave, and what a visit puts off.
void try_all(owner o, int steps) {
  REQUIRE(o.mail <= o.at_start + o.last + mail_pace::visit);
  if (steps == 0) {
    return;
  }
  for (std::uint64_t const share : {std::uint64_t{0}, o.live / 2, o.live}) {
    for (std::uint32_t const objects : {1u, 31u, 1024u}) {
      for (bool const new_page : {false, true}) {
        owner next = o;
        next.freed_by_others(share);
        next.slow_call(objects, new_page);
        try_all(next, steps - 1);
      }
    }
  }
}

}  // namespace

TEST_CASE("what waits is bounded by what lived") {
  owner o;
  o.live = 5000;
  try_all(o, 4);
}

TEST_CASE("mail that began with much live drains as the owner allocates") {
  owner o;
  o.live = 100000;
  o.freed_by_others(100000);
  for (int i = 0; i < 100000 / 64 && o.mail != 0; ++i) {
    o.slow_call(64, false);
    o.freed_by_others(64);  // as fast as it allocates
  }
  CHECK(o.mail <= 4 * mail_pace::visit);
}
