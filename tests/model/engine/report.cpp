// SPDX-License-Identifier: Apache-2.0
// Plain variables, names, the printed interleaving, the source lines of tags; and what headers under test call.
#include <ashlar/base/assert.h>
#include <ashlar/base/throw.h>

#include <cstdio>
#include <fstream>

#include "engine/state.h"

namespace ashlar::model {

namespace {

char const* const action_names[] = {
    "resume",    "load",  "store", "exchange",   "compare_exchange", "fetch_add", "fetch_sub", "fetch_or",
    "fetch_and", "fence", "fence", "futex_wait", "futex_wake",       "lock",      "pause",     "join"};

char const* order_name(order o) {
  switch (o) {
    case mo::relaxed:
      return "relaxed";
    case mo::acquire:
      return "acquire";
    case mo::release:
      return "release";
    case mo::acq_rel:
      return "acq_rel";
    default:
      return "seq_cst";
  }
}

std::string number(std::uint64_t v, unsigned size) {
  if (size < 8) v = static_cast<std::uint64_t>(static_cast<std::int64_t>(v << (64 - 8 * size)) >> (64 - 8 * size));
  auto const small = static_cast<std::int64_t>(v);
  if (small > -1'000'000 && small < 1'000'000) return std::to_string(small);
  std::string const name = place_name(reinterpret_cast<void*>(v));
  char hex[24];
  std::snprintf(hex, sizeof hex, "0x%llx", static_cast<unsigned long long>(v));
  return name[0] == '0' ? hex : name;
}

void check_order(plain const& p, void const* address, bool writes) {
  if (freed(address) || p.dead) fail("use after free", place_name(address) + " is accessed after its end");
  thread_state const& me = the.self();
  if (p.written != 0 && p.writer != me.id && me.current.get(p.writer) < p.written) {
    fail("data race", place_name(address) + ", a plain variable: accessed by " + me.name +
                          ", not ordered after the write by " + the.threads[p.writer].name);
  }
  for (int i = 0; writes && i < the.thread_count; ++i) {
    if (i == me.id || me.current.get(i) >= p.reads[i]) continue;
    fail("data race", place_name(address) + ", a plain variable: written by " + me.name +
                          ", not ordered after the read by " + the.threads[i].name);
  }
}

std::string const root = [] {
  std::string file = __FILE__;
  for (int i = 0; i < 4; ++i) file.resize(file.find_last_of('/') == std::string::npos ? 0 : file.find_last_of('/'));
  return file.empty() ? file : file + "/";
}();

// Lines of code, without comment lines.
template <typename Line>
void each_line(std::string const& file, Line line) {
  std::ifstream in(root + file);
  if (!in) {
    std::fprintf(stderr, "model: can't read %s\n", (root + file).c_str());
    std::abort();
  }
  std::string text;
  for (unsigned n = 1; std::getline(in, text); ++n) {
    std::size_t const first = text.find_first_not_of(' ');
    if (first != std::string::npos && text.compare(first, 2, "//") != 0) line(n, text);
  }
}

}  // namespace

std::string place_name(void const* address) {
  auto const* const p = static_cast<char const*>(address);
  for (engine::name const& n : the.names) {
    if (p < n.begin || p >= n.end) continue;
    return p == n.begin ? n.text : n.text + ("+" + std::to_string(p - n.begin));
  }
  std::string name = block_name(address);
  if (!name.empty()) return name;
  char hex[24];
  std::snprintf(hex, sizeof hex, "%p", address);
  return hex;
}

std::string interleaving() {
  std::string all;
  for (std::size_t i = 0; i < the.trace.size(); ++i) {
    step const& s = the.trace[i];
    char line[320];
    char const* file = std::strrchr(s.what.where.file, '/');
    std::string const where = place_name(s.what.address);
    std::string values;
    if (s.place >= 0) {
      std::string const after = number(s.after, s.what.size);
      values = reads(s.what.what) && s.note[0] == '-' ? number(s.before, s.what.size) + " -> " + after
                                                      : s.note + (" " + after);
    } else {
      values = s.note;
    }
    std::snprintf(line, sizeof line, "%5zu  %-10s %-17s %-8s %-16s %-24s %s:%u\n", i, the.threads[s.thread].name,
                  action_names[static_cast<int>(s.what.what)], s.place >= 0 ? order_name(s.what.success) : "",
                  s.what.address != nullptr ? where.c_str() : "", values.c_str(),
                  file != nullptr ? file + 1 : s.what.where.file, s.what.where.line);
    all += line;
  }
  return all;
}

void label(void const* object, std::size_t size, char const* name) {
  inside const in;
  auto const* const begin = static_cast<char const*>(object);
  the.names.push_back({begin, begin + size, name});
}

void on_read(plain& p, void const* address) {
  if (!the.active) return;
  inside const in;
  check_order(p, address, false);
  thread_state const& me = the.self();
  p.reads[me.id] = me.current.at[me.id] + 1;
}

void on_write(plain& p, void const* address) {
  if (!the.active) return;
  inside const in;
  check_order(p, address, true);
  thread_state const& me = the.self();
  p.writer = static_cast<unsigned char>(me.id);
  p.written = me.current.at[me.id] + 1;
}

std::vector<site> tagged(std::string const& file, std::string const& tag) {
  static std::set<std::string> names;
  std::vector<site> lines;
  each_line(file, [&](unsigned n, std::string const& text) {
    if (text.find("[" + tag + "]") != std::string::npos) lines.push_back({names.insert(file).first->c_str(), n});
  });
  return lines;
}

std::set<std::string> tags_of(std::string const& file) {
  std::set<std::string> tags;
  each_line(file, [&](unsigned, std::string const& text) {
    for (std::size_t at = text.find("// ["); at != std::string::npos && at + 4 < text.size();
         at = text.find('[', at + 1)) {
      std::size_t const begin = text.find('[', at) + 1, end = text.find(']', begin);
      if (end == std::string::npos) break;
      tags.insert(text.substr(begin, end - begin));
      at = end;
    }
  });
  return tags;
}

}  // namespace ashlar::model

namespace ashlar {
inline namespace v1 {

void assertion_failure(char const*, int, char const* expression, char const* comment) noexcept {
  model::require(false, (std::string(expression) + ": " + (comment != nullptr ? comment : "")).c_str());
  std::abort();
}

void throw_exception(exception_id id) {
  if (model::exceptions_are_caught) throw id;
  model::require(false, "throw_exception is called");
  std::abort();
}

}  // namespace v1
}  // namespace ashlar
