// SPDX-License-Identifier: Apache-2.0
#include "obs/user_name.h"

#include <cxxabi.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace ashlar::inline v1::obs {

namespace {

using std::string;
using std::string_view;

bool begins(string_view text, string_view with) { return text.substr(0, with.size()) == with; }
bool ends(string_view text, string_view with) {
  return text.size() >= with.size() && text.substr(text.size() - with.size()) == with;
}

bool is_library(string_view name) {
  constexpr std::array prefixes{"ashlar::", "tbb::", "oneapi::", "std::", "__gnu_cxx::", "__pstl::"};
  return std::any_of(prefixes.begin(), prefixes.end(), [&](auto p) { return begins(name, p); });
}

// Iterators, pointers and containers tell what is worked on, not what is done.
bool is_data(string_view name) {
  constexpr std::array prefixes{"__gnu_cxx::__normal_iterator<", "std::vector<", "std::allocator<", "tbb::blocked_"};
  return ends(name, "*") || std::any_of(prefixes.begin(), prefixes.end(), [&](auto p) { return begins(name, p); });
}

string_view trimmed(string_view text) {
  while (begins(text, " ")) text.remove_prefix(1);
  for (;;) {
    if (ends(text, " ") || ends(text, "&")) {
      text.remove_suffix(1);
    } else if (ends(text, " const")) {
      text.remove_suffix(6);
    } else {
      return text;
    }
  }
}

bool is_lambda(string_view name) {
  return name.find("{lambda") != string::npos || name.find("::$_") != string::npos ||
         name.find("'lambda") != string::npos;
}

// A name between "::", with the arguments of its templates.
struct part {
  string_view text;
  std::vector<string_view> arguments;
};

// Goes through a name bracket by bracket. `<` and `>` of operators are none.
class name_walk {
 public:
  explicit name_walk(string_view name) : name_(name) {}

  bool done() const { return at_ >= name_.size(); }
  std::size_t at() const { return at_; }
  int depth() const { return depth_; }
  bool outside_arrow() const { return depth_ == 0; }
  // The character that was stepped over; 'o' for a whole operator's name.
  char step() {
    constexpr string_view word = "operator";
    if (begins(name_.substr(at_), word) && (at_ == 0 || !(std::isalnum(name_[at_ - 1]) || name_[at_ - 1] == '_'))) {
      std::size_t end = at_ + word.size();
      bool const call = begins(name_.substr(end), "()");
      if (call) end += 2;
      while (!call && end < name_.size() && string_view("<>=-!+*/%&|^~[],").find(name_[end]) != string::npos) ++end;
      at_ = end;
      return 'o';
    }
    char const c = name_[at_++];
    if (string_view("<({[").find(c) != string::npos) ++depth_;
    if (string_view(">)}]").find(c) != string::npos) --depth_;
    return c;
  }

 private:
  string_view name_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

// Collects the parts of a name while it walks through it.
class part_reader {
 public:
  explicit part_reader(string_view name) : name_(name), walk_(name) {}

  std::vector<part> read() {
    while (!walk_.done()) {
      std::size_t const at = walk_.at();
      bool const in_list = walk_.depth() == 1 && argument_ != 0;
      char const c = walk_.step();
      if (c == '<' && walk_.depth() == 1) argument_ = walk_.at();
      if (in_list) end_argument(c, at);
      if (walk_.depth() < 0) return finished(at);  // the end of a list that the name stands in
      if (walk_.depth() == 0) end_part(c, at);
    }
    return finished(name_.size());
  }

 private:
  // At a comma of the list or at its end, which is the character `c` at `at`.
  void end_argument(char c, std::size_t at) {
    bool const another = c == ',' && walk_.depth() == 1;
    bool const last = c == '>' && walk_.depth() == 0;
    if (!another && !last) return;
    parts_.back().arguments.push_back(trimmed(name_.substr(argument_, at - argument_)));
    argument_ = another ? walk_.at() : 0;
  }

  // At "::", or at a blank, which makes what came before it none of the name's parts.
  void end_part(char c, std::size_t at) {
    string_view const rest = name_.substr(at);
    bool const colons = c == ':' && begins(rest, "::");
    bool const blank = c == ' ' && rest != " const" && !begins(rest, " const::");
    if (!colons && !blank) return;
    parts_.back().text = name_.substr(begin_, at - begin_);
    if (colons) walk_.step();
    begin_ = walk_.at();
    if (blank) parts_.clear();
    parts_.emplace_back();
  }

