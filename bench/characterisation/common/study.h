// SPDX-License-Identifier: Apache-2.0
// What a program of the study is: a problem of some size class, its serial version, which is the measure of what is
// right, and its parallel versions. Nothing here depends on the library under test.
#pragma once

#include <cstddef>
#include <functional>

namespace study {

enum class size_class { test, simsmall, simmedium, simlarge, native };
inline constexpr char const* size_names[] = {"test", "simsmall", "simmedium", "simlarge", "native"};
inline constexpr std::size_t size_count = 5;

// The row of a program's table of parameters, which has one per size class.
template <typename Parameters>
Parameters const& of(Parameters const (&table)[size_count], size_class s) {
  return table[static_cast<std::size_t>(s)];
}

// Each version computes the whole result anew.
struct problem {
  std::function<void()> serial;
  std::function<void()> tasks;
  std::function<void(int threads)> fixed;  // threads with fixed shares of the work and barriers; empty: there is none
  std::function<bool()> right;             // the last result is that of the serial version, bit by bit
  std::function<bool()> plausible;         // the serial result has a property that is known without the program
};

struct program {
  char const* name;
  char const* structure;  // the constructs that it parallelises with
  problem (*make)(size_class);
};

problem bitcounter(size_class s);
problem lu(size_class s);
problem matmult_loop(size_class s);
problem matmult_recursive(size_class s);
problem treeadd(size_class s);
problem blackscholes(size_class s);
problem bodytrack(size_class s);
problem fluidanimate(size_class s);
problem streamcluster(size_class s);
problem swaptions(size_class s);

}  // namespace study
