// SPDX-License-Identifier: Apache-2.0
// Prints what rarer overloads of classic TBB's containers, locks and memory do, a line each, section by section. run.py
// compiles it against ours and TBB 2020 and compares the lines.
#define TBB_SUPPRESS_DEPRECATED_MESSAGES 1
#define TBB_PREVIEW_AGGREGATOR 1
#define TBB_PREVIEW_CONCURRENT_LRU_CACHE 1
#define TBB_PREVIEW_CONCURRENT_ORDERED_CONTAINERS 1
#define TBB_PREVIEW_MEMORY_POOL 1
#include <tbb/aggregator.h>
#include <tbb/concurrent_lru_cache.h>
#include <tbb/memory_pool.h>
#include <tbb/scalable_allocator.h>
#include <tbb/tbb.h>
#include <tbb/compat/condition_variable>

#include "../told.h"

#include <cstdlib>
#include <functional>
#include <list>
#include <numeric>
#include <string>
#include <vector>

namespace {

// E to L: containers.
struct letters {
  static std::size_t hash(std::string const& s) { return s.size(); }
  static bool equal(std::string const& a, std::string const& b) { return a.size() == b.size(); }
};

void maps() {
  using map = tbb::concurrent_hash_map<std::string, int, letters>;
  map m(10);
  map::accessor writes;
  tell("E insert of a key", m.insert(writes, "abc"));
  writes->second = 5;
  tell("E insert of a present pair", m.insert(writes, std::make_pair(std::string("xyz"), 6)) * 10 + writes->second);
  writes.release();
  map::const_accessor reads;
  tell("E find", m.find(reads, "qqq") * 10 + reads->second);
  tell("E erase by a const accessor", m.erase(reads));
  tell("E emptied", m.empty() * 10 + reads.empty());
  tbb::concurrent_hash_map<int, int> numbers;
  for (int i = 0; i < 100; ++i) numbers.insert(std::make_pair(i, i));
  tbb::concurrent_hash_map<int, int> copied(numbers), ranged(numbers.begin(), numbers.end());
  tell("E equal", copied == ranged);
  tell("E hashers", tbb::tbb_hasher(std::make_pair(1, 2)) == tbb::tbb_hasher(std::make_pair(1, 2)));
  static char const array[] = "ab";
  tell("E an array is a pointer", tbb::tbb_hasher(array) == tbb::tbb_hasher(static_cast<char const*>(array)));
  tbb::concurrent_unordered_map<int, int, tbb::tbb_hash<int>> u(32);
  u.insert(std::make_pair(3, 4));
  tell("F at", u.at(3) * 10 + long(u.count(4)));
  tell("F at of a missing key", thrown([&] { u.at(9); }));
  tbb::concurrent_unordered_multiset<int> bag;
  bag.insert(1);
  bag.insert(1);
  tell("F equal keys", std::distance(bag.equal_range(1).first, bag.equal_range(1).second));
  tbb::concurrent_map<int, int> sorted{{3, 30}, {1, 10}};
  tell("G first", sorted.begin()->second + sorted.lower_bound(2)->first);
  tell("G extracted", sorted.unsafe_extract(3).mapped());
}

void sequences() {
  tbb::concurrent_vector<int> v;
  tell("H grow_by", v.grow_by(3) - v.begin());
  tell("H grow_to_at_least less", v.grow_to_at_least(2) - v.begin());
  tell("H grow_to_at_least more", v.grow_to_at_least(9, 4) - v.begin());
  v.grow_by(v.begin(), v.begin() + 2);
  tell("H grown", long(v.size() * 10) + v[8]);
  v.shrink_to_fit();
  tell("H fits", long(v.size()));
  tell("H at", thrown([&] { v.at(11); }));
  tbb::concurrent_bounded_queue<int> q;
  q.set_capacity(2);
  tell("I try_push", q.try_push(1) * 100 + q.try_push(2) * 10 + q.try_push(3));
  int item = 0;
  q.pop(item);
  tell("I pop", item * 100 + q.size() * 10 + q.capacity());
  tbb::tbb_thread waits([&] {
    tell("I abort", thrown([&] {
           tbb::concurrent_bounded_queue<int> none;
           tbb::tbb_thread aborts([&] {
             while (none.size() != -1) tbb::this_tbb_thread::yield();
             none.abort();
           });
           struct joined {
             ~joined() { thread.join(); }
             tbb::tbb_thread& thread;
           } const join{aborts};
           none.pop(item);
         }));
  });
  waits.join();
  tbb::concurrent_queue<std::string> strings;
  strings.push("a");
  strings.emplace(3, 'b');
  tell("I in order", *strings.unsafe_begin() + *++strings.unsafe_begin());
  tbb::concurrent_priority_queue<int> p(10);
  p.push(1);
  p.push(4);
  tell("J", p.try_pop(item) * 10 + item);
  tbb::enumerable_thread_specific<std::vector<int>> e(3, 2);
  tell("K arguments", long(e.local().size()) + e.local()[1]);
  tell("K flattened", long(tbb::flatten2d(e).size()));
  tbb::combinable<int> c([] { return 8; });
  tell("K combinable", c.local() + c.combine(std::plus<int>()));
  tbb::concurrent_lru_cache<int, int> cache([](int k) { return k * 3; }, 2);
  tell("L", cache[5].value());
  tbb::aggregator together;
  int done = 0;
  together.execute([&] { ++done; });
  struct handler {
    void operator()(tbb::aggregator_operation* list) {
      for (; list; ++*handled) {
        tbb::aggregator_operation* const next = list->next();
        list->finish();
        list = next;
      }
    }
    int* handled;
  };
  tbb::aggregator_ext<handler> chosen(handler{&done});
  struct op : tbb::aggregator_operation {
  } one;
  chosen.process(&one);
  tell("L aggregators", done);
}

// M: locks and atomics.
enum colour { red, green };

void locks() {
  tbb::reader_writer_lock rw;
  rw.lock_read();
  tell("M try_lock beside a reader", rw.try_lock() * 10 + rw.try_lock_read());
  rw.unlock();
  rw.unlock();
  rw.lock();
  tell("M lock twice", thrown([&] { rw.lock(); }));
  tell("M lock_read within lock", thrown([&] { rw.lock_read(); }));
  rw.unlock();
  tbb::critical_section section;
  section.lock();
  tell("M lock of a held section", thrown([&] { section.lock(); }));
  section.unlock();
  tbb::recursive_mutex again;
  tbb::recursive_mutex::scoped_lock first(again), second;
  tell("M recursive", second.try_acquire(again));
  tbb::mutex m;
  tbb::interface5::unique_lock<tbb::mutex> lock(m, tbb::interface5::try_to_lock);
  tell("M unique_lock", lock.owns_lock());
  tell("M a second lock of it", thrown([&] { lock.lock(); }));
  tbb::interface5::condition_variable ready;
  tell("M wait_for ends", ready.wait_for(lock, tbb::tick_count::interval_t(0.001)) == tbb::interface5::timeout);
  tell("M wait_for a true condition", ready.wait_for(lock, tbb::tick_count::interval_t(1.0), [] { return true; }));
  tbb::atomic<double> real;
  real = 1.5;
  tell("M atomic double", real.compare_and_swap(2.5, 1.5) == 1.5 && real.fetch_and_store(3.5) == 2.5 && real == 3.5);
  tbb::atomic<colour> c;
  c = red;
  tell("M atomic enum", c.compare_and_swap(green, red) * 10 + c);
  int raw[4] = {1, 2, 3, 4};
  tbb::atomic<int*> p;
  p = raw;
  tell("M atomic pointer", *++p * 1000 + *p++ * 100 + **&p * 10 + *(p -= 1));
  tell("M pointer by 2", p.fetch_and_add(2) - raw);
  tbb::atomic<unsigned char> small = tbb::make_atomic<unsigned char>(255);
  tell("M wraps", int(small.fetch_and_increment()) * 10 + int(small));
  tbb::atomic<long> plain[2];
  plain[0] = plain[1] = 4;
  tell("M chained", plain[0].fetch_and_add<tbb::acquire>(1) * 10 + plain[0].load<tbb::relaxed>());
  tell("M traits", tbb::mutex::is_fair_mutex * 100 + tbb::recursive_mutex::is_recursive_mutex * 10 +
                       tbb::spin_rw_mutex::is_rw_mutex);
}

// O, P: memory.
void memory() {
  std::vector<int, tbb::zero_allocator<int>> zeros(100);
  tell("O zeros", std::accumulate(zeros.begin(), zeros.end(), 0));
  tell("O equal", tbb::zero_allocator<int>() == tbb::zero_allocator<char>());
  tbb::memory_pool<tbb::scalable_allocator<char>> pool;
  std::list<int, tbb::memory_pool_allocator<int>> list{tbb::memory_pool_allocator<int>(pool)};
  list.push_back(4);
  tell("P list", list.front());
  rml::MemPoolPolicy const policy([](std::intptr_t, std::size_t& bytes) { return std::malloc(bytes); },
                                  [](std::intptr_t, void* p, std::size_t) { return std::free(p), 0; }, 0, false, true);
  rml::MemoryPool* made = nullptr;
  tell("P create", rml::pool_create_v1(3, &policy, &made));
  void* const block = rml::pool_malloc(made, 100);
  tell("P identify", rml::pool_identify(block) == made);
  tell("P msize", rml::pool_msize(made, block) >= 100);
  tell("P aligned", long(reinterpret_cast<std::size_t>(rml::pool_aligned_malloc(made, 10, 256)) % 256));
  tell("P reset", rml::pool_reset(made));
  tell("P destroy", rml::pool_destroy(made));
  rml::MemPoolPolicy old(policy);
  old.version = 0;
  tell("P a policy of another version", rml::pool_create_v1(0, &old, &made));
}

}  // namespace

int main() {
  maps();
  sequences();
  locks();
  memory();
}
