// SPDX-License-Identifier: Apache-2.0
// The class template behind tbb/combinable.h, which documents it.
#pragma once

#include <ashlar/containers/enumerable_thread_specific.h>

namespace tbb {

template <typename T>
class combinable {
 public:
  combinable() = default;
  template <typename F, typename = std::enable_if_t<std::is_invocable_v<std::decay_t<F>&>>>
  explicit combinable(F initializer) : elements_(std::move(initializer)) {}
  combinable(combinable const&) = default;
  combinable(combinable&&) = default;
  combinable& operator=(combinable const&) = default;
  combinable& operator=(combinable&&) = default;

  void clear() { elements_.clear(); }
  T& local() { return elements_.local(); }
  T& local(bool& exists) { return elements_.local(exists); }
  template <typename Combine>
  T combine(Combine f) {
    return elements_.combine(std::move(f));
  }
  template <typename Function>
  void combine_each(Function f) {
    elements_.combine_each(std::move(f));
  }

 private:
  enumerable_thread_specific<T> elements_;
};

}  // namespace tbb
