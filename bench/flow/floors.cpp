// SPDX-License-Identifier: Apache-2.0
// What the memory and the cache lines take that graphs of this folder need, without graph and scheduler: the least for
// the rows that they are named after, but for `wavefront_lines`, which a graph may undercut (README). --size is the
// number of rounds, messages or targets.
#include "dialect.h"
#include "pair_of_threads.h"
#include "project.h"
#include "sampled.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <new>
#include <vector>

namespace {

using bench::pair_of_threads;
using bench::rounds_of;
using bench::sampled;

// `tree`: as many words as it has nodes, each on a line of its own. In each round chance tells anew which thread writes
// a word, as it does with nodes.
int tree_lines(bench::options const& o) {
  struct alignas(64) word {
    long value = 0;
  };
  pair_of_threads pair(o);
  constexpr long nodes = 3 * 1024 - 2;
  std::vector<word> words(static_cast<std::size_t>(nodes));
  long const rounds = rounds_of(o, 200);
  std::uint32_t chances[2] = {12345, 12345};
  long wanted = 0;
  return sampled(
      o, "ns/node", static_cast<double>(rounds * nodes),
      [&] {
        pair.run(rounds, [&](int self) {
          std::uint32_t chance = chances[self];
          for (word& w : words) {
            chance = chance * 1664525 + 1013904223;
            if (pair.count() == 1 || static_cast<int>(chance >> 31) == self) ++w.value;
          }
          chances[self] = chance;
        });
        wanted += rounds;
      },
      [&] { return std::all_of(words.begin(), words.end(), [&](word const& w) { return w.value == wanted; }); });
}

// `wavefront`: a count for each node, on a line of its own, that its two predecessors bring to zero. The threads take
// the rows in turns: a thief gets the row below its victim's, and each of them follows its own to the right. Halves:
// each thread takes its half of each row, as only who knows the whole graph can.
template <bool Halves>
int wavefront_lines(bench::options const& o) {
  struct alignas(64) cell {
    std::atomic<int> missing{0};
    int needed = 0;
    long value = 0;
  };
  pair_of_threads pair(o);
  constexpr std::size_t side = 100;
  std::vector<cell> cells(side * side);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    cells[i].missing = cells[i].needed = (i / side != 0) + (i % side != 0);
  }
  long const rounds = rounds_of(o, 20);
  long wanted = 0;
  return sampled(
      o, "ns/node", static_cast<double>(rounds) * side * side,
      [&] {
        pair.run(rounds, [&](int self) {
          auto const thread = static_cast<std::size_t>(self), threads = static_cast<std::size_t>(pair.count());
          std::size_t const begin = Halves ? side * thread / threads : 0;
          std::size_t const end = Halves ? side * (thread + 1) / threads : side;
          for (std::size_t row = Halves ? 0 : thread; row < side; row += Halves ? 1 : threads) {
            for (std::size_t i = row * side + begin; i < row * side + end; ++i) {
              while (cells[i].missing.load(std::memory_order_acquire) != 0) {
              }
              cells[i].missing.store(cells[i].needed, std::memory_order_relaxed);
              ++cells[i].value;
              if (row + 1 < side) cells[i + side].missing.fetch_sub(1, std::memory_order_acq_rel);
              if (i + 1 < (row + 1) * side) cells[i + 1].missing.fetch_sub(1, std::memory_order_acq_rel);
            }
          }
        });
        wanted += rounds;
      },
      [&] { return std::all_of(cells.begin(), cells.end(), [&](cell const& c) { return c.value == wanted; }); });
}

// `build`: a block of memory for each of 1000 nodes.
int build_blocks(bench::options const& o) {
  constexpr std::size_t nodes = 1000;
  using node = tbb::flow::continue_node<tbb::flow::continue_msg>;
  bool right = true;
  long const rounds = rounds_of(o, 5);
  return sampled(
      o, "ns/node", static_cast<double>(rounds) * nodes,
      [&] {
        for (long i = 0; i < rounds; ++i) {
          std::vector<void*> blocks;
          for (std::size_t n = 0; n < nodes; ++n) blocks.push_back(::operator new(sizeof(node)));
          right = right && blocks.size() == nodes;
          for (void* const b : blocks) ::operator delete(b);
        }
      },
      [&] { return right; });
}

