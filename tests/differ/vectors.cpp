// SPDX-License-Identifier: Apache-2.0
// concurrent_vector beside another one.
#include "containers.h"

#include <tbb/concurrent_vector.h>
#include <tbb/parallel_for.h>

namespace differ {

namespace {

template <typename T, int Traits>
class vectors {
 public:
  using container = tbb::concurrent_vector<T, memory<T, Traits>>;
  using iterator = typename container::iterator;

  explicit vectors(step const& program)
      : x_(std::make_unique<container>(memory<T, Traits>(allocator_number(program.a)))),
        y_(std::make_unique<container>(memory<T, Traits>(allocator_number(program.b)))) {}

  void act(step const& s, std::string const& path, book& told) {
    turn(x_, y_, s);
    if (change_whole(x_, y_, s, path, told)) {
      told.tell(path + " the other holds", values(*y_));
    } else if (!change(s, path, told) && !grow(s, path, told)) {
      ask(s, path, told);
    }
    told.tell(path + " holds", values(*x_));
  }

 private:
  static std::vector<int> values(container const& c) {
    return values_of(c, [](T const& x) { return x.value; }, true);
  }
  void tell_place(iterator at, std::string const& path, book& told) { told.tell(path + " began at", at - x_->begin()); }

  bool grow(step const& s, std::string const& path, book& told) {
    auto const n = static_cast<std::size_t>(s.n);
    T const value(s.a);
    if (s.kind == "push_back") {
      tell_place(x_->push_back(value), path, told);
    } else if (s.kind == "emplace_back") {
      tell_place(x_->emplace_back(s.a), path, told);
    } else if (s.kind == "grow_by") {
      tell_place(s.b % 2 == 0 ? x_->grow_by(n) : x_->grow_by(n, value), path, told);
    } else if (s.kind == "grow_by_range") {
      std::vector<T> const some(n, value);
      tell_place(x_->grow_by(some.begin(), some.end()), path, told);
    } else if (s.kind == "grow_by_list") {
      tell_place(x_->grow_by({T(1), T(s.a), T(3)}), path, told);
    } else if (s.kind == "grow_to_at_least") {
      std::size_t const before = x_->size();
      auto const at = s.b % 2 == 0 ? x_->grow_to_at_least(n) : x_->grow_to_at_least(n, value);
      if (before < n) tell_place(at, path, told);
    } else if (s.kind == "parallel") {
      tbb::parallel_for(0, s.n, [&](int i) { x_->push_back(T(i)); });
      std::sort(x_->end() - s.n, x_->end());
      if (planted("vector loses an element") && s.n > 3) x_->resize(x_->size() - 1);
    } else {
      return false;
    }
    return true;
  }

#if DIFFER_ONETBB  // TBB 2020's has not all constructors
  static std::unique_ptr<container> made(step const& s) {
    memory<T, Traits> const from(allocator_number(s.b));
    auto const n = static_cast<std::size_t>(s.n);
    std::vector<T> const some(n, T(s.a));
    switch (s.a % 4) {
      case 0:
        return std::make_unique<container>(n, from);
      case 1:
        return std::make_unique<container>(n, T(s.a), from);
      case 2:
        return std::make_unique<container>(some.begin(), some.end(), from);
      default:
        return std::make_unique<container>(std::initializer_list<T>{T(s.a), T(7), T(s.b)}, from);
    }
  }
#endif

  bool change(step const& s, std::string const& path, book& told) {
    auto const n = static_cast<std::size_t>(s.n);
    if (s.kind == "resize") {
      s.b % 2 == 0 ? x_->resize(n) : x_->resize(n, T(s.a));
    } else if (s.kind == "assign") {
      x_->assign(n, T(s.a));
    } else if (s.kind == "assign_range") {
      x_->assign(y_->begin(), y_->end());
    } else if (s.kind == "assign_list") {
      *x_ = {T(s.a), T(s.b)};
    } else if (s.kind == "reserve") {
      x_->reserve(n);
      told.tell(path + " has room", x_->capacity() >= n);
#if DIFFER_ONETBB
    } else if (s.kind == "make") {
      x_ = made(s);
#endif
    } else if (s.kind == "shrink") {
      x_->shrink_to_fit();
    } else {
      return false;
    }
    return true;
  }

  // Each comparison with a copy that has one element more, or another one.
  void compare_with_nearly_equal(step const& s, std::string const& path, book& told) {
    container other(*x_);
    if (s.b % 3 == 0 || other.empty()) {
      other.push_back(T(s.a));
    } else {
      other[static_cast<std::size_t>(s.a) % other.size()].value += s.b % 2 == 0 ? 1 : -1;
    }
    told.tell(path + " beside another", text(*x_ == other) + text(*x_ != other) + text(*x_ < other) +
                                            text(*x_ > other) + text(*x_ <= other) + text(*x_ >= other));
  }

  void ask(step const& s, std::string const& path, book& told) {
    if (s.kind == "at") {
      auto const i = static_cast<std::size_t>(s.a % 40);
      told.tell(path + " threw", thrown([&] { told.tell(path + " element", x_->at(i).value); }));
    } else if (s.kind == "ends") {
      if (!x_->empty()) {
        told.tell(path + " front, back", std::to_string(x_->front().value) + " " + std::to_string(x_->back().value));
      }
    } else if (s.kind == "compare") {
      told.tell(path + " ==, <", text(*x_ == *y_) + text(*x_ < *y_) + text(*x_ != *y_) + text(*x_ >= *y_));
      compare_with_nearly_equal(s, path, told);
    } else if (s.kind == "backwards") {
      std::vector<int> all;
      for (auto i = x_->rbegin(); i != x_->rend(); ++i) all.push_back(i->value);
      told.tell(path + " backwards", all);
    } else if (s.kind == "iterate") {
      auto i = x_->begin() + (x_->empty() ? 0 : s.a % static_cast<int>(x_->size()));
      told.tell(path + " distance", std::to_string(x_->end() - i) + text(i < x_->end()) + text(i == x_->begin()));
      container const& constant = *x_;
      typename container::const_iterator c = i;
      told.tell(path + " constant", text(c - constant.begin()) + text(constant.cend() - c) + text(c == i) +
                                        text(constant.rend() - constant.rbegin()));
      if (i != x_->end()) {
        told.tell(path + " there",
                  text(i->value) + text(c[0].value) + text((*x_)[static_cast<std::size_t>(i - x_->begin())].value));
      }
    } else if (s.kind == "range") {
      auto const r = x_->range(static_cast<std::size_t>(1 + s.a % 5));
      told.tell(path + " range", std::to_string(r.size()) + text(r.empty()) + text(r.is_divisible()));
    } else if (s.kind == "broken_copy") {
      copies_left = s.a % 9;
      std::string const out = thrown([&] { container const copy(*x_); });
      bool const threw = copies_left < 0;
      copies_left = -1;
      told.tell(path + " threw where a copy did", threw == (out != "nothing"));
    }
  }

  std::unique_ptr<container> x_, y_;
};

template <typename T, int Traits>
void play(step const& program, book& told) {
  vectors<T, Traits> two(program);
  for (std::size_t i = 0; i < program.body.size(); ++i) {
    two.act(program.body[i], std::to_string(i) + " " + program.body[i].kind, told);
  }
}

void vector(step const& program, book& told) {
  constexpr subject kinds[] = {play<counted, 0>, play<counted, 7>, play<counted, 2>, play<plain, 0>};
  kinds[static_cast<std::size_t>(program.n % 4)](program, told);
}

}  // namespace

void add_vectors(subjects& table) { table["vector"] = vector; }

}  // namespace differ
