// SPDX-License-Identifier: Apache-2.0
// The recipes of the flow graph's cookbook; each checks its own result.
#include <tbb/flow_graph.h>
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

using namespace tbb::flow;

namespace {

bool in_order() {
  struct frame {
    std::size_t number;
    int pixels;
  };
  std::vector<std::size_t> written;
  graph g;
  function_node<frame, frame> work(g, unlimited, [](frame f) {
    f.pixels *= 2;
    return f;
  });
  sequencer_node<frame> order(g, [](frame const& f) { return f.number; });
  function_node<frame> write(g, serial, [&](frame const& f) {
    written.push_back(f.number);
    return continue_msg();
  });
  make_edge(work, order);
  make_edge(order, write);
  for (std::size_t i = 0; i < 100; ++i) work.try_put(frame{i, 1});
  g.wait_for_all();
  return written.size() == 100 && std::is_sorted(written.begin(), written.end());
}

bool bounded() {
  std::atomic<int> inside{0}, most{0}, done{0};
  graph g;
  input_node<int> source(g, [next = 0](tbb::flow_control& control) mutable {
    if (next == 1000) control.stop();
    return next++;
  });
  limiter_node<int> limiter(g, 4);
  function_node<int> work(g, unlimited, [&](int) {
    int const now = ++inside;
    for (int seen = most; seen < now && !most.compare_exchange_weak(seen, now);) {
    }
    ++done;
    --inside;
    return continue_msg();
  });
  make_edge(source, limiter);
  make_edge(limiter, work);
  make_edge(work, limiter.decrementer());  // a message has left: the next one may come
  source.activate();
  g.wait_for_all();
  return done == 1000 && most <= 4;
}

bool two_results() {
  int sum = 0;
  graph g;
  broadcast_node<int> number(g);
  function_node<int, int> square(g, unlimited, [](int x) { return x * x; });
  function_node<int, int> cube(g, unlimited, [](int x) { return x * x * x; });
  join_node<std::tuple<int, int>> both(g);
  function_node<std::tuple<int, int>> add(g, serial, [&](std::tuple<int, int> const& t) {
    sum += std::get<0>(t) + std::get<1>(t);
    return continue_msg();
  });
  make_edge(number, square);
  make_edge(number, cube);
  make_edge(square, input_port<0>(both));
  make_edge(cube, input_port<1>(both));
  make_edge(both, add);
  for (int x = 1; x <= 3; ++x) number.try_put(x);
  g.wait_for_all();
  return sum == 14 + 36;
}

bool same_key() {
  struct price {
    int article;
    double euros;
  };
  struct count {
    int article, pieces;
  };
  std::atomic<int> wrong{0}, pairs{0};
  graph g;
  join_node<std::tuple<price, count>, key_matching<int>> both(
      g, [](price const& p) { return p.article; }, [](count const& c) { return c.article; });
  function_node<std::tuple<price, count>> bill(g, unlimited, [&](std::tuple<price, count> const& t) {
    wrong += std::get<0>(t).article != std::get<1>(t).article;
    ++pairs;
    return continue_msg();
  });
  make_edge(both, bill);
  for (int i = 0; i < 10; ++i) input_port<0>(both).try_put(price{i, 1.5});
  for (int i = 9; i >= 0; --i) input_port<1>(both).try_put(count{i, 2});
  g.wait_for_all();
  return wrong == 0 && pairs == 10;
}

bool branch() {
  std::atomic<int> even{0}, odd{0};
  graph g;
  using sorter = multifunction_node<int, std::tuple<int, int>>;
  sorter sort(g, unlimited, [](int x, sorter::output_ports_type& out) {
    if (x % 2 == 0) {
      std::get<0>(out).try_put(x);
    } else {
      std::get<1>(out).try_put(x);  // none, one or many messages: as the body likes
    }
  });
  function_node<int> evens(g, unlimited, [&](int) {
    ++even;
    return continue_msg();
  });
  function_node<int> odds(g, unlimited, [&](int) {
    ++odd;
    return continue_msg();
  });
  make_edge(output_port<0>(sort), evens);
  make_edge(output_port<1>(sort), odds);
  for (int i = 0; i < 9; ++i) sort.try_put(i);
  g.wait_for_all();
  return even == 5 && odd == 4;
}

// Pages: tbb::flow::switch_node
bool loop() {
  int rounds = 0, left = 0;
  graph g;
  function_node<int, int> halve(g, serial, [&](int x) {
    ++rounds;
    return x / 2;
  });
  switch_node<int> again(g, serial, [](int x) { return x > 1 ? 0 : 1; });  // the number of a port
  function_node<int> end(g, serial, [&](int x) {
    left = x;
    return continue_msg();
  });
  make_edge(halve, again);
  make_edge(output_port<0>(again), halve);
  make_edge(output_port<1>(again), end);
  halve.try_put(1024);
  g.wait_for_all();
  return rounds == 10 && left == 1;
}

// Pages: tbb::flow::async_node, tbb::flow::receiver_gateway
bool device() {
  using answering = async_node<int, int>;
  int answer = 0;
  std::thread outside;
  graph g;
  answering ask(g, unlimited, [&](int question, answering::gateway_type& gateway) {
    gateway.reserve_wait();  // the graph now waits for the answer
    outside = std::thread([&gateway, question] {
      gateway.try_put(question + 1);
      gateway.release_wait();
    });
  });
  function_node<int> hear(g, serial, [&](int x) {
    answer = x;
    return continue_msg();
  });
  make_edge(ask, hear);
  ask.try_put(41);
  g.wait_for_all();
  outside.join();
  return answer == 42;
}

bool one_message() {
  std::atomic<int> slow{0}, quick{0};
  graph g;
  function_node<int> work(g, unlimited, [&](int x) {
    ++(x == 0 ? quick : slow);
    return continue_msg();
  });
  for (int i = 1; i <= 100; ++i) work.try_put(i);
  work.try_put_and_wait(0);  // returns when all that comes of this message is done
  bool const answered = quick == 1;
  g.wait_for_all();
  return answered && slow == 100;
}

bool several_types() {
  std::string heard;
  graph g;
  indexer_node<int, std::string> any(g);
  using message = indexer_node<int, std::string>::output_type;
  function_node<message> hear(g, serial, [&](message const& m) {
    heard += m.tag() == 0 ? std::to_string(cast_to<int>(m)) : cast_to<std::string>(m);
    return continue_msg();
  });
  make_edge(any, hear);
  input_port<0>(any).try_put(4);
  input_port<1>(any).try_put("two");
  g.wait_for_all();
  return heard == "4two" || heard == "two4";
}

// Pages: tbb::flow::fallible_node, tbb::flow::failed_message, tbb::flow::error_port
bool failures() {
  std::atomic<int> parsed{0}, refused{0};
  graph g;
  fallible_node<std::string, int> parse(g, unlimited, [](std::string const& text) { return std::stoi(text); });
  function_node<int> use(g, unlimited, [&](int) {
    ++parsed;
    return continue_msg();
  });
  function_node<failed_message<std::string>> tell(g, serial, [&](failed_message<std::string> const& f) {
    refused += f.message == "many";  // f.exception is what the body has thrown
    return continue_msg();
  });
  make_edge(parse, use);
  make_edge(error_port(parse), tell);
  for (char const* text : {"1", "many", "3"}) parse.try_put(text);
  g.wait_for_all();
  return parsed == 2 && refused == 1;
}

bool exceptions() {
  bool thrown = false;
  std::atomic<int> done{0};
  graph g;
  function_node<int> work(g, unlimited, [&](int x) {
    if (x == 13) throw std::runtime_error("thirteen");
    ++done;
    return continue_msg();
  });
  for (int x = 13; x < 20; ++x) work.try_put(x);
  try {
    g.wait_for_all();
  } catch (std::runtime_error const&) {
    thrown = true;
  }
  g.reset();  // drops what is left in the nodes; edges stay
  int const before = done;
  work.try_put(20);
  g.wait_for_all();
  return thrown && done == before + 1;
}

// Pages: tbb::flow::freeze, tbb::flow::frozen_graph
bool many_runs() {
  std::atomic<int> steps{0};
  graph g;
  using step = continue_node<continue_msg>;
  step first(g, [&](continue_msg const&) { ++steps; });
  step left(g, [&](continue_msg const&) { ++steps; });
  step right(g, [&](continue_msg const&) { ++steps; });
  step last(g, [&](continue_msg const&) { ++steps; });
  make_edge(first, left);
  make_edge(first, right);
  make_edge(left, last);
  make_edge(right, last);
  frozen_graph frame = freeze(g);
  for (int i = 0; i < 100; ++i) frame.run();  // nothing is allocated, no lock is taken
  return steps == 400;
}

// A graph with inputs and outputs of its own, to be used as a node.
// Pages: tbb::flow::composite_node
class checker : public composite_node<std::tuple<int>, std::tuple<int>> {
  using base = composite_node<std::tuple<int>, std::tuple<int>>;

