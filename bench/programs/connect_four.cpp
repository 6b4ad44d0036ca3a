// SPDX-License-Identifier: Apache-2.0
// The value of a position of Connect Four by alpha-beta: the eldest brother is searched first, the others in a
// task_group, and a cut-off cancels them (Feldmann's young brothers wait, 1993). Values do not depend on who is
// searched when.
#include "common/random.h"
#include "common/tbb_program.h"

#include <tbb/task_group.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <vector>

namespace {

// A board of 7 columns and 6 rows as two sets of bits, 7 bits a column, the top one always empty.
struct board {
  std::uint64_t mine = 0, all = 0;

  bool free(int column) const { return (all & (std::uint64_t{1} << (7 * column + 5))) == 0; }
  bool full() const {
    for (int c = 0; c < 7; ++c) {
      if (free(c)) return false;
    }
    return true;
  }
  board drop(int column) const {
    board next;
    next.mine = mine ^ all;  // the other one is to move
    next.all = all | (all + (std::uint64_t{1} << (7 * column)));
    return next;
  }
  // Whether the one who has just moved has four in a row.
  bool lost() const {
    std::uint64_t const his = mine ^ all;
    for (int const step : {1, 6, 7, 8}) {
      std::uint64_t const pairs = his & (his >> step);
      if ((pairs & (pairs >> (2 * step))) != 0) return true;
    }
    return false;
  }
  // Lines still open for the one to move minus those of the other, by a rough count of neighbours.
  int estimate() const {
    std::uint64_t const his = mine ^ all, centre = std::uint64_t{0x3f} << 21;
    int sum = 2 * (count(mine & centre) - count(his & centre));
    for (int const step : {1, 6, 7, 8}) sum += count(mine & (mine >> step)) - count(his & (his >> step));
    return sum;
  }
  static int count(std::uint64_t bits) { return __builtin_popcountll(bits); }
};

constexpr int won = 1000, endless = 100000;
constexpr int order[] = {3, 2, 4, 1, 5, 0, 6};

// Says of a search whether any above it has been cut off.
struct cut {
  cut const* above = nullptr;
  std::atomic<bool> here{false};

  bool any() const { return here.load(std::memory_order_relaxed) || (above != nullptr && above->any()); }
};

int serial(board const& b, int depth, int alpha, int beta) {
  if (b.lost()) return -won - depth;
  if (depth == 0 || b.full()) return b.full() ? 0 : b.estimate();
  int best = -endless;
  for (int const column : order) {
    if (!b.free(column)) continue;
    best = std::max(best, -serial(b.drop(column), depth - 1, -beta, -std::max(alpha, best)));
    if (best >= beta) break;
  }
  return best;
}

class connect_four {
 public:
  // The scale takes plies from the depth, each about a third of the time.
  explicit connect_four(double scale) {
    depth_ = 11;
    for (; scale < 0.75 && depth_ > 6; scale *= 3) --depth_;
    programs::random_stream random(41);
    while (openings_.size() < 6) {
      board b;
      for (int i = 0; i < 6; ++i) b = b.drop(static_cast<int>(random.below(7)));
      if (!b.lost()) openings_.push_back(b);
    }
  }

  void work() {
    for (board const& b : openings_) {
      cut none;
      values_.push_back(search(b, depth_, -endless, endless, none));
    }
  }

  char const* wrong() const {
    // All values at a smaller depth would take no longer to check than one at this depth.
    for (std::size_t i = 0; i < openings_.size(); i += 3) {
      if (values_[i] != serial(openings_[i], depth_, -endless, endless)) return "value of a position";
    }
    return nullptr;
  }

 private:
  static constexpr int serial_depth = 7;

  static int search(board const& b, int depth, int alpha, int beta, cut const& above) {
    if (depth <= serial_depth) return serial(b, depth, alpha, beta);
    if (above.any()) return 0;  // nobody looks at it
    if (b.lost()) return -won - depth;
    if (b.full()) return 0;
    int columns[7];
    int number = 0;
    for (int const column : order) {
      if (b.free(column)) columns[number++] = column;
    }
    std::atomic<int> best{-search(b.drop(columns[0]), depth - 1, -beta, -alpha, above)};
    if (best.load() >= beta || number == 1) return best.load();
    cut mine;
    mine.above = &above;
    tbb::task_group brothers;
    for (int i = 1; i < number; ++i) {
      brothers.run([&, i] {
        if (mine.any()) return;
        int const low = std::max(alpha, best.load());
        int const value = -search(b.drop(columns[i]), depth - 1, -beta, -low, mine);
        // What a search that was cut off found is not a value.
        if (mine.any()) return;
        for (int known = best.load(); known < value && !best.compare_exchange_weak(known, value);) {
        }
        if (value >= beta) {
          mine.here.store(true);
          brothers.cancel();
        }
      });
    }
    brothers.wait();
    return best.load();
  }

  int depth_;
  std::vector<board> openings_;
  std::vector<int> values_;
};

}  // namespace

int main(int argc, char** argv) { return programs::tbb_main<connect_four>(argc, argv); }
