// SPDX-License-Identifier: Apache-2.0
// Which steps of a frozen graph are called by one job.
//
// Chunks are formed in generations. A generation begins with the steps whose predecessors are all in chunks of former
// generations, its seeds. A chunk takes some of them, and what these and its further steps complete alone, breadth
// first, as long as all of its bodies together take less than a job is worth. What two chunks complete together, or
// finds no room, is a seed of the next generation. So chunks of one generation don't depend on each other, and none
// on a later one: the chunks have no circle, as the steps have none.
//
// A chunk begins with few seeds, because what a row of neighbours completes together is what lies between them: the
// chunk of a lattice is a triangle, which has few edges to others, and not a strip that keeps all others waiting.
#include "flow/frozen/frozen_plan.h"

#include <algorithm>

namespace ashlar::inline v1::flow {

// Its steps are in a list in the order in which they were taken.
class frozen_plan::chunk {
 public:
  chunk(step& seed, std::uint32_t cost, std::uint64_t longest) noexcept
      : seed_(seed), last_(&seed), longest_(longest), cost_(cost) {
    take(seed);
  }
  step& seed() noexcept { return seed_; }
  bool wants_seed() const noexcept { return seeds_ < longest_ / 8; }
  void begin_batch() noexcept { seeds_ = 0; }
  /// False: there is no room.
  bool add(step& s, std::uint32_t cost) noexcept {
    if (cost_ + cost > longest_) return false;
    cost_ += cost;
    last_->to_next = static_cast<std::int32_t>(&s - last_);
    last_ = &s;
    take(s);
    return true;
  }
  bool add_seed(step& s, std::uint32_t cost) noexcept {
    seeds_ += cost;
    return add(s, cost);
  }

 private:
  void take(step& s) noexcept {
    s.to_first = static_cast<std::int32_t>(&seed_ - &s);
    s.to_next = 0;
  }
  step& seed_;
  step* last_;
  std::uint64_t const longest_;
  std::uint64_t cost_;
  std::uint64_t seeds_ = 0;
};

frozen_plan::mark& frozen_plan::mark_of(step const& s) const noexcept {
  return marks_[static_cast<std::size_t>(&s - steps_.get())];
}

std::span<frozen_plan::step*> frozen_plan::successors_of(step const& s) const noexcept {
  step** const first = successors_.get() + (s.successors - jobs_after_.get());
  return {first, s.edges};
}

void frozen_plan::form_chunks() noexcept {
  static_assert(sizeof(void*) != 8 || sizeof(step) == cache_line);
  choose_chunks();
  link_chunks();
  sort_edges();
}

// Each step knows the seed with which its chunk began.
void frozen_plan::choose_chunks() noexcept {
  std::size_t known = 0;  // steps in order_
  for (std::size_t i = 0; i < size_; ++i) {
    mark& m = marks_[i];
    m.missing = m.predecessors;
    m.generation = 0;
    if (m.predecessors == 0) order_[known++] = &steps_[i];
  }
  std::size_t at = 0;
  for (std::uint32_t generation = 1; at != known; ++generation) {
    std::size_t const seeds_end = known;
    while (at != seeds_end) {
      chunk c(*order_[at], mark_of(*order_[at]).cost, longest_chunk_);
      ++at;
      auto const add_seeds = [&] {
        c.begin_batch();
        while (at != seeds_end && c.wants_seed() && c.add_seed(*order_[at], mark_of(*order_[at]).cost)) ++at;
      };
      add_seeds();
      for (step* s = &c.seed(); s != nullptr; s = s->next()) {
        for (step* const to : successors_of(*s)) {
          mark& m = mark_of(*to);
          if (!m.bring(c.seed(), generation)) continue;
          if (m.chunk != &c.seed() || !c.add(*to, m.cost)) order_[known++] = to;
        }
        if (s->next() == nullptr) add_seeds();
      }
    }
  }
}

// A chunk's steps in the order of their places, which is one in which each comes after its predecessors.
void frozen_plan::link_chunks() noexcept {
  for (std::size_t i = 0; i < size_; ++i) marks_[i].chunk = nullptr;
  jobs_ = 0;
  for (std::size_t i = 0; i < size_; ++i) {
    step& s = steps_[i];
    step*& last = mark_of(s.first()).chunk;  // of those that are linked
    s.run = &run_step;
    s.to_next = 0;
    if (last == nullptr) {
      ++jobs_;
      s.to_first = 0;
    } else {
      last->first().run = &run_chunk;
      last->to_next = static_cast<std::int32_t>(&s - last);
      s.to_first = static_cast<std::int32_t>(&last->first() - &s);
    }
    last = &s;
  }
}

// Where the edges lead: to jobs first, then within the chunk.
void frozen_plan::sort_edges() noexcept {
  for (std::size_t i = 0; i < size_; ++i) steps_[i].inputs = 0;
  for (std::size_t i = 0; i < size_; ++i) {
    step& s = steps_[i];
    step** outer = s.begin();
    step** inner = s.end();
    for (step* const to : successors_of(s)) {
      if (&to->first() != &s.first()) {
        *outer++ = &to->first();
        ++to->first().inputs;
      } else {
        *--inner = to;
      }
    }
    s.outer_edges = static_cast<std::uint32_t>(outer - s.begin());
  }
  roots_ = 0;
  for (std::size_t i = 0; i < size_; ++i) {
    step& s = steps_[i];
    s.remaining.store(s.inputs, mo::relaxed);
    if (s.to_first == 0 && s.inputs == 0) order_[roots_++] = &s;
  }
}

ASHLAR_NOINLINE void frozen_plan::set_cost(step& s, std::uint64_t ticks) noexcept {
  mark_of(s).cost = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(ticks, 1, cost_unknown));
}

// Of steps that were called one after the other: they share it as they did before.
ASHLAR_NOINLINE void frozen_plan::share_cost(step& first, step* end, std::uint64_t ticks) noexcept {
  std::uint64_t before = 0;
  for (step* s = &first; s != end; s = s->next()) before += mark_of(*s).cost;
  double const change = static_cast<double>(ticks) / static_cast<double>(before);
  for (step* s = &first; s != end; s = s->next()) {
    set_cost(*s, static_cast<std::uint64_t>(change * mark_of(*s).cost));
  }
}

// Runs 2, 10, 42, 170 and 682 are measured, and each 512th after that; and the one after a run in which a chunk took
// much longer than it should. If the next ones are slow as well, because other bodies take long in each run, they are
// measured after 4, 16, 64 ... runs only: to form chunks takes as long as some runs with short bodies.
bool frozen_plan::is_measured() noexcept {
  static constexpr unsigned longest_interval = 512;
  bool const slow = was_slow_.load(mo::relaxed);
  if (slow && until_measured_ > patience_) {
    until_measured_ = patience_;
    patience_ *= 4;
  }
  if (--until_measured_ != 0) return false;
  if (!slow) patience_ = 1;
  was_slow_.store(false, mo::relaxed);
  until_measured_ = interval_;
  if (interval_ != longest_interval) interval_ *= 4;
  return true;
}

}  // namespace ashlar::inline v1::flow
