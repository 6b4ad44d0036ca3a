// SPDX-License-Identifier: Apache-2.0
// The types of a program whose namespace has a function of each name that the library calls (traps.py).
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <utility>

#include "generated_traps.h"

namespace program {

struct my_item {
  int value = 0;
  my_item(int v = 0) : value(v) {}  // NOLINT: implicit
  friend bool operator<(my_item const& a, my_item const& b) { return a.value < b.value; }
  friend bool operator==(my_item const& a, my_item const& b) { return a.value == b.value; }
  friend my_item operator+(my_item const& a, my_item const& b) { return {a.value + b.value}; }
};
struct my_hash {
  std::size_t operator()(my_item const& i) const { return static_cast<std::size_t>(i.value); }
};
struct my_hash_compare {
  std::size_t hash(my_item const& i) const { return static_cast<std::size_t>(i.value); }
  bool equal(my_item const& a, my_item const& b) const { return a.value == b.value; }
};
struct my_less {
  bool operator()(my_item const& a, my_item const& b) const { return a.value < b.value; }
};

struct my_function {
  my_item operator()(my_item const& i) const { return i; }
};

/// A function of the program's namespace.
template <typename Function>
struct my_body {
  Function function;
  explicit my_body(Function f) : function(std::move(f)) {}
  template <typename... Args>
  auto operator()(Args&&... args) const -> decltype(function(std::forward<Args>(args)...)) {
    return function(std::forward<Args>(args)...);
  }
};
template <typename Function>
my_body(Function) -> my_body<Function>;

/// An allocator of the program's namespace.
template <typename T>
struct my_memory {
  using value_type = T;
  my_memory() = default;
  template <typename U>
  my_memory(my_memory<U> const&) {}  // NOLINT: implicit
  T* allocate(std::size_t n) { return std::allocator<T>().allocate(n); }
  void deallocate(T* p, std::size_t n) { std::allocator<T>().deallocate(p, n); }
  friend bool operator==(my_memory const&, my_memory const&) { return true; }
  friend bool operator!=(my_memory const&, my_memory const&) { return false; }
};

}  // namespace program
