// SPDX-License-Identifier: Apache-2.0
#include <tbb/info.h>
#include <tbb/numa_allocation.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <vector>

#include <linux/mempolicy.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

std::size_t const page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));

// The policy of the page at p, or -1 if the system doesn't tell.
int policy_at(void* p) {
  int policy = 0;
  return syscall(SYS_get_mempolicy, &policy, nullptr, 0ul, p, static_cast<unsigned long>(MPOL_F_ADDR)) == 0 ? policy
                                                                                                            : -1;
}

void check_memory(void* p, std::size_t bytes) {
  REQUIRE(p != nullptr);
  CHECK(reinterpret_cast<std::uintptr_t>(p) % page == 0);
  auto* const at = static_cast<unsigned char*>(p);
  CHECK(std::all_of(at, at + bytes, [](unsigned char c) { return c == 0; }));
  std::memset(p, 1, bytes);
  tbb::deallocate_numa_interleaved(p, bytes);
}

}  // namespace

TEST_CASE("interleaved memory is zero, aligned to pages and usable") {
  std::vector<tbb::numa_node_id> const nodes = tbb::info::numa_nodes();
  for (std::size_t bytes : {std::size_t{1}, page - 1, page, 5 * page + 1, std::size_t{3} << 20}) {
    check_memory(tbb::allocate_numa_interleaved(bytes), bytes);
    check_memory(tbb::allocate_numa_interleaved(bytes, 2 * page), bytes);
    check_memory(tbb::allocate_numa_interleaved(bytes, nodes), bytes);
    check_memory(tbb::allocate_numa_interleaved(bytes, nodes, 4 * page), bytes);
    // Twice as much of the first node.
    std::vector<tbb::numa_node_id> weighted = nodes;
    weighted.push_back(nodes.front());
    check_memory(tbb::allocate_numa_interleaved(bytes, weighted), bytes);
  }
}

TEST_CASE("the system is asked for the node") {
  tbb::numa_node_id const node = tbb::info::numa_nodes().front();
  void* const p = tbb::allocate_numa_interleaved(4 * page, std::vector<tbb::numa_node_id>{node, node}, page);
  REQUIRE(p != nullptr);
  int const plain = policy_at(&errno);
  if (node < 0 || plain < 0) {
    MESSAGE("this system tells nothing of NUMA nodes");
  } else {
    CHECK(policy_at(p) == MPOL_PREFERRED);
    CHECK(policy_at(static_cast<char*>(p) + 3 * page) == MPOL_PREFERRED);
  }
  tbb::deallocate_numa_interleaved(p, 4 * page);
}

TEST_CASE("bad arguments and a lack of memory give null and leave errno alone") {
  errno = 0;
  CHECK(tbb::allocate_numa_interleaved(0) == nullptr);
  CHECK(tbb::allocate_numa_interleaved(page, 7) == nullptr);
  CHECK(tbb::allocate_numa_interleaved(page, page + 1) == nullptr);
  CHECK(tbb::allocate_numa_interleaved(page, std::vector<tbb::numa_node_id>()) == nullptr);
  CHECK(tbb::allocate_numa_interleaved(page, std::vector<tbb::numa_node_id>{12345}) == nullptr);
  tbb::numa_node_id const node = tbb::info::numa_nodes().front();
  CHECK(tbb::detail::r1::allocate_interleaved(page, nullptr, 1, 0) == nullptr);
  CHECK(tbb::detail::r1::allocate_interleaved(page, &node, 0, 0) == nullptr);
  CHECK(tbb::allocate_numa_interleaved(SIZE_MAX) == nullptr);
  CHECK(tbb::allocate_numa_interleaved(SIZE_MAX / 4) == nullptr);
  CHECK(errno == 0);
  tbb::deallocate_numa_interleaved(nullptr, page);
}
