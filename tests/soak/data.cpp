// SPDX-License-Identifier: Apache-2.0
// Containers, memory and locks in a random program: what goes in comes out, once.
#include "program.h"

#include <tbb/collaborative_call_once.h>
#include <tbb/combinable.h>
#include <tbb/concurrent_hash_map.h>
#include <tbb/concurrent_map.h>
#include <tbb/concurrent_priority_queue.h>
#include <tbb/concurrent_queue.h>
#include <tbb/concurrent_unordered_map.h>
#include <tbb/concurrent_vector.h>
#include <tbb/parallel_for.h>
#include <tbb/queuing_mutex.h>
#include <tbb/scalable_allocator.h>
#include <tbb/spin_mutex.h>
#include <tbb/spin_rw_mutex.h>

#include <cstring>
#include <functional>

namespace soak {

namespace {

// All elements 0 to n - 1 go in, by `add`; `take_out` finds each once.
template <typename Add, typename Get>
void fill_and_drain(step const& s, place const& where, Add const& add, Get const& get) {
  marks in(where.book, s.n);
  tbb::parallel_for(0, s.n, [&](int i) {
    in.hit(i);
    add(i);
  });
  in.settle(where.fragile);
  if (where.fragile) return;
  marks out(where.book, s.n);
  tbb::task_group_context whole(tbb::task_group_context::isolated);
  tbb::parallel_for(0, s.n, [&](int i) { out.hit(get(i)); }, whole);
  out.settle(false);
}

void queues(step const& s, place const& where) {
  auto const drain = [&](auto& q) {
    return [&](int) {
      int v = 0;
      if (!q.try_pop(v)) where.book.fail("queue: empty too soon");
      return v;
    };
  };
  if (s.b % 3 == 0) {
    tbb::concurrent_queue<int> q;
    fill_and_drain(s, where, [&](int i) { q.push(i); }, drain(q));
  } else if (s.b % 3 == 1) {
    tbb::concurrent_bounded_queue<int> q;
    fill_and_drain(s, where, [&](int i) { q.push(i); }, drain(q));
  } else {
    tbb::concurrent_priority_queue<int> q;
    fill_and_drain(s, where, [&](int i) { q.push(i); }, drain(q));
  }
}

void maps(step const& s, place const& where) {
  if (s.b % 3 == 0) {
    using map = tbb::concurrent_hash_map<int, int>;
    map m;
    fill_and_drain(
        s, where, [&](int i) { m.insert({i, i}); },
        [&](int i) {
          typename map::accessor found;
          if (!m.find(found, i)) return 0;
          int const v = found->second;
          m.erase(found);
          return v;
        });
    if (!where.fragile) where.book.expect(m.empty(), "hash map: not empty");
  } else if (s.b % 3 == 1) {
    tbb::concurrent_unordered_map<int, int> m;
    fill_and_drain(s, where, [&](int i) { m.emplace(i, i); }, [&](int i) { return m.at(i); });
  } else {
    tbb::concurrent_map<int, int> m;
    fill_and_drain(s, where, [&](int i) { m.emplace(i, i); }, [&](int i) { return m.at(i); });
  }
}

void vectors(step const& s, place const& where) {
  tbb::concurrent_vector<int> v;
  fill_and_drain(s, where, [&](int i) { v.push_back(i); }, [&](int i) { return v[static_cast<std::size_t>(i)]; });
  tbb::combinable<long> sums;
  tbb::parallel_for(0, s.n, [&](int) { ++sums.local(); });
  if (!where.fragile) where.book.expect(sums.combine(std::plus<>()) == s.n, "combinable: the sum is wrong");
}

void memory(step const& s, place const& where) {
  std::vector<unsigned char*> blocks(static_cast<std::size_t>(s.n));
  auto const size = [&](int i) { return static_cast<std::size_t>(1 + (i * 37 + s.a) % (s.b % 2 == 0 ? 300 : 20000)); };
  tbb::parallel_for(0, s.n, [&](int i) {
    auto* const p = static_cast<unsigned char*>(scalable_malloc(size(i)));
    if (p != nullptr) std::memset(p, i & 0xff, size(i));
    blocks[static_cast<std::size_t>(i)] = p;
  });
  tbb::task_group_context whole(tbb::task_group_context::isolated);
  tbb::parallel_for(
      0, s.n,
      [&](int i) {
        unsigned char* const p = blocks[static_cast<std::size_t>(i)];
        if (p == nullptr) return;
        if (p[0] != (i & 0xff) || p[size(i) - 1] != (i & 0xff)) where.book.fail("memory: overwritten");
        scalable_free(p);
      },
      whole);
}

template <typename Mutex>
void count_under(step const& s, place const& where) {
  Mutex mutex;
  long count = 0;
  tbb::parallel_for(0, s.n, [&](int) {
    typename Mutex::scoped_lock const hold(mutex);
    ++count;
  });
  if (!where.fragile) where.book.expect(count == s.n, "lock: two at the same time");
}

void locks(step const& s, place const& where) {
  switch (s.b % 3) {
    case 0:
      return count_under<tbb::spin_mutex>(s, where);
    case 1:
      return count_under<tbb::queuing_mutex>(s, where);
    default:
      return count_under<tbb::spin_rw_mutex>(s, where);
  }
}

void once(step const& s, place const& where) {
  tbb::collaborative_once_flag flag;
  std::atomic<int> calls{0};
  tbb::parallel_for(0, s.n, [&](int) {
    tbb::collaborative_call_once(flag, [&] {
      take(s.body, where);
      ++calls;
    });
    if (calls == 0) where.book.fail("call_once: went on too soon");
  });
  where.book.expect(calls <= 1, "call_once: called twice");
}

}  // namespace

void add_data(std::map<std::string, action, std::less<>>& table) {
  table.insert(
      {{"queues", queues}, {"maps", maps}, {"vectors", vectors}, {"memory", memory}, {"locks", locks}, {"once", once}});
}

}  // namespace soak