 public:
  explicit checker(graph& g)
      : base(g),
        clamp_(g, unlimited, [](int x) { return std::min(x, 100); }),
        pass_(g, unlimited, [](int x) { return x + 1; }) {
    make_edge(clamp_, pass_);
    set_external_ports(input_ports_type(clamp_), output_ports_type(pass_));
  }

 private:
  function_node<int, int> clamp_, pass_;
};

bool as_one_node() {
  int sum = 0;
  graph g;
  checker check(g);
  function_node<int> add(g, serial, [&](int x) {
    sum += x;
    return continue_msg();
  });
  make_edge(output_port<0>(check), add);
  for (int x : {1, 1000}) input_port<0>(check).try_put(x);
  g.wait_for_all();
  return sum == 2 + 101;
}

}  // namespace

int main() {
  struct recipe {
    char const* name;
    bool (*run)();
  };
  int wrong = 0;
  for (recipe const& r : {recipe{"in order", in_order},
                          {"bounded", bounded},
                          {"two results", two_results},
                          {"same key", same_key},
                          {"branch", branch},
                          {"loop", loop},
                          {"device", device},
                          {"one message", one_message},
                          {"several types", several_types},
                          {"failures", failures},
                          {"exceptions", exceptions},
                          {"many runs", many_runs},
                          {"as one node", as_one_node}}) {
    bool const right = r.run();
    std::printf("%s: %s\n", r.name, right ? "right" : "WRONG");
    wrong += !right;
  }
  return wrong;
}
