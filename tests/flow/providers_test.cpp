// SPDX-License-Identifier: Apache-2.0
// Nodes whose resources come from providers of the program's own (a preview of oneTBB's).
#include "support/resources.h"

#include <doctest/doctest.h>

#include "support/eventually.h"

#include <algorithm>
#include <deque>
#include <initializer_list>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

namespace {

using namespace test;

// Hands out numbers; who can't have one waits in a queue.
class shelf : public parts::resource_provider_base<int> {
  using base = parts::resource_provider_base<int>;

 public:
  using resource_handle_type = int;
  using consumer_type = base::consumer_type;
  using optional_type = base::optional_type;

  shelf(std::initializer_list<int> numbers) : free_(numbers) {}

  void request(consumer_type& by, request_id id) override {
    if (throws_in_request) throw std::runtime_error("request");
    {
      std::lock_guard<std::mutex> const held(mutex_);
      if (free_.empty() || is_closed_) {
        waiting_.emplace_back(&by, id);
        return;
      }
    }
    by.notify(*this, id);
  }
  optional_type acquire(consumer_type&, request_id) override {
    if (throws_in_acquire) throw std::runtime_error("acquire");
    std::lock_guard<std::mutex> const held(mutex_);
    if (free_.empty()) {
      ++failed_;
      return {};
    }
    int const number = free_.back();
    free_.pop_back();
    return {optional_type::in_place_t{}, number};
  }
  void report_pressure(consumer_type&, std::size_t waiting) override { pressure = std::max(pressure.load(), waiting); }
  void release(consumer_type&, request_id, optional_type&& handle) override {
    {
      std::lock_guard<std::mutex> const held(mutex_);
      free_.push_back(handle.value());
    }
    notify_next();
  }
  void withdraw(consumer_type&, request_id id) override {
    {
      std::lock_guard<std::mutex> const held(mutex_);
      waiting_.erase(std::remove_if(waiting_.begin(), waiting_.end(), [&](auto const& w) { return w.second == id; }),
                     waiting_.end());
      ++withdrawn_;
    }
    notify_next();
  }

  // Nobody is notified until it is open.
  void close() { is_closed_ = true; }
  void open() {
    is_closed_ = false;
    while (notify_next()) {
    }
  }
  std::vector<int> numbers() {
    std::lock_guard<std::mutex> const held(mutex_);
    std::vector<int> all = free_;
    std::sort(all.begin(), all.end());
    return all;
  }
  std::size_t waiting() {
    std::lock_guard<std::mutex> const held(mutex_);
    return waiting_.size();
  }
  int withdrawn() const { return withdrawn_; }
  std::atomic<bool> throws_in_request{false}, throws_in_acquire{false};
  std::atomic<std::size_t> pressure{0};

 private:
  bool notify_next() {
    std::optional<std::pair<consumer_type*, request_id>> next;
    {
      std::lock_guard<std::mutex> const held(mutex_);
      if (waiting_.empty() || is_closed_) return false;
      next = waiting_.front();
      waiting_.pop_front();
    }
    next->first->notify(*this, next->second);
    return true;
  }