// A lock of one locked instruction, for what two threads seldom want at once.
class light_lock {
 public:
  void lock() {
    while (taken_.exchange(true, std::memory_order_acquire)) {
    }
  }
  void unlock() { taken_.store(false, std::memory_order_release); }

 private:
  std::atomic<bool> taken_{false};
};

// `limiter`: a queue of 16 between one thread that makes numbers and one that sums them up. Each of them writes a word
// of its own, how many have gone in and how many have come out, and reads the other one's only when it has to. With one
// thread a number goes out as soon as it is in. OneCount: and a number of those under way, which both change for each.
template <bool OneCount>
int limiter_words(bench::options const& o) {
  struct alignas(64) word {
    std::atomic<long> value{0};
  };
  constexpr long threshold = 16;
  pair_of_threads pair(o);
  long const messages = rounds_of(o, 200'000);
  bool right = true;
  return sampled(
      o, "ns/message", static_cast<double>(messages),
      [&] {
        word in, out, under_way;
        alignas(64) std::array<int, threshold> waiting;
        long sum = 0;
        auto const put = [&](long i) {
          if (OneCount) under_way.value.fetch_add(1);
          waiting[static_cast<std::size_t>(i % threshold)] = static_cast<int>(i);
          in.value.store(i + 1, std::memory_order_release);
        };
        auto const take = [&](long i) {
          sum += waiting[static_cast<std::size_t>(i % threshold)];
          if (OneCount) {
            under_way.value.fetch_sub(1);
          } else {
            out.value.store(i + 1, std::memory_order_release);
          }
        };
        auto const wait_for_room = [&](long i, long& gone) {
          if (OneCount) {
            while (under_way.value.load(std::memory_order_acquire) == threshold) {
            }
          } else {
            while (i - gone == threshold) gone = out.value.load(std::memory_order_acquire);
          }
        };
        pair.run(1, [&](int self) {
          if (pair.count() == 1) {
            for (long i = 0; i < messages; ++i) {
              put(i);
              take(i);
            }
          } else if (self == 0) {
            for (long i = 0, gone = 0; i < messages; ++i) {
              wait_for_room(i, gone);
              put(i);
            }
          } else {
            for (long i = 0, come = 0; i < messages; ++i) {
              while (i == come) come = in.value.load(std::memory_order_acquire);
              take(i);
            }
          }
        });
        right = right && sum == messages * (messages - 1) / 2;
      },
      [&] { return right; });
}

// `broadcast` and `join_reserving`: ten or two queues into which one thread puts each number, and which the other one
// empties in turns. The number of those that have come is on the line of the oldest ones that fit there. With one
// thread a number is taken as soon as it is put.
template <std::size_t Queues>
int filled_queues(bench::options const& o, char const* unit, std::size_t operations_a_number) {
  struct alignas(64) queue {
    std::atomic<long> come{0};
    std::vector<int> numbers;
    alignas(64) long taken = 0;
    long sum = 0;
  };
  pair_of_threads pair(o);
  long const messages = rounds_of(o, 20'000);
  bool right = true;
  return sampled(
      o, unit, static_cast<double>(messages) * static_cast<double>(operations_a_number),
      [&] {
        std::array<queue, Queues> queues;
        for (queue& q : queues) q.numbers.resize(static_cast<std::size_t>(messages));
        auto const put = [&](queue& q, long i) {
          q.numbers[static_cast<std::size_t>(i)] = static_cast<int>(i);
          q.come.store(i + 1, std::memory_order_release);
        };
        auto const take_all = [](queue& q) {
          for (long const come = q.come.load(std::memory_order_acquire); q.taken < come; ++q.taken) {
            q.sum += q.numbers[static_cast<std::size_t>(q.taken)];
          }
        };
        pair.run(1, [&](int self) {
          if (self == 0) {
            for (long i = 0; i < messages; ++i) {
              for (queue& q : queues) {
                put(q, i);
                if (pair.count() == 1) take_all(q);
              }
            }
          } else {
            for (bool more = true; more;) {
              more = false;
              for (queue& q : queues) {
                take_all(q);
                more = more || q.taken < messages;
              }
            }
          }
        });
        for (queue& q : queues) right = right && q.sum == messages * (messages - 1) / 2;
      },
      [&] { return right; });
}

int broadcast_queues(bench::options const& o) { return filled_queues<10>(o, "ns/delivery", 10); }
int join_queues(bench::options const& o) { return filled_queues<2>(o, "ns/pair", 1); }

// For `build_system_lines`: a target, and a thread's list of those that can be made.
struct alignas(64) target_line {
  std::atomic<int> missing{0};
  int needed = 0;
  std::size_t target = 0;
  std::vector<target_line*> needed_by;
};
struct alignas(64) ready_targets {
  // The oldest one; null if there is none.
  target_line* take() {
    std::lock_guard<light_lock> const held(lock);
    if (first != ready.size()) return ready[first++];
    ready.clear();
    first = 0;
    return nullptr;
  }

  light_lock lock;
  std::vector<target_line*> ready;
  std::size_t first = 0;
  std::atomic<std::size_t> made{0};
};

// `build_system`: for each target a line with the count of those that it needs, apart from the list of those that need
// it. Each thread makes first what was ready first, which keeps what is under way near together, of its own targets
// and then of the other one's.
int build_system_lines(bench::options const& o) {
  pair_of_threads pair(o);
  auto const targets = static_cast<std::size_t>(rounds_of(o, 100'000));
  bench::project p(targets);
  p.make_all();
  std::vector<std::uint64_t> const expected = p.values;
  std::vector<std::unique_ptr<target_line>> nodes;
  for (std::size_t i = 0; i < targets; ++i) {
    nodes.emplace_back(new target_line);
    nodes[i]->target = i;
    nodes[i]->missing = nodes[i]->needed = static_cast<int>(p.needs[i].size());
    for (std::size_t const need : p.needs[i]) nodes[need]->needed_by.push_back(nodes[i].get());
  }
  std::array<ready_targets, 2> works;
  auto const make = [&p](ready_targets& mine, target_line& n) {
    p.make(n.target);
    n.missing.store(n.needed, std::memory_order_relaxed);
    for (target_line* const s : n.needed_by) {
      if (s->needed > 1 && s->missing.fetch_sub(1, std::memory_order_acq_rel) != 1) continue;
      std::lock_guard<light_lock> const held(mine.lock);
      mine.ready.push_back(s);
    }
    mine.made.store(mine.made.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  };
  bool right = true;
  return sampled(
      o, "ns/target", static_cast<double>(targets),
      [&] {
        p.values.assign(targets, 0);
        for (ready_targets& w : works) w.made = 0;
        works[0].ready.push_back(nodes[0].get());
        pair.run(1, [&](int self) {
          ready_targets& mine = works[static_cast<std::size_t>(self)];
          ready_targets& other = works[static_cast<std::size_t>(1 - self)];
          while (mine.made + other.made < targets) {
            target_line* n = mine.take();
            if (n == nullptr && pair.count() == 2) n = other.take();
            if (n != nullptr) make(mine, *n);
          }
        });
        right = right && p.values == expected;
      },
      [&] { return right; });
}

bench::flow_row const rows[] = {
    {"tree_lines", tree_lines},
    {"wavefront_lines", wavefront_lines<false>},
    {"wavefront_halves", wavefront_lines<true>},
    {"build_blocks", build_blocks},
    {"limiter_words", limiter_words<false>},
    {"limiter_count", limiter_words<true>},
    {"broadcast_queues", broadcast_queues},
    {"join_queues", join_queues},
    {"build_system_lines", build_system_lines},
};

}  // namespace

int main(int argc, char** argv) { return bench::named_row(argc, argv, rows); }
