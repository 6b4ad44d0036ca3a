// SPDX-License-Identifier: Apache-2.0
// What a program tells: lines that a specification determines, lines where a documented difference lies, and what is
// open.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace differ {

inline std::string text(std::string const& s) { return s; }
inline std::string text(char const* s) { return s; }
inline std::string text(bool b) { return b ? "yes" : "no"; }
template <typename Number>
std::string text(Number n) {
  return std::to_string(n);
}
template <typename Number>
std::string text(std::vector<Number> const& all) {
  std::string made;
  for (auto const& x : all) made += (made.empty() ? "" : " ") + text(x);
  return "[" + made + "]";
}

class book {
 public:
  template <typename Value>
  void tell(std::string const& what, Value const& value) {
    add(what + ": " + text(value));
  }
  // A line that may differ, as the rule of that name in rules.toml says.
  template <typename Value>
  void known(char const* rule, std::string const& what, Value const& value) {
    add("~" + std::string(rule) + "~ " + what + ": " + text(value));
  }
  // What no specification determines: compared as a distribution over many programs.
  template <typename Value>
  void open(std::string const& what, Value const& value) {
    std::lock_guard<std::mutex> const guard(lock_);
    open_.emplace_back(what, text(value));
  }
  // Something that is the same in every right library: only its absence is told.
  void expect(bool condition, std::string const& what) {
    if (!condition) add("WRONG " + what);
  }
  std::vector<std::string> const& lines() const { return lines_; }
  std::vector<std::pair<std::string, std::string>> const& opens() const { return open_; }

 private:
  void add(std::string const& line) {
    std::lock_guard<std::mutex> const guard(lock_);
    lines_.push_back(line);
  }
  std::mutex lock_;
  std::vector<std::string> lines_;
  std::vector<std::pair<std::string, std::string>> open_;
};

}  // namespace differ
