// SPDX-License-Identifier: Apache-2.0
#include "obs/elf_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>

namespace ashlar::inline v1::obs {

elf_file::elf_file(char const* path) noexcept {
  int const fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;
  struct stat about{};
  if (fstat(fd, &about) == 0 && about.st_size > 0) {
    size_ = static_cast<std::size_t>(about.st_size);
    void* const at = mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, fd, 0);
    begin_ = at != MAP_FAILED ? static_cast<unsigned char const*>(at) : nullptr;
  }
  close(fd);
  header_ = at<ElfW(Ehdr)>(0);
  if (header_ != nullptr && std::memcmp(header_->e_ident, ELFMAG, SELFMAG) != 0) header_ = nullptr;
}

elf_file::~elf_file() {
  if (begin_ != nullptr) munmap(const_cast<unsigned char*>(begin_), size_);
}

std::string_view elf_file::name_at(std::uintptr_t address) const noexcept {
  std::string_view const found = name_in(SHT_SYMTAB, address);
  return !found.empty() ? found : name_in(SHT_DYNSYM, address);
}

std::string_view elf_file::name_in(unsigned kind, std::uintptr_t address) const noexcept {
  auto const* const sections = header_ != nullptr ? at<ElfW(Shdr)>(header_->e_shoff, header_->e_shnum) : nullptr;
  for (unsigned i = 0; sections != nullptr && i < header_->e_shnum; ++i) {
    if (sections[i].sh_type != kind || sections[i].sh_link >= header_->e_shnum) continue;
    std::string_view const found = name_in(sections[i], sections[sections[i].sh_link], address);
    if (!found.empty()) return found;
  }
  return {};
}

std::string_view elf_file::name_in(ElfW(Shdr) const& table, ElfW(Shdr) const& names,
                                   std::uintptr_t address) const noexcept {
  std::size_t const count = table.sh_size / sizeof(ElfW(Sym));
  auto const* const symbols = at<ElfW(Sym)>(table.sh_offset, count);
  char const* const texts = at<char>(names.sh_offset, names.sh_size);
  if (symbols == nullptr || texts == nullptr) return {};
  for (std::size_t i = 0; i < count; ++i) {
    ElfW(Sym) const& s = symbols[i];
    if (s.st_shndx == SHN_UNDEF || address < s.st_value || s.st_name >= names.sh_size) continue;
    if (address - s.st_value >= (s.st_size != 0 ? s.st_size : 1)) continue;
    if (texts[s.st_name] == '$') continue;  // where Arm's code or data begins, as the linker marks it
    return {texts + s.st_name, strnlen(texts + s.st_name, names.sh_size - s.st_name)};
  }
  return {};
}

bool elf_file::find_address(std::uintptr_t offset, std::uintptr_t& address) const noexcept {
  auto const* const parts = header_ != nullptr ? at<ElfW(Phdr)>(header_->e_phoff, header_->e_phnum) : nullptr;
  for (unsigned i = 0; parts != nullptr && i < header_->e_phnum; ++i) {
    if (parts[i].p_type != PT_LOAD || offset < parts[i].p_offset) continue;
    if (offset - parts[i].p_offset >= parts[i].p_filesz) continue;
    address = offset - parts[i].p_offset + parts[i].p_vaddr;
    return true;
  }
  return false;
}

}  // namespace ashlar::inline v1::obs
