// SPDX-License-Identifier: Apache-2.0
// concurrent_queue and concurrent_bounded_queue beside a standard deque, over random operations, and what eight threads
// put in beside what they take out. ASHLAR_TEST_OPERATIONS is the number of operations on each container.
#include <tbb/concurrent_queue.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "differential.h"

namespace {

// Its copies may throw, and moved-from ones are empty.
struct word {
  word() = default;
  explicit word(unsigned n) : text("a text that no short string holds " + std::to_string(n)) {}
  word(word const& other) : text((may_throw(), other.text)) {}
  word(word&&) = default;
  word& operator=(word const&) = default;
  word& operator=(word&&) = default;
  friend bool operator==(word const& a, word const& b) { return a.text == b.text; }
  friend bool operator!=(word const& a, word const& b) { return a.text != b.text; }
  std::string text;
};

using unbounded = tbb::concurrent_queue<word, memory<word>>;
using bounded = tbb::concurrent_bounded_queue<word, memory<word>>;
template <typename Queue>
constexpr bool is_bounded = std::is_same_v<Queue, bounded>;

template <typename Queue>
std::size_t size_of(Queue const& q) {
  if constexpr (is_bounded<Queue>) {
    return static_cast<std::size_t>(q.size());
  } else {
    return q.unsafe_size();
  }
}

template <typename Queue>
class differences {
 public:
  void run(long steps) {
    for (long i = 0; i < steps; ++i) {
      side& s = sides_[random_(2)];
      word const w(random_(1000));
      unsigned const way = random_(128);
      fuse = random_(16) == 0 ? static_cast<long>(random_(6)) : -1;
      try {
        way < 62 ? put(s, w, way % 4) : way < 122 ? take(s) : change(s, way - 122);
        fuse = -1;
      } catch (std::runtime_error&) {
        fuse = -1;
        check(s);
      }
      REQUIRE(size_of(s.mine) == s.expected.size());
      REQUIRE(s.mine.empty() == s.expected.empty());
      if (i % 256 == 0) check(s);
    }
  }

 private:
  struct side {
    Queue mine;
    std::deque<word> expected;
    std::size_t capacity;
  };

  void check(side& s) {
    REQUIRE(std::equal(s.mine.unsafe_begin(), s.mine.unsafe_end(), s.expected.begin(), s.expected.end()));
  }
  void put(side& s, word const& w, unsigned way) {
    bool const room = !is_bounded<Queue> || s.expected.size() < s.capacity;
    if constexpr (is_bounded<Queue>) {
      if (way == 3 || !room) {
        bool const put = w.text.back() % 2 ? s.mine.try_push(w) : s.mine.try_emplace(w);
        if (put) note(s, w);
        REQUIRE(put == room);
        return;
      }
    }
    if (way == 0) {
      s.mine.push(w);
    } else if (way == 1) {
      s.mine.push(word(w));
    } else {
      s.mine.emplace(w);
    }
    note(s, w);
  }
  static void note(side& s, word const& w) {
    fuse = -1;
    s.expected.push_back(w);
  }
  void take(side& s) {
    word out;
    if constexpr (is_bounded<Queue>) {
      if (!s.expected.empty() && random_(2)) {
        s.mine.pop(out);
      } else {
        REQUIRE(s.mine.try_pop(out) == !s.expected.empty());
      }
    } else {
      REQUIRE(s.mine.try_pop(out) == !s.expected.empty());
    }
    if (s.expected.empty()) return;
    REQUIRE(out == s.expected.front());
    s.expected.pop_front();
  }
  void change(side& s, unsigned way) {
    side& other = &s == &sides_[0] ? sides_[1] : sides_[0];
    memory<word> const where(static_cast<int>(random_(2)));
    switch (way) {
      case 0: {
        Queue const copy(s.mine, where);
        fuse = -1;
        REQUIRE(std::equal(copy.unsafe_begin(), copy.unsafe_end(), s.expected.begin(), s.expected.end()));
        break;
      }
      case 1:
        s.mine = other.mine;
        fuse = -1;
        s.expected = other.expected;
        s.capacity = other.capacity;
        break;
      case 2: {
        fuse = -1;
        Queue moved(std::move(s.mine), where);
        REQUIRE(s.mine.empty());
        s.mine = std::move(moved);
        break;
      }
      case 3:
        if (s.mine.get_allocator() != other.mine.get_allocator()) break;
        s.mine.swap(other.mine);
        std::swap(s.expected, other.expected);
        std::swap(s.capacity, other.capacity);
        break;
      case 4: {
        std::size_t const kept = std::min(s.expected.size(), std::size_t{20});
        std::vector<word> some;
        {
          long const then = std::exchange(fuse, -1);
          some.assign(s.expected.begin(), s.expected.begin() + static_cast<std::ptrdiff_t>(kept));
          fuse = then;
        }
        s.mine.assign(some.begin(), some.end());
        fuse = -1;
        s.expected.assign(some.begin(), some.end());
        break;
      }
      default:
        fuse = -1;
        if (random_(8) == 0) {
          s.mine.clear();
          s.expected.clear();
        }
        if constexpr (is_bounded<Queue>) {
          s.capacity = random_(200);
          s.mine.set_capacity(static_cast<std::ptrdiff_t>(s.capacity));
          REQUIRE(static_cast<std::size_t>(s.mine.capacity()) == s.capacity);
        }
    }
    check(s);
  }

