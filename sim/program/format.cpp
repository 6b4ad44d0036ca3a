// SPDX-License-Identifier: Apache-2.0
#include "program/format.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace ashlar::sim {

std::string number_text(double x) {
  if (x >= 100) return fmt::format("{:.0f}", x);
  if (x >= 10) return fmt::format("{:.1f}", x);
  return fmt::format("{:.2f}", x);
}

std::string quoted(std::string const& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string time_text(picoseconds t) {
  if (t == 0) return "0 ns";
  auto const ps = static_cast<double>(t);
  if (t >= 1000 * millisecond) return number_text(ps / 1e12) + " s";
  if (t >= millisecond) return number_text(ps / 1e9) + " ms";
  if (t >= microsecond) return number_text(ps / 1e6) + " us";
  return number_text(ps / 1e3) + " ns";
}

}  // namespace ashlar::sim
