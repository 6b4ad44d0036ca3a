// SPDX-License-Identifier: Apache-2.0
// Classic TBB's preview async_msg: messages whose values come later, from threads that the graph doesn't know.
#define TBB_PREVIEW_ASYNC_MSG 1
#include "support/dialect.h"

#include <doctest/doctest.h>

#include <condition_variable>
#include <functional>
#include <mutex>
#include <queue>
#include <string>
#include <vector>

namespace {

using namespace test;
using message = flow::async_msg<int>;

// A thread that gives messages their values.
class answerer {
 public:
  ~answerer() {
    add([] {}, true);
    thread_.join();
  }
  void add(std::function<void()> what, bool last = false) {
    std::lock_guard<std::mutex> const held(mutex_);
    todo_.emplace(std::move(what), last);
    changed_.notify_one();
  }

 private:
  void run() {
    for (;;) {
      std::unique_lock<std::mutex> held(mutex_);
      changed_.wait(held, [&] { return !todo_.empty(); });
      auto const next = std::move(todo_.front());
      todo_.pop();
      held.unlock();
      next.first();
      if (next.second) return;
    }
  }
  std::mutex mutex_;
  std::condition_variable changed_;
  std::queue<std::pair<std::function<void()>, bool>> todo_;
  std::thread thread_{[this] { run(); }};
};

TEST_CASE("a receiver of values gets each one when it is set, and the wait includes it") {
  constexpr int messages = 500;
  for (int const threads : {1, 2, 8}) {
    with_threads(threads, [] {
      answerer other;
      arrivals seen(messages);
      graph g;
      flow::function_node<int, message> ask(g, unlimited, [&](int x) {
        message m;
        other.add([m, x]() mutable {
          disturb(static_cast<std::size_t>(x));
          m.set(x);
        });
        return m;
      });
      flow::function_node<int> take(g, serial,
                                    [&](int x) { return seen.add(static_cast<std::size_t>(x)), continue_msg(); });
      make_edge(ask, take);
      for (int i = 0; i < messages; ++i) ask.try_put(i);
      g.wait_for_all();
      CHECK(seen.each_once());
    });
  }
}

TEST_CASE("a value that is set before the message is sent goes on at once") {
  graph g;
  int sum = 0;
  flow::function_node<int, message> ask(g, serial, [](int x) {
    message m;
    m.set(x);
    return m;
  });
  flow::function_node<int> a(g, serial, [&](int x) { return sum += x, continue_msg(); });
  flow::function_node<int> b(g, serial, [&](int x) { return sum += 100 * x, continue_msg(); });
  make_edge(ask, a);
  make_edge(ask, b);
  for (int i = 1; i <= 3; ++i) {
    ask.try_put(i);
    g.wait_for_all();
  }
  CHECK(sum == 606);
}

TEST_CASE("between nodes that take messages the message itself passes, without its value") {
  answerer other;
  graph g;
  std::atomic<int> passed{0}, got{0};
  message late;
  flow::function_node<int, message> ask(g, serial, [&](int) { return late; });
  flow::function_node<message, message> pass(g, serial, [&](message const& m) {
    if (++passed == 1) other.add([&] { late.set(7); });
    return m;
  });
  flow::function_node<int> take(g, serial, [&](int x) { return got = x, continue_msg(); });
  make_edge(ask, pass);
  make_edge(pass, take);
  ask.try_put(1);
  g.wait_for_all();
  CHECK(passed == 1);
  CHECK(got == 7);
}

TEST_CASE("a value goes to a receiver of messages as a message that is set") {
  graph g;
  std::atomic<int> got{0};
  flow::function_node<int, int> give(g, serial, [](int x) { return x + 1; });
  flow::function_node<message, message> pass(g, serial, [](message const& m) { return m; });
  flow::function_node<int> take(g, serial, [&](int x) { return got = x, continue_msg(); });
  make_edge(give, pass);
  make_edge(pass, take);
  give.try_put(4);
  g.wait_for_all();
  CHECK(got == 5);
}

TEST_CASE("a body may return the value where a message is asked for") {
  graph g;
  int got = 0;
  flow::function_node<int, message> ask(g, serial, [](int x) -> message { return x + 1; });
  flow::function_node<int> take(g, serial, [&](int x) { return got += x, continue_msg(); });
  make_edge(ask, take);
  ask.try_put(4);
  g.wait_for_all();
  CHECK(got == 5);
}

// finalize() says that nobody else will ask for the value: the program begins its work.
struct begun_by_finalize : message {
  begun_by_finalize() = default;
  explicit begun_by_finalize(int v) : message(v) {}
  begun_by_finalize(answerer& o, int v, std::atomic<int>& c) : other(&o), value(v), calls(&c) {}
  answerer* other = nullptr;
  int value = 0;
  std::atomic<int>* calls = nullptr;

