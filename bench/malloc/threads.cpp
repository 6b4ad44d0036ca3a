// SPDX-License-Identifier: Apache-2.0
// Workloads of threads that pass objects on, come and go, or must not share cache lines.
#include <bench/threads.h>
#include <bench/workload.h>

#include <algorithm>
#include <atomic>

namespace workload {
namespace {

class barrier {
 public:
  explicit barrier(int n) : n_(n) {}
  void wait() {
    int const round = round_.load();
    if (arrived_.fetch_add(1) + 1 == n_) {
      arrived_.store(0);
      round_.fetch_add(1);
    } else {
      while (round_.load() == round) {
        std::this_thread::yield();
      }
    }
  }

 private:
  int const n_;
  std::atomic<int> arrived_{0};
  std::atomic<int> round_{0};
};

// Figure 11 of the 2007 paper: every thread allocates objects of 8 bytes, touches them, deals them to all other
// threads, and frees what it got. Times of the two phases are reported per 1000 objects.
registration const cross("speed-cross", [](int threads, double scale) {
  constexpr std::size_t objects = 20000;
  int const rounds = static_cast<int>(300 * scale);
  std::size_t const n = static_cast<std::size_t>(threads);
  std::vector<std::vector<std::vector<void*>>> mail(n, std::vector<std::vector<void*>>(n));
  std::vector<double> allocating(n);
  std::vector<double> freeing(n);
  barrier b(threads);
  in_threads(threads, [&](int index) {
    std::size_t const me = static_cast<std::size_t>(index);
    for (auto& v : mail[me]) {
      v.reserve(objects);
    }
    for (int round = 0; round < rounds; ++round) {
      double const start = bench::wall_now();
      for (std::size_t i = 0; i < objects; ++i) {
        std::size_t const to = n == 1 ? 0 : (me + 1 + i % (n - 1)) % n;
        mail[me][to].push_back(touched(8));
      }
      allocating[me] += bench::wall_now() - start;
      b.wait();
      double const middle = bench::wall_now();
      for (std::size_t from = 0; from < n; ++from) {
        for (void* p : mail[from][me]) {
          free(p);
        }
      }
      freeing[me] += bench::wall_now() - middle;
      b.wait();
      for (auto& v : mail[me]) {
        v.clear();
      }
    }
  });
  double a = 0;
  double f = 0;
  for (std::size_t t = 0; t < n; ++t) {
    a += allocating[t];
    f += freeing[t];
  }
  double const thousands = static_cast<double>(n) * rounds * static_cast<double>(objects) / 1000;
  return values{{"ns_per_1000_malloc", a * 1e9 / thousands},
                {"ns_per_1000_free", f * 1e9 / thousands},
                {"ns_per_1000", (a + f) * 1e9 / thousands}};
});

// Figure 10: each thread allocates a small object, writes and reads it many times, frees it. The time per thread
// would rise if two threads' objects shared a line. loop_s is the mean of the threads' times.
registration const sharing("false-sharing", [](int threads, double scale) {
  std::vector<double> loop(static_cast<std::size_t>(threads));
  in_threads(threads, [&](int index) {
    double const start = bench::wall_now();
    for (int i = 0; i < static_cast<int>(400 * scale); ++i) {
      char volatile* const p = static_cast<char*>(malloc(8));
      for (int k = 0; k < 20000; ++k) {
        for (int byte = 0; byte < 8; ++byte) {
          p[byte] = static_cast<char>(p[byte] + 1);
        }
      }
      free(const_cast<char*>(p));
    }
    loop[static_cast<std::size_t>(index)] = bench::wall_now() - start;
  });
  double sum = 0;
  for (double const t : loop) {
    sum += t;
  }
  return values{{"loop_s", sum / threads}};
});

// After Larson and Krishnan: a server's threads replace random objects of a table; every thread hands its table on to
// a successor and ends.
registration const larson("larson", [](int threads, double scale) {
  constexpr std::size_t table = 1000;
  constexpr int generations = 20;
  long const replacements = static_cast<long>(300000 * scale);
  double const start = bench::wall_now();
  in_threads(threads, [&](int t) {
    std::vector<void*> live(table);
    for (int generation = 0; generation < generations; ++generation) {
      std::thread([&] {
        random_source r(static_cast<std::uint64_t>(t * 100 + generation));
        for (long i = 0; i < replacements; ++i) {
          void*& p = live[r.below(table)];
          free(p);
          p = touched(r.between(8, 100));
        }
      }).join();
    }
    for (void* p : live) {
      free(p);
    }
  });
  double const pairs = static_cast<double>(replacements) * generations * threads;
  return values{{"pairs_per_s", pairs / (bench::wall_now() - start)}};
});

// Where the two threads of a pair run: beside each other, or in turns on one processor. The kernel chooses either for a
// short program, and the two have little in common: in turns no cache line travels.
enum class placement { apart, together };

// Pairs of threads: one allocates, its partner frees, through a ring. The partner begins when the ring is full, so that
// the most that lives at a time, and with it the peak memory, does not hang on which of the two ran when.
template <typename Make, typename Drop>
values hand_over(int threads, double scale, Make make, Drop drop, std::size_t slots = 1024,
                 placement where = placement::apart) {
  int const couples = threads > 1 ? threads / 2 : 1;
  std::vector<std::thread> team;
  bench::allowed_cpus();
  for (int c = 0; c < couples; ++c) {
    team.emplace_back([=]() mutable {
      bench::pin_thread(0, bench::cpu_of(2 * c));
      std::vector<std::atomic<void*>> ring(slots);
      std::size_t const count = static_cast<std::size_t>(3000000 * scale);
      std::thread consumer([&] {
        bench::pin_thread(0, bench::cpu_of(where == placement::apart ? 2 * c + 1 : 2 * c));
        while (!ring[std::min(slots, count) - 1].load(std::memory_order_relaxed)) {
          std::this_thread::yield();
        }
        for (std::size_t i = 0; i < count; ++i) {
          void* p;
          while (!(p = ring[i % slots].load(std::memory_order_acquire))) {
            std::this_thread::yield();
          }
          ring[i % slots].store(nullptr, std::memory_order_release);
          drop(p);
        }
      });
      random_source r(static_cast<std::uint64_t>(c) + 1);
      for (std::size_t i = 0; i < count; ++i) {
        void* const p = make(r, i);
        while (ring[i % slots].load(std::memory_order_acquire)) {
          std::this_thread::yield();
        }
        ring[i % slots].store(p, std::memory_order_release);
      }
      consumer.join();
    });
  }
  for (std::thread& t : team) {
    t.join();
  }
  return {};
}
values producer_consumer(int threads, double scale, std::size_t least, std::size_t most, std::size_t slots = 1024,
                         placement where = placement::apart) {
  return hand_over(
      threads, scale,
      [=](random_source& r, std::size_t) { return touched(least == most ? least : r.between(least, most)); },
      [](void* p) { free(p); }, slots, where);
}
// The same ring, threads and touched bytes without an allocator: what no allocator can save.
values producer_bare(int threads, double scale) {
  constexpr std::size_t blocks = 2048, size = 64;
  return hand_over(
      threads, scale,
      [memory = std::vector<char>(blocks * size)](random_source&, std::size_t i) mutable {
        char* const p = memory.data() + i % blocks * size;
        *p = p[size - 1] = 1;
        return static_cast<void*>(p);
      },
      [](void*) {});
}
registration const producer_nothing("producer-bare", [](int n, double s) { return producer_bare(n, s); });
registration const producer_64("producer-64", [](int n, double s) { return producer_consumer(n, s, 64, 64); });
registration const producer_mixed("producer-mixed",
                                  [](int n, double s) { return producer_consumer(n, s / 2, 16, 4000); });

// Many live objects of many classes: what comes back is in chains of one or two objects.
registration const producer_4096("producer-4096",
                                 [](int n, double s) { return producer_consumer(n, s, 16, 1024, 4096); });
registration const producer_32768("producer-32768",
                                  [](int n, double s) { return producer_consumer(n, s, 16, 1024, 32768); });
registration const turns_4096("producer-4096-turns", [](int n, double s) {
  return producer_consumer(n, s, 16, 1024, 4096, placement::together);
});
registration const turns_32768("producer-32768-turns", [](int n, double s) {
  return producer_consumer(n, s, 16, 1024, 32768, placement::together);
});
// 64 classes in turn, so that two objects of a page never come one after the other.
registration const producer_classes("producer-classes", [](int n, double s) {
  return hand_over(
      n, s / 2,
      [](random_source&, std::size_t i) {
        std::size_t const k = i % 64;
        return touched(k < 16 ? 16 * (k + 1) : (8 + k % 8 + 1) << (5 + (k - 16) / 8));
      },
      [](void* p) { free(p); });
});

// Few large, more medium, many small objects, all written; one in ten is handed to another thread, which frees it.
registration const handed_on("mixed-handed-on", [](int threads, double scale) {
  constexpr std::size_t slots = 256;
  std::vector<std::atomic<void*>> exchange(slots);
  in_threads(threads, [&](int t) {
    random_source r(static_cast<std::uint64_t>(t) + 31);
    std::vector<void*> live(2000);
    for (long i = 0; i < static_cast<long>(2000000 * scale); ++i) {
      void*& p = live[r.below(live.size())];
      free(r.below(10) ? p : exchange[r.below(slots)].exchange(p));
      std::size_t const kind = r.below(10000);
      std::size_t const size = kind < 9000   ? r.between(16, 512)
                               : kind < 9900 ? r.between(512, 16 * 1024)
                               : kind < 9990 ? r.between(16 * 1024, 256 * 1024)
                                             : r.between(256 * 1024, 1024 * 1024);
      p = touched(size);
      // Programs use what they ask for: all of it is resident.
      for (std::size_t at = 1024; at < size; at += 1024) {
        static_cast<char*>(p)[at] = 1;
      }
    }
    for (void* p : live) {
      free(p);
    }
  });
  for (auto& slot : exchange) {
    free(slot.load());
  }
  return values{};
});

// Threads take whole batches that other threads allocated and free them.
registration const batches("exchange-batches", [](int threads, double scale) {
  constexpr std::size_t slots = 64;
  std::vector<std::atomic<std::vector<void*>*>> exchange(slots);
  in_threads(threads, [&](int t) {
    random_source r(static_cast<std::uint64_t>(t) + 9);
    for (long i = 0; i < static_cast<long>(40000 * scale); ++i) {
      auto* batch = new std::vector<void*>(120);
      for (void*& p : *batch) {
        p = touched(r.between(16, 500));
      }
      batch = exchange[r.below(slots)].exchange(batch);
      if (batch != nullptr) {
        for (void* p : *batch) {
          free(p);
        }
        delete batch;
      }
    }
  });
  for (auto& slot : exchange) {
    if (std::vector<void*>* const batch = slot.load()) {
      for (void* p : *batch) {
        free(p);
      }
      delete batch;
    }
  }
  return values{};
});

constexpr std::size_t churn_objects = 1000;
constexpr std::size_t churn_size(std::size_t k) { return 16 + k % 50 * 16; }

template <typename Body>
values come_and_go(int threads, double scale, Body body) {
  in_threads(threads, [&](int t) {
    for (int i = 0; i < static_cast<int>(3000 * scale); ++i) {
      std::thread([&] { body(t); }).join();
    }
  });
  return values{};
}

registration const churn("churn", [](int threads, double scale) {
  return come_and_go(threads, scale, [](int) {
    void* p[churn_objects];
    for (std::size_t k = 0; k < churn_objects; ++k) {
      p[k] = touched(churn_size(k));
    }
    for (void* q : p) {
      free(q);
    }
  });
});

// What is left of churn without allocator: the same threads touch the same number of bytes at the same distances.
registration const churn_bare("churn-bare", [](int threads, double scale) {
  std::size_t bytes = 0;
  for (std::size_t k = 0; k < churn_objects; ++k) {
    bytes += churn_size(k);
  }
  std::vector<std::vector<char>> memory(static_cast<std::size_t>(threads), std::vector<char>(bytes));
  return come_and_go(threads, scale, [&memory](int t) {
    char volatile* at = memory[static_cast<std::size_t>(t)].data();
    for (std::size_t k = 0; k < churn_objects; at += churn_size(k), ++k) {
      *at = 1;
    }
  });
});

// Growing and shrinking sets of all sizes, part of which other threads free.
registration const stress("stress", [](int threads, double scale) {
  constexpr std::size_t slots = 1000;
  std::vector<std::atomic<void*>> exchange(slots);
  in_threads(threads, [&](int t) {
    random_source r(static_cast<std::uint64_t>(t) + 3);
    std::vector<void*> live;
    for (int round = 0; round < static_cast<int>(40 * scale); ++round) {
      for (int i = 0; i < 20000; ++i) {
        std::size_t const kind = r.below(100);
        if (kind < 60 || live.empty()) {
          live.push_back(touched(r.below(50) ? r.between(8, 600) : r.between(600, 60000)));
        } else if (kind < 90) {
          std::size_t const at = r.below(live.size());
          free(live[at]);
          live[at] = live.back();
          live.pop_back();
        } else {
          std::size_t const at = r.below(live.size());
          live[at] = exchange[r.below(slots)].exchange(live[at]);
        }
      }
      while (live.size() > 1000) {
        free(live.back());
        live.pop_back();
      }
    }
    for (void* p : live) {
      free(p);
    }
  });
  for (auto& slot : exchange) {
    free(slot.load());
  }
  return values{};
});

}  // namespace
}  // namespace workload
