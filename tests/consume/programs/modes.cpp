// SPDX-License-Identifier: Apache-2.0
// The public classes at work, each against what is known to come out. run.py compiles it in modes that change the
// layout of the standard library's classes or what the compiler may assume, and links the ordinary library. Prints a
// line for each fault.
#define TBB_PREVIEW_FLOW_GRAPH_RESOURCE_LIMITING 1
#define TBB_PREVIEW_MEMORY_POOL 1
#include <tbb/tbb.h>

#include <atomic>
#include <cstdio>
#include <cstring>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace {

constexpr int count = 1000;
constexpr long total = long{count} * (count - 1) / 2;
int faults = 0;

void expect(bool holds, char const* what) {
  if (holds) return;
  ++faults;
  std::printf("%s\n", what);
}

void loops() {
  std::vector<int> numbers(count);
  tbb::parallel_for(0, count, [&](int i) { numbers[std::size_t(i)] = count - 1 - i; });
  tbb::parallel_sort(numbers.begin(), numbers.end());
  expect(numbers.front() == 0 && numbers.back() == count - 1, "parallel_sort");
  auto const add = [&](tbb::blocked_range<std::size_t> const& r, double sum) {
    for (std::size_t i = r.begin(); i != r.end(); ++i) sum += numbers[i];
    return sum;
  };
  tbb::blocked_range<std::size_t> const all(0, numbers.size());
  expect(tbb::parallel_reduce(all, 0.0, add, std::plus<double>()) == double(total), "parallel_reduce");
  expect(tbb::parallel_deterministic_reduce(all, 0.0, add, std::plus<double>()) == double(total), "deterministic");
  std::vector<long> sums(numbers.size());
  long const last = tbb::parallel_scan(
      all, 0L,
      [&](tbb::blocked_range<std::size_t> const& r, long sum, bool final) {
        for (std::size_t i = r.begin(); i != r.end(); ++i) {
          sum += numbers[i];
          if (final) sums[i] = sum;
        }
        return sum;
      },
      std::plus<long>());
  expect(last == total && sums.back() == total, "parallel_scan");
  std::atomic<long> seen{0};
  tbb::parallel_for_each(numbers.begin(), numbers.end(), [&](int& n, tbb::feeder<int>& more) {
    seen += n;
    if (n == 1) more.add(7);
  });
  tbb::parallel_invoke([&] { ++seen; }, [&] { ++seen; });
  expect(seen == total + 7 + 2, "parallel_for_each, parallel_invoke");
  int next = 0;
  std::vector<std::string> written;
  tbb::parallel_pipeline(
      4, tbb::make_filter<void, std::string>(tbb::filter_mode::serial_in_order, [&](tbb::flow_control& control) {
           if (next == 100) control.stop();
           return "a text that is longer than what a string holds itself " + std::to_string(next++);
         }) & tbb::make_filter<std::string, void>(tbb::filter_mode::serial_in_order, [&](std::string const& text) {
           written.push_back(text);
         }));
  expect(written.size() == 100 && written.back().find(" 99") != std::string::npos, "parallel_pipeline");
}

template <typename Map>
void maps(char const* what) {
  Map map;
  tbb::parallel_for(0, count, [&](int i) { map.emplace(std::to_string(i), i); });
  long sum = 0;
  for (auto const& [key, value] : map) sum += value;
  expect(sum == total && map.find("17") != map.end(), what);
}

void containers() {
  tbb::concurrent_vector<std::string> texts;
  tbb::concurrent_queue<std::string> queue;
  tbb::concurrent_bounded_queue<int> bounded;
  tbb::concurrent_priority_queue<int> priorities;
  tbb::concurrent_hash_map<std::string, int> hashed;
  tbb::enumerable_thread_specific<std::vector<int>> own;
  tbb::combinable<long> parts([] { return 0L; });
  tbb::parallel_for(0, count, [&](int i) {
    texts.push_back(std::to_string(i));
    queue.push(std::to_string(i));
    bounded.push(i);
    priorities.push(i);
    hashed.insert({std::to_string(i), i});
    own.local().push_back(i);
    parts.local() += i;
  });
  long sum = 0;
  for (std::string const& text : texts) sum += std::atoi(text.c_str());
  expect(sum == total && texts.size() == std::size_t{count}, "concurrent_vector");
  sum = 0;
  for (std::string text; queue.try_pop(text);) sum += std::atoi(text.c_str());
  expect(sum == total, "concurrent_queue");
  sum = 0;
  for (int i = 0; bounded.try_pop(i);) sum += i;
  expect(sum == total, "concurrent_bounded_queue");
  int top = 0;
  expect(priorities.try_pop(top) && top == count - 1, "concurrent_priority_queue");
  tbb::concurrent_hash_map<std::string, int>::const_accessor found;
  expect(hashed.find(found, "17") && found->second == 17, "concurrent_hash_map");
  tbb::flattened2d<decltype(own)> const flat = tbb::flatten2d(own);
  expect(std::accumulate(flat.begin(), flat.end(), 0L) == total, "enumerable_thread_specific");
  expect(parts.combine(std::plus<long>()) == total, "combinable");
  maps<tbb::concurrent_unordered_map<std::string, int>>("concurrent_unordered_map");
  maps<tbb::concurrent_unordered_multimap<std::string, int>>("concurrent_unordered_multimap");
  maps<tbb::concurrent_map<std::string, int>>("concurrent_map");
  maps<tbb::concurrent_multimap<std::string, int>>("concurrent_multimap");
  std::vector<int, tbb::cache_aligned_allocator<int>> aligned(10, 1);
  tbb::memory_pool<tbb::tbb_allocator<int>> pool;
  std::vector<int, tbb::memory_pool_allocator<int>> pooled(10, 1, tbb::memory_pool_allocator<int>(pool));
  expect(aligned.back() + pooled.back() == 2, "allocators");
}

