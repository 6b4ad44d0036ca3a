// SPDX-License-Identifier: Apache-2.0
// Objects that one thread makes and another one frees, in all shapes and for long: what the allocator holds does not
// grow while what lives stays the same. src/alloc/README.md, "What is held", has the bound.
#include <ashlar/base/config.h>
#include <doctest/doctest.h>

#include <ashlar/alloc/malloc_stats.h>
#include <support/emulator.h>
#include <tbb/scalable_allocator.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <memory>
#include <thread>
#include <vector>

namespace {

constexpr std::size_t mb = std::size_t{1} << 20;

std::size_t held() {
  ashlar_malloc_stats s;
  ashlar_malloc_get_stats(&s);
  return s.used + s.free_dirty;
}

std::size_t in_use() {
  ashlar_malloc_stats s;
  ashlar_malloc_get_stats(&s);
  return s.used;
}

// Hands objects from one thread to one other; at most `room` live in it.
class channel {
 public:
  explicit channel(std::size_t room) : places_(room) {}
  void put(void* p) {
    std::atomic<void*>& place = places_[in_++ % places_.size()];
    while (place.load(std::memory_order_acquire) != nullptr) std::this_thread::yield();
    place.store(p, std::memory_order_release);
  }
  void* take() {
    std::atomic<void*>& place = places_[out_++ % places_.size()];
    void* p;
    while ((p = place.load(std::memory_order_acquire)) == nullptr) std::this_thread::yield();
    place.store(nullptr, std::memory_order_release);
    return p;
  }

 private:
  std::vector<std::atomic<void*>> places_;
  alignas(64) std::size_t in_ = 0;
  alignas(64) std::size_t out_ = 0;
};

using size_of = std::size_t (*)(std::uint64_t);

std::size_t same(std::uint64_t) { return 64; }
std::size_t mixed(std::uint64_t random) { return 16 + random % 1009; }
std::size_t all_classes(std::uint64_t random) { return std::size_t{16} << random % 9; }
std::size_t medium(std::uint64_t random) { return 1024 + random % 31744; }

std::uint64_t next(std::uint64_t& x) {
  x = x * 6364136223846793005u + 1442695040888963407u;
  return x >> 33;
}

void make(channel& to, std::size_t count, size_of size, std::uint64_t seed) {
  for (std::size_t i = 0; i < count; ++i) {
    char* const p = static_cast<char*>(scalable_malloc(size(next(seed))));
    p[0] = p[15] = 1;
    to.put(p);
  }
}
void drop(channel& from, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) scalable_free(from.take());
}

constexpr std::size_t room = 256;  // objects in a channel, which vary

std::size_t const part = test::emulated ? 20000 : 200000;  // of a run, for each of its threads

// Runs a part five times and more; what is held after the first one is what a right run needs.
void stays(char const* shape, std::function<void(size_of, std::uint64_t)> const& run,
           std::size_t in_flight = 4 * room) {
  for (size_of const size : {same, mixed, all_classes, medium}) {
    if (size == medium && in_flight > 4 * room) continue;  // what lives would vary by more than what leaks
    std::size_t const in_channels = in_flight * (size == medium ? 16 * 1024 : 512);
    std::size_t first = 0;
    std::size_t most = 0;
    for (std::uint64_t k = 0; k < 6; ++k) {
      run(size, k);
      if (k == 1) first = held();
      if (k > 1) most = std::max(most, held());
    }
    INFO(shape << ": " << first << " bytes held, later " << most);
    CHECK(most <= first + first / 10 + mb + in_channels);
  }
}

// Threads of the test that stay: what they hold is what grows.
class crew {
 public:
  explicit crew(std::size_t threads) : work_(threads), round_(threads) {
    for (std::size_t t = 0; t < threads; ++t) {
      team_.emplace_back([this, t] {
        for (unsigned seen = 0;; ++seen) {
          round_[t].wait(seen, std::memory_order_acquire);
          if (!work_[t]) return;
          work_[t]();
          busy_.fetch_sub(1, std::memory_order_release);
        }
      });
    }
  }
  ~crew() {
    start(std::vector<std::function<void()>>(team_.size()));
    for (std::thread& t : team_) t.join();
  }
  void run(std::vector<std::function<void()>> work) {
    busy_.store(team_.size(), std::memory_order_relaxed);
    start(std::move(work));
    while (busy_.load(std::memory_order_acquire) != 0) std::this_thread::yield();
  }

 private:
  void start(std::vector<std::function<void()>> work) {
    work_ = std::move(work);
    for (auto& r : round_) {
      r.fetch_add(1, std::memory_order_release);
      r.notify_one();
    }
  }

  std::vector<std::function<void()>> work_;
  std::vector<std::atomic<unsigned>> round_;
  std::atomic<std::size_t> busy_{0};
  std::vector<std::thread> team_;
};

}  // namespace

TEST_CASE("one makes, another frees") {
  crew pair(2);
  stays("one to one", [&](size_of size, std::uint64_t k) {
    channel c(room);
    pair.run({[&] { make(c, part, size, k); }, [&] { drop(c, part); }});
  });
  stays(
      "one to one, many live",
      [&](size_of size, std::uint64_t k) {
        channel c(16 * room);
        pair.run({[&] { make(c, 3 * part, size, k); }, [&] { drop(c, 3 * part); }});
      },
      16 * room);
}

