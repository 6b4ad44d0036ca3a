// SPDX-License-Identifier: Apache-2.0
// What the memory and the cache lines take that graphs of this folder need, without graph and scheduler: the least for
// `build` and `tree`. A graph may take less than `wavefront-lines` (README). --size is the number of rounds.
#include "dialect.h"
#include "sampled.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <thread>
#include <vector>

namespace {

using bench::rounds_of;
using bench::sampled;

// One or two threads that do each round together.
class pair_of_threads {
 public:
  pair_of_threads(bench::options const& o) : threads_(o.threads) {
    if (threads_ > 2) bench::usage("one or two threads", o.row);
  }
  int count() const { return threads_; }
  // part(self) is one thread's part of a round.
  template <typename Part>
  void run(long rounds, Part part) {
    std::atomic<long> finished{0};
    auto const work = [&](int self) {
      for (long r = 1; r <= rounds; ++r) {
        part(self);
        finished.fetch_add(1);
        while (finished.load() < r * threads_) {
        }
      }
    };
    std::thread other([&] {
      if (threads_ == 2) work(1);
    });
    work(0);
    other.join();
  }

 private:
  int const threads_;
};

// `tree`: as many words as it has nodes, each on a line of its own. In each round chance tells anew which thread writes
// a word, as it does with nodes.
int tree_lines(bench::options const& o) {
  struct alignas(64) word {
    long value = 0;
  };
  pair_of_threads pair(o);
  constexpr long nodes = 3 * 1024 - 2;
  std::vector<word> words(static_cast<std::size_t>(nodes));
  long const rounds = rounds_of(o, 200);
  std::uint32_t chances[2] = {12345, 12345};
  long wanted = 0;
  return sampled(
      o, "ns/node", static_cast<double>(rounds * nodes),
      [&] {
        pair.run(rounds, [&](int self) {
          std::uint32_t chance = chances[self];
          for (word& w : words) {
            chance = chance * 1664525 + 1013904223;
            if (pair.count() == 1 || static_cast<int>(chance >> 31) == self) ++w.value;
          }
          chances[self] = chance;
        });
        wanted += rounds;
      },
      [&] { return std::all_of(words.begin(), words.end(), [&](word const& w) { return w.value == wanted; }); });
}

// `wavefront`: a count for each node, on a line of its own, that its two predecessors bring to zero. The threads take
// the rows in turns: a thief gets the row below its victim's, and each of them follows its own to the right.
int wavefront_lines(bench::options const& o) {
  struct alignas(64) cell {
    std::atomic<int> missing{0};
    int needed = 0;
    long value = 0;
  };
  pair_of_threads pair(o);
  constexpr std::size_t side = 100;
  std::vector<cell> cells(side * side);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    cells[i].missing = cells[i].needed = (i / side != 0) + (i % side != 0);
  }
  long const rounds = rounds_of(o, 20);
  long wanted = 0;
  return sampled(
      o, "ns/node", static_cast<double>(rounds) * side * side,
      [&] {
        pair.run(rounds, [&](int self) {
          for (auto row = static_cast<std::size_t>(self); row < side; row += static_cast<std::size_t>(pair.count())) {
            for (std::size_t i = row * side; i < (row + 1) * side; ++i) {
              while (cells[i].missing.load(std::memory_order_acquire) != 0) {
              }
              cells[i].missing.store(cells[i].needed, std::memory_order_relaxed);
              ++cells[i].value;
              if (row + 1 < side) cells[i + side].missing.fetch_sub(1, std::memory_order_acq_rel);
              if (i + 1 < (row + 1) * side) cells[i + 1].missing.fetch_sub(1, std::memory_order_acq_rel);
            }
          }
        });
        wanted += rounds;
      },
      [&] { return std::all_of(cells.begin(), cells.end(), [&](cell const& c) { return c.value == wanted; }); });
}

// `build`: a block of memory for each of 1000 nodes.
int build_blocks(bench::options const& o) {
  constexpr std::size_t nodes = 1000;
  using node = tbb::flow::continue_node<tbb::flow::continue_msg>;
  bool right = true;
  long const rounds = rounds_of(o, 5);
  return sampled(
      o, "ns/node", static_cast<double>(rounds) * nodes,
      [&] {
        for (long i = 0; i < rounds; ++i) {
          std::vector<void*> blocks;
          for (std::size_t n = 0; n < nodes; ++n) blocks.push_back(::operator new(sizeof(node)));
          right = right && blocks.size() == nodes;
          for (void* const b : blocks) ::operator delete(b);
        }
      },
      [&] { return right; });
}

bench::flow_row const rows[] = {
    {"tree_lines", tree_lines},
    {"wavefront_lines", wavefront_lines},
    {"build_blocks", build_blocks},
};

}  // namespace

int main(int argc, char** argv) { return bench::named_row(argc, argv, rows); }
