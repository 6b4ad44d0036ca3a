// SPDX-License-Identifier: Apache-2.0
#include "product/costs.h"

#include <cstdlib>
#include <cstring>

namespace ashlar::sim::product {

namespace {

struct named {
  char const* name;
  nanoseconds costs::* value;
};

constexpr named all[] = {
    {"processors", &costs::processors},
    {"seed", &costs::seed},
    {"slack", &costs::slack},
    {"readers_slack", &costs::readers_slack},
    {"cluster", &costs::cluster},
    {"socket", &costs::socket},
    {"line", &costs::line},
    {"line_far", &costs::line_far},
    {"line_remote", &costs::line_remote},
    {"cached", &costs::cached},
    {"ahead", &costs::ahead},
    {"overlap", &costs::overlap},
    {"line_busy", &costs::line_busy},
    {"ticks", &costs::ticks},
    {"pause", &costs::pause},
    {"locked", &costs::locked},
    {"call", &costs::call},
    {"clock", &costs::clock},
    {"yield", &costs::yield},
    {"change", &costs::change},
    {"slice", &costs::slice},
    {"idle_exit", &costs::idle_exit},
    {"timer", &costs::timer},
    {"timer_hit", &costs::timer_hit},
    {"spread", &costs::spread},
    {"pace", &costs::pace},
    {"sleep_call", &costs::sleep_call},
    {"wake_call", &costs::wake_call},
    {"fence", &costs::fence},
    {"fence_hit", &costs::fence_hit},
    {"create", &costs::create},
    {"computing", &costs::computing},
};

}  // namespace

bool read(costs& to, char const* text) {
  while (*text != '\0') {
    char const* const equals = std::strchr(text, '=');
    if (equals == nullptr) return false;
    auto const length = static_cast<std::size_t>(equals - text);
    nanoseconds costs::* found = nullptr;
    for (named const& one : all) {
      if (std::strlen(one.name) == length && std::memcmp(one.name, text, length) == 0) found = one.value;
    }
    char* end = nullptr;
    nanoseconds const value = std::strtoull(equals + 1, &end, 10);
    if (found == nullptr || end == equals + 1 || (*end != ',' && *end != '\0')) return false;
    to.*found = value;
    text = *end == ',' ? end + 1 : end;
  }
  return to.processors != 0 && to.overlap != 0 && to.spread <= 1000 && to.pace <= 1000;
}

}  // namespace ashlar::sim::product
