// SPDX-License-Identifier: Apache-2.0
// concurrent_priority_queue with a stable_order: elements that compare equal leave in the order of their coming.
#include <tbb/concurrent_priority_queue.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <memory_resource>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

struct job {
  int priority = 0;
  int thread = 0;
  int number = 0;
  friend bool operator==(job const& a, job const& b) { return a.number == b.number && a.thread == b.thread; }
};
struct lower {
  bool operator()(job const& a, job const& b) const { return a.priority < b.priority; }
};
using queue = tbb::concurrent_priority_queue<job, tbb::stable_order<lower>>;

// The same, but its end is noticed.
struct boxed_job : job {
  boxed_job() = default;
  boxed_job(int p, int t, int n) : job{p, t, n} {}
  boxed_job(boxed_job const&) = default;
  boxed_job& operator=(boxed_job const&) = default;
  ~boxed_job() { number = -1; }
};

// The comparisons that are left before one throws.
int comparisons_left = 0;
struct lower_or_throws {
  bool operator()(job const& a, job const& b) const {
    if (comparisons_left-- == 0) throw std::runtime_error("comparison");
    return a.priority < b.priority;
  }
};

}  // namespace

TEST_CASE_TEMPLATE("stable_order: as a stable sort, with pops between", T, job, boxed_job) {
  tbb::concurrent_priority_queue<T, tbb::stable_order<lower>> q;
  std::vector<T> model;
  unsigned x = 1;
  for (int i = 0; i < 20'000; ++i) {
    x = x * 1664525u + 1013904223u;
    if (x >> 30 != 0 && (x >> 29 & 1 || model.size() < 200)) {
      T const j{static_cast<int>(x >> 16 & 3), 0, i};
      q.push(j);
      model.push_back(j);
    } else {
      T got{};
      REQUIRE(q.try_pop(got) == !model.empty());
      if (model.empty()) continue;
      auto const first = std::max_element(model.begin(), model.end(), lower());
      REQUIRE(got.number == first->number);
      model.erase(first);
    }
  }
}

TEST_CASE("stable_order: copies, moves, swaps, lists and ranges keep the order") {
  std::vector<job> const jobs{{1, 0, 0}, {2, 0, 1}, {1, 0, 2}, {2, 0, 3}};
  auto const leaves = [](queue q) {
    std::string order;
    for (job j; q.try_pop(j);) order += static_cast<char>('0' + j.number);
    return order;
  };
  queue q(jobs.begin(), jobs.end());
  CHECK(leaves(q) == "1302");
  queue copied(q);
  copied.push({2, 0, 4});
  CHECK(leaves(copied) == "13402");
  CHECK(q != copied);
  queue moved(std::move(copied));
  CHECK(leaves(moved) == "13402");
  queue other;
  other.swap(moved);
  other.push({2, 0, 5});
  CHECK(leaves(other) == "134502");
  CHECK(moved.empty());
  other = q;
  CHECK(other == q);
  other.assign({{1, 0, 7}, {1, 0, 6}});
  CHECK(leaves(other) == "76");
  other.clear();
  other.push({0, 0, 1});
  other.push({0, 0, 0});
  CHECK(leaves(other) == "10");
  queue const reserved(1000, lower());
  CHECK(reserved.empty());
}

TEST_CASE("stable_order: the elements of each thread leave in its order") {
  for (int const threads : {1, 2, 8, 32}) {
    queue q;
    constexpr int each = 2000;
    std::atomic<int> popped{0};
    std::atomic<bool> wrong{false};
    std::vector<std::thread> crew;
    for (int t = 0; t < threads; ++t) {
      crew.emplace_back([&, t] {
        for (int i = 0; i < each; ++i) q.push({i % 3, t, i});
      });
    }
    // One thread takes: of each thread and priority the numbers rise.
    std::vector<int> last(static_cast<std::size_t>(threads) * 3, -1);
    while (popped < threads * each) {
      job j;
      if (!q.try_pop(j)) {
        std::this_thread::yield();
        continue;
      }
      ++popped;
      int& before = last[static_cast<std::size_t>(j.thread * 3 + j.priority)];
      if (j.number <= before) wrong = true;
      before = j.number;
    }
    for (std::thread& t : crew) t.join();
    CHECK_FALSE(wrong);
    CHECK(q.empty());
  }
}

TEST_CASE("stable_order: a comparison that throws leaves the queue as it was") {
  for (int at = 0; at < 12; ++at) {
    tbb::concurrent_priority_queue<boxed_job, tbb::stable_order<lower_or_throws>> q;
    comparisons_left = 1000;
    for (int i = 0; i < 9; ++i) q.push({i % 2, 0, i});
    comparisons_left = at;
    bool thrown = false;
    boxed_job got;
    try {
      q.try_pop(got);
    } catch (std::runtime_error const&) {
      thrown = true;
    }
    comparisons_left = 1000;
    CHECK(q.size() == (thrown ? 9 : 8));
    std::string order;
    while (q.try_pop(got)) order += static_cast<char>('0' + got.number);
    CHECK(order == (thrown ? "135702468" : "35702468"));
  }
}

TEST_CASE("stable_order: memory that fails leaves the queue and the element") {
  using text_queue = tbb::concurrent_priority_queue<std::string, tbb::stable_order<std::less<std::string>>,
                                                    std::pmr::polymorphic_allocator<std::string>>;
  text_queue q(std::pmr::polymorphic_allocator<std::string>(std::pmr::null_memory_resource()));
  std::string text("a text that is too long for the string itself");
  CHECK_THROWS_AS(q.push(std::move(text)), std::bad_alloc);
  CHECK(text == "a text that is too long for the string itself");
  CHECK(q.empty());
}

TEST_CASE("stable_order: an allocator reaches the elements") {
  using text = std::pmr::string;
  char buffer[8192];
  std::pmr::monotonic_buffer_resource own(buffer, sizeof buffer, std::pmr::null_memory_resource());
  using text_queue =
      tbb::concurrent_priority_queue<text, tbb::stable_order<std::less<text>>, std::pmr::polymorphic_allocator<text>>;
  text_queue q(std::pmr::polymorphic_allocator<text>{&own});
  q.push("a text that is too long for the string itself");
  q.emplace("another text that is too long for it");
  text got;
  REQUIRE(q.try_pop(got));
  CHECK(got == "another text that is too long for it");
  text_queue const copied(q);
  CHECK(copied == q);
  CHECK(copied.get_allocator().resource() == std::pmr::get_default_resource());
}

TEST_CASE("stable_order: move-only elements") {
  struct by_value {
    bool operator()(std::unique_ptr<int> const& a, std::unique_ptr<int> const& b) const { return *a / 10 < *b / 10; }
  };
  tbb::concurrent_priority_queue<std::unique_ptr<int>, tbb::stable_order<by_value>> q;
  for (int const n : {11, 21, 12, 22}) q.push(std::make_unique<int>(n));
  std::unique_ptr<int> got;
  for (int const n : {21, 22, 11, 12}) {
    REQUIRE(q.try_pop(got));
    CHECK(*got == n);
  }
}
