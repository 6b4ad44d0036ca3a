// SPDX-License-Identifier: Apache-2.0
// parallel_for_each over iterators of every category, ranges that are constant or not, bodies of every signature, with
// a feeder or without, where a body, an iterator or a copy throws at any item: what was visited, and what lives on.
#include "subjects.h"

#include <tbb/parallel_for_each.h>
#include <tbb/task_group.h>

#include <iterator>
#include <memory>
#include <numeric>

namespace differ {

namespace {

// Walks over items; an input iterator gives each item away, as one that reads from a stream.
template <typename Category>
class walker {
  static constexpr bool input = std::is_same_v<Category, std::input_iterator_tag>;

 public:
  using iterator_category = Category;
  using value_type = counted;
  using difference_type = std::ptrdiff_t;
  using pointer = counted*;
  using reference = std::conditional_t<input, counted, counted&>;

  walker() = default;
  explicit walker(counted* at) : at_(at) {}
  reference operator*() const {
    may_throw(calls_left);
    return *at_;
  }
  pointer operator->() const { return at_; }
  walker& operator++() { return ++at_, *this; }
  walker operator++(int) { return walker(at_++); }
  walker& operator--() { return --at_, *this; }
  walker operator--(int) { return walker(at_--); }
  walker& operator+=(difference_type n) { return at_ += n, *this; }
  walker& operator-=(difference_type n) { return at_ -= n, *this; }
  reference operator[](difference_type n) const { return at_[n]; }
  friend walker operator+(walker w, difference_type n) { return w += n; }
  friend walker operator+(difference_type n, walker w) { return w += n; }
  friend walker operator-(walker w, difference_type n) { return w -= n; }
  friend difference_type operator-(walker a, walker b) { return a.at_ - b.at_; }
  friend bool operator==(walker a, walker b) { return a.at_ == b.at_; }
  friend bool operator!=(walker a, walker b) { return a.at_ != b.at_; }
  friend bool operator<(walker a, walker b) { return a.at_ < b.at_; }
  friend bool operator>(walker a, walker b) { return a.at_ > b.at_; }
  friend bool operator<=(walker a, walker b) { return a.at_ <= b.at_; }
  friend bool operator>=(walker a, walker b) { return a.at_ >= b.at_; }

