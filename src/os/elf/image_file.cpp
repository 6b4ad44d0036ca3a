// SPDX-License-Identifier: Apache-2.0
// Images in the format ELF.
#include "os/image_file.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>

namespace ashlar::inline v1::os {

namespace {

struct elf_image {
  unsigned char const* begin;
  std::size_t size;

  // `count` objects at this place; null if they are not all in the file.
  template <typename T>
  T const* at(std::uint64_t offset, std::uint64_t count = 1) const noexcept {
    if (offset > size || count > (size - offset) / sizeof(T)) return nullptr;
    return reinterpret_cast<T const*>(begin + offset);
  }
  // Null: not such a file.
  ElfW(Ehdr) const* header() const noexcept {
    auto const* const found = at<ElfW(Ehdr)>(0);
    return found != nullptr && std::memcmp(found->e_ident, ELFMAG, SELFMAG) == 0 ? found : nullptr;
  }

  std::string_view name_in(ElfW(Shdr) const& table, ElfW(Shdr) const& names, std::uintptr_t address) const noexcept {
    std::size_t const count = table.sh_size / sizeof(ElfW(Sym));
    auto const* const symbols = at<ElfW(Sym)>(table.sh_offset, count);
    char const* const texts = at<char>(names.sh_offset, names.sh_size);
    if (symbols == nullptr || texts == nullptr) return {};
    for (std::size_t i = 0; i < count; ++i) {
      ElfW(Sym) const& s = symbols[i];
      if (s.st_shndx == SHN_UNDEF || address < s.st_value || s.st_name >= names.sh_size) continue;
      if (address - s.st_value >= (s.st_size != 0 ? s.st_size : 1)) continue;
      if (texts[s.st_name] == '$') continue;  // where Arm's code or data begins, as the linker marks it
      return {texts + s.st_name, ::strnlen(texts + s.st_name, names.sh_size - s.st_name)};
    }
    return {};
  }

  std::string_view name_in(unsigned kind, std::uintptr_t address) const noexcept {
    ElfW(Ehdr) const* const top = header();
    auto const* const sections = top != nullptr ? at<ElfW(Shdr)>(top->e_shoff, top->e_shnum) : nullptr;
    for (unsigned i = 0; sections != nullptr && i < top->e_shnum; ++i) {
      if (sections[i].sh_type != kind || sections[i].sh_link >= top->e_shnum) continue;
      std::string_view const found = name_in(sections[i], sections[sections[i].sh_link], address);
      if (!found.empty()) return found;
    }
    return {};
  }
};

}  // namespace

image_file::image_file(char const* path) noexcept {
  int const fd = ::open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;
  struct stat about{};
  if (::fstat(fd, &about) == 0 && about.st_size > 0) {
    auto const size = static_cast<std::size_t>(about.st_size);
    void* const at = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (at != MAP_FAILED) {
      begin_ = static_cast<unsigned char const*>(at);
      size_ = size;
    }
  }
  ::close(fd);
}

image_file::~image_file() {
  if (begin_ != nullptr) ::munmap(const_cast<unsigned char*>(begin_), size_);
}

std::string_view image_file::name_at(std::uintptr_t address) const noexcept {
  elf_image const image{begin_, size_};
  std::string_view const found = image.name_in(SHT_SYMTAB, address);
  return !found.empty() ? found : image.name_in(SHT_DYNSYM, address);
}

bool image_file::find_address(std::uintptr_t offset, std::uintptr_t& address) const noexcept {
  elf_image const image{begin_, size_};
  ElfW(Ehdr) const* const top = image.header();
  auto const* const parts = top != nullptr ? image.at<ElfW(Phdr)>(top->e_phoff, top->e_phnum) : nullptr;
  for (unsigned i = 0; parts != nullptr && i < top->e_phnum; ++i) {
    if (parts[i].p_type != PT_LOAD || offset < parts[i].p_offset) continue;
    if (offset - parts[i].p_offset >= parts[i].p_filesz) continue;
    address = offset - parts[i].p_offset + parts[i].p_vaddr;
    return true;
  }
  return false;
}

}  // namespace ashlar::inline v1::os