  std::vector<part> finished(std::size_t end) {
    parts_.back().text = name_.substr(begin_, end - begin_);
    return std::move(parts_);
  }

  string_view name_;
  name_walk walk_;
  std::vector<part> parts_{1};
  std::size_t begin_ = 0;     // of the part
  std::size_t argument_ = 0;  // where the template's argument begins; 0 outside of a list
};

// The parts of a qualified name; what comes before its last blank outside of brackets (a function's return type) is
// none.
std::vector<part> parts_of(string_view name) { return part_reader(name).read(); }

// Where a template has its user's function; elsewhere it is looked for from the last argument to the first.
struct place_of_function {
  string_view name;
  int argument;
};
constexpr std::array known_places{
    place_of_function{"value_body<", 2},  place_of_function{"scan_value_body<", 2},
    place_of_function{"fork_job<", 0},    place_of_function{"invoke_all<", 1},
    place_of_function{"range_job<", 0},   place_of_function{"range_traversal<", 0},
    place_of_function{"item_work<", 0},   place_of_function{"item_loop<", 1},
    place_of_function{"run_filter<", 2},  place_of_function{"static_part<", 0},
    place_of_function{"static_loop<", 0},
};

string_view function_in(string_view name, int level);

string_view function_in(part const& p, int level) {
  if (int const known = function_argument(p.text); known >= 0) {
    auto const at = static_cast<std::size_t>(known);
    return at < p.arguments.size() ? function_in(p.arguments[at], level + 1) : string_view();
  }
  string_view other;
  for (auto a = p.arguments.rbegin(); a != p.arguments.rend(); ++a) {
    string_view const found = function_in(*a, level + 1);
    if (is_lambda(found)) return found;
    if (other.empty()) other = found;
  }
  return other;
}

bool is_fundamental(string_view name) {
  constexpr std::array words{"unsigned", "signed", "long",     "short",   "int",     "char",     "bool",     "float",
                             "double",   "void",   "__int128", "wchar_t", "char8_t", "char16_t", "char32_t", "auto"};
  string_view const first = name.substr(0, name.find_first_of(" ("));
  return std::find(words.begin(), words.end(), first) != words.end() || name.empty() ||
         std::isdigit(static_cast<unsigned char>(name[0])) || name == "true" || name == "false";
}

// The innermost function or class that is not a library's; empty if there is none.
string_view function_in(string_view name, int level) {
  name = trimmed(name);
  constexpr int deepest = 30;
  if (level > deepest || is_data(name) || is_fundamental(name) || ends(name, "::*")) return {};
  // The type of a function or of a pointer to one says what it takes, not which it is.
  bool const nameless = begins(name, "(") && !begins(name, "(anonymous");
  if (nameless || name.find("(*)") != string::npos || name.find("(&)") != string::npos) return {};
  if (!is_library(name)) return name;
  auto const parts = parts_of(name);
  for (auto p = parts.rbegin(); p != parts.rend(); ++p) {
    if (string_view const found = function_in(*p, level); !found.empty()) return found;
  }
  return {};
}

struct construct {
  string_view in_name;
  string_view is;
};
constexpr std::array constructs{
    construct{"::quicksort<", "parallel_sort"},
    construct{"::scan_work<", "parallel_scan"},
    construct{"::reduce_work<", "parallel_reduce"},
    construct{"::item_work<", "parallel_for_each"},
    construct{"::item_walk<", "parallel_for_each"},
    construct{"::for_work<", "parallel_for"},
    construct{"::invoke_all<", "parallel_invoke"},
    construct{"::pipeline_run::", "parallel_pipeline"},
    construct{"::run_filter<", "parallel_pipeline"},
    construct{"::run_first(", "parallel_pipeline"},  // of foreign programs
    construct{"::run_later(", "parallel_pipeline"},
    construct{"::fork_job<", "parallel_invoke"},
    construct{"::function_job<", "a task of a task_group"},
    construct{"::co_start::", "a coroutine"},
    construct{"::flow::", "a flow graph"},
};

// "parallel_sort of int": without a function of the user's, what is done to what.
string construct_in(string_view name) {
  for (auto const& c : constructs) {
    std::size_t const at = name.find(c.in_name);
    if (at == string::npos) continue;
    string result(c.is);
    auto const parts = parts_of(name.substr(at + 2));
    string_view of = parts.front().arguments.empty() ? string_view() : parts.front().arguments.front();
    for (int level = 0; level < 4 && is_data(of) && !ends(of, "*"); ++level) {
      auto const inner = parts_of(of);
      if (inner.back().arguments.empty()) break;
      of = inner.back().arguments.front();
    }
    while (ends(of, "*")) of.remove_suffix(1);
    of = trimmed(of);
    bool const tells = !of.empty() && !is_library(of) && of.find('(') == string::npos;
    if (tells) result.append(" of ").append(of);
    return result;
  }
  return string(name);
}

// What is left without the demangler's words before a name and the compiler's after it.
string_view without_marks(string_view name) {
  for (string_view const before : {"vtable for ", "typeinfo for ", "typeinfo name for "}) {
    if (begins(name, before)) name.remove_prefix(before.size());
  }
  for (string_view const after : {" [clone", " (."}) name = name.substr(0, name.find(after));
  return trimmed(name);
}

// The coroutine of a coroutine's body, as g++ calls that: "stage(stage(int)::_Z5stagei.Frame*)".
std::optional<string_view> coroutine_in(string_view name) {
  if (!ends(name, ".Frame*)")) return std::nullopt;
  std::size_t open = name.size() - 1;
  for (int depth = 1; depth != 0 && open != 0;) {
    --open;
    if (name[open] == ')') ++depth;
    if (name[open] == '(') --depth;
  }
  std::size_t const close = name.rfind("::_Z");
  if (open >= close || close == string::npos) return std::nullopt;
  return name.substr(open + 1, close - open - 1);
}

// A template function's name has its return type before it.
string_view without_return_type(string_view name) {
  name_walk walk(name);
  while (!walk.done()) {
    char const c = walk.step();
    if (walk.depth() != 0) continue;
    if (c == ' ') return name.substr(walk.at());
    if (c == ')') return name;
  }
  return name;
}

string plain(string const& mangled, bool& readable) {
  int status = 0;
  char* const text = abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status);
  readable = text != nullptr;
  string result = readable ? text : mangled;
  std::free(text);
  return result;
}

}  // namespace

