// SPDX-License-Identifier: Apache-2.0
// concurrent_lru_cache: which values are made again tells what was thrown out.
#define TBB_PREVIEW_CONCURRENT_LRU_CACHE 1
#include "subjects.h"

#include <tbb/concurrent_lru_cache.h>
#include <tbb/parallel_for.h>

#include <memory>
#include <utility>

namespace differ {

namespace {

constexpr int few_keys = 9;

class scene {
  struct maker {
    scene* owner;
    counted operator()(int key) const {
      may_throw(calls_left);
      owner->made_.add(key);
      return counted(key * 10 + owner->first_);
    }
  };
  using cache = tbb::concurrent_lru_cache<int, counted, maker>;
  using handle = decltype(std::declval<cache&>()[1]);

 public:
  // In TBB 2020 a cache without a history breaks the heap.
  explicit scene(step const& program)
      : first_(program.b % 7),
        history_((DIFFER_ONETBB ? 0 : 1) + program.a % 5),
        cache_(maker{this}, static_cast<std::size_t>(history_)) {}

  void act(step const& s, std::string const& path, book& told) {
    if (s.kind == "look") {
      handle found = cache_[key_of(s)];
      told.tell(path + " value", found.value().value);
      if (s.b % 2 == 0) held_.push_back(std::move(found));
      told.tell(path + " holds", static_cast<bool>(found));
    } else if (s.kind == "release") {
      if (!held_.empty()) held_.erase(held_.begin() + s.a % static_cast<int>(held_.size()));
    } else if (s.kind == "move") {
      move(s, path, told);
    } else if (s.kind == "write") {
      write(s, path, told);
    } else if (s.kind == "round") {
      for (int i = 0; i < s.n; ++i) cache_[i * (1 + s.a % 3) % few_keys];
    } else if (s.kind == "broken") {
      broken(path, told);
    } else if (s.kind == "parallel") {
      parallel(s, path, told);
    }
    told.tell(path + " made", made_.sequence());
  }

 private:
  static int key_of(step const& s) { return s.a % few_keys; }

  void move(step const& s, std::string const& path, book& told) {
    handle empty;
    told.tell(path + " empty", static_cast<bool>(empty));
    if (held_.size() < 2) return;
    handle& to = held_[static_cast<std::size_t>(s.a) % held_.size()];
    handle& from = held_[static_cast<std::size_t>(s.b) % held_.size()];
    if (&to == &from) {
      empty = std::move(from);  // and it goes when this scope ends
    } else {
      to = std::move(from);
    }
    told.tell(path + " moved from", static_cast<bool>(from));
    for (std::size_t i = held_.size(); i-- != 0;) {
      if (!held_[i]) held_.erase(held_.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }

  // What is written stays until the value is thrown out.
  void write(step const& s, std::string const& path, book& told) {
    handle one = cache_[key_of(s)];
    handle two = cache_[key_of(s)];
    told.tell(path + " the same", &one.value() == &two.value());
    one.value().value += 1;
    told.tell(path + " written", two.value().value);
  }

  // A key that no other step asks for: in oneTBB whoever asks again waits for ever.
  void broken(std::string const& path, book& told) {
    calls_left = 0;
    told.tell(path + " threw", thrown([&] { cache_[few_keys + 100 + failures_++]; }));
    calls_left = -1;
  }

  // While a handle is held its value is made once, however many threads ask; how often the others are is open.
  void parallel(step const& s, std::string const& path, book& told) {
    int const key = planted("cache makes a value again") ? key_of(s) + 100 : key_of(s);
    handle mine = cache_[key_of(s)];
    std::size_t const before = made_.snapshot().size();
    std::atomic<int> wrong{0};
    std::atomic<int> moved{0};
    tbb::parallel_for(0, s.n, [&](int i) {
      handle found = cache_[key];
      if (i % 7 == 0) linger();
      if (&found.value() != &mine.value()) ++moved;
      handle other = cache_[1000 + i % 5];
      if (other.value().value != (1000 + i % 5) * 10 + first_) ++wrong;
    });
    told.tell(path + " wrong", wrong.load());
    told.tell(path + " not the one that is held", moved.load());
    std::vector<int> const all = made_.snapshot();
    int again = 0;
    for (std::size_t i = before; i < all.size(); ++i) again += all[i] == key_of(s) ? 1 : 0;
    told.tell(path + " made again", again);
    told.open("values made in parallel", static_cast<int>(all.size() - before));
    for (int i = 0; i <= history_; ++i) cache_[2000 + i];  // throws out what the threads left behind, in any order
    made_.clear();
  }

  int const first_;
  int const history_;
  int failures_ = 0;
  tally made_;
  cache cache_;
  std::vector<handle> held_;  // goes before the cache
};

void caches(step const& program, book& told) {
  scene one(program);
  for (std::size_t i = 0; i < program.body.size(); ++i) {
    one.act(program.body[i], std::to_string(i) + " " + program.body[i].kind, told);
  }
}

}  // namespace

void add_caches(subjects& table) { table["cache"] = caches; }

}  // namespace differ
