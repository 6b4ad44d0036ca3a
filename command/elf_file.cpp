// SPDX-License-Identifier: Apache-2.0
#include "elf_file.h"

#include <elf.h>

#include <cstring>
#include <fstream>

namespace ashlar::command {

namespace {

class image {
 public:
  explicit image(fs::path const& file) : in_(file, std::ios::binary) {}

  template <typename T>
  bool read(std::uint64_t offset, T& what) {
    in_.clear();
    in_.seekg(static_cast<std::streamoff>(offset));
    in_.read(reinterpret_cast<char*>(&what), sizeof what);
    return in_.gcount() == sizeof what;
  }
  std::string text(std::uint64_t offset) {
    in_.clear();
    in_.seekg(static_cast<std::streamoff>(offset));
    std::string found;
    for (char c; found.size() < 4096 && in_.get(c) && c != '\0';) found += c;
    return found;
  }

 private:
  std::ifstream in_;
};

constexpr std::size_t most_entries = 10000;

struct layout {
  std::vector<Elf64_Phdr> segments;

  // The place in the file of an address, 0 if there is none.
  std::uint64_t place(std::uint64_t address) const {
    for (Elf64_Phdr const& s : segments) {
      if (s.p_type == PT_LOAD && address >= s.p_vaddr && address - s.p_vaddr < s.p_filesz) {
        return address - s.p_vaddr + s.p_offset;
      }
    }
    return 0;
  }
};

void read_dynamic(image& in, layout const& where, Elf64_Phdr const& segment, elf_file& found) {
  std::vector<std::uint64_t> names;
  std::uint64_t strings = 0;
  for (std::uint64_t i = 0; i < most_entries && i * sizeof(Elf64_Dyn) < segment.p_filesz; ++i) {
    Elf64_Dyn entry;
    if (!in.read(segment.p_offset + i * sizeof entry, entry) || entry.d_tag == DT_NULL) break;
    if (entry.d_tag == DT_NEEDED) names.push_back(entry.d_un.d_val);
    if (entry.d_tag == DT_STRTAB) strings = where.place(entry.d_un.d_ptr);
    if (entry.d_tag == DT_RPATH) found.rpath = true;
    if (entry.d_tag == DT_RUNPATH) found.rpath = false;
  }
  if (strings == 0) return;
  for (std::uint64_t const name : names) found.needed.push_back(in.text(strings + name));
}

}  // namespace

elf_file read_elf(fs::path const& file) {
  elf_file found;
  image in(file);
  Elf64_Ehdr head;
  if (!in.read(0, head) || std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0) return found;
  if (head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_phentsize != sizeof(Elf64_Phdr)) return found;
  found.elf = true;
  layout where;
  for (std::uint64_t i = 0; i < head.e_phnum && i < most_entries; ++i) {
    Elf64_Phdr segment;
    if (!in.read(head.e_phoff + i * sizeof segment, segment)) break;
    where.segments.push_back(segment);
  }
  for (Elf64_Phdr const& s : where.segments) {
    if (s.p_type == PT_INTERP) found.loaded = true;
    if (s.p_type == PT_DYNAMIC) read_dynamic(in, where, s, found);
  }
  return found;
}

}  // namespace ashlar::command
