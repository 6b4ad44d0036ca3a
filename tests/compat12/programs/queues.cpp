// SPDX-License-Identifier: Apache-2.0
// Containers whose members call the library: bounded queues in particular.
#include "client.h"

#include <tbb/tbb.h>

using namespace tbb;

struct fussy {
  int value = 0;
  fussy() = default;
  explicit fussy(int v) : value(v) {
    if (v == 13) throw std::runtime_error("thirteen");
  }
};

int main() {
  concurrent_bounded_queue<int> q;
  q.set_capacity(8);
  std::atomic<long> sum{0}, popped{0};
  threads(6, [&](int t) {
    for (int i = 0; i < 4000; ++i) {
      if (t < 3) {
        q.push(i);
      } else {
        int v;
        q.pop(v);
        sum += v;
        ++popped;
      }
    }
  });
  line("sum", sum);
  line("popped", popped);
  line("empty", q.empty());
  for (int i = 0; i < 8; ++i) line("try_push", q.try_push(i));
  line("full", q.try_push(9));
  // Threads that wait long enough to sleep are woken in time.
  std::thread late([&] {
    for (int i = 0; i < 3; ++i) q.push(100 + i);
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  line("size", static_cast<long>(q.size()) >= 8);
  int v = 0;
  for (int i = 0; i < 11; ++i) q.pop(v);
  late.join();
  line("last", v);
  std::atomic<long> aborted{0};
  std::thread waiting[3];
  for (auto& w : waiting) {
    w = std::thread([&] {
      try {
        int x;
        q.pop(x);
      } catch (user_abort const&) {
        ++aborted;
      }
    });
  }
  // Again, for a thread that comes to the queue after the first time.
  while (aborted != 3) {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    q.abort();
  }
  for (auto& w : waiting) w.join();
  line("aborted", aborted);
  q.push(1);
  q.pop(v);
  line("after abort", v);
  // A push that throws leaves a hole, whose ticket nobody announces.
  concurrent_bounded_queue<fussy> holes;
  std::atomic<long> got{0};
  std::thread consumer([&] {
    for (int i = 0; i < 3; ++i) {
      fussy f;
      holes.pop(f);
      got += f.value;
    }
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  for (int i : {1, 13, 2, 13, 3}) thrown([&] { holes.emplace(i); });
  consumer.join();
  line("past holes", got);
  concurrent_bounded_queue<int> copy(q);
  line("copy", copy.empty());
  line("at", thrown([] { concurrent_vector<int>(3).at(7); }) != std::string("nothing"));
  line("reserve", thrown([] { concurrent_vector<char>().reserve(~std::size_t{0}); }) != std::string("nothing"));
  line("load factor",
       thrown([] { concurrent_unordered_map<int, int>().max_load_factor(-1); }) != std::string("nothing"));
  line("key", thrown([] { concurrent_unordered_map<int, int>().at(1); }) != std::string("nothing"));
  concurrent_hash_map<int, int> map;
  parallel_for(0, 10000, [&](int i) {
    concurrent_hash_map<int, int>::accessor a;
    map.insert(a, i % 500);
    ++a->second;
  });
  line("map", static_cast<long>(map.size()));
  enumerable_thread_specific<long> mine(0);
  parallel_for(0, 10000, [&](int) { ++mine.local(); });
  line("ets", mine.combine([](long a, long b) { return a + b; }));
  concurrent_vector<int> grown;
  parallel_for(0, 10000, [&](int i) { grown.push_back(i); });
  line("vector", static_cast<long>(grown.size()));
  concurrent_priority_queue<int> p;
  parallel_for(0, 1000, [&](int i) { p.push(i); });
  p.try_pop(v);
  line("priority", v);
}
