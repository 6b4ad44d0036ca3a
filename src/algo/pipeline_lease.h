// SPDX-License-Identifier: Apache-2.0
// The lease of a whole pipeline: the thread that has it holds the right to the input and every gate, and carries one
// token after the other without a locked instruction. It says where its token is. A notice in its deque says that the
// rest is to be had; the thread that takes the notice asks for the lease: if the token is past the input, the right to
// the input is that thread's, with the gates that the token has passed; else the holder hears of it, and passes the
// right on.
//
// Threads    begin, go_to, end: the holder. revoke: whoever took the lease's notice.
// Ordering   [PG7] go_to: position, release, light fence, then the word <-> [PG8] revoke: wish, heavy fence, then the
//                 position, acquire: the holder goes nowhere from the position that was read without seeing the wish
//            The exchanges of the word order nothing else: what the holder has written comes with the position [PG7]
//            [PG8], and what lies in gates passes by the gates.
// Model      tests/model/pipeline_gate_model.cpp
#pragma once

#include "os/membarrier.h"

#include <ashlar/base/atomic.h>

#include <cstdint>

namespace ashlar::inline v1::algo {

class pipeline_lease {
 public:
  // The token's number, as the gates that it has passed know it, and its stage.
  struct position {
    std::uint32_t number, stage;  // stage 0: the next token's input
  };

  // Returns the lease's name, which its notice bears.
  std::uint32_t begin() noexcept {
    std::uint32_t const name = name_of(word_.load(mo::relaxed)) + 1;
    position_.store(0, mo::relaxed);
    word_.store(word(name, 0, held), mo::relaxed);
    return name;
  }
  // False: somebody has asked for the lease, which has to end() now.
  bool go_to(std::uint64_t number, std::uint32_t stage) noexcept {
    position_.store(number << stage_bits | stage, mo::release);  // [PG7]
    fence_asymmetric();                                          // [PG7]
    return state_of(word_.load(mo::relaxed)) == held;
  }
  // Returns the first stage whose gate is the holder's still; 0: the holder has the right to the input, and all gates.
  std::uint32_t end() noexcept {
    for (std::uint64_t seen = word_.load(mo::relaxed);;) {
      if (state_of(seen) == revoked) return static_cast<std::uint32_t>(seen) >> state_bits;
      if (word_.compare_exchange(seen, word(name_of(seen), 0, ended), mo::relaxed, mo::relaxed)) return 0;
    }
  }
  // True: the caller has the right to the input, and the gates of the stages before the token's.
  bool revoke(std::uint32_t name, position& token) noexcept {
    std::uint64_t seen = word(name, 0, held);
    std::uint64_t const wish = word(name, 0, wished);
    if (!word_.compare_exchange(seen, wish, mo::relaxed, mo::relaxed)) return false;
    os::heavy_fence();                                     // [PG8]
    std::uint64_t const at = position_.load(mo::acquire);  // [PG8]
    token = {static_cast<std::uint32_t>(at >> stage_bits), static_cast<std::uint32_t>(at)};
    if (token.stage == 0) return false;
    seen = wish;
    return word_.compare_exchange(seen, word(name, token.stage, revoked), mo::relaxed, mo::relaxed);
  }

 private:
  static constexpr unsigned stage_bits = 32, state_bits = 2;
  enum state : std::uint32_t { ended, held, wished, revoked };

  static std::uint64_t word(std::uint32_t name, std::uint32_t stage, state s) noexcept {
    return std::uint64_t{name} << stage_bits | stage << state_bits | s;
  }
  static std::uint32_t name_of(std::uint64_t word) noexcept { return static_cast<std::uint32_t>(word >> stage_bits); }
  static state state_of(std::uint64_t word) noexcept { return static_cast<state>(word & ((1U << state_bits) - 1)); }

  atomic<std::uint64_t> word_{0};
  atomic<std::uint64_t> position_{0};
};

}  // namespace ashlar::inline v1::algo
