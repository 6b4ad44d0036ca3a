// SPDX-License-Identifier: Apache-2.0
// concurrent_vector under threads that grow it in all ways while others read, with allocations and constructors that
// fail now and then, and small histories of push_back and grow_to_at_least checked for linearizability.
#include <support/linearizability.h>
#include <tbb/concurrent_vector.h>

#include <doctest/doctest.h>

#include <atomic>
#include <cstdint>
#include <new>
#include <thread>
#include <vector>

namespace {

constexpr unsigned threads = 8;

template <typename Body>
void run_team(Body const& body) {
  std::vector<std::thread> team;
  for (unsigned t = 0; t != threads; ++t) team.emplace_back([&body, t] { body(t); });
  for (std::thread& member : team) member.join();
}

// An element knows who made it and checks that it is read whole.
struct stamped {
  explicit stamped(unsigned long s = 0) : stamp(s), check(~s) {}
  bool whole() const { return check == ~stamp; }
  bool zeroed() const { return stamp == 0 && check == 0; }
  unsigned long stamp;
  unsigned long check;
};

TEST_CASE("claims are disjoint, complete and stay in place") {
  for (int round = 0; round != 20; ++round) {
    tbb::concurrent_vector<stamped> v;
    std::atomic<unsigned long> appended{0};
    run_team([&](unsigned t) {
      for (unsigned long i = 1; i <= 400; ++i) {
        unsigned long const stamp = t * 1000000UL + i;
        auto const it = i % 3 == 0 ? v.grow_by(i % 17 + 1, stamped(stamp)) : v.emplace_back(stamp);
        std::size_t const n = i % 3 == 0 ? i % 17 + 1 : 1;
        for (std::size_t k = 0; k != n; ++k) {
          if ((it + static_cast<std::ptrdiff_t>(k))->stamp != stamp) FAIL("an element of mine is another's");
        }
        appended += n;
        if (v.size() < n || v.capacity() < n) FAIL("what I have appended is missing");
      }
    });
    REQUIRE(v.size() == appended);
    std::vector<unsigned long> last(threads, 0);
    for (stamped const& s : v) {
      REQUIRE(s.whole());
      unsigned long const t = s.stamp / 1000000UL;
      REQUIRE(t < threads);
      REQUIRE(s.stamp >= last[t]);  // a thread's elements stand in the order of its calls
      last[t] = s.stamp;
    }
  }
}

// Fails every n-th allocation of its team.
template <typename T>
struct failing_allocator {
  using value_type = T;
  std::atomic<int>* calls;
  explicit failing_allocator(std::atomic<int>* c) : calls(c) {}
  template <typename U>
  failing_allocator(failing_allocator<U> const& other) : calls(other.calls) {}  // NOLINT: implicit
  T* allocate(std::size_t n) {
    if (calls->fetch_add(1) % 7 == 6) throw std::bad_alloc();
    return static_cast<T*>(::operator new(n * sizeof(T)));
  }
  void deallocate(T* p, std::size_t) noexcept { ::operator delete(p); }
  friend bool operator==(failing_allocator const& a, failing_allocator const& b) { return a.calls == b.calls; }
};

TEST_CASE("failing allocations leave every thread going and every element whole or zero") {
  std::atomic<int> calls{0};
  for (int round = 0; round != 60; ++round) {
    tbb::concurrent_vector<stamped, failing_allocator<stamped>> v{failing_allocator<stamped>(&calls)};
    std::atomic<int> failures{0};
    run_team([&](unsigned t) {
      for (unsigned long i = 1; i <= 60; ++i) {
        try {
          v.grow_by(i % 5 + 1, stamped(t * 1000 + i));
        } catch (std::bad_alloc const&) {
          ++failures;
        }
      }
    });
    for (stamped const& s : v) REQUIRE((s.whole() || s.zeroed()));
    v.clear();
    for (int attempt = 0; attempt != 8 && v.size() != 1000; ++attempt) {
      v.clear();
      try {
        v.grow_by(1000, stamped(1));
      } catch (std::bad_alloc const&) {
      }
    }
    REQUIRE(v.size() == 1000);
    REQUIRE(v.back().stamp == 1);
  }
}

// The sequential vector: what matters is how many elements there are.
struct length_specification {
  enum kind : std::uint8_t { append, at_least };
  struct operation {
    kind what;
    std::size_t argument;
    std::size_t index;  // of the iterator returned
  };
  std::size_t length = 0;

  bool apply(operation const& op) {
    std::size_t const before = length;
    if (op.what == append) {
      length += op.argument;
      return op.index == before;
    }
    if (length < op.argument) {
      length = op.argument;
      return op.index == before;
    }
    return op.index == op.argument;
  }
  auto operator<=>(length_specification const&) const = default;
};

TEST_CASE("growth is linearizable") {
  for (int round = 0; round != 300; ++round) {
    tbb::concurrent_vector<int> v;
    auto const history = test::record_history<length_specification>(3, [&](unsigned t, auto& record) {
      using operation = length_specification::operation;
      for (std::size_t i = 0; i != 4; ++i) {
        record([&] {
          std::size_t const n = i % 2 == 0 ? i + t + 1 : 3 * i + t;
          auto const it = i % 2 == 0 ? v.grow_by(n) : v.grow_to_at_least(n);
          return operation{i % 2 == 0 ? length_specification::append : length_specification::at_least, n,
                           static_cast<std::size_t>(it - v.begin())};
        });
      }
    });
    REQUIRE(test::linearizable<length_specification>(history));
  }
}

}  // namespace
