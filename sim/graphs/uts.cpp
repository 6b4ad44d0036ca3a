// SPDX-License-Identifier: Apache-2.0
// The Unbalanced Tree Search benchmark (Olivier et al. 2006): a node's number of children follows from its SHA-1
// digest, a child's digest from its parent's and its number. The published trees T1 (4 130 071 nodes) and T3 (4 112 897
// nodes) come out exactly.
#include "graphs/families.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <vector>

namespace ashlar::sim {

namespace {

using digest = std::array<std::uint32_t, 5>;

// SHA-1 (FIPS 180) of up to 13 words.
template <std::size_t Words>
digest sha1(std::array<std::uint32_t, Words> const& message) {
  static_assert(Words <= 13);
  std::uint32_t w[80] = {};
  for (std::size_t i = 0; i < Words; ++i) w[i] = message[i];
  w[Words] = 0x80000000u;
  w[15] = 32 * Words;
  for (int i = 16; i < 80; ++i) w[i] = std::rotl(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
  digest h{0x67452301u, 0xEFCDAB89u, 0x98BADCFEu, 0x10325476u, 0xC3D2E1F0u};
  auto [a, b, c, d, e] = h;
  for (int i = 0; i < 80; ++i) {
    std::uint32_t const f = i < 20 ? (b & c) | (~b & d) : i < 40 || i >= 60 ? b ^ c ^ d : (b & c) | (b & d) | (c & d);
    constexpr std::uint32_t constant[] = {0x5A827999u, 0x6ED9EBA1u, 0x8F1BBCDCu, 0xCA62C1D6u};
    std::uint32_t const t = std::rotl(a, 5) + f + e + constant[i / 20] + w[i];
    e = d;
    d = c;
    c = std::rotl(b, 30);
    b = a;
    a = t;
  }
  return {h[0] + a, h[1] + b, h[2] + c, h[3] + d, h[4] + e};
}

// A node: pc is its depth and how many children it has spawned, seed, a and b's upper half its digest.
class uts : public program {
 public:
  explicit uts(std::uint32_t seed, picoseconds node) : seed_(seed), node_(node) {}

  task_state root() const override { return node(sha1(std::array<std::uint32_t, 5>{0, 0, 0, 0, seed_}), 0); }
  step next(task_state& self, task_state& child) const override {
    if (self.pc == 0) {
      self.pc = 1;
      return {step_kind::work, node_};
    }
    std::int64_t const depth = self.c & 0xffffffff;
    std::uint32_t const spawned = self.pc - 1;
    digest const d = digest_of(self);
    if (spawned < children(d[4] & 0x7fffffffu, depth)) {
      ++self.pc;
      child = node(sha1(std::array<std::uint32_t, 6>{d[0], d[1], d[2], d[3], d[4], spawned}), depth + 1);
      return {step_kind::spawn};
    }
    return {step_kind::end};
  }
  join_kind join_of(task_state const&) const override { return join_kind::inherited; }
  std::string region_name(std::uint32_t) const override { return "node"; }

 protected:
  // `random`: 31 bits.
  virtual std::uint32_t children(std::uint32_t random, std::int64_t depth) const = 0;

 private:
  static digest digest_of(task_state const& s) {
    auto const a = static_cast<std::uint64_t>(s.a), b = static_cast<std::uint64_t>(s.b);
    return {static_cast<std::uint32_t>(a >> 32), static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b >> 32),
            static_cast<std::uint32_t>(b), static_cast<std::uint32_t>(s.seed)};
  }
  static task_state node(digest const& d, std::int64_t depth) {
    task_state s;
    s.a = static_cast<std::int64_t>(std::uint64_t(d[0]) << 32 | d[1]);
    s.b = static_cast<std::int64_t>(std::uint64_t(d[2]) << 32 | d[3]);
    s.seed = d[4];
    s.c = depth;
    return s;
  }
  std::uint32_t const seed_;
  picoseconds const node_;
};

// Walks the tree in the order of one worker with a deque; if it has not ended after 300 000 nodes it is as large as is
// to be expected, or larger.
graph_size size_of_tree(uts const& tree, double expected, double node_ps) {
  constexpr double most = 300'000;
  graph_size result;
  std::vector<task_state> open{tree.root()};
  auto const seen = [&] { return result.tasks + static_cast<double>(open.size()); };
  while (!open.empty() && seen() < most) {
    task_state self = open.back(), child;
    open.pop_back();
    ++result.tasks;
    for (step s = tree.next(self, child); s.kind != step_kind::end && seen() < most; s = tree.next(self, child)) {
      if (s.kind == step_kind::spawn) open.push_back(child);
    }
    // Its ancestors are over, but not complete.
    double const chain = static_cast<double>(self.c + 1);
    result.open = std::max(result.open, static_cast<double>(open.size()) + chain);
    result.open_each = std::max(result.open_each, 8 * chain);
  }
  result.open_each = std::min(result.open, result.open_each);
  if (!open.empty()) result.tasks = std::max(seen(), expected);
  result.work = result.tasks * node_ps;
  return result;
}

// Geometric with mean b down to a depth.
class uts_geometric final : public uts {
 public:
  explicit uts_geometric(parameters const& p)
      : uts(static_cast<std::uint32_t>(p["seed"]), in_nanoseconds(p["node_ns"])), depth_(p["depth"]) {
    // The chance of k children or more, (b / (b + 1))^k, as a fraction of 2^31, with 32 more bits.
    auto const b = static_cast<std::uint64_t>(p["b"]);
    std::uint64_t power = std::uint64_t(1) << 63;
    for (std::uint64_t& bound : bounds_) {
      power = static_cast<std::uint64_t>(static_cast<unsigned __int128>(power) * b / (b + 1));
      bound = power;
    }
  }
  static graph_size size(parameters const& p) {
    double expected = 0, level = 1;
    for (std::int64_t depth = 0; depth <= p["depth"]; ++depth, level *= static_cast<double>(p["b"])) expected += level;
    return size_of_tree(uts_geometric(p), expected, ns(p["node_ns"]));
  }

