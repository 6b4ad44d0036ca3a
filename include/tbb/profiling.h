// SPDX-License-Identifier: Apache-2.0
// Names for tools: set_name() gives an object a name that our own reports show; event marks a moment.
#pragma once

#include <ashlar/base/names.h>

#include <type_traits>
#include <utility>

namespace tbb {
namespace profiling {

// Names a mutex, a flow graph or one of its nodes. The name is copied, and cut after 55 characters; null takes it
// away. Takes a lock; call it when the object is set up. Thread-safe.
template <typename Object>
void set_name(Object const& object, char const* name) {
  ::ashlar::set_object_name(static_cast<void const*>(&object), name);
}

// A user-defined event of a trace. It is accepted and recorded nowhere; emit() costs nothing.
class event {
 public:
  event(char const*) {}  // NOLINT: implicit, as in TBB
  // From a std::string or anything like it.
  template <typename String, typename = decltype(std::declval<String const&>().c_str())>
  event(String const&) {}  // NOLINT: implicit, as in TBB

  void emit() {}
  static void emit(event const&) {}
};

}  // namespace profiling
}  // namespace tbb

#if !ASHLAR_LEAN_HEADERS && !ASHLAR_CLASSIC_DIALECT
#include <tbb/detail/_exception.h>

#include <atomic>
#include <cstdlib>
#include <string>
#endif
