// SPDX-License-Identifier: Apache-2.0
// Parses events in JSON, one a line, block by block: sums per user in a concurrent_hash_map, sums per kind in a
// combinable, broken lines in a concurrent_vector. The parser reads flat objects of strings and numbers and skips
// nested ones.
#include "common/random.h"
#include "common/tbb_program.h"

#include <tbb/blocked_range.h>
#include <tbb/combinable.h>
#include <tbb/concurrent_hash_map.h>
#include <tbb/concurrent_vector.h>
#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

namespace {

constexpr char const* kinds[] = {"view", "click", "order", "refund", "search", "login", "logout", "error"};
constexpr std::size_t kind_count = 8;

struct event {
  std::uint64_t user = 0, cents = 0;
  std::size_t kind = kind_count;
};

class parser {
 public:
  parser(char const* begin, char const* end) : at_(begin), end_(end) {}

  // False if the line is no object or lacks a field.
  bool parse(event& found) {
    if (!take('{')) return false;
    do {
      if (!field(found)) return false;
    } while (take(','));
    return take('}') && at_ == end_ && has_user_ && has_amount_ && found.kind != kind_count;
  }

 private:
  bool field(event& found) {
    std::string key, text;
    double value = 0;
    if (!string(key) || !take(':')) return false;
    if (key == "kind") {
      if (!string(text)) return false;
      for (std::size_t k = 0; k < kind_count; ++k) {
        if (text == kinds[k]) found.kind = k;
      }
      return true;
    }
    bool const is_user = key == "user";
    if (!is_user && key != "amount") return skip();
    if (!number(value)) return false;
    (is_user ? has_user_ : has_amount_) = true;
    (is_user ? found.user : found.cents) = static_cast<std::uint64_t>(is_user ? value : 100 * value + 0.5);
    return true;
  }
  void space() {
    while (at_ != end_ && *at_ == ' ') ++at_;
  }
  bool take(char c) {
    space();
    if (at_ == end_ || *at_ != c) return false;
    ++at_;
    return true;
  }
  bool string(std::string& text) {
    if (!take('"')) return false;
    while (at_ != end_ && *at_ != '"') {
      if (*at_ == '\\' && ++at_ == end_) return false;
      text += *at_++;
    }
    return at_ != end_ && *at_++ == '"';
  }
  bool number(double& value) {
    space();
    char const* const start = at_;
    double whole = 0, unit = 1;
    for (; at_ != end_ && *at_ >= '0' && *at_ <= '9'; ++at_) whole = 10 * whole + (*at_ - '0');
    if (at_ == start) return false;
    if (at_ != end_ && *at_ == '.') {
      for (++at_; at_ != end_ && *at_ >= '0' && *at_ <= '9'; ++at_) whole += (unit /= 10) * (*at_ - '0');
    }
    value = whole;
    return true;
  }
  // A value of any kind.
  bool skip() {
    space();
    std::string text;
    double value = 0;
    if (at_ != end_ && *at_ == '"') return string(text);
    if (at_ != end_ && (*at_ == '{' || *at_ == '[')) return skip_nested();
    return number(value);
  }
  bool skip_nested() {
    int depth = 0;
    do {
      if (at_ == end_) return false;
      std::string text;
      if (*at_ == '"') {
        if (!string(text)) return false;
        continue;
      }
      depth += (*at_ == '{' || *at_ == '[') - (*at_ == '}' || *at_ == ']');
      ++at_;
    } while (depth != 0);
    return true;
  }

  char const* at_;
  char const* const end_;
  bool has_user_ = false, has_amount_ = false;
};

struct account {
  std::uint64_t cents = 0;
  std::uint32_t events = 0;
};
bool operator==(account const& a, account const& b) { return a.cents == b.cents && a.events == b.events; }

class json_lines {
 public:
  explicit json_lines(double scale) : expected_users_(users), expected_kinds_{} {
    programs::random_stream random(53);
    std::size_t const size = programs::scaled(scale, 24000000, 50000);
    text_.reserve(size + 300);
    while (text_.size() < size) {
      char line[300];
      std::size_t const user = std::min(random.below(users), random.below(users)), kind = random.below(kind_count),
                        cents = random.below(100000);
      int length = std::snprintf(
          line, sizeof line,
          "{\"time\": %zu, \"kind\": \"%s\", \"user\": %zu, \"amount\": %zu.%02zu, \"page\": \"\\/shop\\/%zu\", "
          "\"tags\": [\"a%zu\", \"b\"], \"from\": {\"ip\": \"10.0.%zu.1\", \"port\": %zu}}",
          text_.size(), kinds[kind], user, cents / 100, cents % 100, random.below(5000), random.below(50),
          random.below(256), random.below(65536));
      if (random.below(1000) == 0) {
        length = static_cast<int>(5 + random.below(40));  // a line cut short
        expected_broken_.insert(expected_broken_.end(), passes, text_.size());
      } else {
        expected_users_[user].cents += passes * cents;
        expected_users_[user].events += passes;
        expected_kinds_[kind] += passes * cents;
      }
      text_.append(line, static_cast<std::size_t>(length));
      text_ += '\n';
    }
  }

  void work() {
    for (std::size_t pass = 0; pass < passes; ++pass) read_all();
  }

  char const* wrong() {
    std::sort(broken_.begin(), broken_.end());
    if (broken_.size() != expected_broken_.size() ||
        !std::equal(broken_.begin(), broken_.end(), expected_broken_.begin())) {
      return "broken lines";
    }
    if (kinds_ != expected_kinds_) return "sums of the kinds";
    for (std::size_t user = 0; user < users; ++user) {
      table::const_accessor found;
      account const is = accounts_.find(found, user) ? found->second : account();
      if (!(is == expected_users_[user])) return "a user's sums";
    }
    return nullptr;
  }

 private:
  using totals = std::array<std::uint64_t, kind_count>;
  using table = tbb::concurrent_hash_map<std::uint64_t, account>;
  static constexpr std::size_t users = 50000, block = 65536, passes = 3;

  void read_all() {
    tbb::combinable<totals> sums([] { return totals{}; });
    tbb::parallel_for(
        tbb::blocked_range<std::size_t>(0, text_.size(), block),
        [&](tbb::blocked_range<std::size_t> const& r) {
          totals& mine = sums.local();
          for (std::size_t at = line_start(r.begin()), last = line_start(r.end()); at < last;) {
            std::size_t const end = text_.find('\n', at);
            read_line(at, end, mine);
            at = end + 1;
          }
        },
        tbb::simple_partitioner());
    sums.combine_each([this](totals const& t) {
      for (std::size_t k = 0; k < kind_count; ++k) kinds_[k] += t[k];
    });
  }

  void read_line(std::size_t at, std::size_t end, totals& mine) {
    event e;
    if (!parser(text_.data() + at, text_.data() + end).parse(e)) {
      broken_.push_back(at);
      return;
    }
    mine[e.kind] += e.cents;
    table::accessor its;
    accounts_.insert(its, e.user);
    its->second.cents += e.cents;
    ++its->second.events;
  }
  // Of the first line that begins at or after this place.
  std::size_t line_start(std::size_t at) const {
    while (at != 0 && at < text_.size() && text_[at - 1] != '\n') ++at;
    return at;
  }

  std::string text_;
  std::vector<account> expected_users_;
  totals expected_kinds_, kinds_{};
  std::vector<std::size_t> expected_broken_;
  table accounts_;
  tbb::concurrent_vector<std::size_t> broken_;
};

}  // namespace

int main(int argc, char** argv) { return programs::tbb_main<json_lines>(argc, argv); }
