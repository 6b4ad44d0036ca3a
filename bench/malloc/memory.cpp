// SPDX-License-Identifier: Apache-2.0
// Workloads that measure memory: what stays after a peak, fragmentation under a drifting size, and the three tests of
// the article on the soft limit.
#include <bench/workload.h>

#include <dlfcn.h>
#include <omp.h>
#include <time.h>

namespace workload {
namespace {

void sleep_ms(long ms) {
  timespec const t{ms / 1000, ms % 1000 * 1000000};
  nanosleep(&t, nullptr);
}

// scalable_allocation_command(TBBMALLOC_CLEAN_ALL_BUFFERS) where there is one, else malloc_trim of the C library.
void clean() {
  if (auto* const f = reinterpret_cast<int (*)(int, void*)>(dlsym(RTLD_DEFAULT, "scalable_allocation_command"))) {
    f(0, nullptr);
  } else if (auto* const trim = reinterpret_cast<int (*)(std::size_t)>(dlsym(RTLD_DEFAULT, "malloc_trim"))) {
    trim(0);
  }
}

values peak(int threads, std::size_t bytes, std::size_t least, std::size_t most) {
  std::vector<std::vector<void*>> objects(static_cast<std::size_t>(threads));
  for (auto& v : objects) {
    v.resize(bytes / ((least + most) / 2) * 2 / static_cast<std::size_t>(threads) + 100);
  }
  double const before = resident_mb();
  in_threads(threads, [&](int t) {
    random_source r(static_cast<std::uint64_t>(t) + 1);
    auto& v = objects[static_cast<std::size_t>(t)];
    std::size_t n = 0;
    for (std::size_t sum = 0; sum < bytes / static_cast<std::size_t>(threads);) {
      std::size_t const size = r.between(least, most);
      v[n] = malloc(size);
      memset(v[n++], 1, size);
      sum += size;
    }
    for (std::size_t i = 0; i < n; ++i) {
      std::swap(v[i], v[r.below(n)]);
    }
    for (std::size_t i = 0; i < n; ++i) {
      free(v[i]);
    }
  });
  double const at_once = resident_mb() - before;
  sleep_ms(1000);
  double const later = resident_mb() - before;
  for (int i = 0; i < 100000; ++i) {
    free(touched(100));
  }
  double const working = resident_mb() - before;
  clean();
  return {
      {"rss_0s", at_once}, {"rss_1s", later}, {"rss_1s_operations", working}, {"rss_cleaned", resident_mb() - before}};
}
constexpr std::size_t mb = std::size_t{1} << 20;
registration const small("peak-small", [](int n, double) { return peak(n, 400 * mb, 16, 1024); });
registration const medium("peak-medium", [](int n, double) { return peak(n, 400 * mb, 4096, 65536); });
registration const large("peak-large", [](int n, double) { return peak(n, 400 * mb, mb, 8 * mb); });

// 120 MB of one size, 80 % of all objects freed at random, filled up with the next larger size, 48 B to 30 KB in 8
// steps; 80 % freed at the end.
registration const drift("drift", [](int, double) {
  constexpr std::size_t live_bytes = 120 * mb;
  std::vector<std::pair<void*, std::size_t>> objects;
  // The table's own memory is there before the first reading.
  objects.resize(live_bytes / 48 + 1000);
  objects.clear();
  double const before = resident_mb();
  random_source r(1);
  std::size_t live = 0;
  double worst = 0;
  double peak_rss = 0;
  auto const look = [&] {
    double const rss = resident_mb() - before;
    double const ratio = rss / (static_cast<double>(live) / mb);
    peak_rss = rss > peak_rss ? rss : peak_rss;
    return ratio;
  };
  auto const thin_out = [&] {
    std::size_t const keep = objects.size() / 5;
    for (std::size_t i = 0; i < objects.size(); ++i) {
      std::swap(objects[i], objects[r.below(objects.size())]);
    }
    while (objects.size() > keep) {
      live -= objects.back().second;
      free(objects.back().first);
      objects.pop_back();
    }
  };
  for (std::size_t size : {48u, 120u, 300u, 750u, 1900u, 4700u, 12000u, 30000u}) {
    while (live < live_bytes) {
      void* const p = malloc(size);
      memset(p, 1, size);
      objects.emplace_back(p, size);
      live += size;
    }
    double const ratio = look();
    worst = ratio > worst ? ratio : worst;
    if (size != 30000) {
      thin_out();
    }
  }
  thin_out();
  double const end = resident_mb() - before;
  values const v{
      {"worst_ratio", worst}, {"rss_peak", peak_rss}, {"rss_end", end}, {"live_end", static_cast<double>(live) / mb}};
  for (auto const& o : objects) {
    free(o.first);
  }
  return v;
});

// The article's tests. The scalable functions are used where the process has them; ASHLAR_SOFT_LIMIT_MB sets the limit.
struct functions {
  void* (*allocate)(std::size_t) = malloc;
  void (*release)(void*) = free;
};
functions scalable() {
  functions f;
  if (void* const a = dlsym(RTLD_DEFAULT, "scalable_malloc")) {
    f.allocate = reinterpret_cast<void* (*)(std::size_t)>(a);
    f.release = reinterpret_cast<void (*)(void*)>(dlsym(RTLD_DEFAULT, "scalable_free"));
    char const* const limit = std::getenv("ASHLAR_SOFT_LIMIT_MB");
    auto* const mode = reinterpret_cast<int (*)(int, std::intptr_t)>(dlsym(RTLD_DEFAULT, "scalable_allocation_mode"));
    if (limit != nullptr && std::atol(limit) && mode(1, std::atol(limit) * static_cast<long>(mb)) != 0) {
      abort();
    }
  }
  return f;
}

template <typename Test>
values article(int threads, double scale, Test test) {
  functions const f = scalable();
  int const repeats = static_cast<int>(100 * scale + 0.5);
#pragma omp parallel num_threads(threads)
  test(f, repeats);
  return {{"rss_end", resident_mb()}};
}

registration const article_1("soft-1", [](int n, double scale) {
  return article(n, scale, [](functions f, int repeats) {
    // One generator for all threads, as in the article.
    static bool const seeded = (std::srand(1234), true);
    (void)seeded;
    void* objects[1000];
    for (int i = 0; i < repeats; ++i) {
      std::size_t const size =
          (100 * 1024 - 8) * static_cast<std::size_t>(std::rand()) / static_cast<std::size_t>(RAND_MAX) + 8;
      for (void*& p : objects) {
        p = f.allocate(size);
        memset(p, 0, size);
      }
      for (void* p : objects) {
        f.release(p);
      }
    }
  });
});
registration const article_2("soft-2", [](int n, double scale) {
  return article(n, scale, [](functions f, int repeats) {
    constexpr std::size_t count = 1000000;
    void* objects[count];  // 8 MB of stack: run with a larger OMP_STACKSIZE and ulimit -s
    for (int i = 0; i < repeats; ++i) {
      for (void*& p : objects) {
        p = f.allocate(100);
      }
      for (void* p : objects) {
        f.release(p);
      }
    }
  });
});
registration const article_3("soft-3", [](int n, double scale) {
  return article(n, scale, [](functions f, int) {
    void* objects[10];
    for (std::size_t size = 8 * 1024; size < 32 * mb; size += 8 * 1024) {
      for (void*& p : objects) {
        p = f.allocate(size);
      }
      for (void* p : objects) {
        f.release(p);
      }
    }
  });
});

}  // namespace
}  // namespace workload
