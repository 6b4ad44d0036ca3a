// SPDX-License-Identifier: Apache-2.0
#include "obs/code_name.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ashlar::inline v1::obs {

namespace {

// The mapping of the process that holds an address.
struct mapping {
  std::uintptr_t low = 0;
  std::uintptr_t high = 0;
  std::uintptr_t offset = 0;
  char path[512] = {};
  std::size_t length = 0;  // of the path
};

// Reads /proc/self/maps character by character: "low-high rights offset device inode path".
class maps_reader {
 public:
  maps_reader() noexcept : file_(open("/proc/self/maps", O_RDONLY | O_CLOEXEC)) {}
  ~maps_reader() {
    if (file_ >= 0) close(file_);
  }
  maps_reader(maps_reader const&) = delete;
  maps_reader& operator=(maps_reader const&) = delete;

  bool next(mapping& m) noexcept {
    if (file_ < 0 || peek() < 0) return false;
    m.low = number();
    m.high = number();
    skip_field();
    m.offset = number();
    skip_field();
    skip_field();
    while (peek() == ' ') take();
    m.length = 0;
    for (int c; (c = take()) >= 0 && c != '\n';) {
      if (m.length < sizeof m.path - 1) m.path[m.length++] = static_cast<char>(c);
    }
    m.path[m.length] = '\0';
    return true;
  }

 private:
  int peek() noexcept {
    if (at_ == size_) {
      ssize_t const n = read(file_, buffer_, sizeof buffer_);
      if (n <= 0) return -1;
      at_ = 0;
      size_ = static_cast<std::size_t>(n);
    }
    return static_cast<unsigned char>(buffer_[at_]);
  }
  int take() noexcept {
    int const c = peek();
    if (c >= 0) ++at_;
    return c;
  }
  // A hexadecimal number and the character behind it.
  std::uintptr_t number() noexcept {
    std::uintptr_t n = 0;
    for (int c; (c = take()) >= 0;) {
      if (c >= '0' && c <= '9') {
        n = n * 16 + static_cast<unsigned>(c - '0');
      } else if (c >= 'a' && c <= 'f') {
        n = n * 16 + static_cast<unsigned>(c - 'a' + 10);
      } else {
        break;
      }
    }
    return n;
  }
  void skip_field() noexcept {
    for (int c; (c = take()) >= 0 && c != ' ' && c != '\n';) {
    }
  }

  int const file_;
  std::size_t at_ = 0;
  std::size_t size_ = 0;
  char buffer_[1024];
};

class image {
 public:
  explicit image(char const* path) noexcept {
    int const file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    struct stat about{};
    if (fstat(file, &about) == 0 && about.st_size > 0) {
      size_ = static_cast<std::size_t>(about.st_size);
      void* const at = mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file, 0);
      if (at != MAP_FAILED) begin_ = static_cast<char const*>(at);
    }
    close(file);
  }
  ~image() {
    if (begin_ != nullptr) munmap(const_cast<char*>(begin_), size_);
  }
  image(image const&) = delete;
  image& operator=(image const&) = delete;

  template <typename T>
  T const* at(std::uint64_t offset, std::uint64_t count = 1) const noexcept {
    if (begin_ == nullptr || offset > size_ || count > (size_ - offset) / sizeof(T)) return nullptr;
    return reinterpret_cast<T const*>(begin_ + offset);
  }

 private:
  char const* begin_ = nullptr;
  std::size_t size_ = 0;
};

// The address in the image of what lies at the offset in its file.
bool image_address(image const& of, std::uintptr_t offset, std::uintptr_t& address) noexcept {
  auto const* const head = of.at<ElfW(Ehdr)>(0);
  auto const* const parts = head != nullptr ? of.at<ElfW(Phdr)>(head->e_phoff, head->e_phnum) : nullptr;
  for (unsigned i = 0; parts != nullptr && i < head->e_phnum; ++i) {
    if (parts[i].p_type != PT_LOAD || offset < parts[i].p_offset) continue;
    if (offset - parts[i].p_offset >= parts[i].p_filesz) continue;
    address = offset - parts[i].p_offset + parts[i].p_vaddr;
    return true;
  }
  return false;
}

// The function of one symbol table; null if it has none for the address.
char const* in_table(image const& of, ElfW(Shdr) const& table, ElfW(Shdr) const& names,
                     std::uintptr_t address) noexcept {
  std::uint64_t const count = table.sh_size / sizeof(ElfW(Sym));
  auto const* const symbols = of.at<ElfW(Sym)>(table.sh_offset, count);
  for (std::uint64_t i = 0; symbols != nullptr && i < count; ++i) {
    ElfW(Sym) const& s = symbols[i];
    if ((s.st_info & 15) != STT_FUNC || address < s.st_value || address - s.st_value >= s.st_size) continue;
    if (s.st_name >= names.sh_size) continue;
    return of.at<char>(names.sh_offset + s.st_name, names.sh_size - s.st_name);
  }
  return nullptr;
}

char const* function_at(image const& of, std::uintptr_t address) noexcept {
  auto const* const head = of.at<ElfW(Ehdr)>(0);
  auto const* const sections = head != nullptr ? of.at<ElfW(Shdr)>(head->e_shoff, head->e_shnum) : nullptr;
  for (unsigned i = 0; sections != nullptr && i < head->e_shnum; ++i) {
    bool const table = sections[i].sh_type == SHT_SYMTAB || sections[i].sh_type == SHT_DYNSYM;
    if (!table || sections[i].sh_link >= head->e_shnum) continue;
    if (char const* const name = in_table(of, sections[i], sections[sections[i].sh_link], address)) return name;
  }
  return nullptr;
}

}  // namespace

void add_code_name(text_line& to, std::uintptr_t code) noexcept {
  mapping m;
  maps_reader maps;
  while (maps.next(m)) {
    if (code < m.low || code >= m.high || m.path[0] != '/') continue;
    image const file(m.path);
    std::uintptr_t address = 0;
    if (!image_address(file, code - m.low + m.offset, address)) break;
    if (char const* const name = function_at(file, address)) {
      to.add(name);
      to.add(" ");
    }
    to.add("(");
    to.add(m.path);
    to.add("+");
    to.add_address(address);
    to.add(")");
    return;
  }
  to.add_address(code);
}

}  // namespace ashlar::inline v1::obs
