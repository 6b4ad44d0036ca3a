// SPDX-License-Identifier: Apache-2.0
// The unordered and the ordered maps and sets, each beside another one.
#include "subjects.h"

#if DIFFER_ONETBB  // TBB 2020's have neither assignments nor allocators like these
#include "table_merges.h"

#include <tbb/parallel_for.h>

namespace differ {

namespace {

template <typename C>
constexpr bool is_map = !std::is_same_v<typename C::value_type, counted>;
template <typename C>
constexpr bool is_multi =
    std::is_same_v<decltype(std::declval<C&>().insert(std::declval<typename C::value_type>())), typename C::iterator>;

template <typename C>
class tables {
 public:
  using value_type = typename C::value_type;
  using allocator = typename C::allocator_type;

  explicit tables(step const& program)
      : x_(std::make_unique<C>(allocator(program.a % 2))), y_(std::make_unique<C>(allocator(program.b % 2))) {}

  void act(step const& s, std::string const& path, book& told) {
    turn(x_, y_, s);
    if (change_whole(x_, y_, s, path, told)) {
      told.tell(path + " the other holds", lines_of(*y_));
      if constexpr (is_hashed<C>) told.tell(path + " loads", text(x_->max_load_factor()) + text(y_->max_load_factor()));
    } else if (!put(s, path, told) && !take_out(s, path, told)) {
      ask(s, path, told);
    }
    told.tell(path + " holds", lines_of(*x_));
    told.tell(path + " size", x_->size());
    told.expect(is_sound(*x_) && is_sound(*y_), path + ": unsound");
  }

 private:
  template <typename Result>
  void tell_put(Result const& result, std::string const& path, book& told) {
    if constexpr (std::is_same_v<Result, typename C::iterator>) {
      told.tell(path + " put", key_of(*result));
    } else {
      told.tell(path + " put", std::to_string(key_of(*result.first)) + text(result.second));
    }
  }

  static std::unique_ptr<C> made(step const& s) {
    allocator const from(s.b % 2);
    std::vector<value_type> some;
    for (int i = 0; i < s.n; ++i) some.push_back(make<value_type>((s.a + i * 3) % 40, 1));
    std::initializer_list<value_type> const list = {make<value_type>(s.a % 40, 1), make<value_type>(s.b % 40, 2)};
    if constexpr (is_hashed<C>) {
      auto const n = static_cast<std::size_t>(s.n);
      if (s.a % 4 == 0) return std::make_unique<C>(n, hash(), equal(), from);
      if (s.a % 4 == 1) return std::make_unique<C>(some.begin(), some.end(), n, hash(), equal(), from);
      if (s.a % 4 == 2) return std::make_unique<C>(n, from);
      return std::make_unique<C>(list, n, hash(), equal(), from);
    } else {
      if (s.a % 4 == 0) return std::make_unique<C>(less(), from);
      if (s.a % 4 == 1) return std::make_unique<C>(some.begin(), some.end(), less(), from);
      if (s.a % 4 == 2) return std::make_unique<C>(some.begin(), some.end(), from);
      return std::make_unique<C>(list, less(), from);
    }
  }

  bool put(step const& s, std::string const& path, book& told) {
    int const key = s.a % 40;
    value_type const value = make<value_type>(key, s.b % 1000);
    if (s.kind == "insert") {
      tell_put(x_->insert(value), path, told);
    } else if (s.kind == "insert_moved") {
      tell_put(x_->insert(make<value_type>(key, s.b % 1000)), path, told);
    } else if (s.kind == "insert_hint") {
      told.tell(path + " at", key_of(*x_->insert(x_->cbegin(), value)));
    } else if (s.kind == "insert_range") {
      x_->insert(y_->begin(), y_->end());
    } else if (s.kind == "insert_list") {
      x_->insert({value, make<value_type>(key + 1, 1), value});
    } else if (s.kind == "make") {
      x_ = made(s);
    } else if (s.kind == "emplace") {
      emplace(s, path, told);
    } else if (s.kind == "parallel") {
      std::atomic<int> taken{0};
      tbb::parallel_for(0, s.n, [&](int i) {
        if (planted("multiset loses an element") && i == 5) return;
        auto const before = make<value_type>((s.a + i * 7) % 50, 1);
        if constexpr (std::is_same_v<decltype(x_->insert(before)), typename C::iterator>) {
          x_->insert(before);
          ++taken;
        } else {
          taken += x_->insert(before).second ? 1 : 0;
        }
      });
      told.tell(path + " taken", taken.load());
    } else if (s.kind == "broken_insert") {
      break_insert(s, value, path, told);
    } else {
      return false;
    }
    return true;
  }

  void emplace(step const& s, std::string const& path, book& told) {
    int const key = s.a % 40;
    if constexpr (is_map<C>) {
      tell_put(x_->emplace(key, s.b % 1000), path, told);
    } else {
      tell_put(x_->emplace(key), path, told);
    }
  }

  // Where oneTBB's ordered containers are left by a comparison that throws is told in docs/differences.md: copies alone
  // throw here.
  void break_insert(step const& s, value_type const& value, std::string const& path, book& told) {
    std::atomic<int>& left = is_hashed<C> && s.n % 2 == 0 ? calls_left : copies_left;
    left = s.b % 4;
    std::string const out = thrown([&] { x_->insert(value); });
    bool const threw = left < 0;
    left = -1;
    told.expect(threw == (out != "nothing"), path + " an exception was lost");
    take_key_out(key_of(value));
  }

