// SPDX-License-Identifier: Apache-2.0
#include <ashlar/sync/segmented_queue.h>

#include <doctest/doctest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

using ashlar::sync::segmented_queue;

// Counts live objects and can fail at the n-th construction.
struct tracked {
  static inline int live = 0;
  static inline int countdown = -1;

  explicit tracked(int v) : value(v) { born(); }
  tracked(tracked const& other) : value(other.value) { born(); }
  tracked(tracked&& other) : value(other.value) { born(); }
  tracked& operator=(tracked const&) = default;
  ~tracked() { --live; }

  static void born() {
    if (countdown >= 0 && countdown-- == 0) throw std::runtime_error("tracked");
    ++live;
  }
  int value;
};

// Fails the n-th allocation and reports leaks.
struct counting_memory {
  struct record {
    int live = 0;
    int countdown = -1;
    int destroyed = 0;
  };
  record* r;

  void* allocate(std::size_t bytes, std::size_t alignment) {
    if (r->countdown >= 0 && r->countdown-- == 0) throw std::bad_alloc();
    ++r->live;
    return ::operator new(bytes, std::align_val_t(alignment));
  }
  void deallocate(void* p, std::size_t, std::size_t alignment) noexcept {
    --r->live;
    ::operator delete(p, std::align_val_t(alignment));
  }
  template <typename T>
  void destroy(T* element) noexcept {
    ++r->destroyed;
    element->~T();
  }
};

struct alignas(256) wide {
  long value;
};
struct huge {
  long value[100];
};

}  // namespace

// Two cells short of everything: the segment's end is reached all the time.
template <>
inline constexpr std::size_t ashlar::sync::segment_lap<tracked> = 8;

TEST_CASE("segmented_queue: first in, first out over many segments") {
  segmented_queue<long> q;
  long v = -1;
  CHECK(q.empty());
  CHECK(q.size() == 0);
  CHECK_FALSE(q.try_pop(v));
  CHECK(v == -1);
  long next_in = 0;
  long next_out = 0;
  for (int round = 0; round < 100; ++round) {
    for (int i = 0; i < 37 + round; ++i) q.push(next_in++);
    REQUIRE(q.size() == static_cast<std::size_t>(next_in - next_out));
    for (int i = 0; i < 30 + round; ++i) {
      REQUIRE(q.try_pop(v));
      REQUIRE(v == next_out++);
    }
  }
  while (q.try_pop(v)) REQUIRE(v == next_out++);
  CHECK(next_out == next_in);
  CHECK(q.empty());
}

TEST_CASE("segmented_queue: move-only, over-aligned and large elements") {
  segmented_queue<std::unique_ptr<int>> owners;
  for (int i = 0; i < 1000; ++i) owners.push(std::make_unique<int>(i));
  std::unique_ptr<int> p;
  for (int i = 0; i < 500; ++i) {
    REQUIRE(owners.try_pop(p));
    REQUIRE(*p == i);
  }

  segmented_queue<wide> wides;
  segmented_queue<huge> huges;
  for (long i = 0; i < 100; ++i) {
    wides.push(wide{i});
    huges.emplace(huge{{i, 2 * i}});
  }
  for (long i = 0; i < 100; ++i) {
    REQUIRE(wides.pop_with([&](wide& w) {
      CHECK(reinterpret_cast<std::uintptr_t>(&w) % alignof(wide) == 0);
      CHECK(w.value == i);
    }));
    huge h;
    REQUIRE(huges.try_pop(h));
    REQUIRE(h.value[1] == 2 * i);
  }

  segmented_queue<char> chars;
  for (int i = 0; i < 2000; ++i) chars.push(static_cast<char>(i));
  char c = 0;
  for (int i = 0; i < 2000; ++i) {
    REQUIRE(chars.try_pop(c));
    REQUIRE(c == static_cast<char>(i));
  }
}

