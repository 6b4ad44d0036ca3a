// SPDX-License-Identifier: Apache-2.0
// Examples of the reference's pages on containers and on one object for each thread (docs/site/examples.py).
#include <tbb/blocked_range.h>
#include <tbb/combinable.h>
#include <tbb/concurrent_hash_map.h>
#include <tbb/concurrent_lru_cache.h>
#include <tbb/concurrent_map.h>
#include <tbb/concurrent_priority_queue.h>
#include <tbb/concurrent_queue.h>
#include <tbb/concurrent_set.h>
#include <tbb/concurrent_unordered_map.h>
#include <tbb/concurrent_unordered_set.h>
#include <tbb/concurrent_vector.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_clear.h>
#include <tbb/parallel_for.h>
#include <cstdio>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

// Pages: tbb::concurrent_hash_map
bool words() {
  tbb::concurrent_hash_map<std::string, int> counts;
  std::vector<std::string> const text{"the", "cat", "the", "dog", "the"};
  tbb::parallel_for(std::size_t(0), text.size(), [&](std::size_t i) {
    tbb::concurrent_hash_map<std::string, int>::accessor entry;  // locks the element as long as it lives
    counts.insert(entry, text[i]);                               // finds it, or makes one with 0
    ++entry->second;
  });
  tbb::concurrent_hash_map<std::string, int>::const_accessor found;  // readers at once
  return counts.find(found, "the") && found->second == 3;
}

// Pages: tbb::tbb_hash_compare
struct without_case {
  std::size_t hash(std::string const& key) const {
    std::size_t made = 0;
    for (char const c : key) made = 31 * made + std::size_t(c | 32);
    return made;
  }
  bool equal(std::string const& a, std::string const& b) const { return hash(a) == hash(b) && a.size() == b.size(); }
};

bool own_comparison() {
  tbb::concurrent_hash_map<std::string, int, without_case> map;
  map.insert({"Cat", 1});
  return map.count("cAT") == 1;
}

// Pages: tbb::concurrent_unordered_map, tbb::concurrent_map
bool maps() {
  tbb::concurrent_unordered_map<int, int> squares;
  tbb::concurrent_map<int, int> in_order;
  tbb::parallel_for(0, 100, [&](int i) {
    squares[i] = i * i;           // operator[], insert, emplace, find: at once; unsafe_erase: alone
    in_order.emplace(i % 10, i);  // the first of equal keys stays
  });
  return squares.at(9) == 81 && in_order.begin()->first == 0 && in_order.size() == 10;
}

// Pages: tbb::concurrent_unordered_set, tbb::concurrent_set
bool sets() {
  tbb::concurrent_unordered_set<int> seen;
  tbb::concurrent_set<int> in_order;
  tbb::parallel_for(0, 100, [&](int i) {
    if (seen.insert(i % 10).second) in_order.insert(i % 10);  // the thread that was first
  });
  return seen.size() == 10 && *in_order.begin() == 0 && in_order.contains(9);
}

// Pages: tbb::concurrent_unordered_multimap, tbb::concurrent_multimap
bool several_of_a_key() {
  tbb::concurrent_unordered_multimap<int, int> by_digit;
  tbb::concurrent_multimap<int, int> in_order;
  tbb::parallel_for(0, 100, [&](int i) {
    by_digit.emplace(i % 10, i);
    in_order.emplace(i % 10, i);
  });
  int sum = 0;
  for (auto [first, last] = by_digit.equal_range(7); first != last; ++first) sum += first->second;
  return sum == 520 && in_order.count(7) == 10;
}

// Pages: tbb::concurrent_unordered_multiset, tbb::concurrent_multiset
bool several_of_a_value() {
  tbb::concurrent_unordered_multiset<int> digits;
  tbb::concurrent_multiset<int> in_order;
  tbb::parallel_for(0, 100, [&](int i) {
    digits.insert(i % 10);
    in_order.insert(i % 10);
  });
  return digits.count(3) == 10 && in_order.count(3) == 10;
}

// Pages: tbb::concurrent_vector
bool growing() {
  tbb::concurrent_vector<int> found;
  tbb::parallel_for(0, 1000, [&](int i) {
    if (i % 7 == 0) found.push_back(i);  // elements never move: references stay valid
  });
  auto const first = found.grow_by(10, -1);  // ten at once; an iterator to the first
  return found.size() == 153 && *first == -1;
}

