// SPDX-License-Identifier: Apache-2.0
// A correct program with AddressSanitizer and LeakSanitizer against libraries without them: bodies that are suspended,
// resumed and throw, and containers that live until the program ends. With an argument it writes one byte too far.
#include <tbb/tbb.h>

#include <atomic>
#include <cstdio>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

using text = std::string;
text const long_text(40, 'x');

void throw_after_suspension() {
  std::atomic<int> thrown{0};
  for (int round = 0; round != 30; ++round) {
    tbb::task_group group;
    std::vector<std::thread> resumers(8);
    for (std::size_t i = 0; i != resumers.size(); ++i) {
      group.run([&, i] {
        tbb::task::suspend(
            [&](tbb::task::suspend_point p) { resumers[i] = std::thread([p] { tbb::task::resume(p); }); });
        try {
          char frame[256];
          frame[long_text.size()] = 1;
          if (frame[40] == 1) throw std::runtime_error(long_text);
        } catch (std::runtime_error const& e) {
          thrown += e.what() == long_text ? 1 : 0;
        }
        tbb::parallel_for(0, 10, [](int) {});
        if (i == 3) throw std::runtime_error("a waiter gets this");
      });
    }
    try {
      group.wait();
    } catch (std::runtime_error const&) {
      ++thrown;
    }
    for (std::thread& t : resumers) {
      if (t.joinable()) t.join();
    }
  }
  if (thrown < 30) std::puts("FAIL: exceptions are lost");
}

// Reached by a static pointer until the end, never destroyed.
template <typename Container>
Container& kept() {
  static auto* const container = new Container;
  return *container;
}

template <template <typename> class Allocator>
void keep_containers() {
  using pairs = Allocator<std::pair<int const, text>>;
  auto& hash_map = kept<tbb::concurrent_hash_map<int, text, tbb::tbb_hash_compare<int>, pairs>>();
  auto& unordered_map = kept<tbb::concurrent_unordered_map<int, text, std::hash<int>, std::equal_to<>, pairs>>();
  auto& unordered_multimap =
      kept<tbb::concurrent_unordered_multimap<int, text, std::hash<int>, std::equal_to<>, pairs>>();
  auto& map = kept<tbb::concurrent_map<int, text, std::less<>, pairs>>();
  auto& multiset = kept<tbb::concurrent_multiset<text, std::less<>, Allocator<text>>>();
  auto& vector = kept<tbb::concurrent_vector<text, Allocator<text>>>();
  auto& queue = kept<tbb::concurrent_queue<text, Allocator<text>>>();
  auto& bounded_queue = kept<tbb::concurrent_bounded_queue<text, Allocator<text>>>();
  auto& priority_queue = kept<tbb::concurrent_priority_queue<text, std::less<text>, Allocator<text>>>();
  auto& locals = kept<tbb::enumerable_thread_specific<text, Allocator<text>>>();
  auto& locals_by_key = kept<tbb::enumerable_thread_specific<text, Allocator<text>, tbb::ets_key_per_instance>>();
  tbb::parallel_for(0, 5000, [&](int i) {
    hash_map.insert({i, long_text});
    unordered_map.emplace(i, long_text);
    unordered_multimap.emplace(i % 100, long_text);
    map.emplace(i, long_text);
    multiset.insert(long_text);
    vector.push_back(long_text);
    queue.push(long_text);
    bounded_queue.push(long_text);
    priority_queue.push(long_text);
    locals.local() = long_text;
    locals_by_key.local() = long_text;
  });
}

void keep_the_rest() {
  auto& sums = kept<tbb::combinable<text>>();
  auto& graph = kept<tbb::flow::graph>();
  static auto* const serial = new tbb::flow::function_node<int, int>(graph, tbb::flow::serial, [](int i) { return i; });
  static auto* const first = new tbb::flow::queue_node<text>(graph);
  static auto* const highest = new tbb::flow::priority_queue_node<text>(graph);
  static auto* const any = new tbb::flow::buffer_node<text>(graph);
  for (int i = 0; i != 1000; ++i) {
    serial->try_put(i);
    first->try_put(long_text);
    highest->try_put(long_text);
    any->try_put(long_text);
  }
  graph.wait_for_all();
  kept<tbb::task_arena>().execute([&] { tbb::parallel_for(0, 100, [&](int) { sums.local() = long_text; }); });
  kept<tbb::task_group>().run_and_wait([] {});
  tbb::parallel_for(0, 100, [](int) {}, kept<tbb::task_group_context>());
}

}  // namespace

int main(int count, char**) {
  tbb::task_scheduler_init const threads(4);
  if (count > 1) {
    tbb::tbb_allocator<char> memory;
    char* const volatile bytes = memory.allocate(40);
    bytes[40] = 1;
    memory.deallocate(bytes, 40);
    return 0;
  }
  throw_after_suspension();
  keep_containers<std::allocator>();
  keep_containers<tbb::tbb_allocator>();
  keep_the_rest();
  std::puts("the end");
}
