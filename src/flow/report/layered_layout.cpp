// SPDX-License-Identifier: Apache-2.0
#include "flow/report/layered_layout.h"

#include <algorithm>
#include <utility>

namespace ashlar::inline v1::flow {

layered_layout::layered_layout(std::vector<box> boxes, std::vector<link> links)
    : boxes_(std::move(boxes)), links_(std::move(links)), out_(boxes_.size()), in_(boxes_.size()) {
  for (std::size_t i = 0; i < links_.size(); ++i) {
    out_[links_[i].from].push_back(i);
    in_[links_[i].to].push_back(i);
  }
  mark_links_back();
  choose_columns();
  order_columns();
  place_columns();
}

// Depth first, without recursion: a chain may be long. It begins at boxes that nothing leads to, so that a loop behind
// one is cut where it is entered.
void layered_layout::mark_links_back() {
  enum class state : unsigned char { fresh, open, done };
  std::vector<state> states(boxes_.size(), state::fresh);
  struct visit {
    std::size_t box;
    std::size_t next;  // of its links
  };
  std::vector<visit> path;
  auto const walk = [&](std::size_t root) {
    if (states[root] != state::fresh) return;
    path.push_back({root, 0});
    states[root] = state::open;
    while (!path.empty()) {
      visit& v = path.back();
      if (v.next == out_[v.box].size()) {
        states[v.box] = state::done;
        sorted_.push_back(v.box);
        path.pop_back();
        continue;
      }
      link& l = links_[out_[v.box][v.next++]];
      l.leads_back = states[l.to] == state::open;
      if (states[l.to] != state::fresh) continue;
      states[l.to] = state::open;
      path.push_back({l.to, 0});
    }
  };
  for (std::size_t i = 0; i < boxes_.size(); ++i) {
    if (in_[i].empty()) walk(i);
  }
  for (std::size_t i = 0; i < boxes_.size(); ++i) walk(i);
  std::reverse(sorted_.begin(), sorted_.end());
}

// The longest way to a box decides.
void layered_layout::choose_columns() {
  std::size_t columns = 0;
  for (std::size_t const i : sorted_) {
    columns = std::max(columns, boxes_[i].column + 1);
    for (std::size_t const n : out_[i]) {
      link const& l = links_[n];
      if (!l.leads_back) boxes_[l.to].column = std::max(boxes_[l.to].column, boxes_[i].column + 1);
    }
  }
  columns_.resize(columns);
  for (std::size_t i = 0; i < boxes_.size(); ++i) columns_[boxes_[i].column].push_back(i);
}

void layered_layout::order_columns() {
  for (auto const& c : columns_) stack(c);
  for (int round = 0; round < 2; ++round) {
    for (auto& c : columns_) sort(c, true);
    for (std::size_t i = columns_.size(); i-- != 0;) sort(columns_[i], false);
  }
}

void layered_layout::sort(std::vector<std::size_t>& column, bool by_left) {
  std::vector<std::pair<long, std::size_t>> keyed;
  for (std::size_t const i : column) {
    long sum = 0;
    long number = 0;
    for (std::size_t const n : by_left ? in_[i] : out_[i]) {
      if (links_[n].leads_back) continue;
      box const& other = boxes_[by_left ? links_[n].from : links_[n].to];
      sum += other.y + other.height / 2;
      ++number;
    }
    keyed.emplace_back(number != 0 ? sum / number : boxes_[i].y + boxes_[i].height / 2, i);
  }
  std::stable_sort(keyed.begin(), keyed.end(), [](auto const& a, auto const& b) { return a.first < b.first; });
  for (std::size_t k = 0; k < column.size(); ++k) column[k] = keyed[k].second;
  stack(column);
}

// Around the line 0.
void layered_layout::stack(std::vector<std::size_t> const& column) noexcept {
  long height = -row_gap;
  for (std::size_t const i : column) height += boxes_[i].height + row_gap;
  long y = -height / 2;
  for (std::size_t const i : column) {
    boxes_[i].y = y;
    y += boxes_[i].height + row_gap;
  }
}

void layered_layout::place_columns() noexcept {
  long top = 0;
  for (box const& b : boxes_) top = std::min(top, b.y);
  long x = 0;
  for (auto const& c : columns_) {
    long width = 0;
    for (std::size_t const i : c) {
      boxes_[i].x = x;
      boxes_[i].y -= top;
      width = std::max(width, boxes_[i].width);
    }
    x += width + column_gap;
  }
}

long layered_layout::bottom_of(std::size_t first, std::size_t last) const noexcept {
  long bottom = 0;
  for (std::size_t c = first; c <= last; ++c) bottom = std::max(bottom, boxes_[columns_[c].back()].bottom());
  return bottom;
}

}  // namespace ashlar::inline v1::flow
