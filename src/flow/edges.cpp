// SPDX-License-Identifier: Apache-2.0
#include <ashlar/flow/edges.h>

#include <cstring>

namespace ashlar::flow {

bool edge_list::remove(void* what) noexcept {
  void** const list = place();
  for (std::uint32_t i = size_; i-- != 0;) {
    if (list[i] != what) continue;
    std::memmove(list + i, list + i + 1, (size_ - i - 1) * sizeof *list);
    --size_;
    return true;
  }
  return false;
}

void edge_list::grow() {
  auto** const larger = new void*[std::size_t{2} * room_];
  std::memcpy(larger, place(), size_ * sizeof *larger);
  if (room_ > own_room) delete[] more_;
  more_ = larger;
  room_ *= 2;
}

}  // namespace ashlar::flow
