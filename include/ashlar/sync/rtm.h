// SPDX-License-Identifier: Apache-2.0
// Hardware transactions of processors that have them (RTM of x86), chosen when the library is loaded. The environment
// variable ASHLAR_RTM=0 switches them off.
#pragma once

#include <ashlar/base/config.h>

namespace ashlar {
inline namespace v1 {
namespace sync {

struct rtm {
  /// What begin() returned: running, or why the transaction has ended.
  enum class outcome { running, try_again, give_up };

  ASHLAR_EXPORT static bool available() noexcept;
  /// Only if available. Returns `running` at first; when the transaction is aborted the processor undoes everything
  /// since then and returns here a second time, with the reason.
  ASHLAR_EXPORT static outcome begin() noexcept;
  ASHLAR_EXPORT static void end() noexcept;
  /// Only in a transaction.
  [[noreturn]] ASHLAR_EXPORT static void abort() noexcept;
  /// How often a lock tries before it takes the real lock.
  static constexpr int attempts = 8;
};

}  // namespace sync
}  // namespace v1
}  // namespace ashlar
