// SPDX-License-Identifier: Apache-2.0
// What the programs of the long golden counts share: a table of named rows, each of which does its operation `n` times.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace golden {

inline long volatile sink;

struct row {
  char const* name;
  void (*run)(long n);
};

// PROGRAM ROW SIZE; without arguments it lists its rows.
template <std::size_t Count>
int main(int argc, char** argv, row const (&rows)[Count]) {
  if (argc == 1) {
    for (row const& r : rows) std::puts(r.name);
    return 0;
  }
  if (argc != 3) return 2;
  for (row const& r : rows) {
    if (std::strcmp(r.name, argv[1]) == 0) {
      r.run(std::atol(argv[2]));
      return 0;
    }
  }
  return 2;
}

}  // namespace golden
