// SPDX-License-Identifier: Apache-2.0
// Rows of text, printed as an aligned table, as CSV or as a JSON array of objects.
#pragma once

#include <string>
#include <vector>

namespace ashlar::sim {

class table {
 public:
  explicit table(std::vector<std::string> header) : header_(std::move(header)) {}
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  // table, csv or json.
  std::string print(std::string const& format) const;

 private:
  std::vector<std::string> header_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace ashlar::sim
