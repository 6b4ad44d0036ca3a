// SPDX-License-Identifier: Apache-2.0
// Names for tools: set_name() gives a name that traces and reports show; event marks a moment.
#pragma once

#include <ashlar/base/object_name.h>
#include <ashlar/obs/trace_region.h>

#include <type_traits>
#include <utility>

namespace tbb {
namespace profiling {

/// Names a flow graph or one of its nodes; traces and reports show the name. The object keeps a copy, of any length,
/// until it ends or has another name; null takes it away. Call it when the object is set up, and not in two threads at
/// a time. Throws std::bad_alloc. Locks are too small for a name: for them, and for any other object, nothing happens.
template <typename Object>
void set_name(Object const& object, char const* name) {
  if constexpr (::ashlar::keeps_name<Object>) object.keep_name(name);
}

// Qt has a macro without a value of this name.
#pragma push_macro("emit")
#undef emit

/// A moment with a name: emit() marks it in the trace that ASHLAR_TRACE records (an instant event of
/// `ashlar-sim export --chrome`). The name is copied, up to 55 bytes of it. Thread-safe. Cost of emit(): a load and a
/// branch while no trace is recorded.
class event {
 public:
  event(char const* name) {  // NOLINT: implicit, as in TBB
    for (unsigned i = 0; name != nullptr && i + 1 < sizeof name_ && name[i] != 0; ++i) name_[i] = name[i];
  }
  /// From a std::string or anything like it.
  template <typename String, typename = decltype(std::declval<String const&>().c_str())>
  event(String const& name) : event(name.c_str()) {}  // NOLINT: implicit, as in TBB

  void emit() { emit(*this); }
  static void emit(event const& e) {
    if (::ashlar::obs::trace_is_on.load(::ashlar::mo::relaxed)) ::ashlar::obs::trace_moment_named(e.name_);
  }

 private:
  char name_[56] = {};
};

#pragma pop_macro("emit")

}  // namespace profiling
}  // namespace tbb

#if !ASHLAR_LEAN_HEADERS && !ASHLAR_CLASSIC_DIALECT
#include <tbb/detail/_exception.h>

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <string>
#endif
