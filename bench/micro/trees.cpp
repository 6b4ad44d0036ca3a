// SPDX-License-Identifier: Apache-2.0
// Irregular recursion without cutoff, both by parallel_invoke: the size of an unbalanced random tree and the
// number of ways to place eleven queens. The result is compared with the serial recursion.
#include <tbb/parallel_invoke.h>

#include <bench/tbb_peer.h>

#include <cstdint>

#include <bench/fib.h>
#include <bench/sampler.h>

namespace {

// --- unbalanced tree: 2000 roots, a node has 8 children with probability .1246 and none otherwise. A node is
// its 64-bit state; the states of its children follow from it, so the tree is the same in every run.

std::uint64_t mix(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}
std::uint64_t child(std::uint64_t parent, int index) {
  return mix(parent + 0x9e3779b97f4a7c15ull * static_cast<std::uint64_t>(index + 1));
}

constexpr int arity = 8;
constexpr std::uint64_t branch_below = 2298478441446787072ull;  // .1246 of 2^64
constexpr std::uint64_t forest_seed = 2007;

bool branches(std::uint64_t node) { return node < branch_below; }

struct serial {
  template <typename A, typename B>
  static void both(A const& a, B const& b) {
    a();
    b();
  }
};
struct parallel {
  template <typename A, typename B>
  static void both(A const& a, B const& b) {
    tbb::parallel_invoke(a, b);
  }
};

template <typename Mode>
long count_nodes(std::uint64_t node);

// Nodes below children first..last of the parent, by halving the interval.
template <typename Mode>
long count_children(std::uint64_t parent, int first, int last) {
  if (last - first == 1) {
    return count_nodes<Mode>(child(parent, first));
  }
  int const middle = first + (last - first) / 2;
  long left, right;
  Mode::both([=, &left] { left = count_children<Mode>(parent, first, middle); },
             [=, &right] { right = count_children<Mode>(parent, middle, last); });
  return left + right;
}

template <typename Mode>
long count_nodes(std::uint64_t node) {
  return branches(node) ? 1 + count_children<Mode>(node, 0, arity) : 1;
}

template <typename Mode>
long count_forest(int roots) {
  return count_children<Mode>(mix(forest_seed), 0, roots);
}

// --- queens: columns and diagonals in use as bit sets; the candidate squares of a row are tried in parallel,
// the lowest one beside all the others.

struct board {
  unsigned columns;
  unsigned left;
  unsigned right;
};

template <typename Mode>
long place_rows(board b, unsigned full);

template <typename Mode>
long try_squares(board b, unsigned squares, unsigned full) {
  unsigned const lowest = squares & (0u - squares);
  unsigned const others = squares ^ lowest;
  board const next{b.columns | lowest, (b.left | lowest) << 1, (b.right | lowest) >> 1};
  if (!others) {
    return place_rows<Mode>(next, full);
  }
  long here, there;
  Mode::both([=, &here] { here = place_rows<Mode>(next, full); },
             [=, &there] { there = try_squares<Mode>(b, others, full); });
  return here + there;
}

template <typename Mode>
long place_rows(board b, unsigned full) {
  if (b.columns == full) {
    return 1;
  }
  unsigned const squares = full & ~(b.columns | b.left | b.right);
  return squares ? try_squares<Mode>(b, squares, full) : 0;
}

template <typename Mode>
long queens(int n) {
  return place_rows<Mode>(board{0, 0, 0}, (1u << n) - 1u);
}

int measure(bench::options const& o, long (*parallel_form)(int), long (*serial_form)(int), int size) {
  bench::report r(o, "ms");
  long const expected = serial_form(size);
  bool right = true;
  auto work = [&] { right = right & (parallel_form(size) == expected); };
  r.ops(static_cast<double>(expected));
  if (o.count) {
    bench::counted_section(work);
  } else {
    auto serial_work = [&] { right = right & (serial_form(size) == expected); };
    r.value("serial_ms", 1e3 * bench::time_repeated(serial_work, 1).wall);
    bench::take_samples(r, work, 1, 1e3);
  }
  r.check(right, "tree");
  return r.finish();
}

int measure_row(bench::options const& o) {
  if (bench::is_row(o, "uts")) {
    return measure(o, count_forest<parallel>, count_forest<serial>, o.size ? static_cast<int>(o.size) : 2000);
  }
  if (bench::is_row(o, "queens")) {
    return measure(o, queens<parallel>, queens<serial>, o.size ? static_cast<int>(o.size) : 11);
  }
  bench::usage("unknown row", o.row);
}

}  // namespace

int main(int argc, char** argv) {
  bench::options const o = bench::parse(argc, argv);
  return bench::with_threads(o.threads, [&o] { return measure_row(o); });
}
