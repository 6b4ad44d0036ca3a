// SPDX-License-Identifier: Apache-2.0
// What models of several scenes check: that every scene passes in all interleavings and in random ones, and that some
// scene fails when an order of the sources is weakened. For use inside test cases.
#pragma once

#include <doctest/doctest.h>

#include <engine/model.h>

#include <initializer_list>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace ashlar::model {

struct scene {
  char const* name;
  void (*body)();
  int preemptions = -1;
};

// Many more preemptions are affordable with these, but some executions within the bound may be lost (README.md).
inline options trimmed() {
  options how;
  how.trim = true;
  return how;
}

// `how` is what the scenes' options have in common; its preemptions, if any, are the most that an exhaustive search
// does.
inline result check_scene(scene const& s, options how) {
  how.name = s.name;
  bool const limited = how.preemptions >= 0 && (s.preemptions < 0 || how.preemptions < s.preemptions);
  if (how.how == search::exhaustive && !limited) how.preemptions = s.preemptions;
  return check(how, s.body);
}

inline void check_all(std::span<scene const> scenes, options const& how = {}, std::uint64_t more_than = 10) {
  for (scene const& s : scenes) {
    result const r = check_scene(s, how);
    INFO(r.report);
    CHECK(!r.failed);
    CHECK(r.complete);
    CHECK(r.executions > more_than);
  }
}

// `how` tells the kinds of failing waits, if any.
inline void check_randomly(std::span<scene const> scenes, std::uint64_t executions,
                           std::initializer_list<search> searches = {search::random}, options how = {}) {
  how.executions = executions;
  for (scene const& s : scenes) {
    for (search const kind : searches) {
      how.how = kind;
      result const r = check_scene(s, how);
      INFO(r.report);
      CHECK(!r.failed);
    }
  }
}

// The first scene that fails when the lines are weakened, or an empty string.
inline std::string caught_by(std::span<scene const> scenes, std::vector<site> const& lines, options how = {}) {
  how.weaken = lines;
  for (scene const& s : scenes) {
    if (check_scene(s, how).failed) return s.name;
  }
  return "";
}

// Each tag of the files is weakened wherever it stands in any of them; `not_seen` must be those that nobody notices.
inline void check_each_order(std::span<scene const> scenes, std::initializer_list<char const*> files,
                             std::set<std::string> const& not_seen = {}, options const& how = {}) {
  std::set<std::string> tags;
  for (char const* file : files) tags.merge(tags_of(file));
  for (std::string const& tag : not_seen) CHECK(tags.count(tag) == 1);
  for (std::string const& tag : tags) {
    std::vector<site> lines;
    for (char const* file : files) {
      for (site const& line : tagged(file, tag)) lines.push_back(line);
    }
    CAPTURE(tag);
    CHECK((caught_by(scenes, lines, how) != "") == (not_seen.count(tag) == 0));
  }
}

}  // namespace ashlar::model
