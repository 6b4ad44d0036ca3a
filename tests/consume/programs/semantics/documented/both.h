// SPDX-License-Identifier: Apache-2.0
// What docs/compatibility.md says that both TBBs do otherwise, a line each.
#pragma once

#include <tbb/tbb.h>

#include <tbb/flow_graph.h>
#include <tbb/scalable_allocator.h>

#include "../told.h"

#include <atomic>
#include <chrono>
#include <cstdio>
#include <exception>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <tuple>

template <typename F>
std::string text_of(F const& f) {
  try {
    f();
  } catch (std::exception const& e) {
    return e.what();
  }
  return "";
}

/// On how many threads two iterations run that wait for each other, but not for ever.
inline int threads_of_a_loop() {
  std::set<std::thread::id> seen;
  std::mutex lock;
  std::atomic<std::size_t> number{0};
  auto const end = std::chrono::steady_clock::now() + std::chrono::seconds(2);
  tbb::parallel_for(0, 2, [&](int) {
    {
      std::lock_guard<std::mutex> const held(lock);
      seen.insert(std::this_thread::get_id());
      number = seen.size();
    }
    while (number < 2 && std::chrono::steady_clock::now() < end) std::this_thread::yield();
  });
  return int(number);
}

inline void buffers_and_joins() {
  using namespace tbb::flow;
  graph g;
  buffer_node<int> buffer(g);
  for (int i = 1; i <= 3; ++i) buffer.try_put(i);
  g.wait_for_all();
  std::string order;
  for (int i = 0; buffer.try_get(i);) order += std::to_string(i);
  tell("order of a buffer_node", order);

  auto const tag = [](int i) { return std::size_t(i % 10); };
  join_node<std::tuple<int, int>, tag_matching> join(g, tag, tag);
  int joined = 0;
  function_node<std::tuple<int, int>> last(g, serial, [&](std::tuple<int, int> const& t) { joined = std::get<0>(t); });
  make_edge(join, last);
  input_port<0>(join).try_put(11);
  input_port<0>(join).try_put(21);
  g.wait_for_all();
  input_port<1>(join).try_put(31);
  g.wait_for_all();
  tell("a second message with one key", joined);
}

/// How six messages that one thread puts into a buffer reach a node behind it that takes all.
template <typename Buffer>
std::string order_behind() {
  using namespace tbb::flow;
  std::string order;
  tbb::task_arena(1).execute([&] {
    graph g;
    Buffer buffer(g);
    function_node<int, int> node(g, serial, [&](int i) { return order += std::to_string(i), i; });
    make_edge(buffer, node);
    for (int i = 1; i <= 6; ++i) buffer.try_put(i);
    g.wait_for_all();
  });
  return order;
}

inline void after_an_exception() {
  using namespace tbb::flow;
  graph g;
  int ran = 0;
  function_node<int> node(g, serial, [&](int i) {
    ++ran;
    if (i == 3) throw 1;
  });
  node.try_put(3);
  thrown([&] { g.wait_for_all(); });
  node.try_put(5);
  g.wait_for_all();
  tell("bodies of a serial node, one after an exception", ran);
}

inline void differences_from_both() {
  std::atomic<int> parts{0};
  tbb::task_arena(1).execute(
      [&] { tbb::parallel_for(tbb::blocked_range<int>(0, 1000), [&](tbb::blocked_range<int> const&) { ++parts; }); });
  tell("parts of a loop with one thread", parts);
  for (std::size_t const bytes : {1, 5000, 100000}) {
    void* const block = scalable_malloc(bytes);
    tell(("usable bytes of " + std::to_string(bytes)).c_str(), long(scalable_msize(block)));
    scalable_free(block);
  }
  // With one thread the task is still there when the group ends.
  tell("text of missing_wait", text_of([] {
         tbb::task_arena(1).execute([] {
           tbb::task_group group;
           group.run([] {});
         });
       }));
  buffers_and_joins();
  tell("behind a buffer_node", order_behind<tbb::flow::buffer_node<int>>());
  tell("behind a priority_queue_node", order_behind<tbb::flow::priority_queue_node<int>>());
  after_an_exception();
  threads_of_a_loop();
  tell("threads of a loop in a forked child", in_child(threads_of_a_loop));
}