  dice random_{2024};
  side sides_[2] = {{Queue(memory<word>(0)), {}, ~std::size_t{0}}, {Queue(memory<word>(1)), {}, ~std::size_t{0}}};
};

struct ticket {
  unsigned thread, number;
};

// Each thread puts in `each` tickets and takes out as many, in turns that are its own; some come to rest and are taken
// by others.
template <typename Queue>
void eight_threads(Queue& q, unsigned each) {
  std::vector<std::vector<ticket>> taken(8);
  std::atomic<unsigned> left{8 * each};
  run_eight([&](unsigned t) {
    dice random{t * 77 + each};
    unsigned next = 0;
    // With nothing to put in, a thread goes on until all tickets are taken. A bounded queue is full now and then, and a
    // thread that finds it so takes one.
    while (left != 0) {
      ticket out{};
      bool const puts = next != each && random(2);
      if constexpr (std::is_same_v<Queue, tbb::concurrent_bounded_queue<ticket>>) {
        if (puts && q.try_push({t, next})) {
          ++next;
          continue;
        }
      } else if (puts) {
        q.push({t, next++});
        continue;
      }
      if (q.try_pop(out)) {
        taken[t].push_back(out);
        --left;
      }
    }
  });
  std::vector<std::vector<bool>> seen(8, std::vector<bool>(each));
  for (auto const& list : taken) {
    unsigned last[8] = {};  // of what one thread takes, that of one producer comes in its order
    for (ticket const& k : list) {
      REQUIRE(k.number + 1 > last[k.thread]);
      last[k.thread] = k.number + 1;
      REQUIRE(!seen[k.thread][k.number]);
      seen[k.thread][k.number] = true;
    }
  }
  for (auto const& all : seen) REQUIRE(std::find(all.begin(), all.end(), false) == all.end());
  REQUIRE(q.empty());
}

}  // namespace

TEST_CASE_TEMPLATE("a queue beside a standard deque", Queue, unbounded, bounded) {
  differences<Queue>().run(operations());
  CHECK(blocks == 0);
}

TEST_CASE("a queue gives its threads each element once, in the order of each producer") {
  constexpr unsigned each = 1000;
  tbb::concurrent_queue<ticket> q;
  for (long done = 0; done < operations(); done += 16 * each) eight_threads(q, each);
}

TEST_CASE("a bounded queue of any capacity gives its threads each element once, in the order of each producer") {
  constexpr unsigned each = 1000;
  tbb::concurrent_bounded_queue<ticket> q;
  dice random{5};
  for (long done = 0; done < operations(); done += 16 * each) {
    q.set_capacity(static_cast<std::ptrdiff_t>(1 + random(40)));
    eight_threads(q, each);
  }
}

TEST_CASE("four threads that wait for room and four that wait for elements pass all of them on") {
  constexpr unsigned each = 1000;
  tbb::concurrent_bounded_queue<ticket> q;
  for (long done = 0; done < operations(); done += 8 * each) {
    q.set_capacity(static_cast<std::ptrdiff_t>(1 + done / (8 * each) % 64));
    std::atomic<unsigned long> sum{0};
    run_eight([&](unsigned t) {
      for (unsigned i = 0; i != each; ++i) {
        if (t % 2) {
          q.push({t, i});
        } else {
          ticket out{};
          q.pop(out);
          sum += out.thread * each + out.number;
        }
      }
    });
    REQUIRE(sum == (1UL + 3 + 5 + 7) * each * each + 4UL * each * (each - 1) / 2);
    REQUIRE(q.empty());
  }
}
