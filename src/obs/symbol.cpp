// SPDX-License-Identifier: Apache-2.0
#include "obs/symbol.h"

#include "obs/user_name.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <string_view>

namespace ashlar::inline v1::obs {

namespace {

// A file in memory, for as long as this lives.
class mapped_file {
 public:
  explicit mapped_file(char const* path) noexcept {
    int const fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return;
    struct stat about{};
    if (fstat(fd, &about) == 0 && about.st_size > 0) {
      size_ = static_cast<std::size_t>(about.st_size);
      void* const at = mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, fd, 0);
      begin_ = at != MAP_FAILED ? static_cast<unsigned char const*>(at) : nullptr;
    }
    close(fd);
  }
  ~mapped_file() {
    if (begin_ != nullptr) munmap(const_cast<unsigned char*>(begin_), size_);
  }
  mapped_file(mapped_file const&) = delete;
  mapped_file& operator=(mapped_file const&) = delete;

  // `count` objects at this place; null if they are not all in the file.
  template <typename T>
  T const* at(std::uint64_t offset, std::uint64_t count = 1) const noexcept {
    if (begin_ == nullptr || offset > size_ || count > (size_ - offset) / sizeof(T)) return nullptr;
    return reinterpret_cast<T const*>(begin_ + offset);
  }

 private:
  unsigned char const* begin_ = nullptr;
  std::size_t size_ = 0;
};

// The mangled name of what lies there, from one table of symbols.
std::string_view name_in(mapped_file const& file, ElfW(Shdr) const& table, ElfW(Shdr) const& names,
                         std::uintptr_t wanted) noexcept {
  std::size_t const count = table.sh_size / sizeof(ElfW(Sym));
  auto const* const symbols = file.at<ElfW(Sym)>(table.sh_offset, count);
  char const* const texts = file.at<char>(names.sh_offset, names.sh_size);
  if (symbols == nullptr || texts == nullptr) return {};
  for (std::size_t i = 0; i < count; ++i) {
    ElfW(Sym) const& s = symbols[i];
    if (s.st_shndx == SHN_UNDEF || wanted < s.st_value || s.st_name >= names.sh_size) continue;
    if (wanted - s.st_value >= (s.st_size != 0 ? s.st_size : 1)) continue;
    if (texts[s.st_name] == '$') continue;  // where Arm's code or data begins, as the linker marks it
    return {texts + s.st_name, strnlen(texts + s.st_name, names.sh_size - s.st_name)};
  }
  return {};
}

std::string name_in_file(char const* path, std::uintptr_t wanted) {
  mapped_file const file(path);
  auto const* const header = file.at<ElfW(Ehdr)>(0);
  if (header == nullptr || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return {};
  auto const* const sections = file.at<ElfW(Shdr)>(header->e_shoff, header->e_shnum);
  if (sections == nullptr) return {};
  for (unsigned i = 0; i < header->e_shnum; ++i) {
    if (sections[i].sh_type != SHT_SYMTAB || sections[i].sh_link >= header->e_shnum) continue;
    std::string_view const found = name_in(file, sections[i], sections[sections[i].sh_link], wanted);
    if (!found.empty()) return std::string(found);
  }
  return {};
}

}  // namespace

symbol symbol_at(void const* address) {
  symbol result;
  Dl_info about{};
  void* more = nullptr;
  if (dladdr1(address, &about, &more, RTLD_DL_LINKMAP) == 0 || more == nullptr) return result;
  auto const& module = *static_cast<link_map const*>(more);
  bool const program = module.l_name == nullptr || *module.l_name == '\0';
  char own[256] = "";
  if (program) {
    ssize_t const n = readlink("/proc/self/exe", own, sizeof own - 1);
    own[n > 0 ? n : 0] = '\0';
  }
  char const* const path = program ? own : module.l_name;
  char const* const slash = std::strrchr(path, '/');
  result.file = slash != nullptr ? slash + 1 : path;
  result.offset = reinterpret_cast<std::uintptr_t>(address) - module.l_addr;
  std::string mangled = name_in_file(program ? "/proc/self/exe" : path, result.offset);
  if (mangled.empty() && about.dli_sname != nullptr) mangled = about.dli_sname;
  if (!mangled.empty()) result.name = demangled(mangled);
  return result;
}

bool is_of_library(symbol const& s) {
  for (char const* const system : {"libc.so", "libstdc++.so", "libc++.so", "libpthread.so", "libgcc_s.so", "ld-linux",
                                   "libm.so", "libtbb", "linux-vdso"}) {
    if (s.file.compare(0, std::strlen(system), system) == 0) return true;
  }
  if (s.name.empty()) return false;
  std::string const own = user_part(s.name);
  // Without an argument list: what _start and its like are in a statically linked program.
  if (own.find('(') == std::string::npos && own.compare(0, 1, "_") == 0) return true;
  for (char const* const space : {"ashlar::", "tbb::", "oneapi::", "std::", "__gnu_cxx::", "__pstl::", "parallel_"}) {
    if (own.compare(0, std::strlen(space), space) == 0) return true;
  }
  return s.name != own;  // the library's code around the user's function
}

}  // namespace ashlar::inline v1::obs
