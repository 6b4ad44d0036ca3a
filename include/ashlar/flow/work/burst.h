// SPDX-License-Identifier: Apache-2.0
// Whether a node goes on with its next message before what its last message has caused.
//
// What a message has caused goes first: few messages are under way then, and their data is in the caches. Meanwhile the
// node's next message is on offer to thieves. If bodies are so short that a thief is there for each message, the state
// of all nodes on its way changes processors for each message, which takes several times as long as the bodies. Such
// messages come in bursts: the node goes on, the first successor is on offer instead, and its thief stays with it.
//
// Threads    the one that has the node.
#pragma once

#include <ashlar/base/config.h>

#include <cstdint>

namespace ashlar {
inline namespace v1 {
namespace flow {

class burst {
 public:
  /// A message has ended, and another one is there. True: it goes before what the first one has caused.
  ASHLAR_ALWAYS_INLINE bool goes_on() noexcept {
    if (left_ == 0) return begin();
    --left_;
    return are_short_;
  }

 protected:
  static constexpr std::uint32_t messages = 16;
  // False: what the last burst has caused goes first.
  ASHLAR_EXPORT bool begin() noexcept;

  std::uint64_t since_ = 0;  // in ticks
  std::uint32_t left_ = 0;
  bool are_short_ = false;  // the last messages, with what they have caused on this thread
};

}  // namespace flow
}  // namespace v1
}  // namespace ashlar
