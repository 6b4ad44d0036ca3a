// SPDX-License-Identifier: Apache-2.0
// The shapes in which threads share a construct: who makes and who ends what another has made. What lives stays nearly
// the same: each way between two threads is at least half full until the makers stop, and one for few and large objects
// nearly full.
#pragma once

#include "meter.h"

#include <algorithm>
#include <barrier>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace growth {

enum class shape { one_to_one, one_to_many, many_to_one, ring };
constexpr shape all_shapes[] = {shape::one_to_one, shape::one_to_many, shape::many_to_one, shape::ring};
constexpr char const* shape_names[] = {"one_to_one", "one_to_many", "many_to_one", "ring"};
constexpr unsigned many = 3;

inline unsigned makers(shape s) { return s == shape::many_to_one || s == shape::ring ? many : 1; }
inline unsigned enders(shape s) { return s == shape::one_to_many || s == shape::ring ? many : 1; }

struct run {
  shape form;
  meter& m;
};

/// A construct: what a case does in each shape, and how many operations show whether it grows.
struct construct {
  std::string name;
  long operations;
  std::function<void(run&)> body;
};
using table = std::vector<construct>;

using item = std::uintptr_t;

/// From one thread to another.
class channel {
 public:
  explicit channel(long room) : ring_(static_cast<std::size_t>(room)) {}
  bool has_room() const {
    return made_.load(std::memory_order_relaxed) - ended_.load(std::memory_order_acquire) < size();
  }
  void push(item x) {
    long const at = made_.load(std::memory_order_relaxed);
    ring_[static_cast<std::size_t>(at % size())] = x;
    made_.store(at + 1, std::memory_order_release);
  }
  bool has_enough() const {
    bool const closed = closed_.load(std::memory_order_acquire);
    long const here = made_.load(std::memory_order_acquire) - ended_.load(std::memory_order_relaxed);
    return here > (closed ? 0 : size() < 16 ? size() * 7 / 8 : size() / 2);
  }
  item pop() {
    long const at = ended_.load(std::memory_order_relaxed);
    item const x = ring_[static_cast<std::size_t>(at % size())];
    ended_.store(at + 1, std::memory_order_release);
    return x;
  }
  void close() { closed_.store(true, std::memory_order_release); }
  bool over() const { return closed_.load(std::memory_order_acquire) && !has_enough(); }

 private:
  long size() const { return static_cast<long>(ring_.size()); }

  std::vector<item> ring_;
  alignas(64) std::atomic<long> made_{0};
  alignas(64) std::atomic<long> ended_{0};
  std::atomic<bool> closed_{false};
};

/// One thread of exchange().
struct trader {
  std::vector<channel*> out;
  std::vector<channel*> in;

  /// make(i) makes the i-th object of all, for `first`, `first + step`, ...
  template <typename Make, typename End>
  void work(meter& m, long first, long step, Make const& make, End const& end) {
    pace p(m);
    std::size_t next = 0;
    bool going = !out.empty();
    while (true) {
      bool moved = false;
      if (going && out[next]->has_room()) {
        moved = true;
        if (p.step()) {
          out[next]->push(make(first));
          first += step;
          next = (next + 1) % out.size();
        } else {
          for (channel* c : out) c->close();
          going = false;
        }
      }
      bool all_over = true;
      for (channel* c : in) {
        if (c->has_enough()) {
          end(c->pop());
          moved = true;
        }
        all_over = all_over && c->over();
      }
      if (!going && all_over) return;
      if (!moved) std::this_thread::yield();
    }
  }
};

