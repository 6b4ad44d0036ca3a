// SPDX-License-Identifier: Apache-2.0
#include "obs/code_name.h"

#include "obs/elf_file.h"

#include <fcntl.h>
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

}  // namespace

void add_code_name(text_line& to, std::uintptr_t code) noexcept {
  mapping m;
  maps_reader maps;
  while (maps.next(m)) {
    if (code < m.low || code >= m.high || m.path[0] != '/') continue;
    elf_file const file(m.path);
    std::uintptr_t address = 0;
    if (!file.find_address(code - m.low + m.offset, address)) break;
    std::string_view const name = file.name_at(address);
    if (!name.empty()) {
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