 private:
  counted* at_ = nullptr;
};

template <typename Category>
struct walk {
  using iterator = walker<Category>;
  using const_iterator = iterator;
  iterator begin() const { return iterator(items->data()); }
  iterator end() const { return iterator(items->data() + items->size()); }
  std::vector<counted>* items;
};

// What a body saw, and when it is to fail.
struct watch {
  explicit watch(step const& s) : kind(s.wrong), fails_at(s.b % (s.n + 1)) {}
  void operator()(int item) {
    linger();
    if (item != 5 || !planted("items lose one")) seen.add(item);
    if (kind == fault::none || item != fails_at) return;
    if (kind == fault::exception) throw deliberate{item};
    context.cancel_group_execution();
  }
  fault kind;
  int fails_at;
  tally seen;
  tbb::task_group_context context;
};

// Items from 100 on come from the feeder: two for each item of every third.
constexpr int fed = 100;
template <typename Feeder>
void feed(int item, Feeder& feeder) {
  if (item >= 3 * fed || item % 3 != 0) return;
  feeder.add(counted(item + fed));
  counted const other(item + fed + 1);
  feeder.add(other);
}
#if DIFFER_ONETBB
using feeder_of_items = tbb::feeder<counted>;
#else
using feeder_of_items = tbb::parallel_do_feeder<counted>;
#endif

template <typename Range>
void visit(Range& range, step const& s, watch& w, bool by_reference) {
  auto const run = [&](auto const& body) {
    if (s.a % 3 == 0) return tbb::parallel_for_each(range, body, w.context);
    tbb::parallel_for_each(range.begin(), range.end(), body, w.context);
  };
  if (!by_reference) return run([&w](counted item) { w(item.value); });
  run([&w](counted const& item) { w(item.value); });
}

#if DIFFER_ONETBB
template <typename Range>
void visit_and_feed(Range& range, step const& s, watch& w, bool by_reference) {
  auto const run = [&](auto const& body) {
    if (s.a % 3 == 0) return tbb::parallel_for_each(range, body, w.context);
    tbb::parallel_for_each(range.begin(), range.end(), body, w.context);
  };
  if (by_reference) {
    return run([&w](counted const& item, feeder_of_items& feeder) {
      feed(item.value, feeder);
      w(item.value);
    });
  }
  run([&w](counted item, feeder_of_items& feeder) {
    w(item.value);
    feed(item.value, feeder);
  });
}
#endif

template <typename Range>
void visit_all(Range& range, step const& s, watch& w) {
  bool const by_reference = s.a / 3 % 2 == 0;
#if DIFFER_ONETBB
  if (s.kind == "feed") return visit_and_feed(range, s, w, by_reference);
#endif
  visit(range, s, w, by_reference);
}

int category_of(step const& s) { return s.a / 6 % 5; }

void visit_category(std::vector<counted>& items, step const& s, watch& w) {
  switch (category_of(s)) {
    case 0: {
      walk<std::input_iterator_tag> range{&items};
      return visit_all(range, s, w);
    }
    case 1: {
      walk<std::forward_iterator_tag> range{&items};
      return visit_all(range, s, w);
    }
    case 2: {
      walk<std::bidirectional_iterator_tag> const range{&items};
      return visit_all(range, s, w);
    }
    case 3: {
      walk<std::random_access_iterator_tag> range{&items};
      return visit_all(range, s, w);
    }
    default: {
      std::vector<counted> const& constant = items;
      return visit_all(constant, s, w);
    }
  }
}

// The items that a feeder adds to the first n ones.
std::vector<int> expected(int n, bool feeds) {
  std::vector<int> all(static_cast<std::size_t>(n));
  std::iota(all.begin(), all.end(), 0);
  for (std::size_t i = 0; feeds && i < all.size(); ++i) {
    if (all[i] >= 3 * fed || all[i] % 3 != 0) continue;
    all.push_back(all[i] + fed);
    all.push_back(all[i] + fed + 1);
  }
  std::sort(all.begin(), all.end());
  return all;
}

// Which part throws: 1 the body, 2 nothing, but it is cancelled; the iterator or a copy, if nothing else.
void each(step const& s, std::string const& path, book& told) {
  long const before = living;
  {
    std::vector<counted> items;
    for (int i = 0; i < s.n; ++i) items.emplace_back(i);
    watch w(s);
    // In oneTBB a loop over an input iterator never ends if that or an item's copy throws.
    bool const by_body = s.wrong != fault::none || s.b % 7 != 0 || category_of(s) == 0;
    std::atomic<int>* const left = by_body ? nullptr : s.b % 2 == 0 ? &calls_left : &copies_left;
    if (left != nullptr) *left = s.b % (s.n + 1);
    std::string const out = thrown([&] { visit_category(items, s, w); });
    bool const threw = left != nullptr && *left < 0;
    calls_left = -1;
    copies_left = -1;
    std::vector<int> const all = w.seen.sorted();
    bool const feeds = DIFFER_ONETBB && s.kind == "feed";
    if (left != nullptr) {
      told.expect(threw == (out != "nothing"), path + " an exception was lost");
    } else {
      told.tell(path + " threw", out);
      told.tell(path + " cancelled", w.context.is_group_execution_cancelled());
    }
    if (out == "nothing" && !w.context.is_group_execution_cancelled()) {
      told.tell(path + " items", text(all.size()) + text(all == expected(s.n, feeds)));
    } else {
      told.tell(path + " twice", std::adjacent_find(all.begin(), all.end()) != all.end() && !feeds);
    }
    bool same = true;
    for (int i = 0; i < s.n; ++i) same = same && items[static_cast<std::size_t>(i)].value == i;
    told.tell(path + " unchanged", same);
  }
  told.tell(path + " live on", living - before);
}

void items(step const& program, book& told) {
  for (std::size_t i = 0; i < program.body.size(); ++i) {
    each(program.body[i], std::to_string(i) + " " + program.body[i].kind, told);
  }
}

}  // namespace

void add_items(subjects& table) { table["items"] = items; }

}  // namespace differ
