// SPDX-License-Identifier: Apache-2.0
#include <ashlar/flow/edges/edges.h>

#include <utility>
#include <vector>

namespace ashlar::inline v1::flow {

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
  close(true);
}

void output_edges::count(bool on) {
  lock::scoped_lock const held(lock_);
  if (on && tallies_ == nullptr) {
    edge_copy const them(all());
    tallies_ = new tallies;
    for (std::size_t i = 0; i < them.size(); ++i) tallies_->add(them[i]);
  } else if (!on) {
    drop_tallies();
  }
  close(foreign_ || tallies_ != nullptr);
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

bool output_edges::begin_telling(void* r) {
  guard const held(lock_);
  if (!all().has(r)) return false;
  make_others();
  others& o = *others_;
  if (o.told.has(r)) {
    if (!o.again.has(r)) o.again.add(r);
    return false;
  }
  o.told.add(r);
  ++pulling_;
  return true;
}

bool output_edges::end_telling(void* r, bool pulls, bool* again) noexcept {
  guard const held(lock_);
  bool const removed = pulls && !successor_list::remove(r);
  if (!pulls || removed) end_pulling();
  others& o = *others_;
  if (o.again.remove(r) && again != nullptr && all().has(r)) {
    ++pulling_;
    *again = true;
  } else {
    o.told.remove(r);
  }
  return !removed;
}

void output_edges::describe(picture& to) {
  using purpose = picture::purpose;
  purpose const why = to.what_for();
  if (why == purpose::start_counting || why == purpose::stop_counting) return count(why == purpose::start_counting);
  lock::scoped_lock held;
  if (why == purpose::freeze) {
    held.acquire(lock_);
  } else if (!to.look(held, lock_)) {
    return;
  }
  edge_copy const them(all());
  for (std::size_t i = 0; i < them.size(); ++i) to.edge(them[i]);
  if (foreign_) {
    to.warn(
        "an edge leads to another graph: wait_for_all doesn't wait for "
        "what it causes there");
  }
  if (tallies_ == nullptr) return;
  for (tallies::edge const& e : tallies_->edges) to.tally(e.receiver, e.taken, e.refused);
  if (tallies_->pulled != 0) to.tally(nullptr, tallies_->pulled, 0);
}

}  // namespace ashlar::inline v1::flow