  void take_key_out(int key) { x_->unsafe_erase(counted(key)); }

  bool take_out(step const& s, std::string const& path, book& told) {
    counted const key(s.a % 40);
    if (s.kind == "erase") {
      told.tell(path + " erased", x_->unsafe_erase(key));
    } else if (s.kind == "erase_at") {
      auto const at = x_->find(key);
      if (at != x_->end()) {
        auto const next = std::next(at);
        told.tell(path + " gives the next one", x_->unsafe_erase(at) == next);
        take_key_out(key.value);  // of equal keys which one is open
      }
    } else if (s.kind == "erase_range") {
      auto const range = x_->equal_range(key);
      told.tell(path + " gives the end of the range", x_->unsafe_erase(range.first, range.second) == range.second);
    } else if (s.kind == "extract") {
      auto node = x_->unsafe_extract(key);
      told.tell(path + " node", text(node.empty()) + text(static_cast<bool>(node)));
      // Of equal keys which one comes out is open, and so is which value.
      if (y_->get_allocator() == x_->get_allocator()) y_->insert(std::move(node));
      take_key_out(key.value);
      y_->unsafe_erase(key);
    } else if (s.kind == "merge") {
      if (y_->get_allocator() == x_->get_allocator()) s.b % 2 == 0 ? x_->merge(*y_) : x_->merge(std::move(*y_));
      told.tell(path + " left", lines_of(*y_));
    } else if (s.kind == "merge_relatives") {
      merge_relatives<is_map<C>, is_multi<C>>(*x_, s, path, told);
    } else {
      return false;
    }
    return true;
  }

  void ask(step const& s, std::string const& path, book& told) {
    counted const key(s.a % 40);
    if (s.kind == "find") {
      told.tell(path + " count", std::to_string(x_->count(key)) + text(x_->find(key) == x_->end()));
#if DIFFER_ONETBB
      told.tell(path + " contains", x_->contains(key));
#endif
    } else if (s.kind == "equal_range") {
      auto const range = x_->equal_range(key);
      std::vector<int> all;
      for (auto i = range.first; i != range.second; ++i) all.push_back(line_of(*i));
      std::sort(all.begin(), all.end());
      told.tell(path + " equal", all);
    } else if (s.kind == "range") {
      std::vector<int> all;
      auto const r = x_->range();
      for (auto const& v : r) all.push_back(line_of(v));
      std::sort(all.begin(), all.end());
      told.tell(path + " through its range", all);
    } else if (s.kind == "own") {
      own(s, path, told);
#if DIFFER_ONETBB
    } else if (s.kind == "compare") {
      told.tell(path + " ==", text(*x_ == *y_) + text(*x_ != *y_));
#endif
    }
  }

  void own(step const& s, std::string const& path, book& told) {
    if constexpr (is_hashed<C>) {
      if (s.b % 3 == 0) x_->rehash(static_cast<std::size_t>(s.n));
      if (s.b % 3 == 1) x_->max_load_factor(0.5f + static_cast<float>(s.a % 5));
      std::size_t through_buckets = 0;
      for (std::size_t i = 0; i < x_->unsafe_bucket_count(); ++i) through_buckets += x_->unsafe_bucket_size(i);
      told.tell(path + " elements in buckets", through_buckets);
      told.open("a load factor above its maximum", x_->load_factor() > x_->max_load_factor() ? 1 : 0);
    } else {
      auto const low = x_->lower_bound(counted(s.a % 40));
      auto const high = x_->upper_bound(counted(s.a % 40));
      told.tell(path + " bounds", std::to_string(low == x_->end() ? -1 : key_of(*low)) + " " +
                                      std::to_string(high == x_->end() ? -1 : key_of(*high)));
      std::vector<int> order;
      for (auto const& v : *x_) order.push_back(key_of(v));
      told.tell(path + " keys in order", order);
#if DIFFER_ONETBB
      told.tell(path + " <", text(x_->key_comp()(counted(1), counted(2))));
#endif
    }
  }

  std::unique_ptr<C> x_, y_;
};

template <typename C>
void play(step const& program, book& told) {
  tables<C> two(program);
  for (std::size_t i = 0; i < program.body.size(); ++i) {
    two.act(program.body[i], std::to_string(i) + " " + program.body[i].kind, told);
  }
}

}  // namespace

void add_tables(subjects& table) {
  table["unordered_map"] = play<table_type<true, false, hash>::hashed>;
  table["unordered_multimap"] = play<table_type<true, true, hash>::hashed>;
  table["unordered_set"] = play<table_type<false, false, hash>::hashed>;
  table["unordered_multiset"] = play<table_type<false, true, hash>::hashed>;
  table["map"] = play<table_type<true, false, less>::ordered>;
  table["multimap"] = play<table_type<true, true, less>::ordered>;
  table["set"] = play<table_type<false, false, less>::ordered>;
  table["multiset"] = play<table_type<false, true, less>::ordered>;
}

}  // namespace differ
#endif