int function_argument(string_view name) {
  for (auto const& known : known_places) {
    if (begins(name, known.name)) return known.argument;
  }
  return -1;
}

string user_part(string const& demangled) {
  string_view const name = without_marks(demangled);
  if (auto const coroutine = coroutine_in(name)) return string(*coroutine);
  string_view const qualified = without_return_type(name);
  if (!is_library(qualified)) return string(name);
  string_view const found = function_in(qualified, 0);
  return found.empty() ? construct_in(qualified) : string(found);
}

string shortened(string const& name) {
  constexpr std::size_t most = 40;
  string out;
  std::vector<std::size_t> open;  // places of brackets in `out`
  name_walk walk(name);
  while (!walk.done()) {
    std::size_t const at = walk.at();
    char const c = walk.step();
    if (c == '(' || c == '<') open.push_back(out.size());
    out.append(name, at, walk.at() - at);
    if (c != ')' && c != '>') continue;
    if (open.empty() || out[open.back()] != (c == ')' ? '(' : '<')) return name;
    std::size_t const inner = open.back() + 1;
    open.pop_back();
    if (out.size() - inner - 1 > most) out.replace(inner, out.size() - inner - 1, "…");
  }
  return open.empty() ? out : name;
}

string demangled(string const& mangled) {
  bool readable = false;
  string whole = plain(mangled, readable);
  if (readable || mangled.compare(0, 2, "_Z") != 0) return whole;
  // The longest encoding of a local entity in it that stands for itself, without references to what came before it.
  for (std::size_t begin = mangled.find('Z', 2); begin != string::npos; begin = mangled.find('Z', begin + 1)) {
    for (std::size_t end = mangled.rfind('_'); end > begin && end != string::npos; end = mangled.rfind('_', end - 1)) {
      string piece = plain("_ZTI" + mangled.substr(begin, end + 1 - begin), readable);
      constexpr string_view about = "typeinfo for ";
      if (!readable || !begins(piece, about)) continue;
      piece.erase(0, about.size());
      if (!is_library(piece)) return piece;
      break;
    }
  }
  // Identifiers can be read in any case: "9quicksort" is the library's.
  for (auto const& c : constructs) {
    string_view const word = c.in_name.substr(2, c.in_name.find_first_of("<:", 2) - 2);
    if (mangled.find(std::to_string(word.size()).append(word)) != string::npos) return string(c.is);
  }
  return whole;
}

}  // namespace ashlar::inline v1::obs
