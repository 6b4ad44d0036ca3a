// SPDX-License-Identifier: Apache-2.0
// What the locks that know their owner throw: apart from the other exceptions (exceptions.h), so that a lock's header
// does without <stdexcept>.
#pragma once

#include <ashlar/base/config.h>

#include <exception>

namespace tbb {

// A thread asked for a reader_writer_lock or critical_section that it holds already.
class improper_lock : public std::exception {
 public:
  char const* what() const noexcept override { return "tbb::improper_lock: the calling thread holds the lock already"; }
};

}  // namespace tbb
