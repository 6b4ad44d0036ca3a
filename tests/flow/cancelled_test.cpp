// SPDX-License-Identifier: Apache-2.0
// Puts into every node while the graph is cancelled: they are refused, and nothing that was accepted is lost with them.
// Puts, and nodes that are made, beside the end of a cancelled wait. Ours alone.
#include "support/dialect.h"

#include <doctest/doctest.h>

#include "support/eventually.h"

#include <cstdlib>
#include <cstring>
#include <deque>
#include <new>
#include <string>
#include <tuple>
#include <vector>

namespace {

using namespace test;

std::size_t as_number(int x) { return static_cast<std::size_t>(x); }

// put() is refused after cancel() and, where it says so, taken before and after.
template <typename Put>
void check_refused(cancellable_graph& g, Put const& put, bool taken_otherwise = true) {
  if (taken_otherwise) CHECK(put());
  g->wait_for_all();
  g.cancel();
  CHECK_FALSE(put());
  CHECK_FALSE(put());
  g->wait_for_all();
  CHECK(g->is_cancelled());
  if (taken_otherwise) CHECK(put());
  g->wait_for_all();
}

// What a body puts into its ports is dropped in between, which is no refusal.
template <typename Put>
void check_dropped(cancellable_graph& g, Put const& put) {
  CHECK(put());
  g->wait_for_all();
  g.cancel();
  CHECK(put());
  CHECK(put());
  g->wait_for_all();
  CHECK(g->is_cancelled());
  CHECK(put());
  g->wait_for_all();
}

template <typename T, typename Node>
std::vector<T> contents(Node& node) {
  std::vector<T> all;
  for (T x{}; node.try_get(x);) all.push_back(x);
  return all;
}

TEST_CASE("a cancelled graph's nodes that hand messages on refuse them") {
  with_threads(1, [] {
    cancellable_graph g;
    flow::broadcast_node<int> alone(*g), before(*g);
    flow::queue_node<int> kept(*g);
    make_edge(before, kept);
    check_refused(g, [&] { return alone.try_put(1); });
    check_refused(g, [&] { return before.try_put(1); });
    CHECK(contents<int>(kept) == std::vector<int>{1, 1});

    using pair = std::tuple<int, int>;
    flow::split_node<pair> split(*g);
    make_edge(flow::output_port<0>(split), kept);
    check_refused(g, [&] { return split.try_put(pair(2, 3)); });
    CHECK(contents<int>(kept) == std::vector<int>{2, 2});

    flow::indexer_node<int, long> indexer(*g);
    flow::queue_node<flow::indexer_node<int, long>::output_type> tagged(*g);
    make_edge(indexer, tagged);
    check_refused(g, [&] { return flow::input_port<0>(indexer).try_put(1); });
    check_refused(g, [&] { return flow::input_port<1>(indexer).try_put(1); });

    flow::limiter_node<int> limiter(*g, 100);
    make_edge(limiter, kept);
    check_refused(g, [&] { return limiter.try_put(4); });
    CHECK(contents<int>(kept) == std::vector<int>{4, 4});

    using multi = flow::multifunction_node<int, std::tuple<int>>;
    multi ports(*g, unlimited, [](int, multi::output_ports_type&) {});
    make_edge(flow::output_port<0>(ports), kept);
    check_dropped(g, [&] { return std::get<0>(ports.output_ports()).try_put(5); });
    using async = flow::async_node<int, int>;
    async other(*g, unlimited, [](int, async::gateway_type&) {});
    make_edge(other, kept);
    check_dropped(g, [&] { return other.gateway().try_put(6); });
    CHECK(contents<int>(kept) == std::vector<int>{5, 5, 6, 6});
    multi lonely(*g, unlimited, [](int, multi::output_ports_type&) {});
    g.cancel();
    CHECK_FALSE(std::get<0>(lonely.output_ports()).try_put(7));
    g->wait_for_all();
  });
}

// On the stack of so many calls the message goes on as a job.
TEST_CASE("a cancelled graph's long chain refuses") {
  with_threads(1, [] {
    cancellable_graph g;
    std::deque<flow::broadcast_node<int>> chain;
    flow::queue_node<int> kept(*g);
    for (std::size_t i = 0; i < 200; ++i) {
      chain.emplace_back(*g);
      if (i != 0) make_edge(chain[i - 1], chain[i]);
    }
    make_edge(chain.back(), kept);
    check_refused(g, [&] { return chain[0].try_put(1); });
    CHECK(contents<int>(kept) == std::vector<int>{1, 1});
  });
}

TEST_CASE("a cancelled graph's nodes that keep messages refuse them, and keep what they have") {
  with_threads(1, [] {
    cancellable_graph g;
    flow::buffer_node<int> buffer(*g);
    flow::queue_node<int> queue(*g);
    flow::priority_queue_node<int> largest(*g);
    check_refused(g, [&] { return buffer.try_put(1); });
    check_refused(g, [&] { return queue.try_put(1); });
    check_refused(g, [&] { return largest.try_put(1); });
    CHECK(contents<int>(buffer).size() == 2);
    CHECK(contents<int>(queue).size() == 2);
    CHECK(contents<int>(largest).size() == 2);

    flow::sequencer_node<int> sequencer(*g, [](int x) { return static_cast<std::size_t>(x); });
    g.cancel();
    CHECK_FALSE(sequencer.try_put(0));
    g->wait_for_all();
    CHECK(sequencer.try_put(0));
    g->wait_for_all();
    CHECK(contents<int>(sequencer) == std::vector<int>{0});

    flow::overwrite_node<int> last(*g);
    flow::write_once_node<int> first(*g);
    CHECK(last.try_put(7));
    g.cancel();
    CHECK_FALSE(last.try_put(8));
    CHECK_FALSE(first.try_put(8));
    g->wait_for_all();
    int x = 0;
    CHECK((last.try_get(x) && x == 7));
    CHECK_FALSE(first.is_valid());
    check_refused(g, [&] { return last.try_put(9); });
    CHECK(first.try_put(9));
  });
}

TEST_CASE("a cancelled graph's joins refuse") {
  with_threads(1, [] {
    using pair = std::tuple<int, int>;
    cancellable_graph g;
    flow::join_node<pair> join(*g);
    int next = 0;
    auto const key = [](int v) { return static_cast<flow::tag_value>(v); };
    flow::join_node<pair, flow::tag_matching> matching(*g, key, key);
    flow::queue_node<pair> out(*g);
    make_edge(join, out);
    make_edge(matching, out);
    check_refused(g, [&] { return flow::input_port<0>(join).try_put(1); });
    check_refused(g, [&] { return flow::input_port<1>(matching).try_put(++next); });
    g->reset();
    g.cancel();
    CHECK_FALSE(flow::input_port<0>(join).try_put(1));
    CHECK_FALSE(flow::input_port<0>(matching).try_put(1));
    g->wait_for_all();
    CHECK(flow::input_port<0>(join).try_put(2));
    CHECK(flow::input_port<1>(join).try_put(3));
    CHECK(flow::input_port<0>(matching).try_put(1));
    CHECK(flow::input_port<1>(matching).try_put(1));
    g->wait_for_all();
    CHECK(contents<pair>(out) == std::vector<pair>{pair(2, 3), pair(1, 1)});
  });
}

TEST_CASE("a cancelled graph's nodes with bodies, and decrements of limiters, refuse") {
  with_threads(1, [] {
    cancellable_graph g;
    auto const nothing = [](int) { return continue_msg(); };
    flow::function_node<int> one(*g, serial, nothing), all(*g, unlimited, nothing);
    flow::continue_node<continue_msg> rounds(*g, 2, [](continue_msg const&) { return continue_msg(); });
    flow::limiter_node<int> limiter(*g, 1);
    flow::limiter_node<int, int> by_number(*g, 1);
    check_refused(g, [&] { return one.try_put(1); });
    check_refused(g, [&] { return all.try_put(1); });
    check_refused(g, [&] { return rounds.try_put(continue_msg()); });
    check_refused(g, [&] { return decrement_of(limiter).try_put(continue_msg()); });
    check_refused(g, [&] { return decrement_of(by_number).try_put(1); });
  });
}

// What is refused stays with those who keep messages.
TEST_CASE("a message on its way stays in the buffer before a cancelled graph's nodes") {
  with_threads(1, [] {
    cancellable_graph g;
    flow::queue_node<int> from(*g), to(*g);
    flow::broadcast_node<int> between(*g);
    int x = 0;
    from.try_put(1);
    from.try_put(2);
    g->wait_for_all();
    REQUIRE(from.try_reserve(x));
    make_edge(from, between);
    make_edge(between, to);
    g.cancel();
    CHECK(from.try_release());
    g->wait_for_all();
    CHECK(contents<int>(to).empty());
    from.try_put(3);
    g->wait_for_all();
    CHECK(contents<int>(to) == std::vector<int>{1, 2, 3});
  });
}

// With several threads: what is taken either comes out, or was taken before the cancellation.
TEST_CASE("a put after an exception is refused by whatever node takes it") {
  with_threads(4, [] {
    for (int round = 0; round < 50; ++round) {
      graph g;
      flow::function_node<int, int> fails(g, serial, [](int x) -> int { throw x; });
      flow::broadcast_node<int> node(g);
      flow::join_node<std::tuple<int, int>> join(g);
      fails.try_put(1);
      if (!eventually([&] { return !fails.try_put(2); })) {
        FAIL("never refused");
      }
      CHECK_FALSE(node.try_put(1));
      CHECK_FALSE(flow::input_port<0>(join).try_put(1));
      CHECK_THROWS_AS(g.wait_for_all(), int);
    }
  });
}

// ---- beside the end of a cancelled wait

// What happens in steps: one thread is in a node's settle(), another one takes a message from a batch.
struct steps {
  std::atomic<bool> settling{false}, armed{false}, taking{false}, ended{false};
};

// Its copy stops while the steps are armed.
struct slow_message {
  explicit slow_message(steps& s) : order(&s) { ++alive; }
  slow_message(slow_message const& other) : order(other.order) {
    ++alive;
    if (!order->armed.exchange(false)) return;
    order->taking = true;
    eventually([&] { return order->ended.load(); });
  }
  slow_message& operator=(slow_message const&) = default;
  ~slow_message() { --alive; }
  steps* order;
  static std::atomic<int> alive;
};
std::atomic<int> slow_message::alive{0};

// Gets its edge back in a settle().
struct slow_sender : flow::sender<int> {
  explicit slow_sender(steps& s) : order(s) {}
  bool register_successor(flow::receiver<int>&) override {
    order.settling = true;
    return eventually([&] { return order.taking.load(); });
  }
  bool remove_successor(flow::receiver<int>&) override { return true; }
  steps& order;
};

// Its job was made before the cancellation, and begins when the wait has nothing to wait for any more.
TEST_CASE("a node takes a batch while a cancelled wait ends") {
  with_threads(2, [] {
    steps order;
    {
      slow_sender from(order);
      cancellable_graph g;
      flow::limiter_node<int> limiter(*g, 1);
      flow::queue_node<int> kept(*g);
      flow::function_node<slow_message> node(*g, serial, [](slow_message const&) { return continue_msg(); });
      make_edge(limiter, kept);
      limiter.try_put(1);
      static_cast<flow::receiver<int>&>(limiter).register_predecessor(
          from);  // which stays, because the limiter is full
      slow_message message(order);
      auto* const late =
          static_cast<flow::receiver<slow_message>&>(node).receive(message, ashlar::flow::passage::copied());
      REQUIRE(ashlar::flow::job_or_null(late) != nullptr);
      for (int i = 0; i < 5; ++i) CHECK(node.try_put(message));
      g.cancel();
      std::thread starts([&] {
        CHECK(eventually([&] { return order.settling.load(); }));
        order.armed = true;
        g->core().start(*late);
      });
      g->wait_for_all();
      order.ended = true;
      starts.join();
      CHECK(order.taking);
      g->wait_for_all();
      CHECK(node.try_put(message));
      g->wait_for_all();
    }
    CHECK(slow_message::alive == 0);
  });
}

// Takes a message when it is let go.
template <typename T>
struct slow_taker : flow::receiver<T> {
  explicit slow_taker(graph& its) : g(its) {}
  flow::graph_task* try_put_task(T const& v) override {
    inside = true;
    while (!open) std::this_thread::yield();
    got = v;
    return flow::SUCCESSFULLY_ENQUEUED;
  }
  graph& graph_reference() const override { return g; }
  graph& g;
  std::atomic<bool> inside{false}, open{false};
  T got;
};

template <typename T, typename Node, typename Put>
T put_beside_the_end(cancellable_graph& g, Node& node, Put const& put) {
  slow_taker<T> taker(*g);
  make_edge(node, taker);
  std::thread putter(put);
  CHECK(eventually([&] { return taker.inside.load(); }));
  g.cancel();
  g->wait_for_all();
  taker.open = true;
  putter.join();
  flow::remove_edge(node, taker);
  return taker.got;
}

TEST_CASE("what a join or a sequencer is handing on when a cancelled wait ends stays whole") {
  with_threads(2, [] {
    using pair = std::tuple<std::string, std::string>;
    std::string const a(100, 'a'), b(100, 'b');
    cancellable_graph g;
    flow::join_node<pair> join(*g);
    auto const key = [](std::string const& s) { return static_cast<flow::tag_value>(s.size()); };
    flow::join_node<pair, flow::tag_matching> matching(*g, key, key);
    flow::sequencer_node<std::string> sequencer(*g, [](std::string const& s) { return s.size() - 100; });
    auto const put_pair = [&](auto& to) {
      CHECK(flow::input_port<0>(to).try_put(a));
      CHECK(flow::input_port<1>(to).try_put(b));
    };
    for (int i = 0; i < 3; ++i) {
      CHECK(put_beside_the_end<pair>(g, join, [&] { put_pair(join); }) == pair(a, b));
      CHECK(put_beside_the_end<pair>(g, matching, [&] { put_pair(matching); }) == pair(a, b));
      CHECK(put_beside_the_end<std::string>(g, sequencer, [&] { CHECK(sequencer.try_put(a)); }) == a);
    }
  });
}

TEST_CASE("many threads put while waits end cancelled") {
  with_threads(4, [] {
    cancellable_graph g;
    std::atomic<bool> ended{false};
    flow::function_node<std::string, std::string> first(*g, serial, [](std::string const& s) { return s; });
    flow::function_node<std::string> second(*g, 2, [](std::string const&) { return continue_msg(); });
    make_edge(first, second);
    using pair = std::tuple<std::string, std::string>;
    flow::join_node<pair> join(*g);
    flow::function_node<pair> third(*g, serial, [](pair const&) { return continue_msg(); });
    make_edge(join, third);
    std::vector<std::thread> putters;
    for (int p = 0; p < 32; ++p) {
      putters.emplace_back([&] {
        std::string const message(100, 'p');
        while (!ended) {
          first.try_put(message);
          second.try_put(message);
          flow::input_port<0>(join).try_put(message);
          flow::input_port<1>(join).try_put(message);
          std::this_thread::yield();
        }
      });
    }
    for (int round = 0; round < 200; ++round) {
      g.cancel();
      g->wait_for_all();
      std::this_thread::yield();
    }
    ended = true;
    for (auto& putter : putters) putter.join();
    g->wait_for_all();
    g->reset();
    std::atomic<int> runs{0};
    flow::function_node<std::string> last(*g, serial, [&](std::string const&) { return ++runs, continue_msg(); });
    make_edge(first, last);
    CHECK(first.try_put("last"));
    g->wait_for_all();
    CHECK(runs == 1);
  });
}

// In memory that is not zero before: a node that is not complete yet must be left alone.
template <typename Node>
class place {
 public:
  place() : memory_(std::aligned_alloc(64, (sizeof(Node) + 63) / 64 * 64)) { std::memset(memory_, 0xff, sizeof(Node)); }
  place(place const&) = delete;
  ~place() {
    if (node_ != nullptr) node_->~Node();
    std::free(memory_);
  }
  template <typename... Args>
  Node& make(Args&&... args) {
    return *(node_ = ::new (memory_) Node(std::forward<Args>(args)...));
  }