TEST_CASE("segmented_queue: space per element of eight bytes") {
  struct measuring {
    std::size_t* bytes;
    void* allocate(std::size_t n, std::size_t alignment) {
      *bytes += n;
      return ::operator new(n, std::align_val_t(alignment));
    }
    void deallocate(void* p, std::size_t, std::size_t alignment) noexcept {
      ::operator delete(p, std::align_val_t(alignment));
    }
    void destroy(long*) noexcept {}
  };
  std::size_t bytes = 0;
  segmented_queue<long, measuring> q(measuring{&bytes});
  CHECK(bytes == 0);
  for (long i = 0; i < 100'000; ++i) q.push(i);
  CHECK(bytes < 1'000'000);
}

TEST_CASE("segmented_queue: a constructor that throws leaves a cell that is skipped") {
  tracked::live = 0;
  {
    segmented_queue<tracked> q;
    int pushed = 0;
    for (int i = 0; i < 100; ++i) {
      tracked::countdown = i % 3 == 0 ? 0 : -1;
      if (i % 3 == 0) {
        REQUIRE_THROWS_AS(q.emplace(i), std::runtime_error);
      } else {
        q.emplace(i);
        ++pushed;
      }
    }
    tracked::countdown = -1;
    CHECK(q.size() == static_cast<std::size_t>(pushed));
    CHECK(tracked::live == pushed);

    std::vector<int> seen;
    for (auto c = q.unsafe_begin(); c.get(); c.advance()) seen.push_back(c.get()->value);
    CHECK(seen.size() == static_cast<std::size_t>(pushed));

    tracked out(-1);
    for (int value : seen) {
      REQUIRE(value % 3 != 0);
      REQUIRE(q.try_pop(out));
      REQUIRE(out.value == value);
    }
    CHECK_FALSE(q.try_pop(out));
    CHECK(q.empty());

    // Nothing but broken cells.
    tracked::countdown = 0;
    REQUIRE_THROWS_AS(q.emplace(1), std::runtime_error);
    tracked::countdown = -1;
    CHECK(q.empty());
    CHECK(q.unsafe_begin().get() == nullptr);
    CHECK_FALSE(q.try_pop(out));
    q.emplace(7);
    REQUIRE(q.try_pop(out));
    CHECK(out.value == 7);
  }
  CHECK(tracked::live == 0);
}

TEST_CASE("segmented_queue: an assignment that throws takes its element along, not the others") {
  struct fragile {
    int value = 0;
    fragile() = default;
    explicit fragile(int v) : value(v) {}
    fragile(fragile&&) = default;
    fragile& operator=(fragile&& other) {
      if (other.value == 1) throw std::runtime_error("fragile");
      value = other.value;
      return *this;
    }
  };
  segmented_queue<fragile> q;
  for (int i = 0; i < 3; ++i) q.emplace(i);
  fragile out;
  REQUIRE(q.try_pop(out));
  REQUIRE_THROWS_AS(q.try_pop(out), std::runtime_error);
  CHECK(q.size() == 1);
  REQUIRE(q.try_pop(out));
  CHECK(out.value == 2);
}

TEST_CASE("segmented_queue: every allocation may fail, and nothing is lost or leaked") {
  tracked::live = 0;
  for (int n = 0; n < 20; ++n) {
    counting_memory::record record;
    {
      segmented_queue<tracked, counting_memory> q(counting_memory{&record});
      record.countdown = n;
      int pushed = 0;
      int failures = 0;
      for (int i = 0; i < 120; ++i) {
        try {
          q.emplace(pushed);
          ++pushed;
        } catch (std::bad_alloc const&) {
          ++failures;
          REQUIRE(q.size() == static_cast<std::size_t>(pushed));
        }
      }
      CHECK(failures == (n < 18 ? 1 : 0));
      tracked out(-1);
      for (int i = 0; i < pushed / 2; ++i) {
        REQUIRE(q.try_pop(out));
        REQUIRE(out.value == i);
      }
    }
    CHECK(record.live == 0);
    CHECK(tracked::live == 0);
  }
}

TEST_CASE("segmented_queue: one emptied segment is kept, clear and destruction free the rest") {
  counting_memory::record record;
  {
    segmented_queue<tracked, counting_memory> q(counting_memory{&record});
    for (int i = 0; i < 70; ++i) q.emplace(i);
    int const most = record.live;
    CHECK(most >= 10);
    q.clear();
    CHECK(record.live == 2);
    CHECK(record.destroyed == 70);
    CHECK(q.empty());
    for (int i = 0; i < 10'000; ++i) {
      q.emplace(i);
      tracked out(-1);
      REQUIRE(q.try_pop(out));
    }
    CHECK(record.live <= 3);
  }
  CHECK(record.live == 0);
}

TEST_CASE("segmented_queue: swap") {
  segmented_queue<std::string> a;
  segmented_queue<std::string> b;
  for (int i = 0; i < 100; ++i) a.push(std::to_string(i) + "a");
  b.push("b");
  a.swap(b);
  std::string out;
  REQUIRE(a.try_pop(out));
  CHECK(out == "b");
  CHECK_FALSE(a.try_pop(out));
  CHECK(b.size() == 100);
  a.push("c");
  for (int i = 0; i < 100; ++i) {
    REQUIRE(b.try_pop(out));
    REQUIRE(out == std::to_string(i) + "a");
  }
  REQUIRE(a.try_pop(out));
  CHECK(out == "c");
}

TEST_CASE("segmented_queue: one producer and one consumer keep the order") {
  segmented_queue<long> q;
  constexpr long n = 200'000;
  std::thread producer([&] {
    for (long i = 0; i < n; ++i) q.push(i);
  });
  long expected = 0;
  long v;
  while (expected < n) {
    if (q.try_pop(v)) {
      REQUIRE(v == expected);
      ++expected;
    } else {
      std::this_thread::yield();
    }
  }
  producer.join();
  CHECK(q.empty());
}
