// SPDX-License-Identifier: Apache-2.0
// Copies of messages that throw and allocations that fail, each at every place in turn: the wait returns, nothing
// crashes, and after that, with and without a reset, each message comes out once. Ours alone: the peers' nodes don't
// survive this.
#define TBB_PREVIEW_FLOW_GRAPH_TRY_PUT_AND_WAIT 1
#include "support/dialect.h"
#include "support/left_in.h"

#include <doctest/doctest.h>

#include "support/eventually.h"
#include "support/failing_memory.h"

#include <cstdio>
#include <cstdlib>
#include <new>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

namespace {

using namespace test;

std::atomic<int> copies_left{-1};
std::atomic<int> alive{0};

struct copy_failed : std::runtime_error {
  copy_failed() : std::runtime_error("copy") {}
};

// A message without moves, so that each way through a node copies.
class fragile {
 public:
  fragile(int v = 0) : value_(v) { ++alive; }  // NOLINT: from a number
  fragile(fragile const& other) : value_(other.value_) {
    if (fails(copies_left)) throw copy_failed();
    ++alive;
  }
  fragile& operator=(fragile const& other) {
    if (fails(copies_left)) throw copy_failed();
    value_ = other.value_;
    return *this;
  }
  ~fragile() { --alive; }
  int value() const { return value_; }
  friend bool operator<(fragile const& a, fragile const& b) { return b.value_ < a.value_; }

