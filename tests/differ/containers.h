// SPDX-License-Identifier: Apache-2.0
// What the programs of containers share: two containers whose allocators may be unequal, steps that throw, and what is
// left then.
#pragma once

#include "blocks.h"
#include "subjects.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace differ {

// TBB 2020's vector copies its allocator where it should not, and not where it should: there all are equal.
inline int allocator_number(int n) { return DIFFER_ONETBB ? n % 2 : 0; }

inline bool is_whole(step const& s) {
  static char const* const kinds[] = {"copy",        "copy_with",   "move", "move_with",
                                      "copy_assign", "move_assign", "swap", "self"};
  return std::find(std::begin(kinds), std::end(kinds), s.kind) != std::end(kinds);
}

// Half of what concerns both comes from the one that was used last.
template <typename Container>
void turn(std::unique_ptr<Container>& x, std::unique_ptr<Container>& y, step const& s) {
  if (is_whole(s) && s.a % 2 == 0) std::swap(x, y);
}

// Copies, moves and swaps of two containers that are made with an allocator of a number. Tells nothing: the caller
// tells what they hold. False if the step is none of these.
template <typename Container>
bool change_whole(std::unique_ptr<Container>& x, std::unique_ptr<Container>& y, step const& s, std::string const& path,
                  book& told) {
  using allocator = typename Container::allocator_type;
  allocator const other(allocator_number(s.b));
  if (s.kind == "copy") {
    x = std::make_unique<Container>(*y);
  } else if (s.kind == "copy_with") {
    x = std::make_unique<Container>(*y, other);
  } else if (s.kind == "move") {
    x = std::make_unique<Container>(std::move(*y));
    told.tell(path + " moved from is empty", y->empty());
  } else if (s.kind == "move_with") {
    x = std::make_unique<Container>(std::move(*y), other);
    told.known("moved unequal", path + " moved from is empty", y->empty());
    y->clear();
  } else if (s.kind == "copy_assign") {
    *x = *y;
  } else if (s.kind == "move_assign") {
    *x = std::move(*y);
    told.known("moved unequal", path + " moved from is empty", y->empty());
    y->clear();
  } else if (s.kind == "swap") {
    // Of unequal allocators that do not propagate it is undefined.
    if (x->get_allocator() == y->get_allocator() ||
        std::allocator_traits<allocator>::propagate_on_container_swap::value) {
      using std::swap;
      s.b % 2 == 0 ? x->swap(*y) : swap(*x, *y);
    }
  } else if (s.kind == "self") {
    Container const& same = *x;
    *x = same;
  } else if (s.kind == "clear") {
    x->clear();
  } else if (s.kind == "exchange") {
    std::swap(x, y);
  } else {
    return false;
  }
  told.tell(path + " allocators",
            std::to_string(x->get_allocator().number) + " " + std::to_string(y->get_allocator().number));
  return true;
}

// The values of a range, sorted unless their order is determined.
template <typename Range, typename Value>
std::vector<int> values_of(Range const& range, Value const& value, bool ordered) {
  std::vector<int> all;
  for (auto const& x : range) all.push_back(value(x));
  if (!ordered) std::sort(all.begin(), all.end());
  return all;
}

}  // namespace differ