 protected:
  // floor(log(1 - u) / log(1 - p)), p = 1 / (1 + b): how many powers are at least 1 - u.
  std::uint32_t children(std::uint32_t random, std::int64_t depth) const override {
    if (depth >= depth_) return 0;
    std::uint64_t const rest = ((std::uint64_t(1) << 31) - random) << 32;
    std::uint32_t count = 0;
    while (count < bounds_.size() && bounds_[count] >= rest) ++count;
    return count;
  }

 private:
  std::int64_t const depth_;
  std::array<std::uint64_t, 100> bounds_{};
};

// `roots` children of the root; every other node has m children with a probability of q millionths.
class uts_binomial final : public uts {
 public:
  explicit uts_binomial(parameters const& p)
      : uts(static_cast<std::uint32_t>(p["seed"]), in_nanoseconds(p["node_ns"])),
        roots_(static_cast<std::uint32_t>(p["roots"])),
        m_(static_cast<std::uint32_t>(p["m"])),
        bound_((static_cast<std::uint64_t>(p["q_millionths"]) << 31) / 1000000) {}
  static graph_size size(parameters const& p) {
    double const children = static_cast<double>(p["m"] * p["q_millionths"]) * 1e-6;
    double const expected = children < 1 ? 1 + static_cast<double>(p["roots"]) / (1 - children) : HUGE_VAL;
    graph_size result = size_of_tree(uts_binomial(p), expected, ns(p["node_ns"]));
    result.open = std::max(result.open, 1 + static_cast<double>(p["roots"]));
    return result;
  }

 protected:
  std::uint32_t children(std::uint32_t random, std::int64_t depth) const override {
    if (depth == 0) return roots_;
    return random < bound_ ? m_ : 0;
  }

 private:
  std::uint32_t const roots_, m_;
  std::uint64_t const bound_;
};

}  // namespace

std::vector<graph> uts_graphs() {
  return {
      {"utsT1",
       "Unbalanced tree search, geometric (T1 has depth 10: 4 130 071 nodes)",
       {{"b", 4, 1, 100, "children of a node, on average"},
        {"depth", 8, 1, 100, "depth of the tree"},
        {"seed", 19, 0, 2147483647, "seed of the root"},
        {"node_ns", 300, 0, 1000000000, "work per node"}},
       make<uts_geometric>,
       uts_geometric::size},
      {"utsT3",
       "Unbalanced tree search, binomial (T3 has q 0.124875: 4 112 897 nodes)",
       {{"roots", 2000, 1, 10000000, "children of the root"},
        {"m", 8, 1, 1000, "children of a node that has any"},
        {"q_millionths", 120000, 0, 1000000, "probability that it has"},
        {"seed", 42, 0, 2147483647, "seed of the root"},
        {"node_ns", 300, 0, 1000000000, "work per node"}},
       make<uts_binomial>,
       uts_binomial::size},
  };
}

}  // namespace ashlar::sim
