// SPDX-License-Identifier: Apache-2.0
// While a trace is recorded, what an object of a foreign program does is a region with the name of its class: all of
// them run in the same functions of this layer.
#pragma once

#include <ashlar/obs/trace_region.h>

namespace ashlar {
inline namespace v1 {
namespace compat12 {

class class_region {
 public:
  // `place`: of the function, which is the program's own code, in the object's virtual table.
  class_region(void const* object, int place) noexcept : on_(obs::trace_is_on.load(mo::relaxed)) {
    if (ASHLAR_LIKELY(!on_)) return;
    void const* const* table;
    __builtin_memcpy(&table, object, sizeof table);
    obs::begin_code_region(table[place]);
  }
  class_region(class_region const&) = delete;
  class_region& operator=(class_region const&) = delete;
  ~class_region() {
    if (ASHLAR_UNLIKELY(on_)) obs::end_trace_region();
  }

 private:
  bool const on_;
};

}  // namespace compat12
}  // namespace v1
}  // namespace ashlar