/// Threads make objects, about `live` of which are there at any time, and others end them.
template <typename Make, typename End>
void exchange(run& r, long live, Make const& make, End const& end) {
  unsigned const from = makers(r.form);
  unsigned const to = enders(r.form);
  bool const ring = r.form == shape::ring;
  unsigned const ways = ring ? many : from * to;
  std::vector<std::unique_ptr<channel>> channels;
  std::vector<trader> traders(ring ? many : from + to);
  for (unsigned w = 0; w < ways; ++w) {
    channels.push_back(std::make_unique<channel>(std::max(2L, live / static_cast<long>(ways))));
    traders[ring ? w : w / to].out.push_back(channels.back().get());
    traders[ring ? (w + 1) % many : from + w % to].in.push_back(channels.back().get());
  }
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < traders.size(); ++t) {
    threads.emplace_back([&, t] { traders[t].work(r.m, static_cast<long>(t), static_cast<long>(from), make, end); });
  }
  for (std::thread& t : threads) t.join();
}

/// As exchange(), of heap objects: make(i) returns a pointer, end(p) is followed by its delete.
template <typename Make, typename End>
void exchange_objects(run& r, long live, Make const& make, End const& end) {
  using object = decltype(make(0L));
  exchange(
      r, live, [&](long i) { return reinterpret_cast<item>(make(i)); },
      [&](item x) {
        object const p = reinterpret_cast<object>(x);
        end(*p);
        delete p;
      });
}

/// For containers that nobody may erase from at the same time: in each phase the makers call make(i) for `live` values
/// of i together, then one of the enders calls end(first, last).
template <typename Make, typename End>
void phases(run& r, long live, Make const& make, End const& end) {
  unsigned const from = makers(r.form);
  unsigned const to = enders(r.form);
  bool const ring = r.form == shape::ring;
  unsigned const threads = ring ? many : from + to;
  bool stop = false;
  std::barrier barrier(threads, [&]() noexcept { stop = r.m.over(); });
  auto const work = [&](unsigned t) {
    pace p(r.m);
    for (long phase = 0;; ++phase) {
      long const first = phase * live;
      if (t < from) {
        for (long i = first + t; i < first + live; i += from) {
          p.step();
          make(i);
        }
      }
      barrier.arrive_and_wait();
      if (t == (ring ? 0 : from) + static_cast<unsigned>(phase % to)) end(first, first + live);
      barrier.arrive_and_wait();
      if (stop) return;
    }
  };
  std::vector<std::thread> started;
  for (unsigned t = 0; t < threads; ++t) started.emplace_back(work, t);
  for (std::thread& t : started) t.join();
}

/// f(0), f(1), ... each in a thread of its own that begins the next; this thread joins them in their order.
template <typename F>
void chain_of_threads(run& r, F const& f) {
  std::mutex lock;
  std::atomic<std::thread*> heir{nullptr};
  std::function<void(long)> const link = [&](long i) {
    f(i);
    if (!r.m.count(1)) return;
    // The thread that began this one holds the lock until this one's handle is there.
    std::lock_guard const guard(lock);
    while (heir.load(std::memory_order_acquire) != nullptr) std::this_thread::yield();
    heir.store(new std::thread(link, i + 1), std::memory_order_release);
  };
  for (std::unique_ptr<std::thread> t(new std::thread(link, 0)); t;
       t.reset(heir.exchange(nullptr, std::memory_order_acq_rel))) {
    t->join();
  }
}

/// Calls f(i) in threads that begin and end: one after another, several at once, begun by several, each by the one
/// before.
template <typename F>
void short_threads(run& r, F const& f) {
  if (r.form == shape::ring) return chain_of_threads(r, f);
  auto const begin_all = [&](long first, long step) {
    pace p(r.m);
    for (long i = first;; i += step) {
      std::vector<std::thread> threads;
      for (unsigned t = 0; t < enders(r.form); ++t) {
        if (!p.step()) break;
        threads.emplace_back([&f, i, t] { f(i * many + t); });
      }
      bool const over = threads.size() < enders(r.form);
      for (std::thread& t : threads) t.join();
      if (over) return;
    }
  };
  std::vector<std::thread> starters;
  for (unsigned s = 0; s < makers(r.form); ++s) starters.emplace_back(begin_all, s, makers(r.form));
  for (std::thread& t : starters) t.join();
}

}  // namespace growth
