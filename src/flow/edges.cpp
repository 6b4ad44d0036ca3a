// SPDX-License-Identifier: Apache-2.0
#include <ashlar/flow/edges.h>

#include <cstring>
#include <vector>

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

// ---- the edges of an output

struct output_edges::tallies {
  struct edge {
    void* receiver;
    std::uint64_t taken;
    std::uint64_t refused;
  };
  edge* find(void* r) noexcept {
    for (edge& e : edges) {
      if (e.receiver == r) return &e;
    }
    return nullptr;
  }
  // Without memory the edge isn't counted.
  void add(void* r) noexcept {
    try {
      if (find(r) == nullptr) edges.push_back({r, 0, 0});
    } catch (std::bad_alloc const&) {
    }
  }
  std::vector<edge> edges;
  std::uint64_t pulled = 0;
};

void output_edges::drop_tallies() noexcept { delete std::exchange(tallies_, nullptr); }

void output_edges::tally_edge(void* r) noexcept {
  if (tallies_ == nullptr) tallies_ = new (std::nothrow) tallies;
  if (tallies_ == nullptr) return;
  tallies_->add(r);
  special_.store(true, mo::relaxed);
}

void output_edges::count(bool on) {
  lock::scoped_lock const held(lock_);
  if (on && tallies_ == nullptr) {
    tallies_ = new tallies;
    for (std::size_t i = 0; i < list_.size(); ++i) tallies_->add(list_.items()[i]);
  } else if (!on) {
    drop_tallies();
  }
  special_.store(foreign_ || tallies_ != nullptr, mo::relaxed);
  note_change();
}

void output_edges::count_message(void* r, bool taken) noexcept {
  lock::scoped_lock const held(lock_);
  if (tallies_ == nullptr) return;
  if (r == nullptr) {
    ++tallies_->pulled;
  } else if (tallies::edge* const e = tallies_->find(r)) {
    ++(taken ? e->taken : e->refused);
  }
}

void output_edges::describe(picture& to) {
  if (to.what_for() != picture::purpose::show) return count(to.what_for() == picture::purpose::start_counting);
  lock::scoped_lock held;
  if (!to.look(held, lock_)) return;
  for (std::size_t i = 0; i < list_.size(); ++i) to.edge(list_.items()[i]);
  if (foreign_) to.warn("an edge leads to another graph: wait_for_all doesn't wait for what it causes there");
  if (tallies_ == nullptr) return;
  for (tallies::edge const& e : tallies_->edges) to.tally(e.receiver, e.taken, e.refused);
  if (tallies_->pulled != 0) to.tally(nullptr, tallies_->pulled, 0);
}

}  // namespace ashlar::flow
