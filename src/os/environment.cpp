// SPDX-License-Identifier: Apache-2.0
// Parsing of environment variables. Nothing here allocates, so it works before the allocator does. The complaint
// leaves in one write, so that lines of several processes do not mix.
#include "os/environment.h"

#include "os/process.h"

#include <string_view>

namespace ashlar::inline v1::os {
namespace {

bool is_blank(char c) noexcept { return c == ' ' || (c >= '\t' && c <= '\r'); }

char lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool same_word(std::string_view a, std::string_view b) noexcept {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (lower(a[i]) != lower(b[i])) return false;
  }
  return true;
}

// The value without the blanks around it; empty if there is none.
std::string_view read_variable(char const* name) noexcept {
  char const* const raw = trusted_variable(name);
  if (raw == nullptr) return {};
  std::string_view value(raw);
  while (!value.empty() && is_blank(value.front())) value.remove_prefix(1);
  while (!value.empty() && is_blank(value.back())) value.remove_suffix(1);
  return value;
}

// One line of text, cut off where it is full.
class line {
 public:
  line& add(std::string_view text) noexcept {
    for (char c : text) {
      if (size_ == sizeof(text_) - 1) break;
      text_[size_++] = static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c;  // stays one line
    }
    return *this;
  }

  line& add(unsigned number) noexcept {
    char digits[12];
    std::size_t n = sizeof(digits);
    do {
      digits[--n] = static_cast<char>('0' + number % 10);
      number /= 10;
    } while (number != 0);
    return add(std::string_view(digits + n, sizeof(digits) - n));
  }

  void print() noexcept {
    text_[size_] = '\n';
    write_error(text_, size_ + 1);
  }

 private:
  char text_[512];
  std::size_t size_ = 0;
};

// The beginning of the complaint; the caller adds why.
line ignored(char const* name, std::string_view value) noexcept {
  constexpr std::size_t longest = 80;
  line l;
  l.add("ashlar: ").add(name).add("=\"").add(value.substr(0, longest));
  l.add(value.size() > longest ? "...\" is ignored: " : "\" is ignored: ");
  return l;
}

line complain(char const* name, std::string_view value) noexcept { return ignored(name, value).add("expected "); }

std::optional<unsigned> parse_unsigned(std::string_view text, unsigned min, unsigned max) noexcept {
  unsigned long long number = 0;
  for (char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    number = number * 10 + static_cast<unsigned>(c - '0');
    if (number > max) return std::nullopt;
  }
  if (number < min) return std::nullopt;
  return static_cast<unsigned>(number);
}

}  // namespace

std::optional<unsigned> env_unsigned(char const* name, unsigned min, unsigned max) noexcept {
  std::string_view const value = read_variable(name);
  if (value.empty()) return std::nullopt;
  std::optional<unsigned> const number = parse_unsigned(value, min, max);
  if (!number) complain(name, value).add("a number from ").add(min).add(" to ").add(max).print();
  return number;
}

std::optional<std::size_t> env_choice(char const* name, std::span<char const* const> choices) noexcept {
  std::string_view const value = read_variable(name);
  if (value.empty()) return std::nullopt;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    if (same_word(value, choices[i])) return i;
  }
  line l = complain(name, value);
  for (std::size_t i = 0; i < choices.size(); ++i) {
    if (i != 0) l.add(i + 1 < choices.size() ? ", " : " or ");
    l.add(choices[i]);
  }
  l.print();
  return std::nullopt;
}

char const* env_text(char const* name) noexcept {
  char const* const value = trusted_variable(name);
  return value != nullptr && *value != '\0' ? value : nullptr;
}

bool env_flag(char const* name, bool default_value) noexcept {
  static constexpr char const* words[] = {"0", "1", "off", "on", "no", "yes", "false", "true"};
  std::optional<std::size_t> const word = env_choice(name, words);
  return word ? *word % 2 == 1 : default_value;
}

void env_ignored(char const* name, char const* why) noexcept { ignored(name, read_variable(name)).add(why).print(); }

}  // namespace ashlar::inline v1::os
