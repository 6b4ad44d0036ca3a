// SPDX-License-Identifier: Apache-2.0
#include "flow/report/layered_layout.h"

#include <doctest/doctest.h>

#include <vector>

namespace {

using ashlar::flow::layered_layout;
using links = std::vector<layered_layout::link>;

layered_layout lay_out(std::size_t boxes, links const& all) {
  return {std::vector<layered_layout::box>(boxes, {100, 20}), all};
}

TEST_CASE("the longest way to a box decides on its column") {
  // 0 -> 1 -> 2 -> 3, 0 -> 3, 4 alone
  layered_layout const l = lay_out(5, {{0, 1}, {0, 3}, {1, 2}, {2, 3}});
  std::vector<std::size_t> columns;
  for (auto const& b : l.boxes()) columns.push_back(b.column);
  CHECK(columns == std::vector<std::size_t>{0, 1, 2, 3, 0});
  for (auto const& b : l.boxes()) {
    CHECK(b.x == static_cast<long>(b.column) * (100 + layered_layout::column_gap));
    CHECK(b.y >= 0);
  }
  for (auto const& k : l.links()) CHECK(!k.leads_back);
}

TEST_CASE("a loop is cut where it is entered") {
  // 2 -> 0 -> 1 -> 0, and 3 -> 3
  layered_layout const l = lay_out(4, {{0, 1}, {1, 0}, {2, 0}, {3, 3}});
  CHECK(!l.links()[0].leads_back);
  CHECK(l.links()[1].leads_back);
  CHECK(!l.links()[2].leads_back);
  CHECK(l.links()[3].leads_back);
  CHECK(l.boxes()[2].column == 0);
  CHECK(l.boxes()[0].column == 1);
  CHECK(l.boxes()[1].column == 2);
}

TEST_CASE("boxes of a column lie in the order of what they are linked with") {
  // 0 -> 5, 1 -> 4, 2 -> 3: without an order each two links cross
  layered_layout const l = lay_out(6, {{0, 5}, {1, 4}, {2, 3}});
  CHECK(l.boxes()[0].y == l.boxes()[5].y);
  CHECK(l.boxes()[1].y == l.boxes()[4].y);
  CHECK(l.boxes()[2].y == l.boxes()[3].y);
  CHECK(l.boxes()[1].y - l.boxes()[0].bottom() == layered_layout::row_gap);
  CHECK(l.bottom_of(0, 1) == l.boxes()[2].bottom());
}

TEST_CASE("nothing is laid out, too") {
  layered_layout const l = lay_out(0, {});
  CHECK(l.boxes().empty());
}

}  // namespace
