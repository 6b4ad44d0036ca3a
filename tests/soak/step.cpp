// SPDX-License-Identifier: Apache-2.0
#include "step.h"

#include <nlohmann/json.hpp>

#include <stdexcept>

namespace soak {

namespace {

step read(nlohmann::json const& j) {
  step s;
  s.kind = j.at("kind").get<std::string>();
  s.n = j.value("n", 1);
  s.a = j.value("a", 0);
  s.b = j.value("b", 0);
  int const wrong = j.value("wrong", 0);
  if (s.n < 1 || s.a < 0 || s.b < 0 || wrong < 0 || wrong > 2) throw std::invalid_argument("a number makes no sense");
  s.wrong = static_cast<fault>(wrong);
  if (j.contains("body")) {
    for (auto const& inner : j.at("body")) s.body.push_back(read(inner));
  }
  return s;
}

}  // namespace

step read_step(std::string_view json) { return read(nlohmann::json::parse(json)); }

}  // namespace soak
