// SPDX-License-Identifier: Apache-2.0
#include "engine/policy.h"

#include "program/bad_input.h"

#include <iterator>

namespace ashlar::sim {

namespace {

constexpr std::string_view kinds[] = {"", "oracle", "scan1", "steal1", "weighted", "p2c", "logged"};
constexpr std::string_view half = "+half";
constexpr std::string_view rules[] = {"any", "depth", "leapfrog", "continuation"};

}  // namespace

std::string name_of(victim_choice const& c) {
  std::string name(c.kind == victim_kind::runtime ? sched::victim_policy_names[static_cast<unsigned>(c.runtime)]
                                                  : kinds[static_cast<unsigned>(c.kind)]);
  if (c.half) name += half;
  return name;
}

std::vector<std::string> victim_names() {
  std::vector<std::string> names(std::begin(sched::victim_policy_names), std::end(sched::victim_policy_names));
  names.insert(names.end(), std::begin(kinds) + 1, std::end(kinds));
  return names;
}

victim_choice parse_victim(std::string_view name) {
  victim_choice c;
  std::string_view base = name;
  if (base.size() > half.size() && base.substr(base.size() - half.size()) == half) {
    c.half = true;
    base.remove_suffix(half.size());
  }
  for (unsigned i = 0; i < std::size(sched::victim_policy_names); ++i) {
    if (base != sched::victim_policy_names[i]) continue;
    c.runtime = static_cast<sched::victim_policy>(i);
    return c;
  }
  for (unsigned i = 1; i < std::size(kinds); ++i) {
    if (base != kinds[i]) continue;
    c.kind = static_cast<victim_kind>(i);
    return c;
  }
  std::vector<std::string> names = victim_names();
  names.push_back("any of these with +half");
  throw bad_input::unknown("victim policy", name, names);
}

std::string name_of(wait_rule r) { return std::string(rules[static_cast<unsigned>(r)]); }

wait_rule parse_wait(std::string_view name) {
  for (unsigned i = 0; i < std::size(rules); ++i) {
    if (name == rules[i]) return static_cast<wait_rule>(i);
  }
  throw bad_input::unknown("wait rule", name, rules);
}

sched::idle_policy parse_idle(std::string const& name, steal_protocol protocol) {
  if (name == "default") {
    return protocol == steal_protocol::tbb41 ? sched::idle_policy::tbb41 : sched::idle_policy::park;
  }
  for (unsigned i = 0; i < std::size(sched::idle_policy_names); ++i) {
    if (name == sched::idle_policy_names[i]) return static_cast<sched::idle_policy>(i);
  }
  std::vector<std::string_view> names{"default"};
  names.insert(names.end(), std::begin(sched::idle_policy_names), std::end(sched::idle_policy_names));
  throw bad_input::unknown("idle policy", name, names);
}

}  // namespace ashlar::sim
