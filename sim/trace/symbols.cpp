// SPDX-License-Identifier: Apache-2.0
#include "trace/symbols.h"

#include <cxxabi.h>
#include <elf.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>

namespace ashlar::sim {

namespace {

std::string demangle(char const* mangled) {
  int status = 0;
  char* const plain = abi::__cxa_demangle(mangled, nullptr, nullptr, &status);
  std::string result = plain != nullptr ? plain : mangled;
  std::free(plain);
  return result;
}

bool is_library(std::string const& name) {
  return name.rfind("ashlar::", 0) == 0 || name.rfind("tbb::", 0) == 0 || name.rfind("std::", 0) == 0;
}

// The arguments of the outermost template argument list, without blanks around them.
std::string trimmed(std::string text) {
  text.erase(0, text.find_first_not_of(' '));
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text;
}

std::vector<std::string> template_arguments(std::string const& name) {
  std::vector<std::string> result;
  std::size_t const open = name.find('<');
  if (open == std::string::npos) return result;
  int depth = 0;
  std::size_t from = open + 1;
  for (std::size_t i = open; i < name.size(); ++i) {
    char const c = name[i];
    if (c == '<' || c == '(' || c == '{') ++depth;
    bool const closes = c == '>' || c == ')' || c == '}';
    if (depth == 1 && (c == ',' || closes)) {
      std::string part = trimmed(name.substr(from, i - from));
      if (!part.empty()) result.push_back(std::move(part));
      from = i + 1;
    }
    if (closes && --depth == 0) break;
  }
  return result;
}

// Reads parts of an ELF file, and nothing that lies outside of it.
class elf_file {
 public:
  explicit elf_file(std::string const& path) : in_(path, std::ios::binary) {
    if (!read(0, &header_, sizeof header_) || std::memcmp(header_.e_ident, ELFMAG, SELFMAG) != 0 ||
        header_.e_ident[EI_CLASS] != ELFCLASS64 || header_.e_shentsize != sizeof(Elf64_Shdr)) {
      return;
    }
    sections_.resize(header_.e_shnum);
    if (!read(header_.e_shoff, sections_.data(), sections_.size() * sizeof(Elf64_Shdr))) sections_.clear();
  }

  template <typename Take>
  void each_symbol(std::uint32_t section_type, Take const& take) {
    for (Elf64_Shdr const& s : sections_) {
      if (s.sh_type != section_type || s.sh_link >= sections_.size() || s.sh_size > most) continue;
      Elf64_Shdr const& text = sections_[s.sh_link];
      if (text.sh_size > most) continue;
      std::vector<Elf64_Sym> symbols(s.sh_size / sizeof(Elf64_Sym));
      std::vector<char> names(text.sh_size + 1, 0);
      if (!read(s.sh_offset, symbols.data(), symbols.size() * sizeof(Elf64_Sym)) ||
          !read(text.sh_offset, names.data(), text.sh_size)) {
        continue;
      }
      for (Elf64_Sym const& y : symbols) {
        auto const type = ELF64_ST_TYPE(y.st_info);
        if ((type == STT_FUNC || type == STT_OBJECT) && y.st_value != 0 && y.st_name < text.sh_size) {
          take(y, names.data() + y.st_name);
        }
      }
    }
  }

 private:
  static constexpr std::uint64_t most = std::uint64_t{1} << 30;

  bool read(std::uint64_t offset, void* to, std::size_t size) {
    in_.clear();
    in_.seekg(static_cast<std::streamoff>(offset));
    return static_cast<bool>(in_.read(static_cast<char*>(to), static_cast<std::streamsize>(size)));
  }

  std::ifstream in_;
  Elf64_Ehdr header_{};
  std::vector<Elf64_Shdr> sections_;
};

}  // namespace

std::string user_part(std::string const& demangled) {
  std::string name = demangled;
  if (name.rfind("vtable for ", 0) == 0) name.erase(0, 11);
  if (name.rfind("void ", 0) == 0) name.erase(0, 5);
  // What the library wraps around the user's function is templates: inwards to the first name that is not its own.
  for (int level = 0; level < 12 && is_library(name); ++level) {
    auto const arguments = template_arguments(name);
    auto const own = std::find_if(arguments.rbegin(), arguments.rend(), [](auto const& a) { return !is_library(a); });
    if (own != arguments.rend()) {
      name = *own;
    } else if (!arguments.empty()) {
      name = arguments.front();
    } else {
      break;
    }
  }
  // Its filters' types are gone.
  if (name.find("::pipeline_run::") != std::string::npos) return "parallel_pipeline";
  while (!name.empty() && (name.back() == '&' || name.back() == ' ')) name.pop_back();
  if (name.size() > 6 && name.compare(name.size() - 6, 6, " const") == 0) name.resize(name.size() - 6);
  return name;
}

std::string shortened(std::string const& name) {
  constexpr std::size_t most = 40;
  std::string out;
  std::vector<std::size_t> open;  // places of brackets in `out`
  for (char const c : name) {
    if (c == '(' || c == '<') open.push_back(out.size());
    out += c;
    if (c != ')' && c != '>') continue;
    if (open.empty() || out[open.back()] != (c == ')' ? '(' : '<')) return name;
    std::size_t const inner = open.back() + 1;
    open.pop_back();
    if (out.size() - inner - 1 > most) out.replace(inner, out.size() - inner - 1, "…");
  }
  return open.empty() ? out : name;
}

symbol_table::symbol_table(std::vector<module_place> modules) : modules_(std::move(modules)) {
  std::sort(modules_.begin(), modules_.end(), [](auto const& a, auto const& b) { return a.base < b.base; });
}

std::vector<symbol_table::symbol> const& symbol_table::symbols_of(std::size_t module) {
  auto const [at, fresh] = loaded_.try_emplace(module);
  if (!fresh) return at->second;
  auto& list = at->second;
  elf_file file(modules_[module].path);
  auto const take = [&](Elf64_Sym const& y, char const* name) { list.push_back({y.st_value, y.st_size, name}); };
  file.each_symbol(SHT_SYMTAB, take);
  if (list.empty()) file.each_symbol(SHT_DYNSYM, take);
  std::sort(list.begin(), list.end(), [](symbol const& a, symbol const& b) { return a.at < b.at; });
  return list;
}

std::string const& symbol_table::name(std::uint64_t address) {
  auto const [at, fresh] = known_.try_emplace(address);
  if (!fresh) return at->second;
  char number[32];
  std::snprintf(number, sizeof number, "task at %#llx", static_cast<unsigned long long>(address));
  at->second = number;
  auto const above = std::upper_bound(modules_.begin(), modules_.end(), address,
                                      [](std::uint64_t a, module_place const& m) { return a < m.base; });
  if (above == modules_.begin()) return at->second;
  auto const module = static_cast<std::size_t>(above - modules_.begin() - 1);
  std::uint64_t const within = address - modules_[module].base;
  auto const& list = symbols_of(module);
  auto found = std::upper_bound(list.begin(), list.end(), within,
                                [](std::uint64_t a, symbol const& s) { return a < s.at; });
  if (found == list.begin()) return at->second;
  --found;
  if (within < found->at + std::max<std::uint64_t>(found->size, 1))
    at->second = shortened(user_part(demangle(found->name.c_str())));
  return at->second;
}

}  // namespace ashlar::sim