void machine() {
  std::vector<tbb::numa_node_id> const nodes = tbb::info::numa_nodes();
  std::vector<tbb::core_type_id> const types = tbb::info::core_types();
  expect(!nodes.empty() && nodes.size() < 1000 && !types.empty() && types.size() < 1000, "info");
  std::atomic<int> ran{0};
  for (tbb::task_arena& arena : tbb::create_numa_task_arenas()) {
    arena.execute([&] { tbb::parallel_for(0, 10, [&](int) { ++ran; }); });
  }
  expect(ran == 10 * int(nodes.size()), "create_numa_task_arenas");
  tbb::task_arena chosen(tbb::task_arena::constraints(nodes.front()).set_core_type(types.back()));
  chosen.execute([&] { ++ran; });
  void* const memory = tbb::allocate_numa_interleaved(1 << 20, nodes);
  if (nodes.front() >= 0) expect(memory != nullptr, "allocate_numa_interleaved");
  if (memory != nullptr) std::memset(memory, 1, 1 << 20);
  tbb::deallocate_numa_interleaved(memory, 1 << 20);
  expect(tbb::allocate_numa_interleaved(1 << 20, std::vector<tbb::numa_node_id>()) == nullptr, "no nodes");
}

void groups() {
  std::atomic<int> ran{0};
  tbb::task_group group;
  for (int i = 0; i < 100; ++i) group.run([&] { ++ran; });
  group.run(group.defer([&] { ++ran; }));
  expect(group.wait() == tbb::complete && ran == 101, "task_group");
  tbb::task_arena arena(2);
  expect(arena.execute([] { return std::vector<int>(3, 1); }).size() == 3, "task_arena");
#if __cpp_exceptions
  std::string said;
  try {
    tbb::parallel_for(0, 100, [](int i) {
      if (i == 50) throw std::runtime_error("a text that is longer than what a string holds itself");
    });
  } catch (std::exception const& e) {
    said = e.what();
  }
  expect(said.size() == 53, "exceptions of bodies");
  said.clear();
  try {
    tbb::concurrent_vector<int>().at(1);
  } catch (std::out_of_range const& e) {
    said = e.what();
  }
  expect(!said.empty(), "exceptions of the library");
#endif
}

struct provider : tbb::flow::resource_provider_base<int> {
  using resource_handle_type = int;
  void request(consumer_type& by, tbb::flow::request_id id) override { by.notify(*this, id); }
  optional_type acquire(consumer_type&, tbb::flow::request_id) override { return {optional_type::in_place_t{}, 1}; }
  void report_pressure(consumer_type&, std::size_t) override {}
  void release(consumer_type&, tbb::flow::request_id, optional_type&&) override {}
  void withdraw(consumer_type&, tbb::flow::request_id) override {}
};

void graphs() {
  using namespace tbb::flow;
  graph g;
  std::atomic<long> sum{0};
  function_node<int, std::string> text(g, unlimited, [](int i) { return std::to_string(i); });
  priority_queue_node<std::string> ordered(g);
  function_node<std::string> read(g, serial, [&](std::string const& s) { sum += std::atoi(s.c_str()); });
  make_edge(text, ordered);
  make_edge(ordered, read);
  join_node<std::tuple<int, std::string>, tag_matching> both(
      g, [](int i) { return std::size_t(i); }, [](std::string const& s) { return std::size_t(std::atoi(s.c_str())); });
  function_node<std::tuple<int, std::string>> pairs(g, serial, [&](auto const& p) { sum += std::get<0>(p); });
  make_edge(text, input_port<1>(both));
  make_edge(both, pairs);
  provider p, second;
  using limited = resource_limited_node<int, std::tuple<int>>;
  limited node(g, unlimited, std::tie(p, second), [&](int i, limited::output_ports_type&, int&, int&) { sum += i; });
  for (int i = 0; i < count; ++i) {
    text.try_put(i);
    input_port<0>(both).try_put(i);
    node.try_put(i);
  }
  g.wait_for_all();
  expect(sum == 3 * total, "flow graph");
}

}  // namespace

int main() {
  loops();
  containers();
  machine();
  groups();
  graphs();
  return faults == 0 ? 0 : 1;
}
