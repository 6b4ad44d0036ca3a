// SPDX-License-Identifier: Apache-2.0
// Policies of memory as mbind(2) describes them.
#include "os/numa_memory.h"

#include "os/pages.h"

#include <linux/mempolicy.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace ashlar::inline v1::os {
namespace {

class node_mask {
 public:
  static constexpr int most_nodes = 1024;

  // False if it is there already or can't be.
  bool add(int node) noexcept {
    if (node < 0 || node >= most_nodes) return false;
    unsigned long& word = words_[node / bits];
    unsigned long const bit = 1ul << (node % bits);
    bool const is_new = (word & bit) == 0;
    word |= bit;
    return is_new;
  }
  bool ask_for(void* p, std::size_t bytes, int policy) const noexcept {
    // The system takes a bit less than it is told.
    return ::syscall(SYS_mbind, p, bytes, policy, words_, static_cast<unsigned long>(most_nodes) + 1, 0u) == 0;
  }

 private:
  static constexpr int bits = 8 * sizeof(unsigned long);
  unsigned long words_[most_nodes / bits] = {};
};

std::size_t whole_pages(std::size_t bytes) noexcept { return (bytes + page_size() - 1) / page_size() * page_size(); }

}  // namespace

void* map_interleaved(std::size_t bytes, int const* nodes, std::size_t count, std::size_t chunk) noexcept {
  if (bytes > static_cast<std::size_t>(-1) / 2) return nullptr;
  int const saved = errno;
  bytes = whole_pages(bytes);
  void* const p = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  errno = saved;
  if (p == MAP_FAILED) return nullptr;
  node_mask all;
  bool const each_once = std::all_of(nodes, nodes + count, [&](int node) { return all.add(node); });
  if (each_once && chunk == page_size() && count > 1) {
    all.ask_for(p, bytes, MPOL_INTERLEAVE);
  } else {
    // One mapping per chunk: there is a limit to their number, beyond which the rest lies anywhere.
    std::size_t const step = count == 1 ? bytes : chunk;
    for (std::size_t at = 0, i = 0; at < bytes; ++i) {
      node_mask one;
      std::size_t const part = std::min(step, bytes - at);
      if (one.add(nodes[i % count]) && !one.ask_for(static_cast<char*>(p) + at, part, MPOL_PREFERRED)) break;
      at += part;
    }
  }
  errno = saved;
  return p;
}

void unmap_interleaved(void* p, std::size_t bytes) noexcept {
  if (p != nullptr) ::munmap(p, whole_pages(bytes));
}

}  // namespace ashlar::inline v1::os
