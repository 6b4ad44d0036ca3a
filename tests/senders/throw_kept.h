// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <mutex>
#include <stdexcept>
#include <vector>

/// Throws a std::runtime_error that lives as long as the program. Implementations complete inside of their handlers, so
/// the thread that threw may be the last to let go, by a count in the C++ library that ThreadSanitizer doesn't see.
[[noreturn]] inline void throw_kept(char const* what) {
  static std::mutex lock;
  static std::vector<std::exception_ptr> kept;
  std::exception_ptr const e = std::make_exception_ptr(std::runtime_error(what));
  {
    std::lock_guard const guard(lock);
    kept.push_back(e);
  }
  std::rethrow_exception(e);
}
