// SPDX-License-Identifier: Apache-2.0
// Workloads that measure speed with one thread's objects: pairs, batches, realloc, applications in miniature.
#include <bench/workload.h>
#include <sys/mman.h>

namespace workload {
namespace {

values pairs(std::size_t size, long count) {
  for (long i = 0; i < count; ++i) {
    free(touched(size));
  }
  return {{"operations", static_cast<double>(count)}};
}

// Allocates n, writes each, frees all.
values batches(std::size_t size, int n, long rounds) {
  std::vector<void*> objects(static_cast<std::size_t>(n));
  for (long r = 0; r < rounds; ++r) {
    for (void*& p : objects) {
      p = touched(size);
    }
    for (void* p : objects) {
      free(p);
    }
  }
  return {{"operations", static_cast<double>(rounds * n)}};
}

// Replaces the oldest of 64 live objects, again and again.
values window(std::size_t size, long count) {
  std::vector<void*> live(64);
  for (long i = 0; i < count; ++i) {
    void*& p = live[static_cast<std::size_t>(i) % live.size()];
    free(p);
    p = touched(size);
  }
  for (void* p : live) {
    free(p);
  }
  return {{"operations", static_cast<double>(count)}};
}

struct sized {
  std::size_t size;
  long pairs;
  int batch;
  long rounds;
};
constexpr sized sizes[] = {{8, 20000000, 100, 200000},    {64, 20000000, 100, 200000},  {256, 20000000, 100, 200000},
                           {1024, 20000000, 100, 200000}, {8192, 15000000, 100, 60000}, {16384, 15000000, 100, 60000},
                           {65536, 10000000, 20, 200000}, {1 << 20, 3000000, 20, 30000}};

struct register_sizes {
  register_sizes() {
    for (sized const& s : sizes) {
      std::string const n = std::to_string(s.size);
      registration(("pair-" + n).c_str(), [s](int, double scale) {
        return pairs(s.size, static_cast<long>(static_cast<double>(s.pairs) * scale));
      });
      registration(("batch-" + n).c_str(), [s](int, double scale) {
        return batches(s.size, s.batch, static_cast<long>(static_cast<double>(s.rounds) * scale));
      });
      registration(("window-" + n).c_str(), [s](int, double scale) {
        return window(s.size, static_cast<long>(static_cast<double>(s.pairs) * scale));
      });
    }
  }
} const registered;

// Blocks of 8..1000 bytes freed in the order of allocation, in reverse and interleaved, with survivors.
registration const mixed("mixed-order", [](int threads, double scale) {
  in_threads(threads, [&](int t) {
    random_source r(static_cast<std::uint64_t>(t) + 1);
    std::vector<void*> ring(2000);
    std::vector<void*> batch(500);  // not a multiple of 7
    for (int round = 0; round < static_cast<int>(8000 * scale); ++round) {
      for (void*& p : batch) {
        p = touched(8 + r.below(r.below(8) ? 120 : 1000));
      }
      for (std::size_t i = 0; i < 20; ++i) {
        std::swap(ring[r.below(ring.size())], batch[i * 20]);
      }
      std::size_t const n = batch.size();
      for (std::size_t i = 0; i < n; ++i) {
        free(batch[round % 3 == 0 ? i : round % 3 == 1 ? n - 1 - i : i * 7 % n]);
      }
    }
    for (void* p : ring) {
      free(p);
    }
  });
  return values{};
});

registration const realloc_geometric("realloc-geometric", [](int, double scale) {
  for (int round = 0; round < static_cast<int>(5 * scale + 0.5); ++round) {
    char* p = nullptr;
    std::size_t old = 0;
    for (std::size_t size = 100; size < (64u << 20); size = size * 3 / 2) {
      p = static_cast<char*>(realloc(p, size));
      for (std::size_t i = old; i < size; i += 4096) {
        p[i] = 1;
      }
      old = size;
    }
    free(p);
  }
  return values{};
});
// The same rounds with the system's calls alone: mapped memory that grows and is touched for the first time.
registration const realloc_bare("realloc-geometric-bare", [](int, double scale) {
  for (int round = 0; round < static_cast<int>(5 * scale + 0.5); ++round) {
    char* p = nullptr;
    std::size_t old = 0;
    for (std::size_t size = 100; size < (64u << 20); size = size * 3 / 2) {
      p = static_cast<char*>(p ? mremap(p, old, size, MREMAP_MAYMOVE)
                               : mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
      for (std::size_t i = old; i < size; i += 4096) {
        p[i] = 1;
      }
      old = size;
    }
    munmap(p, old);
  }
  return values{};
});
registration const realloc_arithmetic("realloc-arithmetic", [](int, double scale) {
  for (int round = 0; round < static_cast<int>(10 * scale + 0.5); ++round) {
    char* p = nullptr;
    for (std::size_t size = 4096; size < (16u << 20); size += 4096) {
      p = static_cast<char*>(realloc(p, size));
      p[size - 1] = 1;
    }
    free(p);
  }
  return values{};
});
registration const realloc_small("realloc-small", [](int, double scale) {
  for (int round = 0; round < static_cast<int>(100 * scale); ++round) {
    std::vector<char*> v(2000);
    for (std::size_t size = 16; size < 2000; size = size * 3 / 2 + 8) {
      for (char*& p : v) {
        p = static_cast<char*>(realloc(p, size));
        p[size - 1] = 1;
      }
    }
    for (char* p : v) {
      free(p);
    }
  }
  return values{};
});

// Few large, more medium, many small objects, in the spirit of the demonstration test of the 2007 paper.
registration const mts("mts", [](int threads, double scale) {
  in_threads(threads, [&](int t) {
    random_source r(static_cast<std::uint64_t>(t) + 77);
    std::vector<void*> live(3000);
    for (long i = 0; i < static_cast<long>(3000000 * scale); ++i) {
      void*& p = live[r.below(live.size())];
      free(p);
      std::size_t const kind = r.below(1000);
      p = touched(kind < 940 ? r.between(8, 200) : kind < 998 ? r.between(200, 8000) : r.between(8000, 200000));
    }
    for (void* p : live) {
      free(p);
    }
  });
  return values{};
});

registration const large("large", [](int, double scale) {
  random_source r(5);
  std::vector<char*> live(20);
  for (int i = 0; i < static_cast<int>(1500 * scale); ++i) {
    char*& p = live[r.below(live.size())];
    free(p);
    std::size_t const size = r.between(5u << 20, 25u << 20);
    p = static_cast<char*>(malloc(size));
    for (std::size_t at = 0; at < size; at += 256 * 1024) {
      p[at] = 1;
    }
  }
  for (char* p : live) {
    free(p);
  }
  return values{};
});

}  // namespace
}  // namespace workload
