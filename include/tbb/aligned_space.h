// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ashlar/base/config.h>

#include <cstddef>

namespace tbb {

/// Raw storage for N objects of type T, suitably aligned. Constructs and destroys nothing.
template <typename T, std::size_t N = 1>
class aligned_space {
 public:
  /// The first object's place, and the one behind the last.
  T* begin() const { return reinterpret_cast<T*>(const_cast<unsigned char*>(bytes_)); }
  T* end() const { return begin() + N; }

 private:
  alignas(T) unsigned char bytes_[sizeof(T) * N];
};

}  // namespace tbb

#include <tbb/detail/closure/stddef.h>
#if !ASHLAR_LEAN_HEADERS
#include <tbb/tbb_machine.h>
#endif
