// SPDX-License-Identifier: Apache-2.0
#include "cli/run_options.h"

#include "program/bad_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <sstream>

namespace ashlar::sim {

namespace {

unsigned parse_count(std::string_view text, std::string const& whole) {
  unsigned value = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value == 0 || value > max_workers) {
    throw bad_input(fmt::format("'{}': numbers of workers are 1 to {}, as in 1,4,16 or 1..64", whole, max_workers));
  }
  return value;
}

}  // namespace

std::vector<std::string> split(std::string const& text) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, ',');) parts.push_back(part);
  return parts;
}

std::vector<unsigned> parse_workers(std::string const& text) {
  std::vector<unsigned> counts;
  for (std::string const& part : split(text)) {
    std::size_t const dots = part.find("..");
    if (dots == std::string::npos) {
      counts.push_back(parse_count(part, text));
      continue;
    }
    unsigned const first = parse_count(std::string_view(part).substr(0, dots), text);
    unsigned const last = parse_count(std::string_view(part).substr(dots + 2), text);
    if (last < first) throw bad_input(fmt::format("'{}': a range goes from the smaller number to the larger", text));
    for (unsigned p = first; p < last; p *= 2) counts.push_back(p);
    counts.push_back(last);
  }
  if (counts.empty()) parse_count("", text);
  return counts;
}

void run_options::add_to(arguments& a) {
  a.text("--machine", machine, "a machine file, or the name of one of sim/machines");
  a.text("-P,--workers", workers, "numbers of workers");
  a.text("--policy", policies, "victim policies, comma-separated");
  a.text("--wait", wait, "any, depth, leapfrog or continuation");
  a.text("--idle", idle, "default (what the machine's scheduler does), park, yield, spin or tbb41");
  a.number("--seeds", seeds, 1, 1000, "runs per cell");
  limits.add_to(a);
}

std::vector<cell> run_options::cells() const {
  std::vector<cell> all;
  options o;
  o.wait = parse_wait(wait);
  o.idle = parse_idle(idle, load_machine(machine).described.protocol);
  for (unsigned const count : parse_workers(workers)) {
    for (std::string const& policy : split(policies)) {
      o.workers = count;
      o.victim = parse_victim(policy);
      for (unsigned seed = 1; seed <= seeds; ++seed) {
        o.seed = seed;
        all.push_back({o, policy});
      }
    }
  }
  if (all.empty()) throw bad_input("no victim policy is named");
  for (cell& c : all) limits.apply(c.how, runs_at_once(all.size()));
  return all;
}

std::unique_ptr<program> run_options::make(std::string const& graph, std::vector<cell> const& cells) const {
  unsigned most = 1;
  for (cell const& c : cells) most = std::max(most, c.how.workers);
  return limits.make(graph, most, runs_at_once(cells.size()));
}

}  // namespace ashlar::sim