TEST_CASE("one makes, many free") {
  crew five(5);
  stays("one to many", [&](size_of size, std::uint64_t k) {
    channel a(room), b(room), c(room), d(room);
    channel* const to[] = {&a, &b, &c, &d};
    five.run({[&] {
                for (std::size_t i = 0; i < part; i += 100) make(*to[i / 100 % 4], 100, size, k + i);
              },
              [&] { drop(a, part / 4); }, [&] { drop(b, part / 4); }, [&] { drop(c, part / 4); },
              [&] { drop(d, part / 4); }});
  });
}

TEST_CASE("many make, one frees") {
  crew five(5);
  stays("many to one", [&](size_of size, std::uint64_t k) {
    channel a(room), b(room), c(room), d(room);
    channel* const from[] = {&a, &b, &c, &d};
    five.run({[&] {
                for (std::size_t i = 0; i < part; i += 10) drop(*from[i / 10 % 4], 10);
              },
              [&] { make(a, part / 4, size, k); }, [&] { make(b, part / 4, size, k + 1); },
              [&] { make(c, part / 4, size, k + 2); }, [&] { make(d, part / 4, size, k + 3); }});
  });
}

TEST_CASE("each frees what its neighbour makes") {
  constexpr std::size_t threads = 4;
  crew ring(threads);
  stays("ring", [&](size_of size, std::uint64_t k) {
    std::vector<std::unique_ptr<channel>> c;
    for (std::size_t t = 0; t < threads; ++t) c.push_back(std::make_unique<channel>(room));
    std::vector<std::function<void()>> work;
    for (std::size_t t = 0; t < threads; ++t) {
      work.push_back([&, t] {
        std::uint64_t seed = k * threads + t;
        for (std::size_t i = 0; i < part / threads; i += room / 2) {
          make(*c[t], room / 2, size, seed + i);
          drop(*c[(t + 1) % threads], room / 2);
        }
      });
    }
    ring.run(std::move(work));
  });
}

// What a thread leaves behind has no owner; what it made is freed by others, and the next thread makes more.
TEST_CASE("threads that make objects end, and others free them") {
  crew one(1);
  stays("short makers", [&](size_of size, std::uint64_t k) {
    channel c(room);
    std::thread makers([&] {
      for (std::size_t i = 0; i < part / 2; i += 1000) {
        std::thread([&] { make(c, 1000, size, k + i); }).join();
      }
    });
    one.run({[&] { drop(c, (part / 2 + 999) / 1000 * 1000); }});
    makers.join();
  });
}

TEST_CASE("threads that free objects end") {
  crew one(1);
  stays("short freers", [&](size_of size, std::uint64_t k) {
    channel c(room);
    std::size_t const count = (part / 2 + 999) / 1000 * 1000;
    std::thread freers([&] {
      for (std::size_t i = 0; i < count; i += 1000) std::thread([&] { drop(c, 1000); }).join();
    });
    one.run({[&] { make(c, count, size, k); }});
    freers.join();
  });
}

// A thread that hands much over and then only frees and allocates as fast as can be sees its mail all the same:
// its pages come back to the backend, which may keep them for the next use.
TEST_CASE("a thread without slow calls takes its mail") {
  constexpr std::size_t objects = 200000;
  std::vector<void*> handed(objects);
  std::atomic<int> step{0};
  std::size_t before = 0;
  std::size_t after = 0;
  std::thread owner([&] {
    for (void*& p : handed) {
      p = scalable_malloc(100);
      *static_cast<char*>(p) = 1;
    }
    before = in_use();
    step.store(1, std::memory_order_release);
    while (step.load(std::memory_order_acquire) != 2) std::this_thread::yield();
    for (std::size_t i = 0; i < 10 * objects; ++i) scalable_free(scalable_malloc(100));
    after = in_use();
  });
  while (step.load(std::memory_order_acquire) != 1) std::this_thread::yield();
  for (void* p : handed) scalable_free(p);
  ashlar_malloc_settle();
  step.store(2, std::memory_order_release);
  owner.join();
  INFO(before << " bytes in use, at last " << after);
  CHECK(after + objects * 100 * 3 / 4 <= before);
}

// Each message brings a chain, and its page puts the chains together: no object is lost, and none is there twice. One
// object in ten lives on, so that pages are not wholly free.
TEST_CASE("objects that come back in many messages are handed out once each") {
  for (std::size_t const size : {16, 32, 48, 200, 1024}) {
    for (std::size_t const in_message : {1, 3, 8}) {
      std::vector<void*> objects(3000);
      for (void*& p : objects) p = scalable_malloc(size);
      std::thread([&] {
        for (std::size_t i = 0; i < objects.size(); ++i) {
          if (i % 10 == 0) continue;
          scalable_free(objects[i]);
          if (i % in_message == 0) ashlar_malloc_settle();
        }
      }).join();
      std::size_t const before = in_use();
      for (std::size_t i = 0; i < objects.size(); ++i) {
        if (i % 10 == 0) continue;
        objects[i] = scalable_malloc(size);
        std::memset(objects[i], 0x5a, size);
      }
      CHECK(in_use() <= before + objects.size() * size / 20 + 2 * 16384);
      std::vector<void*> sorted = objects;
      std::sort(sorted.begin(), sorted.end());
      CHECK(std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end());
      for (void* p : objects) scalable_free(p);
    }
  }
}
