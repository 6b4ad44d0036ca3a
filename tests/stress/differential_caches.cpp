// SPDX-License-Identifier: Apache-2.0
// concurrent_lru_cache beside a list in the order of use, and enumerable_thread_specific beside what its threads know
// of their elements, over random operations. ASHLAR_TEST_OPERATIONS is the number of operations on each container.
#define TBB_PREVIEW_CONCURRENT_LRU_CACHE 1
#include <tbb/concurrent_lru_cache.h>
#include <tbb/enumerable_thread_specific.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <list>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "differential.h"

namespace {

using text = std::string;
text make_text(unsigned n) { return "a text that no short string holds " + std::to_string(n); }

std::atomic<long> made{0}, alive{0};
// Knows its key, and which one of all values it is.
struct value {
  explicit value(text k) : key((may_throw(), std::move(k))), number(++made) { ++alive; }
  value(value&& other) noexcept : key(std::move(other.key)), number(other.number) { ++alive; }
  ~value() { --alive; }
  text key;
  long number;
};
value make_value(text key) { return value(std::move(key)); }  // NOLINT: the cache's type of function

using cache = tbb::concurrent_lru_cache<text, value>;

// What a cache has: the values in use, and the unused ones, least recently used first.
class cache_beside_list {
 public:
  explicit cache_beside_list(std::size_t history) : history_(history), cache_(make_value, history) {}

  void step(dice& random) {
    if (!held_.empty() && random(5) < 2) {
      auto const gone = held_.begin() + static_cast<std::ptrdiff_t>(random(static_cast<unsigned>(held_.size())));
      text const key = gone->value().key;
      *gone = std::move(held_.back());  // where they are the same, the handle stays as it is
      held_.pop_back();
      released(key);
    } else if (held_.size() < 12) {
      text const key = make_text(random(40));
      fuse = random(8) == 0 ? 0 : -1;
      long const before = made;
      bool const there = known_.count(key) != 0;
      try {
        cache::handle h = cache_[key];
        fuse = -1;
        REQUIRE((made != before) == !there);
        entry& e = known_[key];
        if (!there) e.number = made;
        REQUIRE((h.value().key == key && h.value().number == e.number));
        if (there && e.users == 0) unused_.remove(key);
        ++e.users;
        held_.push_back(std::move(h));
      } catch (std::runtime_error&) {
        REQUIRE(!there);
      }
      fuse = -1;
    }
    REQUIRE(alive == static_cast<long>(known_.size()));
  }

 private:
  struct entry {
    long number = 0;
    int users = 0;
  };
  void released(text const& key) {
    if (--known_[key].users != 0) return;
    unused_.push_back(key);
    if (unused_.size() <= history_) return;
    known_.erase(unused_.front());
    unused_.pop_front();
  }

  std::size_t const history_;
  cache cache_;
  std::map<text, entry> known_;
  std::list<text> unused_;
  std::vector<cache::handle> held_;
};

template <typename Container>
class elements_beside_threads {
 public:
  void run(long rounds) {
    std::barrier all(9);
    std::thread owner([&] {
      dice random{17};
      for (long r = 0; r < rounds; ++r) {
        all.arrive_and_wait();  // they work
        all.arrive_and_wait();
        check();
        change(random);
      }
    });
    run_eight([&](unsigned t) {
      dice random{t + 1};
      for (long r = 0; r < rounds; ++r) {
        all.arrive_and_wait();
        bool const comes = random(4) != 0;
        for (int i = 0; comes && i < each; ++i) use(t, random);
        all.arrive_and_wait();
      }
    });
    owner.join();
    CHECK(errors_ == 0);
  }
  static constexpr int each = 100;

 private:
  struct known {
    bool there = false;
    text content;
  };
  void use(unsigned t, dice& random) {
    known& k = known_[t];
    bool exists = false;
    text& mine = random(2) ? mine_.local(exists) : (exists = k.there, mine_.local());
    errors_ += exists != k.there;
    if (!k.there) k = {true, first()};
    errors_ += mine != k.content || (&mine != &mine_.local());
    if (k.content.size() > 60) mine.clear(), k.content.clear();
    char const c = static_cast<char>('a' + random(26));
    mine += c;
    k.content += c;
  }
  static text first() { return "what each thread begins with"; }