 private:
  int value_;
};

constexpr int messages = 6;
using pair = std::tuple<fragile, fragile>;

int value_of(fragile const& f) { return f.value(); }
int value_of(pair const& p) { return std::get<1>(p).value(); }

// A node, or some, between two ends.
template <typename Node>
struct single {
  template <typename... Args>
  explicit single(graph& g, Args... args) : node(g, args...) {}
  flow::receiver<fragile>& in() { return node; }
  flow::sender<fragile>& out() { return node; }
  Node node;
};
using fn = flow::function_node<fragile, fragile>;
struct serial_node : single<fn> {
  explicit serial_node(graph& g) : single(g, serial, [](fragile const& f) { return f; }) {}
};
struct unlimited_node : single<fn> {
  explicit unlimited_node(graph& g) : single(g, unlimited, [](fragile const& f) { return f; }) {}
};
// Each message passes the node twice: its body puts it into the node itself, and there is another one then.
template <typename Policy>
struct fed_back {
  using node_type = flow::multifunction_node<fragile, std::tuple<fragile, fragile>, Policy>;
  explicit fed_back(graph& g)
      : node(g, serial, [](fragile const& f, typename node_type::output_ports_type& ports) {
          if (f.value() < 1000) {
            std::get<0>(ports).try_put(fragile(f.value() + 1000));
          } else {
            std::get<1>(ports).try_put(fragile(f.value() - 1000));
          }
        }) {
    make_edge(flow::output_port<0>(node), node);
  }
  flow::receiver<fragile>& in() { return node; }
  flow::sender<fragile>& out() { return flow::output_port<1>(node); }
  node_type node;
};
struct sequencer : single<flow::sequencer_node<fragile>> {
  explicit sequencer(graph& g) : single(g, [](fragile const& f) { return static_cast<std::size_t>(f.value()); }) {}
};
struct rejecting_node {
  explicit rejecting_node(graph& g) : queue(g), node(g, serial, [](fragile const& f) { return f; }) {
    make_edge(queue, node);
  }
  flow::receiver<fragile>& in() { return queue; }
  flow::sender<fragile>& out() { return node; }
  flow::queue_node<fragile> queue;
  flow::function_node<fragile, fragile, flow::rejecting> node;
};
template <typename Join>
struct joined {
  template <typename... Keys>
  explicit joined(graph& g, Keys... keys) : from(g), a(g), b(g), join(g, keys...) {
    make_edge(from, a);
    make_edge(from, b);
    make_edge(a, flow::input_port<0>(join));
    make_edge(b, flow::input_port<1>(join));
  }
  flow::receiver<fragile>& in() { return from; }
  flow::sender<pair>& out() { return join; }
  flow::broadcast_node<fragile> from;
  flow::queue_node<fragile> a, b;
  Join join;
};
flow::tag_value key(fragile const& f) { return static_cast<flow::tag_value>(f.value()); }
struct matched : joined<flow::join_node<pair, flow::tag_matching>> {
  explicit matched(graph& g) : joined(g, &key, &key) {}
};
struct limited {
  explicit limited(graph& g)
      : queue(g),
        limiter(g, 2),
        node(g, serial, [](fragile const& f) { return f; }),
        done(g, serial, [](fragile const&) { return continue_msg(); }) {
    make_edge(queue, limiter);
    make_edge(limiter, node);
    make_edge(node, done);
    make_edge(done, decrement_of(limiter));
  }
  flow::receiver<fragile>& in() { return queue; }
  flow::sender<fragile>& out() { return node; }
  flow::queue_node<fragile> queue;
  flow::limiter_node<fragile> limiter;
  fn node;
  flow::function_node<fragile> done;
};

// Without a reset a number that was lost is missing in a sequence, and what has come to one port of a join stays there.
template <typename Part>
constexpr bool in_sequence = std::is_same_v<Part, sequencer>;
template <typename Part>
constexpr bool pairs_in_order = std::is_same_v<Part, joined<flow::join_node<pair>>> ||
                                std::is_same_v<Part, joined<flow::join_node<pair, flow::reserving>>>;

// Puts the messages from `from` on, some of which may fail; those that did throw.
template <typename Part>
std::vector<int> put_some(Part& part) {
  std::vector<int> thrown;
  for (int i = 0; i < messages; ++i) {
    try {
      part.in().try_put(fragile(i));
    } catch (copy_failed const&) {
      thrown.push_back(i);
    } catch (std::bad_alloc const&) {
      thrown.push_back(i);
    }
  }
  return thrown;
}

// The `n`-th copy or allocation fails while messages go through the part. Returns false when there are fewer.
template <typename Part, typename Message>
bool fail_once(std::atomic<int>& left, int n, int threads, bool resets) {
  bool failed = false;
  with_threads(threads, [&] {
    graph g;
    Part part(g);
    arrivals seen(2 * messages);
    std::atomic<bool> counting{false};
    flow::function_node<Message, continue_msg, flow::rejecting> last(g, unlimited, [&](Message const& m) {
      if (counting) seen.add(static_cast<std::size_t>(value_of(m)));
      return continue_msg();
    });
    make_edge(part.out(), last);
    left = n;
    std::vector<int> const lost = put_some(part);
    bool cancelled = false;
    try {
      g.wait_for_all();
    } catch (copy_failed const&) {
      cancelled = true;
    } catch (std::bad_alloc const&) {
      cancelled = true;
    }
    failed = left.exchange(-1) == 0;
    if (resets) {
      g.reset();
    } else if (in_sequence<Part> && !cancelled) {
      for (int const i : lost) part.in().try_put(fragile(i));
      g.wait_for_all();
    }
    bool const again = resets || (in_sequence<Part> && cancelled);
    int const from = again ? 0 : messages;
    counting = true;
    for (int i = from; i < from + messages; ++i) CHECK(part.in().try_put(fragile(i)));
    g.wait_for_all();
    int came = 0;
    for (int i = from; i < from + messages; ++i) {
      int const times = seen.of(static_cast<std::size_t>(i));
      CHECK(times <= 1);
      came += times;
    }
    CHECK(came >= messages - (pairs_in_order<Part> && !resets ? 1 : 0));
    if (again) CHECK(seen.total() == messages);
  });
  CHECK(alive == 0);
  return failed;
}

// How many places there are.
template <typename Part, typename Message>
int fail_everywhere(std::atomic<int>& left, int threads, bool resets) {
  int n = 1;
  for (; n < 400; ++n) {
    CAPTURE(n);
    alive = 0;
    if (!fail_once<Part, Message>(left, n, threads, resets)) break;
  }
  return n - 1;
}

int all_allocations = 0;  // that have failed

template <typename Part, typename Message = fragile>
void fail_everywhere(char const* name) {
  CAPTURE(std::string(name));
  for (int const threads : {1, 4}) {
    for (bool const resets : {true, false}) {
      CAPTURE(threads);
      CAPTURE(resets);
      CHECK(fail_everywhere<Part, Message>(copies_left, threads, resets) >= messages);
      all_allocations += fail_everywhere<Part, Message>(allocations_left, threads, resets);
    }
  }
}

#define TEST_PART(...) \
  TEST_CASE("a failure at every place in " #__VA_ARGS__) { fail_everywhere<__VA_ARGS__>(#__VA_ARGS__); }

TEST_PART(serial_node)
TEST_PART(unlimited_node)
TEST_PART(fed_back<flow::queueing>)
TEST_PART(rejecting_node)
TEST_PART(single<flow::broadcast_node<fragile>>)
TEST_PART(single<flow::queue_node<fragile>>)
TEST_PART(single<flow::priority_queue_node<fragile>>)
TEST_PART(single<flow::overwrite_node<fragile>>)
TEST_PART(sequencer)
TEST_PART(limited)
TEST_PART(joined<flow::join_node<pair>>, pair)
TEST_PART(joined<flow::join_node<pair, flow::reserving>>, pair)
TEST_PART(matched, pair)

// A test case of its own name runs alone, too.
TEST_CASE("allocations have failed in parts that keep messages") {
  all_allocations = 0;
  fail_everywhere<serial_node>("serial_node");
  fail_everywhere<sequencer>("sequencer");
  CHECK(all_allocations >= 4);
}

template <typename Join>
Join make_join(graph& g) {
  if constexpr (std::is_same_v<Join, flow::join_node<pair, flow::tag_matching>>) {
    return Join(g, &key, &key);
  } else {
    return Join(g);
  }
}

TEST_CASE("a matching join keeps nothing of a message whose copy failed") {
  graph g;
  flow::join_node<pair, flow::tag_matching> join(g, &key, &key);
  std::string const nothing = left_in(g);
  fragile const message(1);
  copies_left = 1;
  CHECK_THROWS_AS(flow::input_port<0>(join).try_put(message), copy_failed);
  CHECK(copies_left.exchange(-1) == 0);
  CHECK(left_in(g) == nothing);
}

// The tuple of two waited-for messages has a token that stands for both, for which there may be no memory.
template <typename Join>
void fail_with_two_waits() {
  std::atomic<bool> taken{false};
  int n = 1;
  for (bool failed = true; failed; ++n) {
    CAPTURE(n);
    REQUIRE(n < 100);
    failed = false;
    graph g;
    Join join = make_join<Join>(g);
    taken = false;
    flow::function_node<pair> last(g, serial, [&](pair const&) { return taken = true, continue_msg(); });
    make_edge(join, last);
    std::string const nothing = left_in(g);
    fragile const message(1);
    std::thread other([&] { flow::input_port<0>(join).try_put_and_wait(message); });
    CHECK(eventually([&] { return left_in(g) != nothing; }));
    allocations_left = n;
    try {
      bool const put = flow::input_port<1>(join).try_put_and_wait(message);
      CHECK(put);
    } catch (std::bad_alloc const&) {
      failed = true;
    }
    if (allocations_left.exchange(-1) == 0) failed = true;
    if (!taken) flow::input_port<1>(join).try_put(message);
    CHECK(eventually([&] { return taken.load(); }));
    g.reset();
    other.join();
  }
  CHECK(n > 2);
}

TEST_CASE("a tuple of two messages that are waited for, without memory for it") {
  fail_with_two_waits<flow::join_node<pair>>();
  fail_with_two_waits<flow::join_node<pair, flow::tag_matching>>();
}

// Each copy in turn: into the join's tuple, to the first successor, to the second one.
TEST_CASE("a wait for a message ends if a reserving join can't hand on its tuple") {
  int n = 1;
  for (bool failed = true; failed; ++n) {
    CAPTURE(n);
    REQUIRE(n < 100);
    graph g;
    flow::queue_node<fragile> a(g), b(g);
    flow::join_node<pair, flow::reserving> join(g);
    flow::function_node<pair> one(g, serial, [](pair const&) { return continue_msg(); });
    flow::function_node<pair> two(g, serial, [](pair const&) { return continue_msg(); });
    make_edge(a, flow::input_port<0>(join));
    make_edge(b, flow::input_port<1>(join));
    make_edge(join, one);
    make_edge(join, two);
    fragile const message(1);
    b.try_put(message);
    copies_left = n;
    std::atomic<bool> over{false};
    std::thread waiter([&] {
      try {
        a.try_put_and_wait(message);
      } catch (copy_failed const&) {
      }
      over = true;
    });
    bool const ended = eventually([&] { return over.load(); });
    if (!ended) waiter.detach();
    REQUIRE(ended);
    waiter.join();
    failed = copies_left.exchange(-1) == 0;
    try {
      g.wait_for_all();
    } catch (copy_failed const&) {
    }
    g.reset();
  }
  CHECK(n > 4);
}

TEST_CASE("a queue whose last chunk has got no message can forget a token") {
  ashlar::flow::message_queue<fragile> queue;
  ashlar::flow::wait_token token(ashlar::sched::this_slot());
  fragile const message(1);
  auto const push = [&] { queue.push(const_cast<fragile&>(message), ashlar::flow::passage::copied()); };
  for (int i = 0; i < 63; ++i) push();
  copies_left = 1;
  CHECK_THROWS_AS(push(), copy_failed);
  CHECK(copies_left.exchange(-1) == 0);
  queue.forget(&token);
  push();
  CHECK(queue.size() == 64);
}

}  // namespace