// Pages: tbb::concurrent_queue
bool queue() {
  tbb::concurrent_queue<int> queue;
  tbb::parallel_for(0, 100, [&](int i) { queue.push(i); });
  int sum = 0;
  for (int item; queue.try_pop(item);) sum += item;
  return sum == 4950;
}

// Pages: tbb::concurrent_bounded_queue
bool bounded_queue() {
  tbb::concurrent_bounded_queue<int> queue;
  queue.set_capacity(4);  // push waits for room
  std::thread producer([&] {
    for (int i = 1; i <= 100; ++i) queue.push(i);
    queue.push(0);
  });
  int sum = 0, item = 0;
  do {
    queue.pop(item);  // waits for an item
    sum += item;
  } while (item != 0);
  producer.join();
  return sum == 5050;
}

// Pages: tbb::concurrent_priority_queue
bool highest_first() {
  tbb::concurrent_priority_queue<int> queue;
  tbb::parallel_for(0, 100, [&](int i) { queue.push(i); });
  int highest = 0;
  return queue.try_pop(highest) && highest == 99;
}

// Pages: tbb::stable_order
struct job {
  int priority, number;
};

struct less_urgent {
  bool operator()(job const& a, job const& b) const { return a.priority < b.priority; }
};

bool equal_ones_in_order() {
  tbb::concurrent_priority_queue<job, tbb::stable_order<less_urgent>> queue;
  for (int i = 0; i < 10; ++i) queue.push({1, i});
  job first{};
  return queue.try_pop(first) && first.number == 0;
}

// Pages: tbb::concurrent_lru_cache
int length(int key) { return int(std::to_string(key).size()); }

bool cache() {
  tbb::concurrent_lru_cache<int, int> lengths(&length, 100);  // keeps 100 values that nobody uses
  auto handle = lengths[12345];  // made by the first who asks; in use as long as the handle lives
  return handle.value() == 5;
}

// Pages: tbb::enumerable_thread_specific
bool one_for_each_thread() {
  tbb::enumerable_thread_specific<std::vector<int>> own;
  tbb::parallel_for(0, 1000, [&](int i) { own.local().push_back(i); });  // no lock
  std::size_t all = 0;
  for (std::vector<int> const& part : own) all += part.size();
  return all == 1000;
}

// Pages: tbb::ets_key_usage_type
bool a_key_of_the_system() {
  // A key of the system's makes local() a little faster; there are some thousand of them.
  tbb::enumerable_thread_specific<int, tbb::cache_aligned_allocator<int>, tbb::ets_key_per_instance> own(0);
  tbb::parallel_for(0, 1000, [&](int) { ++own.local(); });
  return own.combine(std::plus<>()) == 1000;
}

// Pages: tbb::combinable
bool sums_of_threads() {
  tbb::combinable<long> sums([] { return 0L; });
  tbb::parallel_for(0, 1000, [&](int i) { sums.local() += i; });
  return sums.combine(std::plus<>()) == 499500;
}

// Pages: tbb::flattened2d, tbb::flatten2d
bool all_elements() {
  using vectors = tbb::enumerable_thread_specific<std::vector<int>>;
  vectors own;
  tbb::parallel_for(0, 1000, [&](int i) { own.local().push_back(i); });
  long sum = 0;
  for (int const value : tbb::flatten2d(own)) sum += value;  // as if there were one vector
  return sum == 499500;
}

// Pages: tbb::parallel_clear
bool cleared() {
  tbb::concurrent_hash_map<int, std::string> map;
  for (int i = 0; i < 10000; ++i) map.insert({i, std::to_string(i)});
  tbb::parallel_clear(map);  // several threads free the elements
  return map.empty();
}

}  // namespace

int main() {
  bool const right = words() && own_comparison() && maps() && sets() && several_of_a_key() && several_of_a_value() &&
                     growing() && queue() && bounded_queue() && highest_first() && equal_ones_in_order() && cache() &&
                     one_for_each_thread() && a_key_of_the_system() && sums_of_threads() && all_elements() && cleared();
  std::printf("%s\n", right ? "right" : "wrong");
  return right ? 0 : 1;
}