 protected:
  void finalize() const override {
    ++*calls;
    begun_by_finalize m(*this);
    other->add([m]() mutable { m.set(m.value); });
  }
};

TEST_CASE("finalize is called when a message has reached a receiver of its value") {
  answerer other;
  graph g;
  std::atomic<int> calls{0}, got{0};
  flow::function_node<int, begun_by_finalize> ask(g, serial, [&](int x) { return begun_by_finalize(other, x, calls); });
  flow::function_node<begun_by_finalize, begun_by_finalize> pass(g, serial, [&](begun_by_finalize const& m) {
    CHECK(calls == 0);
    return m;
  });
  flow::function_node<int> take(g, serial, [&](int x) { return got = x, continue_msg(); });
  make_edge(ask, pass);
  make_edge(pass, take);
  ask.try_put(9);
  g.wait_for_all();
  CHECK(calls == 1);
  CHECK(got == 9);
}

TEST_CASE("an edge that was removed carries nothing any more") {
  graph g;
  int got = 0;
  flow::function_node<int, message> ask(g, serial, [](int x) {
    message m;
    m.set(x);
    return m;
  });
  flow::function_node<int> take(g, serial, [&](int x) { return got += x, continue_msg(); });
  make_edge(ask, take);
  ask.try_put(1);
  g.wait_for_all();
  flow::remove_edge(ask, take);
  ask.try_put(10);
  g.wait_for_all();
  CHECK(got == 1);
  make_edge(ask, take);
  ask.try_put(100);
  g.wait_for_all();
  CHECK(got == 101);
}

#ifndef FLOW_PEER
// The peers lose what the receiver refuses, and wait for ever for a value that can't come any more.
TEST_CASE("what the receiver refuses waits for it") {
  constexpr int messages = 200;
  with_threads(4, [] {
    answerer other;
    arrivals seen(messages);
    graph g;
    flow::function_node<int, message> ask(g, unlimited, [&](int x) {
      message m;
      other.add([m, x]() mutable { m.set(x); });
      return m;
    });
    flow::function_node<int, continue_msg, flow::rejecting> take(g, serial, [&](int x) {
      disturb(static_cast<std::size_t>(x));
      return seen.add(static_cast<std::size_t>(x)), continue_msg();
    });
    make_edge(ask, take);
    for (int i = 0; i < messages; ++i) ask.try_put(i);
    g.wait_for_all();
    CHECK(seen.each_once());
  });
}

TEST_CASE("a value that nobody can set any more is not waited for") {
  graph g;
  bool got = false;
  flow::function_node<int, message> ask(g, serial, [](int) { return message(); });
  flow::function_node<int> take(g, serial, [&](int) { return got = true, continue_msg(); });
  make_edge(ask, take);
  ask.try_put(1);
  g.wait_for_all();
  CHECK(!got);
}

TEST_CASE("a cancelled graph drops the values that come") {
  cancellable_graph g;
  answerer other;
  std::atomic<int> got{0};
  message late;
  flow::function_node<int, message> ask(*g, serial, [&](int) { return late; });
  flow::function_node<int> take(*g, serial, [&](int) { return ++got, continue_msg(); });
  make_edge(ask, take);
  ask.try_put(1);
  other.add([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    g.cancel();
    late.set(1);
  });
  g->wait_for_all();
  CHECK(got == 0);
}
#endif

}  // namespace