  std::mutex mutex_;
  std::vector<int> free_;
  std::deque<std::pair<consumer_type*, request_id>> waiting_;
  std::atomic<int> failed_{0}, withdrawn_{0};
  std::atomic<bool> is_closed_{false};
};

TEST_CASE("a provider's handle is one body's at a time, and each message is handled once") {
  for (int const p : thread_counts) {
    CAPTURE(p);
    with_threads(p, [] {
      graph g;
      constexpr int messages = 400;
      shelf both{0, 1};
      crowd users[2], all;
      arrivals seen(messages);
      auto const body = [&](int const& x, ports& out, int& handle) {
        crowd::visit const one(users[handle]);
        crowd::visit const any(all);
        disturb(as_index(x));
        std::get<0>(out).try_put(x);
      };
      node first(g, unlimited, std::tie(both), body);
      node second(g, 3, std::tie(both), body);
      flow::function_node<int> end(g, serial, [&](int x) { seen.add(as_index(x)); });
      make_edge(output_port<0>(first), end);
      make_edge(output_port<0>(second), end);
      for (int i = 0; i < messages; ++i) (i % 2 == 0 ? first : second).try_put(i);
      g.wait_for_all();
      CHECK(seen.each_once());
      CHECK(users[0].most() <= 1);
      CHECK(users[1].most() <= 1);
      CHECK(all.most() <= 2);
      CHECK(both.numbers() == std::vector<int>{0, 1});
    });
  }
}

TEST_CASE("what a body does to its handle comes back to the provider") {
  with_threads(8, [] {
    graph g;
    shelf counter{0};
    node n(g, unlimited, std::tie(counter), [](int const&, ports&, int& count) { ++count; });
    for (int i = 0; i < 300; ++i) n.try_put(i);
    g.wait_for_all();
    CHECK(counter.numbers() == std::vector<int>{300});
  });
}

TEST_CASE("a graph waits for a provider that notifies later, from another thread") {
  with_threads(2, [] {
    graph g;
    shelf closed{1, 2};
    closed.close();
    std::atomic<int> calls{0};
    node n(g, 2, std::tie(closed), [&](int const&, ports&, int&) { ++calls; });
    for (int i = 0; i < 10; ++i) n.try_put(i);
    std::thread other([&] {
      CHECK(eventually([&] { return closed.waiting() == 2; }));
      CHECK(calls == 0);
      closed.open();
    });
    g.wait_for_all();
    other.join();
    CHECK(calls == 10);
  });
}

TEST_CASE("a copy of a node has its providers") {
  graph g;
  shelf five{5};
  std::atomic<int> sum{0};
  node n(g, unlimited, std::tie(five), [&](int const& x, ports&, int& handle) { sum += x + handle; });
  node copy(n);
  copy.try_put(1);
  g.wait_for_all();
  CHECK(sum == 6);
}

TEST_CASE("an id that was made before is less") {
  request_id const first(7), second(3);
  request_id const copy(first);
  CHECK(first < second);
  CHECK(!(second < first));
  CHECK(copy == first);
  CHECK(!(first == second));
  CHECK(!(copy < first));
}

#ifndef FLOW_PEER
static_assert(std::is_same_v<parts::request_id, flow::request_id>);
static_assert(std::is_same_v<parts::resource_provider_base<int>, flow::resource_provider_base<int>>);

// oneTBB's nodes ask all providers at once, and may wait for ever for those that notify one of those who wait.
TEST_CASE("bodies that need two providers and a limiter in any order don't wait for each other in a circle") {
  for (int const p : thread_counts) {
    CAPTURE(p);
    with_threads(p, [] {
      graph g;
      constexpr int messages = 200;
      shelf a{1}, b{2};
      resource_limiter<int> c{3};
      crowd of_a, of_b, of_c;
      std::atomic<int> wrong{0}, calls{0};
      node one(g, unlimited, std::tie(a, c, b), [&](int const& x, ports&, int& first, int& second, int& third) {
        crowd::visit const in_a(of_a), in_b(of_b), in_c(of_c);
        if (first != 1 || second != 3 || third != 2) ++wrong;
        disturb(as_index(x));
        ++calls;
      });
      node other(g, unlimited, std::tie(b, a), [&](int const& x, ports&, int& first, int& second) {
        crowd::visit const in_a(of_a), in_b(of_b);
        if (first != 2 || second != 1) ++wrong;
        disturb(as_index(x));
        ++calls;
      });
      node single(g, unlimited, std::tie(c), [&](int const&, ports&, int&) {
        crowd::visit const in_c(of_c);
        ++calls;
      });
      for (int i = 0; i < messages; ++i) {
        one.try_put(i);
        other.try_put(i);
        single.try_put(i);
      }
      g.wait_for_all();
      CHECK(calls == 3 * messages);
      CHECK(wrong == 0);
      CHECK(of_a.most() == 1);
      CHECK(of_b.most() == 1);
      CHECK(of_c.most() == 1);
      CHECK(a.numbers() == std::vector<int>{1});
      CHECK(b.numbers() == std::vector<int>{2});
    });
  }
}

TEST_CASE("a provider is told how many wait") {
  graph g;
  shelf closed{1};
  closed.close();
  node n(g, unlimited, std::tie(closed), [](int const&, ports&, int&) {});
  for (int i = 0; i < 5; ++i) n.try_put(i);
  std::thread opener([&] {
    CHECK(eventually([&] { return closed.pressure == 5; }));
    closed.open();
  });
  g.wait_for_all();
  opener.join();
}

TEST_CASE("what a provider throws leaves the wait, and the graph and the other providers are as before") {
  for (int const p : thread_counts) {
    CAPTURE(p);
    with_threads(p, [] {
      graph g;
      shelf first{1, 2}, second{3}, third{4};
      resource_limiter<int> limiter{5};
      std::atomic<int> calls{0};
      node n(g, unlimited, std::tie(first, second, third, limiter),
             [&](int const&, ports&, int&, int&, int&, int&) { ++calls; });
      for (std::atomic<bool>* const throws : {&second.throws_in_request, &second.throws_in_acquire}) {
        *throws = true;
        for (int i = 0; i < 20; ++i) n.try_put(i);
        CHECK_THROWS_AS(g.wait_for_all(), std::runtime_error);
        *throws = false;
        CHECK(first.numbers() == std::vector<int>{1, 2});
        CHECK(third.numbers() == std::vector<int>{4});
        CHECK(first.waiting() + second.waiting() + third.waiting() == 0);
        calls = 0;
        for (int i = 0; i < 20; ++i) CHECK(n.try_put(i));
        g.wait_for_all();
        CHECK(calls == 20);
      }
    });
  }
}

TEST_CASE("requests of a cancelled graph are withdrawn, and all handles are back") {
  with_threads(8, [] {
    graph g;
    shelf open{1, 2}, closed{3};
    closed.close();
    std::atomic<int> calls{0};
    node n(g, 4, std::tie(open, closed), [&](int const&, ports&, int&, int&) { ++calls; });
    for (int i = 0; i < 10; ++i) n.try_put(i);
    std::thread opener([&] {
      // Which one is asked first depends on their addresses.
      CHECK(eventually([&] { return open.waiting() + closed.waiting() == 4; }));
      g.cancel();
      closed.open();
    });
    g.wait_for_all();
    opener.join();
    CHECK(calls == 0);
    CHECK(open.withdrawn() + closed.withdrawn() == 4);
    CHECK(open.waiting() + closed.waiting() == 0);
    CHECK(open.numbers() == std::vector<int>{1, 2});
    for (int i = 0; i < 10; ++i) CHECK(n.try_put(i));
    g.wait_for_all();
    CHECK(calls == 10);
  });
}

TEST_CASE("providers are asked in one order, whatever that of the node is") {
  with_threads(2, [] {
    graph g;
    shelf a{1}, b{2};
    a.close();
    b.close();
    std::atomic<int> calls{0};
    auto const body = [&](int const&, ports&, int&, int&) { ++calls; };
    node one(g, unlimited, std::tie(a, b), body), other(g, unlimited, std::tie(b, a), body);
    one.try_put(1);
    other.try_put(1);
    std::thread opener([&] {
      CHECK(eventually([&] { return a.waiting() + b.waiting() == 2; }));
      CHECK((a.waiting() == 2 || b.waiting() == 2));
      a.open();
      b.open();
    });
    g.wait_for_all();
    opener.join();
    CHECK(calls == 2);
  });
}

TEST_CASE("a provider stands at one place of a node") {
  graph g;
  shelf a{1, 2}, b{3};
  auto const body = [](int const&, ports&, int&, int&, int&) {};
  CHECK_THROWS_AS(node(g, unlimited, std::tie(a, b, a), body), std::invalid_argument);
}

// Notifies more often than it should, and for what nobody has asked.
class chatterer : public shelf {
 public:
  using shelf::shelf;
  void request(consumer_type& by, request_id id) override {
    by.notify(*this, request_id(0));
    shelf::request(by, id);
    by.notify(*this, id);
    by.notify(*this, id);
  }
};

TEST_CASE("notifications that nobody waits for are ignored") {
  with_threads(8, [] {
    graph g;
    chatterer one{1}, two{2};
    std::atomic<int> calls{0};
    crowd users;
    node n(g, unlimited, std::tie(one, two), [&](int const&, ports&, int&, int&) {
      crowd::visit const visit(users);
      ++calls;
    });
    for (int i = 0; i < 200; ++i) n.try_put(i);
    g.wait_for_all();
    CHECK(calls == 200);
    CHECK(users.most() == 1);
  });
}
#endif

}  // namespace
