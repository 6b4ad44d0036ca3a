// SPDX-License-Identifier: Apache-2.0
// What the allocator does with memory by itself: nothing is written into what was never used, no trace of its own lists
// into an object that it hands out, and what comes and goes all the time does not come from the system each time.
#include <ashlar/base/config.h>
#include <doctest/doctest.h>

#include <support/death.h>
#include <support/process_memory.h>
#include <tbb/scalable_allocator.h>
#include "alloc/backend.h"
#include "alloc/page_map.h"

#include <sys/resource.h>
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <set>
#include <thread>
#include <utility>
#include <vector>

namespace {

constexpr std::size_t mb = std::size_t{1} << 20;

void shuffle(std::vector<void*>& objects) {
  std::uint64_t x = 88172645463325252u;
  for (std::size_t i = objects.size(); i > 1; --i) {
    x = x * 6364136223846793005u + 1442695040888963407u;
    std::swap(objects[i - 1], objects[(x >> 33) % i]);
  }
}

void free_all(std::vector<void*>& objects) {
  for (void*& p : objects) {
    scalable_free(std::exchange(p, nullptr));
  }
}

}  // namespace

// The sanitizers' shadow memory counts as resident too.
TEST_CASE("objects that the program never touches take no memory" * doctest::skip(ASHLAR_TSAN || ASHLAR_ASAN)) {
  enum class before { nothing, use };
  for (before const what : {before::nothing, before::use}) {
    test::death const d = test::run_in_child([&] {
      std::vector<void*> objects(400000);
      if (what == before::use) {
        // The memory has been in lists; then the system has it again.
        for (void*& p : objects) {
          p = std::memset(scalable_malloc(100), 1, 100);
        }
        shuffle(objects);
        free_all(objects);
      }
      // Earlier tests have used memory, too.
      scalable_allocation_command(TBBMALLOC_CLEAN_ALL_BUFFERS, nullptr);
      std::size_t const start = test::resident();
      std::size_t most = 0;
      for (int round = 0; round < 5; ++round) {
        for (void*& p : objects) {
          p = scalable_malloc(100);
        }
        most = std::max(most, test::resident());
        free_all(objects);
      }
      std::size_t const more = most > start ? most - start : 0;
      std::fprintf(stderr, "%zu KB\n", more / 1024);
      _exit(more > 4 * mb);  // of 40 MB
    });
    INFO(static_cast<int>(what) << ": " << d.errors);
    CHECK(d.exited);
    CHECK(d.code == 0);
  }
}

// The signature of a free object tells a second free. A live object that still bears it is searched for in all lists
// when it is freed.
TEST_CASE("no object is handed out with the signature of a free object") {
  using namespace ashlar::alloc;
  for (std::size_t const size : {std::size_t{16}, std::size_t{64}, std::size_t{112}, std::size_t{1000}}) {
    std::vector<void*> objects(3 * mb / size);
    std::size_t met = 0;
    for (int round = 0; round < 12; ++round) {
      std::size_t signatures = 0;
      for (void*& p : objects) {
        if (p == nullptr) {
          p = scalable_malloc(size);
          signatures += static_cast<block*>(p)->signed_free(map.find(p));
        }
      }
      INFO("size " << size << ", round " << round);
      CHECK(signatures == 0);
      void* const one = objects[500];
      page const* const pg = map.find(one);
      switch (round % 4) {
        case 0:  // lists
          shuffle(objects);
          free_all(objects);
          break;
        case 1:  // mail
          std::thread([&] { free_all(objects); }).join();
          break;
        case 2:  // pages in which frees come in order up to the first object that stays
          for (std::size_t i = 0; i < objects.size(); ++i) {
            if (i % 50 != 49) {
              scalable_free(std::exchange(objects[i], nullptr));
            }
          }
          break;
        default:
          free_all(objects);
      }
      met += static_cast<block*>(one)->signed_free(pg);
    }
    CHECK(met > 0);  // signatures are what the test takes them for
  }
}

namespace {

using ashlar::alloc::central;
using ashlar::alloc::page;

// What did not hold is printed, and counted.
class expectations {
 public:
  void operator()(bool holds, char const* what, int which = 0) {
    if (holds) return;
    std::fprintf(stderr, "%s (%d)\n", what, which);
    ++failed_;
  }
  int failed() const { return failed_; }

