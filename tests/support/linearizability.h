// SPDX-License-Identifier: Apache-2.0
// Checks small recorded histories of a concurrent object for linearizability (Herlihy and Wing 1990): is there an
// order of the operations that respects real time (who responded before another was invoked stays before it) and in
// which every operation's recorded result is right for a sequential object? The search is exhaustive (Wing and Gong
// 1993) and remembers the configurations that it has been in (Lowe 2017); up to 64 operations, about a dozen of them
// at the same time.
//
// A Specification is the sequential object. It has a default constructor, is copyable and totally ordered (operator<
// over its whole state), and offers
//   using operation = …;                 an operation with its arguments and its recorded result
//   bool apply(operation const& op);     performs op; false if the recorded result is wrong
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <set>
#include <thread>
#include <utility>
#include <vector>

namespace test {

template <typename Operation>
struct timed_operation {
  Operation what;
  std::uint64_t invoked;
  std::uint64_t responded;
};

template <typename Specification>
class linearizability_search {
 public:
  using operation = typename Specification::operation;
  using history = std::vector<timed_operation<operation>>;

  explicit linearizability_search(history const& h) : history_(h) {}
  bool run(Specification const& start) { return history_.size() <= 64 && extend(0, start); }

 private:
  bool extend(std::uint64_t done, Specification const& state) {
    std::size_t const n = history_.size();
    std::uint64_t first_response = ~std::uint64_t{0};
    for (std::size_t i = 0; i != n; ++i) {
      if (!(done >> i & 1) && history_[i].responded < first_response) first_response = history_[i].responded;
    }
    if (first_response == ~std::uint64_t{0}) return true;
    for (std::size_t i = 0; i != n; ++i) {
      if ((done >> i & 1) || history_[i].invoked > first_response) continue;
      Specification next = state;
      std::uint64_t const next_done = done | std::uint64_t{1} << i;
      if (next.apply(history_[i].what) && seen_.emplace(next_done, next).second && extend(next_done, next)) return true;
    }
    return false;
  }

  history const& history_;
  std::set<std::pair<std::uint64_t, Specification>> seen_;
};

template <typename Specification>
bool linearizable(std::vector<timed_operation<typename Specification::operation>> const& history,
                  Specification const& start = Specification()) {
  return linearizability_search<Specification>(history).run(start);
}

// Records the operations of one thread. The clock is shared by all threads of the history; its sequentially consistent
// ticks lie outside of the operation, so the recorded interval is never shorter than the real one.
template <typename Operation>
class operation_recorder {
 public:
  explicit operation_recorder(std::atomic<std::uint64_t>& clock) : clock_(clock) {}

  // Calls f(), which performs one operation and returns it together with its result.
  template <typename F>
  void operator()(F&& f) {
    std::uint64_t const invoked = clock_.fetch_add(1);
    Operation what = std::forward<F>(f)();
    recorded_.push_back({std::move(what), invoked, clock_.fetch_add(1)});
  }
  std::vector<timed_operation<Operation>> const& recorded() const { return recorded_; }

 private:
  std::atomic<std::uint64_t>& clock_;
  std::vector<timed_operation<Operation>> recorded_;
};

// Runs body(thread, recorder) in `threads` threads that start together, and returns the history. The body calls
// recorder(f) once per operation.
template <typename Specification, typename Body>
std::vector<timed_operation<typename Specification::operation>> record_history(unsigned threads, Body const& body) {
  using recorder = operation_recorder<typename Specification::operation>;
  std::atomic<std::uint64_t> clock{0};
  std::atomic<unsigned> waiting{threads};
  std::vector<recorder> recorders(threads, recorder(clock));
  std::vector<std::thread> team;
  for (unsigned t = 0; t != threads; ++t) {
    team.emplace_back([&, t] {
      waiting.fetch_sub(1);
      while (waiting.load() != 0) std::this_thread::yield();
      body(t, recorders[t]);
    });
  }
  for (std::thread& member : team) member.join();
  std::vector<timed_operation<typename Specification::operation>> history;
  for (recorder const& r : recorders) history.insert(history.end(), r.recorded().begin(), r.recorded().end());
  return history;
}

}  // namespace test
