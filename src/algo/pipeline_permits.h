// SPDX-License-Identifier: Apache-2.0
// How many tokens a pipeline may still make. The input stage, which one thread at a time has the right to, takes a
// permit for each token; where it finds none it stops, and the thread that ends the next token goes on with the input.
//
// Ordering   [PG5] a token's end: permits up, acq_rel <-> [PG6] the input stage: permits down, acq_rel
// Model      tests/model/pipeline_gate_model.cpp
#pragma once

#include <ashlar/base/atomic.h>

#include <cstddef>
#include <cstdint>

namespace ashlar::inline v1::algo {

class permits {
 public:
  explicit permits(std::size_t tokens) noexcept : all_(static_cast<std::int64_t>(tokens)), left_(all_) {}

  // For the input stage. False: there is none, and the right to the input passes to the one who gives a permit back.
  bool take() noexcept { return left_.fetch_sub(1, mo::acq_rel) > 0; }  // [PG6] [PG5]
  // A token has ended. True: the input stage had stopped; the caller has the right to it, and this permit.
  bool give_back() noexcept { return left_.fetch_add(1, mo::acq_rel) < 0; }  // [PG5] [PG6]
  // For whoever has a permit, and the right to the input. True: no other token is on its way, and what carried the last
  // ones has happened.
  bool others_back() const noexcept { return left_.load(mo::acquire) == all_ - 1; }  // [PG6] [PG5]
  // The same caller: a guess at how many others are on their way.
  std::uint64_t others() const noexcept { return static_cast<std::uint64_t>(all_ - 1 - left_.load(mo::relaxed)); }
  std::size_t all() const noexcept { return static_cast<std::size_t>(all_); }

 private:
  std::int64_t const all_;
  atomic<std::int64_t> left_;  // -1: the input stage has stopped
};

}  // namespace ashlar::inline v1::algo