  void check() {
    std::vector<text> expected, found, combined, by_range;
    for (known const& k : known_) {
      if (k.there) expected.push_back(k.content);
    }
    std::sort(expected.begin(), expected.end());
    REQUIRE(mine_.size() == expected.size());
    REQUIRE(mine_.empty() == expected.empty());
    for (text const& s : mine_) found.push_back(s);
    mine_.combine_each([&](text const& s) { combined.push_back(s); });
    auto const range = mine_.range();
    for (text const& s : range) by_range.push_back(s);
    for (auto* const list : {&found, &combined, &by_range}) {
      std::sort(list->begin(), list->end());
      REQUIRE(*list == expected);
    }
    std::size_t characters = 0;
    for (text const& s : expected) characters += s.size();
    text const sum = mine_.combine([](text const& a, text const& b) { return a + b; });
    REQUIRE(sum.size() == (expected.empty() ? first().size() : characters));
  }
  void change(dice& random) {
    switch (random(8)) {
      case 0:
        mine_.clear();
        for (known& k : known_) k = {};
        break;
      case 1: {
        Container copy(mine_);  // has the same threads' elements
        mine_.clear();
        mine_.swap(copy);
        break;
      }
      case 2: {
        Container moved(std::move(mine_));
        mine_ = std::move(moved);
        break;
      }
      case 3: {
        Container assigned(first());
        assigned = mine_;
        mine_ = assigned;
        break;
      }
      default:
        break;
    }
    check();
  }

  Container mine_{first()};
  known known_[8];
  std::atomic<long> errors_{0};
};

template <tbb::ets_key_usage_type Key>
using keyed = tbb::enumerable_thread_specific<text, tbb::cache_aligned_allocator<text>, Key>;
using usual = keyed<tbb::ets_no_key>;
using per_instance = keyed<tbb::ets_key_per_instance>;
using suspend_aware = keyed<tbb::ets_suspend_aware>;

}  // namespace

TEST_CASE("a cache beside a list in the order of use") {
  long const runs = operations() / 20000 + 1;
  dice random{31};
  for (long run = 0; run < runs; ++run) {
    {
      cache_beside_list c(random(12));
      for (long i = 0; i < operations() / runs; ++i) c.step(random);
    }
    REQUIRE(alive == 0);
  }
}

TEST_CASE("a cache gives all threads that hold a key's value the same one") {
  {
    constexpr unsigned keys = 30;
    cache c(make_value, 5);
    std::atomic<long> errors{0};
    std::mutex lock;
    struct {
      long number = 0;
      int holders = 0;
    } shared[keys];
    auto const joins = [&](unsigned key, long number) {
      std::lock_guard const guard(lock);
      errors += shared[key].holders++ != 0 && shared[key].number != number;
      shared[key].number = number;
    };
    auto const leaves = [&](unsigned key) {
      std::lock_guard const guard(lock);
      --shared[key].holders;
    };
    run_eight([&](unsigned t) {
      dice random{t + 99};
      std::vector<std::pair<unsigned, cache::handle>> held;
      for (long i = 0, steps = operations() / 8; i < steps; ++i) {
        unsigned const key = random(keys);
        fuse = random(16) == 0 ? 0 : -1;
        try {
          cache::handle h = c[make_text(key)];
          errors += h.value().key != make_text(key);
          joins(key, h.value().number);
          held.emplace_back(key, std::move(h));
        } catch (std::runtime_error&) {
        }
        fuse = -1;
        while (held.size() > 3 || (!held.empty() && random(3) == 0)) {
          leaves(held.front().first);
          held.erase(held.begin());
        }
      }
      for (auto& [key, h] : held) leaves(key);
    });
    CHECK(errors == 0);
    CHECK(alive == 5);
  }
  CHECK(alive == 0);
}

TEST_CASE_TEMPLATE("thread-local elements beside what their threads know", Container, usual, per_instance,
                   suspend_aware) {
  elements_beside_threads<Container>().run(operations() / (8 * elements_beside_threads<Container>::each) + 1);
}