 private:
  void* const memory_;
  Node* node_ = nullptr;
};

#if !FLOW_CLASSIC
// Its copy in the node's constructor stops.
struct slow_body {
  struct state {
    std::atomic<int> copies{0};
    std::atomic<bool> inside{false}, open{false};
  };
  explicit slow_body(state& s) : its(&s) {}
  slow_body(slow_body const& other) : its(other.its) {
    if (++its->copies != 2) return;  // the first one is the argument
    its->inside = true;
    eventually([&] { return its->open.load(); });
  }
  template <typename Ports>
  void operator()(int, Ports&, int&) const {}
  state* its;
};

TEST_CASE("a node that is being made is left alone when a cancelled wait ends") {
  with_threads(2, [] {
    using node = flow::resource_limited_node<int, std::tuple<int>>;
    flow::resource_limiter<int> handles{1};
    cancellable_graph g;
    place<node> memory;
    slow_body::state state;
    std::thread maker([&] { memory.make(*g, serial, std::tie(handles), slow_body(state)); });
    CHECK(eventually([&] { return state.inside.load(); }));
    g.cancel();
    g->wait_for_all();
    state.open = true;
    maker.join();
    CHECK(g->is_cancelled());
  });
}
#endif

TEST_CASE("nodes are made while waits end cancelled") {
  with_threads(2, [] {
    using pair = std::tuple<int, int>;
    cancellable_graph g;
    constexpr int number = 400;
    std::deque<place<flow::limiter_node<int>>> limiters(number);
    std::deque<place<flow::join_node<pair, flow::reserving>>> joins(number);
    std::deque<place<flow::queue_node<int>>> queues(number);
    std::deque<place<flow::function_node<int, int>>> functions(number);
    std::deque<place<flow::continue_node<continue_msg>>> rounds(number);
    std::deque<place<flow::join_node<pair>>> pairs(number);
    std::atomic<bool> ended{false};
    std::thread maker([&] {
      for (int i = 0; i < number; ++i) {
        auto& limiter = limiters[as_number(i)].make(*g, std::size_t{1});
        auto& join = joins[as_number(i)].make(*g);
        auto& queue = queues[as_number(i)].make(*g);
        auto& function = functions[as_number(i)].make(*g, serial, [](int x) { return x; });
        rounds[as_number(i)].make(*g, [](continue_msg const&) { return continue_msg(); });
        pairs[as_number(i)].make(*g);
        make_edge(queue, limiter);
        make_edge(limiter, function);
        make_edge(queue, flow::input_port<0>(join));
      }
      ended = true;
    });
    while (!ended) {
      g.cancel();
      g->wait_for_all();
    }
    maker.join();
    CHECK_NOTHROW(g->wait_for_all());
  });
}

}  // namespace
