// SPDX-License-Identifier: Apache-2.0
#include <ashlar/flow/edge_list.h>

#include <cstring>

namespace ashlar::inline v1::flow {

bool edge_list::remove(void* what) noexcept {
  std::size_t const n = size();
  for (std::size_t i = n; i-- != 0;) {
    if (at(i) != what) continue;
    for (; i + 1 < n; ++i) set(i, at(i + 1));
    size_.store(static_cast<std::uint32_t>(n - 1), mo::release);  // [EL3]
    return true;
  }
  return false;
}

void edge_list::grow() {
  std::size_t const used = room_ - own_room;
  auto** const larger = new void*[std::size_t{2} * room_ - own_room];
  if (used != 0) std::memcpy(larger, more_, used * sizeof *larger);
  delete[] more_;
  more_ = larger;
  room_ *= 2;
}

}  // namespace ashlar::inline v1::flow
