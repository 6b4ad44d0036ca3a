// SPDX-License-Identifier: Apache-2.0
#include "cli/table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace ashlar::sim {

namespace {

// Numbers as numbers, all else as texts.
nlohmann::ordered_json value_of(std::string const& cell) {
  auto const number = nlohmann::ordered_json::parse(cell, nullptr, false);
  return number.is_number() ? number : nlohmann::ordered_json(cell);
}

}  // namespace

std::string table::print(std::string const& format) const {
  std::string text;
  if (format == "json") {
    auto all = nlohmann::ordered_json::array();
    for (auto const& row : rows_) {
      nlohmann::ordered_json object;
      for (std::size_t i = 0; i < row.size(); ++i) object[header_[i]] = value_of(row[i]);
      all.push_back(object);
    }
    return all.dump(1) + "\n";
  }
  if (format == "csv") {
    text = fmt::format("{}\n", fmt::join(header_, ","));
    for (auto const& row : rows_) text += fmt::format("{}\n", fmt::join(row, ","));
    return text;
  }
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < header_.size(); ++i) {
    widths.push_back(header_[i].size());
    for (auto const& row : rows_) widths[i] = std::max(widths[i], row[i].size());
  }
  auto const line = [&](std::vector<std::string> const& row) {
    for (std::size_t i = 0; i < row.size(); ++i) text += fmt::format("{}{:>{}}", i == 0 ? "" : "  ", row[i], widths[i]);
    text += "\n";
  };
  line(header_);
  for (auto const& row : rows_) line(row);
  return text;
}

}  // namespace ashlar::sim
