// SPDX-License-Identifier: Apache-2.0
// The right to run the input stage, while the thread that has it carries short tokens one after the other: it lets go
// of the right behind each input, and takes it again for the next one. A notice in its deque says so for all that time.
// A thief that takes the notice claims the right if nobody holds it; else it leaves a wish, and the holder passes the
// right on as a job.
//
// Ordering   [PG7] let_go: release -> [PG8] claim: acquire, what the input stage has written
// Model      tests/model/pipeline_gate_model.cpp
#pragma once

#include <ashlar/base/atomic.h>

namespace ashlar::inline v1::algo {

class input_claim {
 public:
  // The holder. What was wished for earlier is no longer known.
  void hold() noexcept { word_.store(held, mo::relaxed); }
  // The holder. False: somebody wishes for the right, and the holder keeps it, to pass it on.
  bool let_go() noexcept {
    unsigned expected = held;
    return word_.compare_exchange(expected, nobody, mo::release, mo::relaxed);  // [PG7]
  }
  // Anyone. True: the right is the caller's.
  bool claim() noexcept {
    unsigned expected = nobody;
    return word_.compare_exchange(expected, held, mo::acquire, mo::relaxed);  // [PG8]
  }
  // Anyone. The same, and else the holder will hear of the wish.
  bool claim_or_wish() noexcept {
    for (unsigned seen = word_.load(mo::relaxed);;) {
      unsigned const wanted = seen == nobody ? held : wished;
      if (word_.compare_exchange(seen, wanted, mo::acquire, mo::relaxed)) return seen == nobody;  // [PG8]
    }
  }

 private:
  static constexpr unsigned held = 0, nobody = 1, wished = 2;

  atomic<unsigned> word_{held};
};

}  // namespace ashlar::inline v1::algo
