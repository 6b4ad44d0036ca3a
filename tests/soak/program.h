// SPDX-License-Identifier: Apache-2.0
// A random program, as soak.py writes it: a tree of steps, each with a few numbers, whose bodies are steps again.
#pragma once

#include "account.h"
#include "step.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace soak {

// Throws std::invalid_argument for what is no program.
step read_program(std::string_view json);

struct deliberate {};  // the exceptions that programs throw

// Where a step runs: what a body inherits from the steps around it.
struct place {
  account& book;
  bool fragile = false;  // an enclosing group may be cancelled: then tasks may be missing, and results be wrong

  place inside(step const& s) const { return {book, fragile || s.wrong != fault::none}; }
};

using action = void (*)(step const&, place const&);
void add_algorithms(std::map<std::string, action, std::less<>>& table);
void add_arenas(std::map<std::string, action, std::less<>>& table);
void add_data(std::map<std::string, action, std::less<>>& table);
void add_system(std::map<std::string, action, std::less<>>& table);

// Takes all steps of a body, one after another.
void take(std::vector<step> const& steps, place const& where);
void take(step const& s, place const& where);

// In iteration i of a step: the steps of the body that fall on it, and then what goes wrong there. `cancel` cancels the
// step's group.
template <typename Cancel>
void take_part(step const& s, int i, place const& where, Cancel const& cancel) {
  for (std::size_t k = 0; k < s.body.size(); ++k) {
    if (i == static_cast<int>((k * 7919 + static_cast<unsigned>(s.a)) % static_cast<unsigned>(s.n))) {
      take(s.body[k], where);
    }
  }
  if (s.wrong == fault::none || i != (s.a + s.b) % s.n) return;
  if (s.wrong == fault::exception) throw deliberate{};
  cancel();
}

// Runs an algorithm whose body may throw. An exception comes out if one was thrown, and none else.
template <typename Run>
void contain(step const& s, place const& where, Run const& run) {
  try {
    run();
    if (s.wrong == fault::exception && !where.fragile) where.book.fail(s.kind + ": an exception was lost");
  } catch (deliberate const&) {
    if (s.wrong != fault::exception) where.book.fail(s.kind + ": an exception came from nowhere");
  }
}

}  // namespace soak
