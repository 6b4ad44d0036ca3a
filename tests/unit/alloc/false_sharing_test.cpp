// SPDX-License-Identifier: Apache-2.0
// The three ways in which an allocator makes two threads share a cache line (Kukanov & Voss 2007, after Berger et al.
// 2000): active, it gives parts of one line to several threads; passive, a thread that frees what it was handed gets
// the memory again, beside objects that the giver still has; and an object that another thread frees stays with the
// freer. Each pattern runs in rounds, with all threads alive; shared lines are counted after every round and at the
// end.
#include <doctest/doctest.h>

#include <tbb/scalable_allocator.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace {

constexpr std::size_t threads = 4;
constexpr std::size_t count = 203;  // no whole number of lines
constexpr std::size_t rounds = 20;

using objects = std::vector<void*>;

struct allocator {
  void* (*take)();
  void (*give)(void*);
};

constexpr allocator scalable{[] { return scalable_malloc(8); }, [](void* p) { scalable_free(p); }};

// What the tests have to find wrong: one list for all threads, last in, first out.
std::mutex shared_lock;
alignas(64) char shared_memory[threads * count * 16 * 4];
std::size_t shared_used = 0;
objects shared_free;
constexpr allocator one_list{[]() -> void* {
                               std::lock_guard const g(shared_lock);
                               if (!shared_free.empty()) {
                                 void* const p = shared_free.back();
                                 shared_free.pop_back();
                                 return p;
                               }
                               return shared_memory + 16 * shared_used++;
                             },
                             [](void* p) {
                               std::lock_guard const g(shared_lock);
                               shared_free.push_back(p);
                             }};

// own[t]: the live objects that thread t has allocated; null where another thread has freed one.
struct scene {
  allocator a;
  objects own[threads + 1] = {};  // the last is the thread that hands objects out
  objects dealt[threads] = {};
  std::size_t shared = 0;  // lines, summed over all counts
  std::size_t counts = 0;
  std::atomic<std::size_t> arrived{0};

  // Waits for the others; the last to come runs f meanwhile.
  template <typename F>
  void meet(F f) {
    std::size_t const ticket = arrived.fetch_add(1);
    std::size_t const all = (ticket / (2 * threads) + 1) * 2 * threads;
    if (ticket % (2 * threads) == threads - 1) {
      f();
      arrived.fetch_add(threads);
    } else {
      while (arrived.load() < all) {
        std::this_thread::yield();
      }
    }
  }
  void meet() {
    meet([] {});
  }

  void count_shared() {
    std::vector<std::pair<std::uintptr_t, std::size_t>> lines;
    for (std::size_t t = 0; t <= threads; ++t) {
      for (void* p : own[t]) {
        if (p != nullptr) {
          lines.emplace_back(reinterpret_cast<std::uintptr_t>(p) / 64, t);
        }
      }
    }
    std::sort(lines.begin(), lines.end());
    lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
    for (std::size_t i = 1; i < lines.size(); ++i) {
      shared += lines[i].first == lines[i - 1].first;
    }
    ++counts;
  }

  void fill(std::size_t t) {
    std::erase(own[t], nullptr);
    while (own[t].size() < count) {
      own[t].push_back(a.take());
    }
  }

  // Runs round(t, r) in every thread, `rounds` times.
  template <typename F>
  void run(F round) {
    std::vector<std::thread> team;
    for (std::size_t t = 0; t < threads; ++t) {
      team.emplace_back([&, t] {
        for (std::size_t r = 0; r < rounds; ++r) {
          round(t, r);
          meet([&] { count_shared(); });
        }
      });
    }
    for (std::thread& t : team) {
      t.join();
    }
    count_shared();
    for (objects& v : own) {
      for (void* p : v) {
        if (p != nullptr) {
          a.give(p);
        }
      }
    }
  }
};

void active(scene& s) {
  s.run([&](std::size_t t, std::size_t r) {
    for (std::size_t i = r % 3; i < s.own[t].size(); i += 3) {
      s.a.give(std::exchange(s.own[t][i], nullptr));
    }
    s.fill(t);
  });
}

// The main thread lays out objects, keeps every fifth and hands the others round.
void passive(scene& s) {
  for (std::size_t i = 0; i < (threads + 1) * count; ++i) {
    void* const p = s.a.take();
    (i % (threads + 1) == threads ? s.own[threads] : s.dealt[i % (threads + 1)]).push_back(p);
  }
  s.run([&](std::size_t t, std::size_t r) {
    std::size_t const end = (r + 1) * count / rounds;
    for (std::size_t i = r * count / rounds; i < end; ++i) {
      s.a.give(s.dealt[t][i]);
    }
    while (s.own[t].size() < end) {
      s.own[t].push_back(s.a.take());
    }
  });
}

// Every thread frees some of its neighbour's objects, then all allocate again.
void freed_by_another(scene& s) {
  s.run([&](std::size_t t, std::size_t r) {
    s.fill(t);
    s.meet([&] { s.count_shared(); });
    objects& other = s.own[(t + 1 + r % (threads - 1)) % threads];
    for (std::size_t i = r % 2; i < other.size(); i += 2) {
      s.a.give(std::exchange(other[i], nullptr));
    }
    s.meet([&] { s.count_shared(); });
    s.fill(t);
  });
}

// `counts` is how often shared lines have to have been counted.
void check(void (*pattern)(scene&), std::size_t counts) {
  scene s{scalable};
  pattern(s);
  CHECK(s.shared == 0);
  CHECK(s.counts == counts);

  shared_used = 0;
  shared_free.clear();
  scene control{one_list};
  pattern(control);
  CHECK(control.shared > 0);
}

}  // namespace

TEST_CASE("threads that allocate at the same time share no cache line") { check(active, rounds + 1); }

TEST_CASE("a thread that frees what it was handed gets no part of the giver's cache lines") {
  check(passive, rounds + 1);
}

TEST_CASE("a thread that frees others' objects gets no part of their cache lines") {
  check(freed_by_another, 3 * rounds + 1);
}
