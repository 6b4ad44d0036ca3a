// SPDX-License-Identifier: Apache-2.0
// Random calls of the C interface, right and wrong ones. A mistake that has an answer (an alignment that is no power of
// two, a size that nobody has, an overflow, an unknown command, a pointer of which only the size is asked) must get it
// and leave all objects as they were; the last mistake of each program, a pointer that is no object given to whatever
// frees or resizes, must end the process with a message at once. Each program is a process of its own.
//
// alloc_mistakes [PROGRAMS [FIRST_SEED]]
#include <support/death.h>
#include <tbb/scalable_allocator.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <thread>
#include <vector>

namespace {

void require(bool right, char const* what) {
  if (!right) {
    std::fprintf(stderr, "wrong: %s\n", what);
    _exit(3);
  }
}

struct object {
  unsigned char* p;
  std::size_t size;
  unsigned char seed;

  void fill() const { std::memset(p, seed, std::min<std::size_t>(size, 200)); }
  bool whole() const {
    return std::all_of(p, p + std::min<std::size_t>(size, 200), [this](unsigned char c) { return c == seed; });
  }
};

class program {
 public:
  explicit program(unsigned seed) : random_(seed) {}

  void run() {
    for (unsigned left = 100 + pick(300); left; --left) {
      pick(2) ? right_call() : answered();
    }
    for (object const& o : live_) {
      require(o.whole(), "an object at the end");
    }
    std::fputs("last\n", stderr);
    fatal_mistake();
    require(false, "the last mistake went unnoticed");
  }

 private:
  std::uint64_t pick(std::uint64_t n) { return random_() % n; }
  std::size_t some_size() { return pick(4) ? pick(500) : pick(8) ? pick(70000) : pick(3000000); }
  std::size_t no_size() { return ~std::size_t{0} - pick(pick(2) ? 5000 : std::uint64_t{1} << 46); }
  std::size_t alignment() { return std::size_t{8} << pick(14); }
  std::size_t no_alignment() {
    std::size_t const n = pick(2) ? pick(100) : random_();
    return n & (n - 1) ? n : 0;
  }
  object& one() { return live_[pick(live_.size())]; }
  template <typename F>
  void somewhere(F const& f) {
    if (pick(8) == 0) {
      std::thread(f).join();
    } else {
      f();
    }
  }

  void keep(void* p, std::size_t size) {
    require(p != nullptr, "memory");
    object const o{static_cast<unsigned char*>(p), size, static_cast<unsigned char>(pick(256))};
    o.fill();
    live_.push_back(o);
  }

  void right_call() {
    std::size_t const size = some_size();
    if (live_.size() < 5 || pick(2)) {
      void* p = nullptr;
      auto const how = pick(4);
      std::size_t const align = alignment();
      somewhere([&] {
        p = how == 0   ? scalable_malloc(size)
            : how == 1 ? scalable_calloc(size, 1)
            : how == 2 ? scalable_realloc(nullptr, size)
                       : scalable_aligned_malloc(size + 1, align);
      });
      return keep(p, size);
    }
    object const o = one();
    require(o.whole(), "an object that is freed");
    live_.erase(std::find_if(live_.begin(), live_.end(), [&](object const& l) { return l.p == o.p; }));
    if (pick(3)) {
      somewhere([&] { scalable_free(o.p); });
    } else {
      void* p = nullptr;
      somewhere([&] { p = scalable_realloc(o.p, size + 1); });
      require(o.size == 0 || p == nullptr || *static_cast<unsigned char*>(p) == o.seed, "a resized object");
      keep(p, size + 1);
    }
  }

  void answered() {
    if (live_.empty()) {
      return;
    }
    errno = 0;
    int const kind = static_cast<int>(pick(12));
    somewhere([&] { kind < 6 ? refused_memory(kind) : refused_question(kind); });
    object const& o = one();
    require(o.whole(), "an object after a mistake");
  }

  static void null_with(void* p, int error, char const* what) { require(p == nullptr && errno == error, what); }

  void refused_memory(int kind) {
    object const o = one();
    void* untouched = &untouched;
    switch (kind) {
      case 0:
        require(scalable_posix_memalign(&untouched, pick(2) ? no_alignment() : 4, some_size()) == EINVAL &&
                    untouched == &untouched,
                "posix_memalign, alignment");
        require(scalable_posix_memalign(&untouched, alignment(), no_size()) == ENOMEM && untouched == &untouched,
                "posix_memalign, size");
        break;
      case 1:
        null_with(scalable_aligned_malloc(some_size(), no_alignment()), EINVAL, "aligned_malloc, alignment");
        null_with(scalable_aligned_malloc(0, alignment()), EINVAL, "aligned_malloc, size 0");
        break;
      case 2:
        null_with(scalable_aligned_realloc(o.p, some_size(), no_alignment()), EINVAL, "aligned_realloc, alignment");
        errno = 0;
        null_with(scalable_aligned_realloc(o.p, no_size(), alignment()), ENOMEM, "aligned_realloc, size");
        break;
      case 3:
        null_with(scalable_calloc(std::size_t{1} << (32 + pick(31)), std::size_t{1} << (32 + pick(31))), ENOMEM,
                  "calloc");
        break;
      case 4:
        null_with(scalable_malloc(no_size()), ENOMEM, "malloc");
        errno = 0;
        null_with(scalable_aligned_malloc(some_size() + 1, std::size_t{1} << (48 + pick(16))), ENOMEM,
                  "aligned_malloc, too much");
        break;
      default:
        null_with(scalable_realloc(o.p, no_size()), ENOMEM, "realloc");
    }
    require(o.whole(), "the object that was to be resized");
  }

