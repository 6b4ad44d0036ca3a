// SPDX-License-Identifier: Apache-2.0
#include "trace/symbols.h"

#include "obs/user_name.h"
#include "program/printable.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace ashlar::sim {

namespace {

// Reads parts of an ELF file, and nothing that lies outside of it.
class elf_file {
 public:
  explicit elf_file(std::string const& path) {
    std::error_code failed;
    // A trace may name a device or a pipe, whose reading never ends.
    if (!std::filesystem::is_regular_file(path, failed)) return;
    most_ = std::filesystem::file_size(path, failed);
    in_.open(path, std::ios::binary);
    if (failed || !read(0, &header_, sizeof header_) || std::memcmp(header_.e_ident, ELFMAG, SELFMAG) != 0 ||
        header_.e_ident[EI_CLASS] != ELFCLASS64 || header_.e_shentsize != sizeof(Elf64_Shdr)) {
      return;
    }
    sections_.resize(header_.e_shnum);
    if (!read(header_.e_shoff, sections_.data(), sections_.size() * sizeof(Elf64_Shdr))) sections_.clear();
  }

  bool is_there() const { return in_.is_open(); }

  template <typename Take>
  void each_symbol(std::uint32_t section_type, Take const& take) {
    for (Elf64_Shdr const& s : sections_) {
      if (s.sh_type != section_type || s.sh_link >= sections_.size() || s.sh_size > most_) continue;
      Elf64_Shdr const& text = sections_[s.sh_link];
      if (text.sh_size > most_) continue;
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
  bool read(std::uint64_t offset, void* to, std::size_t size) {
    in_.clear();
    in_.seekg(static_cast<std::streamoff>(offset));
    return static_cast<bool>(in_.read(static_cast<char*>(to), static_cast<std::streamsize>(size)));
  }

  std::ifstream in_;
  std::uint64_t most_ = 0;  // its size: no section is larger
  Elf64_Ehdr header_{};
  std::vector<Elf64_Shdr> sections_;
};

// Is the module the library that recorded the trace? By the names that it is installed under.
bool of_the_library(std::filesystem::path const& path) {
  std::string const name = path.filename().string();
  return name.rfind("libtbb-ashlar", 0) == 0 ||
         (path.parent_path().filename() == "ashlar-compat" && name.rfind("libtbb", 0) == 0);
}

}  // namespace

symbol_table::symbol_table(std::vector<module_place> modules) : modules_(std::move(modules)) {
  std::sort(modules_.begin(), modules_.end(), [](auto const& a, auto const& b) { return a.base < b.base; });
}

symbol_table::module_symbols& symbol_table::symbols_of(std::size_t module) {
  auto const [at, fresh] = loaded_.try_emplace(module);
  module_symbols& made = at->second;
  if (!fresh) return made;
  std::string const& path = modules_[module].path;
  elf_file file(path);
  auto const take = [&](Elf64_Sym const& y, char const* name) { made.list.push_back({y.st_value, y.st_size, name}); };
  file.each_symbol(SHT_SYMTAB, take);
  bool const stripped = made.list.empty();
  if (stripped) file.each_symbol(SHT_DYNSYM, take);
  std::stable_sort(made.list.begin(), made.list.end(), [](symbol const& a, symbol const& b) { return a.at < b.at; });
  made.places = std::make_unique<source_places>(file.is_there() ? path : std::string());
  if (of_the_library(path)) return made;  // nothing that a user could mend
  if (!file.is_there()) {
    complaints_.push_back(path + " is not there, so its tasks have no names.");
  } else if (stripped) {
    complaints_.push_back(path + " is stripped: its tasks have no names, or only those of exported functions.");
  } else if (!made.places->known()) {
    complaints_.push_back(
        path + ": no debug information that this program reads, so names come without lines (compile with -g).");
  }
  return made;
}

// Of a virtual table's class, or of the code. Where the compiler doesn't tell, other code with the same user's function
// in it may.
std::string symbol_table::place_of(module_symbols& in, symbol const& s, std::string const& user_name) {
  source_places& places = *in.places;
  if (!places.known()) return {};
  bool const of_class = s.name.rfind("_ZTV", 0) == 0;
  std::string found = of_class ? std::string() : places.of_code(s.at);
  if (found.empty()) found = places.of_class(user_name);
  if (!found.empty() || user_name.find("::") == std::string::npos) return found;
  for (symbol const& other : in.list) {
    if (other.name.rfind("_ZN", 0) != 0 || other.at == s.at ||
        obs::user_part(obs::demangled(other.name)) != user_name) {
      continue;
    }
    found = places.of_code(other.at);
    if (!found.empty()) break;
  }
  return found;
}

std::string const& symbol_table::name(std::uint64_t address) {
  auto const [at, fresh] = known_.try_emplace(address);
  if (!fresh) return at->second;
  auto const above = std::upper_bound(modules_.begin(), modules_.end(), address,
                                      [](std::uint64_t a, module_place const& m) { return a < m.base; });
  if (above == modules_.begin()) {
    at->second = fmt::format("task at {:#x}", address);
    return at->second;
  }
  auto const module = static_cast<std::size_t>(above - modules_.begin() - 1);
  std::uint64_t const within = address - modules_[module].base;
  std::string const& path = modules_[module].path;
  at->second = fmt::format("task at {}+{:#x}", path.substr(path.rfind('/') + 1), within);
  module_symbols& symbols = symbols_of(module);
  auto found = std::upper_bound(symbols.list.begin(), symbols.list.end(), within,
                                [](std::uint64_t a, symbol const& s) { return a < s.at; });
  if (found == symbols.list.begin()) return at->second;
  --found;
  if (within >= found->at + std::max<std::uint64_t>(found->size, 1)) return at->second;
  std::string const own = obs::user_part(obs::demangled(found->name));
  std::string const place = place_of(symbols, *found, own);
  at->second = printable(obs::shortened(own) + (place.empty() ? "" : " (" + place + ")"));
  return at->second;
}

}  // namespace ashlar::sim
