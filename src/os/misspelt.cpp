// SPDX-License-Identifier: Apache-2.0
#include "os/misspelt.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string_view>

namespace ashlar {
inline namespace v1 {
namespace os {

namespace {

using std::string_view;

constexpr string_view ours[] = {"ASHLAR_NUM_THREADS", "ASHLAR_VICTIM_POLICY", "ASHLAR_IDLE_POLICY",
                                "ASHLAR_WAIT_POLICY", "ASHLAR_TOPOLOGY",      "ASHLAR_STATS",
                                "ASHLAR_HANG_REPORT", "ASHLAR_TRACE",         "ASHLAR_TRACE_LIMIT",
                                "ASHLAR_RTM",         "ASHLAR_HANG_SIGNAL",   "ASHLAR_MALLOC_STATS"};

constexpr std::size_t longest = 40;

// How many letters have to be inserted, left out or changed to make one of the other.
std::size_t distance(string_view a, string_view b) noexcept {
  std::size_t row[longest + 1];
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      std::size_t const changed = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({changed, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

}  // namespace

void tell_misspelt_variables() noexcept {
  constexpr string_view prefix = "ASHLAR_";
  constexpr std::size_t near = 2;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    string_view name(*entry);
    if (name.substr(0, prefix.size()) != prefix) continue;
    name = name.substr(0, name.find('='));
    if (name.size() > longest || std::find(std::begin(ours), std::end(ours), name) != std::end(ours)) continue;
    auto const closer = [name](string_view a, string_view b) { return distance(name, a) < distance(name, b); };
    string_view const nearest = *std::min_element(std::begin(ours), std::end(ours), closer);
    if (distance(name, nearest) > near) continue;
    std::fprintf(stderr, "ashlar: %.*s is no variable of ours and has no effect; is %.*s meant?\n",
                 static_cast<int>(name.size()), name.data(), static_cast<int>(nearest.size()), nearest.data());
  }
}

}  // namespace os
}  // namespace v1
}  // namespace ashlar
