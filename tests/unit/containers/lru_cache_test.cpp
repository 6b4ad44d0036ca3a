// SPDX-License-Identifier: Apache-2.0
#include <tbb/concurrent_lru_cache.h>

#include <doctest/doctest.h>

#include <atomic>
#include <stdexcept>
#include <thread>
#include <type_traits>
#include <vector>

#include "faults.h"

namespace {

struct counted {
  static inline std::atomic<int> live{0};
  explicit counted(int v) : value(v) { ++live; }
  counted(counted const& other) : value(other.value) { ++live; }
  ~counted() { --live; }
  int value;
};

struct maker {
  std::atomic<int>* made;
  counted operator()(int key) const {
    if (key < 0) throw std::runtime_error("no such value");
    ++*made;
    return counted(key * 10);
  }
};
using cache = tbb::concurrent_lru_cache<int, counted, maker>;

int twice(int key) { return 2 * key; }

}  // namespace

TEST_CASE("concurrent_lru_cache: values are kept by handles and by the history") {
  std::atomic<int> made{0};
  {
    cache c(maker{&made}, 2);
    {
      cache::handle const none;
      CHECK(!none);
      cache::handle a = c[1];
      CHECK(a);
      CHECK(a.value().value == 10);
      cache::handle b = c[1];
      CHECK(&a.value() == &b.value());
      CHECK(made == 1);
      for (int key = 2; key < 10; ++key) CHECK(c[key].value().value == 10 * key);
      CHECK(counted::live == 3);  // the one in use and two of the history
      CHECK(&c[1].value() == &a.value());
    }
    CHECK(made == 9);
    CHECK(counted::live == 2);
    CHECK(c[1].value().value == 10);  // released last, so still there
    CHECK(made == 9);
    CHECK(c[8].value().value == 80);  // the oldest went
    CHECK(made == 10);
  }
  CHECK(counted::live == 0);
}

TEST_CASE("concurrent_lru_cache: without history a value goes with its last handle") {
  std::atomic<int> made{0};
  cache c(maker{&made}, 0);
  auto a = c[1];
  auto b = c[1];
  a = cache::handle();
  CHECK(counted::live == 1);
  b = cache::handle();
  CHECK(counted::live == 0);
  (void)c[1];
  CHECK(made == 2);
}

TEST_CASE("concurrent_lru_cache: handles move") {
  static_assert(!std::is_copy_constructible_v<cache::handle>);
  static_assert(std::is_nothrow_move_constructible_v<cache::handle>);
  std::atomic<int> made{0};
  cache c(maker{&made}, 0);
  auto a = c[1];
  auto b = std::move(a);
  CHECK(!a);  // NOLINT: moved-from handles are empty
  CHECK(b.value().value == 10);
  a = c[2];
  b = std::move(a);
  CHECK(b.value().value == 20);
  CHECK(counted::live == 1);
  auto& self = b;
  b = std::move(self);
  CHECK(b.value().value == 20);
}

TEST_CASE("concurrent_lru_cache: the function throws") {
  std::atomic<int> made{0};
  cache c(maker{&made}, 2);
  CHECK_THROWS_AS((void)c[-1], std::runtime_error);
  CHECK_THROWS_AS((void)c[-1], std::runtime_error);
  CHECK(c[3].value().value == 30);
  CHECK(counted::live == 1);
}

TEST_CASE("concurrent_lru_cache: a key or value whose construction fails anywhere leaves nothing behind") {
  using test::fragile;
  long const failures = test::fail_everywhere(fragile::fail_at, fragile::constructions, [] {
    bool failed = false;
    {
      tbb::concurrent_lru_cache<fragile, fragile> c([](fragile key) { return fragile(key.value + 1); }, 2);
      for (int i = 0; i < 8; ++i) {
        auto const use = [&] {
          auto const kept = c[0];
          auto h = c[i % 4];
          CHECK(h.value().value == i % 4 + 1);
        };
        try {
          use();
        } catch (std::runtime_error&) {
          failed = true;
          use();
        }
      }
      CHECK(fragile::alive == 4);  // two keys and two values
    }
    CHECK(fragile::alive == 0);
    return failed;
  });
  CHECK(failures > 30);
}

TEST_CASE("concurrent_lru_cache: a plain function") {
  tbb::concurrent_lru_cache<int, int> c(&twice, 10);
  CHECK(c[21].value() == 42);
}

TEST_CASE("concurrent_lru_cache: threads share the values in use") {
  std::atomic<int> made{0};
  std::atomic<bool> wrong{false};
  {
    cache c(maker{&made}, 3);
    std::vector<std::thread> team;
    for (int t = 0; t < 8; ++t) {
      team.emplace_back([&, t] {
        unsigned x = static_cast<unsigned>(t) + 1;
        cache::handle kept;
        for (int i = 0; i < 2000; ++i) {
          x = x * 1664525u + 1013904223u;
          int const key = static_cast<int>(x >> 24) % 11;
          auto h = c[key];
          if (h.value().value != 10 * key) wrong = true;
          if (x >> 31) kept = std::move(h);
        }
      });
    }
    for (auto& t : team) t.join();
    CHECK(counted::live == 3);
  }
  CHECK(!wrong);
  CHECK(counted::live == 0);
}
