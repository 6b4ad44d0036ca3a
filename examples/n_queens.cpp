// SPDX-License-Identifier: Apache-2.0
// task_group: a search tree with a task per branch. How many ways are there to place n queens on a board?
#include <atomic>
#include <cstdio>

#include <tbb/task_group.h>

struct board {
  int size;
  unsigned columns = 0, left = 0, right = 0;  // attacked squares of the current row, one bit each
  int row = 0;

  unsigned free() const { return ~(columns | left | right) & ((1u << size) - 1); }
  board with_queen(unsigned bit) const { return {size, columns | bit, (left | bit) << 1, (right | bit) >> 1, row + 1}; }
};

long count_serially(board const& b) {
  if (b.row == b.size) {
    return 1;
  }
  long solutions = 0;
  for (unsigned free = b.free(); free; free &= free - 1) {
    solutions += count_serially(b.with_queen(free & -free));
  }
  return solutions;
}

void count(board const& b, std::atomic<long>& solutions) {
  if (b.size - b.row <= 7) {
    solutions.fetch_add(count_serially(b), std::memory_order_relaxed);
    return;
  }
  tbb::task_group branches;
  for (unsigned free = b.free(); free; free &= free - 1) {
    board const next = b.with_queen(free & -free);
    branches.run([next, &solutions] { count(next, solutions); });
  }
  branches.wait();
}

int main() {
  std::atomic<long> solutions{0};
  count(board{11}, solutions);
  std::printf("11 queens: %ld solutions\n", solutions.load());
  return solutions == 2680 ? 0 : 1;
}
