// SPDX-License-Identifier: Apache-2.0
#include "base/raise.h"

#include <ashlar/flow/engine/message.h>

#include <stdexcept>

namespace ashlar::inline v1::flow {

wait_token* wait_token::join(wait_token* a, wait_token* b) {
  if (a == nullptr || b == nullptr) return a != nullptr ? a : b;
  if (a == b) {
    b->release();
    return a;
  }
  auto* const joint = new wait_token(sched::this_slot());
  joint->first_ = a;
  joint->second_.store(b, mo::relaxed);
  return joint;
}

void wait_token::add_use(wait_token*& joint, wait_token& t) {
  t.retain();
  ASHLAR_TRY { joint = join(joint, &t); }
  ASHLAR_CATCH_ALL {
    t.release();
    ASHLAR_RETHROW;
  }
}

wait_token* wait_token::take_from(wait_token* kept, wait_token const* t) noexcept {
  if (t == nullptr || kept == t) {
    kept->release();
    return nullptr;
  }
  if (kept->first_ == nullptr || kept->joint_uses_.load(mo::acquire) != 1) return kept;  // [FT2]
  kept->first_ = without(kept->first_, t);
  wait_token* const second = without(kept->second_.load(mo::relaxed), t);
  kept->second_.store(second, mo::relaxed);
  if (kept->first_ != nullptr && second != nullptr) return kept;
  wait_token* const left = kept->first_ != nullptr ? kept->first_ : second;
  delete kept;
  return left;
}

void wait_token::release_joint() noexcept {
  if (joint_uses_.fetch_sub(1, mo::acq_rel) != 1) return;  // [FT1] [FT2]
  first_->release();
  second_.load(mo::relaxed)->release();
  delete this;
}

void throw_not_copyable() {
  raise(std::logic_error(
      "tbb::flow: a message that can't be copied has more than one receiver, or was put by a const reference"));
}

}  // namespace ashlar::inline v1::flow
