// SPDX-License-Identifier: Apache-2.0
// resource_limiter as a provider: consumers of the program's own, and classes that are derived from it (a preview of
// oneTBB's).
#include "support/resources.h"

#include <doctest/doctest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

namespace {

using namespace test;

// Asks a limiter itself.
class asker : public parts::resource_consumer_base<int> {
 public:
  explicit asker(parts::resource_provider_base<int>& p) : from_(p) {}
  void notify(provider_type& from, request_id) override {
    CHECK(&from == &from_);
    ++notified;
  }
  void request(request_id id) { from_.request(*this, id); }
  bool acquire(request_id id) {
    handle_ = std::make_unique<optional_type>(from_.acquire(*this, id));
    return handle_->has_value();
  }
  int handle() const { return handle_->value(); }
  void release(request_id id) { from_.release(*this, id, std::move(*handle_)); }
  void withdraw(request_id id) { from_.withdraw(*this, id); }
  std::atomic<int> notified{0};

 private:
  using optional_type = parts::resource_provider_base<int>::optional_type;
  parts::resource_provider_base<int>& from_;
  std::unique_ptr<optional_type> handle_;
};

TEST_CASE("a limiter is a provider: a consumer of the program's own requests, acquires and releases its handle") {
  resource_limiter<int> limiter{7};
  limiter.report_pressure(*std::make_unique<asker>(limiter), 3);
  asker one(limiter), other(limiter);
  request_id const first(1), second(2);
  one.request(first);
  CHECK(one.notified == 1);
  REQUIRE(one.acquire(first));
  CHECK(one.handle() == 7);
  other.request(second);
  CHECK(other.notified == 0);
  one.release(first);
  CHECK(other.notified == 1);
  REQUIRE(other.acquire(second));
  CHECK(other.handle() == 7);
  CHECK(one.notified == 1);
  other.release(second);
}

TEST_CASE("a consumer that withdraws leaves a limiter's handle to the next one") {
  resource_limiter<int> limiter{7};
  asker one(limiter), other(limiter), last(limiter);
  request_id const first(1), second(2), third(3);
  one.request(first);
  other.request(second);
  REQUIRE(one.acquire(first));
  last.request(third);
  if (other.notified == 0) {
    other.withdraw(second);
    one.release(first);
  } else {  // a handle was there when it asked
    one.release(first);
    other.withdraw(second);
  }
  CHECK(last.notified == 1);
  CHECK(last.acquire(third));
  last.release(third);
}

TEST_CASE("a node's message waits for a limiter's handle that a consumer of the program's own has") {
  with_threads(2, [] {
    graph g;
    resource_limiter<int> limiter{7};
    asker user(limiter);
    std::atomic<bool> has{true};
    std::atomic<int> calls{0};
    node n(g, unlimited, std::tie(limiter), [&](int const&, ports&, int& handle) {
      CHECK_FALSE(has);
      CHECK(handle == 7);
      ++calls;
    });
    request_id const id(1);
    user.request(id);
    REQUIRE(user.acquire(id));
    for (int i = 0; i < 10; ++i) n.try_put(i);
    for (int i = 0; i < 1000; ++i) std::this_thread::yield();
    has = false;
    user.release(id);
    g.wait_for_all();
    CHECK(calls == 10);
  });
}

TEST_CASE("nodes and consumers of the program's own share a limiter's handles") {
  for (int const p : thread_counts) {
    CAPTURE(p);
    with_threads(p, [] {
      graph g;
      constexpr int messages = 200, rounds = 100, consumers = 4;
      resource_limiter<int> limiter{0, 1};
      crowd users[2];
      std::atomic<int> calls{0};
      node n(g, unlimited, std::tie(limiter), [&](int const& x, ports&, int& handle) {
        crowd::visit const one(users[handle]);
        disturb(as_index(x));
        ++calls;
      });
      {
        // Both handles are taken, also on a machine where later uses follow one another.
        asker user(limiter);
        request_id const id(rounds);
        user.request(id);
        REQUIRE(user.acquire(id));
        {
          crowd::visit const one(users[user.handle()]);
          n.try_put(0);
          g.wait_for_all();
        }
        user.release(id);
      }
      std::vector<std::thread> others;
      for (int t = 0; t < consumers; ++t) {
        others.emplace_back([&, t] {
          asker user(limiter);
          for (int i = 0; i < rounds; ++i) {
            request_id const id(static_cast<std::uint64_t>(i));
            bool has = false;
            while (!has) {
              int const before = user.notified;
              user.request(id);
              while (user.notified == before) std::this_thread::yield();
              if (i % 8 == t) break;
              has = user.acquire(id);
            }
            if (!has) {
              user.withdraw(id);
              continue;
            }
            {
              crowd::visit const one(users[user.handle()]);
              disturb(as_index(i));
            }
            user.release(id);
          }
        });
      }
      for (int i = 1; i < messages; ++i) n.try_put(i);
      g.wait_for_all();
      for (auto& other : others) other.join();
      CHECK(calls == messages);
      CHECK(users[0].most() == 1);
      CHECK(users[1].most() == 1);
    });
  }
}

// A program's own class over a limiter.
class counted_limiter : public resource_limiter<int> {
 public:
  using resource_limiter<int>::resource_limiter;
  void request(consumer_type& by, request_id id) override {
    ++requests;
    resource_limiter<int>::request(by, id);
  }
  optional_type acquire(consumer_type& by, request_id id) override {
    optional_type got = resource_limiter<int>::acquire(by, id);
    handed_out += got.has_value();
    return got;
  }
  void release(consumer_type& by, request_id id, optional_type&& handle) override {
    ++came_back;
    resource_limiter<int>::release(by, id, std::move(handle));
  }
  std::atomic<int> requests{0}, handed_out{0}, came_back{0};
};

TEST_CASE("a node asks a class that is derived from a limiter by its own members") {
  for (int const p : thread_counts) {
    CAPTURE(p);
    with_threads(p, [] {
      graph g;
      counted_limiter limiter{0, 1, 2};
      crowd users[3];
      std::atomic<int> calls{0};
      node n(g, unlimited, std::tie(limiter), [&](int const& x, ports&, int& handle) {
        crowd::visit const one(users[handle]);
        disturb(as_index(x));
        ++calls;
      });
      for (int i = 0; i < 200; ++i) n.try_put(i);
      g.wait_for_all();
      CHECK(calls == 200);
      CHECK(limiter.requests >= 200);
      CHECK(limiter.handed_out == 200);
      CHECK(limiter.came_back == 200);
      for (crowd& one : users) CHECK(one.most() <= 1);
    });
  }
}

}  // namespace
