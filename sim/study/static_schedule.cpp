// SPDX-License-Identifier: Apache-2.0
#include "study/static_schedule.h"

#include "engine/geometry.h"

#include <algorithm>
#include <vector>

namespace ashlar::sim {

namespace {

using pieces = std::vector<picoseconds>;

picoseconds whole_work(program const& p, task_state task) {
  picoseconds sum = 0;
  std::vector<task_state> open{task};
  while (!open.empty()) {
    task_state child;
    step const s = p.next(open.back(), child);
    sum += s.work;
    if (s.kind == step_kind::spawn) open.push_back(child);
    if (s.kind == step_kind::end) open.pop_back();
  }
  return sum;
}

// The pieces of a loop in its order. A range's task gives away its right half first, then the right half of the rest.
void add_pieces(program const& p, task_state task, pieces& to) {
  if (p.join_of(task) != join_kind::inherited) return to.push_back(whole_work(p, task));
  std::vector<task_state> halves;
  picoseconds own = 0;
  for (;;) {
    task_state child;
    step const s = p.next(task, child);
    if (s.kind == step_kind::end) break;
    own += s.work;
    if (s.kind == step_kind::spawn) halves.push_back(child);
  }
  if (own != 0) to.push_back(own);
  for (auto half = halves.rbegin(); half != halves.rend(); ++half) add_pieces(p, *half, to);
}

// The longest of the threads' shares.
picoseconds dealt(pieces const& all, unsigned threads) {
  picoseconds longest = 0;
  for (std::size_t t = 0; t < threads; ++t) {
    picoseconds share = 0;
    for (std::size_t i = all.size() * t / threads; i < all.size() * (t + 1) / threads; ++i) share += all[i];
    longest = std::max(longest, share);
  }
  return longest;
}

}  // namespace

picoseconds barrier(machine const& m, unsigned threads) {
  if (threads < 2) return 0;
  geometry const places(m, threads);
  picoseconds farthest = 0;
  for (unsigned t = 1; t < threads; ++t) farthest = std::max(farthest, places.line(0, t));
  return 2 * (farthest + (threads - 2) * m.line_busy);
}

picoseconds static_makespan(program const& p, machine const& m, unsigned threads) {
  picoseconds const meeting = barrier(m, threads);
  task_state root = p.root();
  picoseconds time = 0;
  pieces loop;
  for (;;) {
    task_state child;
    task_state const before = root;
    step const s = p.next(root, child);
    if (s.kind == step_kind::spawn && p.join_of(before) == join_kind::inherited) {
      add_pieces(p, before, loop);  // the program is one loop, and its root the whole range
      return time + dealt(loop, threads) + meeting;
    }
    time += s.work;
    if (s.kind == step_kind::spawn) add_pieces(p, child, loop);
    if (!loop.empty() && s.kind != step_kind::spawn && s.kind != step_kind::work) {
      time += dealt(loop, threads) + meeting;
      loop.clear();
    }
    if (s.kind == step_kind::end) return time;
  }
}

}  // namespace ashlar::sim
