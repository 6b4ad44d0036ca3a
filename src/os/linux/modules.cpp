// SPDX-License-Identifier: Apache-2.0
#include "os/modules.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <unistd.h>

#include <cstring>

namespace ashlar::inline v1::os {

namespace {

constexpr char running[] = "/proc/self/exe";

// Empty for the program, which a static one of musl's calls by another name.
char const* file_of(dl_phdr_info const& module) noexcept {
  char const* const name = module.dlpi_name;
  return name != nullptr && std::strcmp(name, running) != 0 ? name : "";
}

struct visit {
  void (*take)(char const* file, std::uintptr_t begin, void* context);
  void* context;
};

int visit_module(dl_phdr_info* info, std::size_t, void* data) {
  auto const& to = *static_cast<visit const*>(data);
  to.take(file_of(*info), info->dlpi_addr, to.context);
  return 0;
}

// A mapping of the process, as /proc/self/maps tells it.
struct mapping {
  std::uintptr_t low = 0;
  std::uintptr_t high = 0;
};

// Reads /proc/self/maps character by character: "low-high rights offset device inode path".
class maps_reader {
 public:
  maps_reader() noexcept : file_(::open("/proc/self/maps", O_RDONLY | O_CLOEXEC)) {}
  ~maps_reader() {
    if (file_ >= 0) ::close(file_);
  }
  maps_reader(maps_reader const&) = delete;
  maps_reader& operator=(maps_reader const&) = delete;

  bool next(mapping& m, code_place& place) noexcept {
    if (file_ < 0 || peek() < 0) return false;
    m.low = number();
    m.high = number();
    skip_field();
    place.offset = number();
    skip_field();
    skip_field();
    while (peek() == ' ') take();
    std::size_t length = 0;
    for (int c; (c = take()) >= 0 && c != '\n';) {
      if (length < sizeof place.path - 1) place.path[length++] = static_cast<char>(c);
    }
    place.path[length] = '\0';
    return true;
  }

 private:
  int peek() noexcept {
    if (at_ == size_) {
      ssize_t const n = ::read(file_, buffer_, sizeof buffer_);
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

// Looked for in the loader's list: dladdr1(), which would give the same, is glibc's alone.
bool find_module(void const* address, module_place& place) noexcept {
  struct search {
    std::uintptr_t at;
    module_place* found;
  } what{reinterpret_cast<std::uintptr_t>(address), &place};
  auto const holds = [](dl_phdr_info* info, std::size_t, void* data) {
    auto const& wanted = *static_cast<search const*>(data);
    for (unsigned i = 0; i < info->dlpi_phnum; ++i) {
      ElfW(Phdr) const& part = info->dlpi_phdr[i];
      if (part.p_type != PT_LOAD || wanted.at - info->dlpi_addr - part.p_vaddr >= part.p_memsz) continue;
      wanted.found->file = file_of(*info);
      wanted.found->begin = info->dlpi_addr;
      return 1;
    }
    return 0;
  };
  if (::dl_iterate_phdr(holds, &what) == 0) return false;
  Dl_info about{};
  place.nearest = ::dladdr(address, &about) != 0 ? about.dli_sname : nullptr;
  return true;
}

void for_each_module(void (*take)(char const* file, std::uintptr_t begin, void* context), void* context) noexcept {
  visit to{take, context};
  ::dl_iterate_phdr(visit_module, &to);
}

void program_path(char* to, std::size_t room) noexcept {
  ssize_t const n = ::readlink(running, to, room - 1);
  to[n > 0 ? n : 0] = '\0';
}

char const* program_file() noexcept { return running; }

bool find_code(std::uintptr_t code, code_place& place) noexcept {
  mapping m;
  maps_reader maps;
  while (maps.next(m, place)) {
    if (code < m.low || code >= m.high || place.path[0] != '/') continue;
    place.offset += code - m.low;
    return true;
  }
  return false;
}

}  // namespace ashlar::inline v1::os
