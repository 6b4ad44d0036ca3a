// SPDX-License-Identifier: Apache-2.0
// The bursts of a source, and whether they are kept from thieves.
//
// Where even a whole burst takes less time than a theft of a part of it costs, the source's activation and the first
// job of the burst are kept to the thread as long as they are young (slot::offer). What a theft costs depends
// on the processor, and what the messages take on the program: so both ways are tried.
//
// Threads    the one that has the node.
#pragma once

#include <ashlar/flow/work/burst.h>
#include <ashlar/sched/policy/faster_way.h>

#include <cstdint>

namespace ashlar {
inline namespace v1 {
namespace flow {

class source_burst : public burst {
 public:
  /// As burst's.
  ASHLAR_ALWAYS_INLINE bool goes_on() noexcept { return left_ == 0 ? begin() : burst::goes_on(); }
  /// The source's activation is kept to the thread.
  bool is_kept() const noexcept { return is_kept_; }
  /// The burst causes a job. True: it is kept to the thread, too, as the first one.
  bool keeps_job() noexcept { return ++caused_ == 1 && is_kept_; }

 private:
  ASHLAR_EXPORT bool begin() noexcept;

  sched::faster_way way_;   // the second way: bursts are kept
  std::uint64_t took_ = 0;  // the period that goes on, in ticks
  std::uint8_t bursts_ = 0;
  bool is_kept_ = false;
  std::uint8_t caused_ = 0;
};

}  // namespace flow
}  // namespace v1
}  // namespace ashlar