  void refused_question(int kind) {
    object const o = one();
    switch (kind) {
      case 6:
        require(scalable_msize(nullptr) == 0 && errno == EINVAL, "msize of null");
        break;
      case 7:
        require(scalable_msize(o.p + 1 + pick(15)) == 0, "msize of a pointer into an object");
        break;
      case 8:
        require(scalable_msize(elsewhere()) == 0, "msize of a pointer from elsewhere");
        break;
      case 9:
        require(scalable_allocation_command(static_cast<int>(pick(2) ? 100 + pick(1000) : ~pick(9)), nullptr) ==
                    TBBMALLOC_INVALID_PARAM,
                "an unknown command");
        require(scalable_allocation_command(TBBMALLOC_CLEAN_ALL_BUFFERS, elsewhere()) == TBBMALLOC_INVALID_PARAM,
                "a command with an argument");
        break;
      case 10:
        require(scalable_allocation_mode(static_cast<int>(1000 + pick(1000)), static_cast<intptr_t>(pick(3))) ==
                    TBBMALLOC_INVALID_PARAM,
                "an unknown mode");
        require(scalable_allocation_mode(TBBMALLOC_USE_HUGE_PAGES, static_cast<intptr_t>(2 + pick(1000))) ==
                    TBBMALLOC_INVALID_PARAM,
                "huge pages neither on nor off");
        break;
      default:
        scalable_free(nullptr);
        scalable_aligned_free(nullptr);
        require(scalable_allocation_command(TBBMALLOC_CLEAN_THREAD_BUFFERS, nullptr) != TBBMALLOC_INVALID_PARAM,
                "cleaning");
    }
  }

  // Never null, and never an object.
  void* elsewhere() {
    static char global[64];
    switch (pick(4)) {
      case 0:
        return global + pick(64);
      case 1:
        return here_ + pick(64);
      case 2:
        return reinterpret_cast<void*>(std::uintptr_t{1} + pick(100000));
      default:
        return reinterpret_cast<void*>(random_() | std::uintptr_t{1} << 63);
    }
  }

  void fatal_mistake() {
    void* bad = elsewhere();
    auto const what = pick(3);
    object const o = one();
    if (what == 0) {
      bad = o.p + 1 + pick(15);
    } else if (what == 1) {
      somewhere([&] { scalable_free(o.p); });
      bad = o.p;
    }
    void* volatile hidden = bad;
    auto const how = pick(6);
    std::size_t const size = some_size() + 1;
    somewhere([&] {
      switch (how) {
        case 0:
          return scalable_free(hidden);
        case 1:
          return scalable_aligned_free(hidden);
        case 2:
          return static_cast<void>(scalable_realloc(hidden, size));
        case 3:
          return static_cast<void>(scalable_realloc(hidden, 0));
        case 4:
          return static_cast<void>(scalable_aligned_realloc(hidden, size, 64));
        default:
          return static_cast<void>(scalable_aligned_realloc(hidden, 0, 64));
      }
    });
  }

  std::mt19937_64 random_;
  std::vector<object> live_;
  char here_[64] = {};
};

bool ends_rightly(test::death const& d) {
  std::size_t const last = d.errors.find("last\n");
  if (!d.by_signal(SIGABRT) || last != 0) {
    return false;
  }
  std::size_t const named = std::min(d.errors.find("free()"), d.errors.find("realloc()"));
  return named != std::string::npos && d.errors.find("0x") != std::string::npos;
}

}  // namespace

int main(int argc, char** argv) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  std::puts("skipped: the sanitizers' own reports come first");
  return 0;
#endif
  unsigned const programs = argc > 1 ? static_cast<unsigned>(std::atoi(argv[1])) : 400;
  unsigned const first = argc > 2 ? static_cast<unsigned>(std::atoi(argv[2])) : 1;
  unsigned right = 0;
  for (unsigned seed = first; seed < first + programs; ++seed) {
    test::death const d = test::run_in_child([seed] {
      alarm(60);
      program(seed).run();
    });
    if (ends_rightly(d)) {
      ++right;
    } else {
      std::printf("seed %u: %s %d %s\n", seed, d.exited ? "exit" : "signal", d.code, d.errors.c_str());
    }
  }
  std::printf("%u of %u programs answered as they should\n", right, programs);
  return programs != 0 && right == programs ? 0 : 1;
}
