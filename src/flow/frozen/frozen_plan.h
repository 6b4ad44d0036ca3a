// SPDX-License-Identifier: Apache-2.0
// What a frozen graph runs.
#pragma once

#include <ashlar/base/cache_line.h>
#include <ashlar/flow/engine/graph_core.h>

#include <cstdint>
#include <memory>
#include <span>

namespace ashlar::inline v1::flow {

/// The nodes of a graph in an order in which each comes after its predecessors, as steps with counters of their own.
/// Steps whose bodies are so short that a job for each costs more than it brings are called one after the other by one
/// job: they are a chunk (frozen_chunks.cpp). At first each step is a chunk of its own. Runs measure the bodies, most
/// of the early and few of the later ones, and form the chunks anew. A chunk whose bodies take much longer than before
/// is dissolved while it runs: what is left of it are jobs of their own.
///
/// Threads    one at a time, but the steps run on any.
/// Invariants FZ1 a chunk's remaining is what is missing in this run. Who brings it to 0 sets it back before the chunk
///                runs: the next run can't touch it before that.
///            FZ2 each edge between two chunks leads from one that was formed earlier: there is no circle of chunks.
/// Ordering   [FP1] a predecessor has run: remaining down, acq_rel -> [FP2] the last one: acq_rel
/// Model      tests/model/flow_frozen_model.cpp
class frozen_plan {
 public:
  /// Throws std::invalid_argument, std::bad_alloc.
  explicit frozen_plan(graph_core& g);
  ~frozen_plan();
  frozen_plan(frozen_plan const&) = delete;
  frozen_plan& operator=(frozen_plan const&) = delete;
  void run();
  std::size_t size() const noexcept { return size_; }

 protected:
  struct step;
  struct mark;
  struct edges_found;
  class chunk;
  void sort(edges_found& f);
  void form_chunks() noexcept;
  void choose_chunks() noexcept;
  void link_chunks() noexcept;
  void sort_edges() noexcept;
  mark& mark_of(step const& s) const noexcept;
  std::span<step*> successors_of(step const& s) const noexcept;
  void set_cost(step& s, std::uint64_t ticks) noexcept;
  void share_cost(step& first, step* end, std::uint64_t ticks) noexcept;
  bool is_measured() noexcept;
  static job* run_step(job* self, slot& here) noexcept;
  static job* run_chunk(job* self, slot& here) noexcept;
  static job* end_job(step& last, graph_core& g, slot& here) noexcept;
  static void dissolve(step& called, graph_core& g, slot& here) noexcept;
  static void call(step& s, slot& here) noexcept;

  graph_core* const graph_;
  std::unique_ptr<step[]> steps_;
  std::unique_ptr<step*[]> successors_;  // of all steps
  std::unique_ptr<step*[]> jobs_after_;  // the same, as chunks and steps see them
  std::unique_ptr<step*[]> order_;       // what begins a run; the order of the seeds, while chunks are formed
  std::unique_ptr<mark[]> marks_;        // of the steps
  std::size_t size_ = 0;
  std::size_t roots_ = 0;
  std::size_t jobs_ = 0;         // how many chunks there are
  std::uint64_t longest_chunk_;  // in ticks
  unsigned until_measured_ = 2;  // runs
  unsigned interval_ = 8;
  unsigned patience_ = 1;         // runs between a slow one and the one that is measured for that
  bool measured_ = false;         // the run under way
  bool forms_anew_ = false;       // before the next run
  atomic<bool> was_slow_{false};  // a chunk, since the last measured run
};

/// As a job it is its chunk, if it is the chunk's first step; else itself, if its chunk is dissolved. The other steps
/// of the chunk are told by their distance, so that a step takes one line.
struct alignas(cache_line) frozen_plan::step : job {
  frozen_plan* frozen;
  node_base* node;
  node_base::lone_call call;
  step** successors;  // other chunks' first steps, then steps of its own chunk
  std::uint32_t edges;
  std::uint32_t outer_edges;  // of them: those to other chunks
  std::int32_t to_first;      // of the chunk
  std::int32_t to_next;       // in the chunk; 0: none
  std::int32_t inputs;        // edges that lead to the job
  atomic<std::int32_t> remaining;

  step& first() noexcept { return this[to_first]; }
  step* next() noexcept { return to_next != 0 ? this + to_next : nullptr; }
  step** begin() const noexcept { return successors; }
  step** outer_end() const noexcept { return successors + outer_edges; }
  step** end() const noexcept { return successors + edges; }
  /// One of the edges that lead to the job has come; true: it was the last one, and the job is to run.
  ASHLAR_ALWAYS_INLINE bool arrive() noexcept {
    if (inputs == 1) return true;
    if (remaining.fetch_sub(1, mo::acq_rel) != 1) return false;  // [FP1] [FP2]
    remaining.store(inputs, mo::relaxed);
    return true;
  }
};

inline constexpr std::uint32_t cost_unknown = ~std::uint32_t{0};

/// What is known of a step while chunks are formed.
struct frozen_plan::mark {
  std::int32_t predecessors;
  std::int32_t missing;      // of them: those which are in no chunk yet
  std::uint32_t cost;        // ticks of the body in a measured run
  std::uint32_t generation;  // of the chunk that has brought the last predecessor
  step* chunk;               // that chunk's seed; null: several chunks of this generation have brought some

  // True: this was the last one.
  bool bring(step& seed, std::uint32_t its_generation) noexcept {
    if (generation != its_generation) {
      generation = its_generation;
      chunk = &seed;
    } else if (chunk != &seed) {
      chunk = nullptr;
    }
    return --missing == 0;
  }
};

}  // namespace ashlar::inline v1::flow