 private:
  int failed_ = 0;
};

// Takes the whole, sets the flag of one part, gives the parts back; true: the whole had it.
bool passes(expectations& expect, int marked, bool backwards) {
  page* const whole = central.take(12, 1, true);
  bool const had = whole->has_signed;
  central.give(whole, true);
  page* parts[] = {central.take(4, 1, true), central.take(4, 1, true), central.take(4, 1, true)};
  for (int i = 0; i < 2; ++i) {
    expect(parts[i + 1]->begin() == parts[i]->begin() + parts[i]->bytes(), "parts lie side by side", i);
  }
  for (int i = 0; i < 3; ++i) {
    parts[i]->has_signed = i == marked;
  }
  if (backwards) {
    std::swap(parts[0], parts[2]);
  }
  for (page* const pg : parts) {
    central.give(pg, true);
  }
  return had;
}

void cut_and_join(expectations& expect) {
  passes(expect, -1, false);
  for (bool const backwards : {false, true}) {
    for (int marked = 0; marked < 3; ++marked) {
      expect(!passes(expect, marked, backwards), "the system has had the memory", marked + 3 * backwards);
      expect(passes(expect, -1, backwards), "the whole knows what its part knew", marked + 3 * backwards);
      central.trim(0, false);
    }
  }
  // What is cut out of a run, the rest of the run, and what grows into it.
  passes(expect, 1, false);
  page* const small = central.take(1, 1, true);
  page* const next = central.take(1, 1, true);
  expect(small->has_signed, "what is cut out");
  expect(next->has_signed, "the rest");
  small->has_signed = next->has_signed = false;
  expect(central.extend(next, 10), "extend");
  expect(next->has_signed, "what grows");
  central.give(small, true);
  central.give(next, true);
  // The part that is cut off.
  central.trim(0, false);
  passes(expect, -1, false);  // unused descriptors know nothing of it
  page* const cut = central.take(10, 1, true);
  expect(!cut->has_signed, "unused descriptors");
  cut->has_signed = true;
  central.shorten(cut, 1);
  page* const off = central.take(9, 1, true);
  expect(off->begin() == cut->begin() + cut->bytes(), "the part that is cut off lies behind the other");
  expect(off->has_signed, "the part that is cut off");
  central.give(cut, true);
  central.give(off, true);
}

}  // namespace

// What the case above needs, in all ways that runs are cut and joined. In a child, which has no other thread, with the
// allocator's own pages: those of two would join.
TEST_CASE("whether memory has been in lists is known until the system has it again" * doctest::skip(ASHLAR_TSAN)) {
  test::death const d = test::run_in_child([] {
    central.trim(0, true);
    expectations expect;
    cut_and_join(expect);
    _exit(expect.failed());
  });
  INFO(d.errors);
  CHECK(d.exited);
  CHECK(d.code == 0);
}

// Objects of 4608 and of 8192 bytes lie in pages of the same length. Where pages changed between such sizes, the
// objects' first bytes would come to lie everywhere, and a program that touches no more than these would have all of it
// resident.
TEST_CASE("a size gets pages back that it had") {
  auto const pages_of = [](std::vector<void*> const& objects) {
    std::set<void const*> pages;
    for (void* const p : objects) {
      pages.insert(ashlar::alloc::map.find(p)->begin());
    }
    return pages;
  };
  std::thread([&] {
    std::vector<void*> shorter(60), longer(60);
    auto const fill = [](std::vector<void*>& objects, std::size_t size) {
      for (void*& p : objects) {
        p = scalable_malloc(size);
        REQUIRE(p != nullptr);
      }
    };
    fill(shorter, 4608);
    fill(longer, 8192);
    auto const had = pages_of(shorter);
    for (int round = 0; round < 10; ++round) {
      free_all(shorter);
      free_all(longer);
      fill(shorter, 4608);
      fill(longer, 8192);
      CHECK(pages_of(shorter) == had);
    }
    free_all(shorter);
    free_all(longer);
  }).join();
}

// Vectors that grow together and are freed together: longer runs are cut from what was given back in part and in part
// not.
TEST_CASE("memory that comes and goes is soon kept" * doctest::skip(ASHLAR_TSAN || ASHLAR_ASAN)) {
  test::death const d = test::run_in_child([&] {
    auto const faults = [] {
      rusage use{};
      getrusage(RUSAGE_SELF, &use);
      return use.ru_minflt;
    };
    std::vector<void*> vectors(2000);
    auto const come_and_go = [&] {
      for (std::size_t size = 16; size < 2000; size = size * 3 / 2 + 8) {
        for (void*& p : vectors) {
          p = scalable_realloc(p, size);
          static_cast<char*>(p)[size - 1] = 1;
        }
      }
      free_all(vectors);
    };
    for (int i = 0; i < 20; ++i) {
      come_and_go();
    }
    long const before = faults();
    for (int i = 0; i < 100; ++i) {
      come_and_go();
    }
    long const more = faults() - before;
    std::fprintf(stderr, "%ld faults\n", more);
    _exit(more > 500);  // 8 MB have 2000 pages of 4 KiB
  });
  INFO(d.errors);
  CHECK(d.exited);
  CHECK(d.code == 0);
}
