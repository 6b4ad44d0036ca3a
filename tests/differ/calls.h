// SPDX-License-Identifier: Apache-2.0
// How often a body was called: a part of the body, copied with it, so that a body that begins anew counts anew.
#pragma once

#include <atomic>

namespace differ {

class calls {
 public:
  calls() = default;
  calls(calls const& other) : made_(other.made_.load()) {}
  calls& operator=(calls const&) = delete;
  int next() const { return ++made_; }

 private:
  mutable std::atomic<int> made_{0};
};

}  // namespace differ
