// SPDX-License-Identifier: Apache-2.0
// Each overload of the algorithms: with and without a partitioner and a context, by functions and by bodies, over
// ranges of several kinds, joined by functions that are not commutative. In some programs bodies are slow, so that
// others steal.
#include "subjects.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_invoke.h>
#include <tbb/parallel_reduce.h>
#include <tbb/parallel_scan.h>
#include <tbb/partitioner.h>
#include <tbb/task_group.h>

#include <chrono>
#include <numeric>
#include <thread>

namespace differ {

namespace {

// In which form a step calls: 4 of 5 forms name a partitioner, half a context.
struct form {
  explicit form(step const& s) : partitioner(s.b % 5), with_context(s.b / 5 % 2 == 0), slow(s.b / 10 % 3 == 0) {}
  void pause() const {
    if (slow && pauses_left-- > 0) std::this_thread::sleep_for(std::chrono::microseconds(25));
  }
  int partitioner;
  bool with_context;
  bool slow;
  mutable std::atomic<int> pauses_left{60};
  tbb::task_group_context context;
};

template <typename Call, typename... Partitioner>
auto in_context(form& f, Call const& call, Partitioner&&... partitioner) {
  if (f.with_context) return call(std::forward<Partitioner>(partitioner)..., f.context);
  return call(std::forward<Partitioner>(partitioner)...);
}

template <typename Call>
auto in_form(form& f, Call const& call) {
  switch (f.partitioner) {
    case 0:
      return in_context(f, call, tbb::simple_partitioner());
    case 1:
      return in_context(f, call, tbb::auto_partitioner());
    case 2:
      return in_context(f, call, tbb::static_partitioner());
    case 3: {
      tbb::affinity_partitioner again;
      in_context(f, call, again);
      return in_context(f, call, again);
    }
    default:
      return in_context(f, call);
  }
}

// The deterministic reductions take two partitioners.
template <typename Call>
auto in_deterministic_form(form& f, Call const& call) {
  if (f.partitioner % 3 == 0) return in_context(f, call, tbb::simple_partitioner());
  if (f.partitioner % 3 == 1) return in_context(f, call, tbb::static_partitioner());
  return in_context(f, call);
}

// A range of the program's own, which says how it is divided; Proportional: it can be in other parts than halves.
template <bool Proportional>
class own_range {
 public:
  static constexpr bool is_splittable_in_proportion = Proportional;
  own_range(int begin, int end, int grain) : begin_(begin), end_(end), grain_(grain) {}
  own_range(own_range& other, tbb::split) : own_range(other) { cut(other, (begin_ + end_) / 2); }
  own_range(own_range& other, tbb::proportional_split& p) : own_range(other) {
    auto const right = static_cast<int>(static_cast<std::size_t>(end_ - begin_) * p.right() / (p.left() + p.right()));
    cut(other, end_ - std::min(std::max(right, 1), end_ - begin_ - 1));
  }
  bool empty() const { return begin_ >= end_; }
  bool is_divisible() const { return end_ - begin_ > grain_; }
  int begin() const { return begin_; }
  int end() const { return end_; }

 private:
  void cut(own_range& other, int at) { other.end_ = begin_ = at; }
  int begin_, end_, grain_;
  counted alive_;
};

char letter(int i) { return static_cast<char>('a' + i % 26); }

std::string letters(int n) {
  std::string all;
  for (int i = 0; i < n; ++i) all += letter(i);
  return all;
}

// Is it all letters in their order? The difference is told from its first place on.
void tell_letters(std::string const& made, int n, std::string const& what, book& told) {
  std::string const right = letters(n);
  if (made == right) return told.tell(what, "in order");
  auto const apart = std::mismatch(
      made.begin(), made.begin() + static_cast<std::ptrdiff_t>(std::min(made.size(), right.size())), right.begin());
  told.tell(what, text(made.size()) + " letters, not in order from " + text(apart.first - made.begin()));
}

struct joined_text {
  explicit joined_text(form const& f) : how(&f) {}
  joined_text(joined_text& other, tbb::split) : how(other.how) {}
  template <typename Range>
  void operator()(Range const& r) {
    how->pause();
    for (int i = r.begin(); i != r.end(); ++i) made += letter(i);
  }
  void join(joined_text const& right) { made += right.made; }
  form const* how;
  std::string made;
  counted alive;
};

template <typename Range, typename Text>
std::string add_letters(form const& f, Range const& r, Text so_far) {
  f.pause();
  std::string made = std::move(so_far);
  for (int i = r.begin(); i != r.end(); ++i) made += letter(i);
  return made;
}

std::string join(std::string left, std::string const& right) { return left + right; }

template <typename Range>
void reduce(Range const& all, step const& s, form& f, std::string const& path, book& told) {
  std::string const start;
  bool const affine = s.kind == "reduce" && f.partitioner == 3;
  std::string made;
  if (s.kind == "reduce") {
    made = in_form(f, [&](auto&&... how) {
      return tbb::parallel_reduce(
          all, start, [&f](Range const& r, std::string so_far) { return add_letters(f, r, std::move(so_far)); }, join,
          std::forward<decltype(how)>(how)...);
    });
  } else if (s.kind == "deterministic") {
    made = in_deterministic_form(f, [&](auto&&... how) {
      return tbb::parallel_deterministic_reduce(
          all, start, [&f](Range const& r, std::string so_far) { return add_letters(f, r, std::move(so_far)); }, join,
          std::forward<decltype(how)>(how)...);
    });
  } else if (s.kind == "reduce_body") {
    joined_text body(f);
    in_form(f, [&](auto&&... how) {
      body.made.clear();
      tbb::parallel_reduce(all, body, std::forward<decltype(how)>(how)...);
    });
    made = body.made;
  } else {
    joined_text body(f);
    in_deterministic_form(
        f, [&](auto&&... how) { tbb::parallel_deterministic_reduce(all, body, std::forward<decltype(how)>(how)...); });
    made = body.made;
  }
  if (planted("form joins in the wrong order") && made.size() > 30) std::swap(made[3], made[4]);
  tell_letters(made, s.n, path + (affine ? " twice" : " once"), told);
}

template <typename Range>
void scan(Range const& all, step const& s, form& f, std::string const& path, book& told) {
  std::vector<std::string> prefixes(static_cast<std::size_t>(s.n));
  auto const sum = [&](Range const& r, std::string so_far, bool is_final) {
    f.pause();
    for (int i = r.begin(); i != r.end(); ++i) {
      so_far += letter(i);
      if (is_final) prefixes[static_cast<std::size_t>(i)] = so_far;
    }
    return so_far;
  };
  std::string total;
  if (f.partitioner % 3 == 0) {
    total = tbb::parallel_scan(all, std::string(), sum, join, tbb::simple_partitioner());
  } else if (f.partitioner % 3 == 1) {
    total = tbb::parallel_scan(all, std::string(), sum, join, tbb::auto_partitioner());
  } else {
    total = tbb::parallel_scan(all, std::string(), sum, join);
  }
  tell_letters(total, s.n, path + " total", told);
  int wrong = 0;
  std::string right;
  for (int i = 0; i < s.n; ++i) {
    right += letter(i);
    wrong += prefixes[static_cast<std::size_t>(i)] == right ? 0 : 1;
  }
  told.tell(path + " wrong prefixes", wrong);
}

template <typename Range>
void loop(Range const& all, step const& s, form& f, std::string const& path, book& told) {
  tally seen;
  in_form(f, [&](auto&&... how) {
    seen.clear();
    tbb::parallel_for(
        all,
        [&](Range const& r) {
          f.pause();
          for (int i = r.begin(); i != r.end(); ++i) seen.add(i);
        },
        std::forward<decltype(how)>(how)...);
  });
  std::vector<int> right(static_cast<std::size_t>(s.n));
  std::iota(right.begin(), right.end(), 0);
  told.tell(path + " each once", seen.sorted() == right);
}

template <typename Range>
void over(Range const& all, step const& s, form& f, std::string const& path, book& told) {
  if (s.kind == "scan") return scan(all, s, f, path, told);
  if (s.kind == "loop") return loop(all, s, f, path, told);
  reduce(all, s, f, path, told);
}

// Indices of several types, with strides or without. The last index and what a stride beyond the end leaves are the
// same in each.
template <typename Index>
void indices(step const& s, form& f, std::string const& path, book& told) {
  auto const first = static_cast<Index>(s.a % 60);
  auto const last = static_cast<Index>(first + static_cast<Index>(s.n % 60));
  auto const stride = static_cast<Index>(1 + s.a / 7 % 9);
  tally seen;
  auto const body = [&](Index i) {
    f.pause();
    seen.add(static_cast<int>(i));
  };
  in_form(f, [&](auto&&... how) {
    seen.clear();
    if (s.a % 3 == 0) return tbb::parallel_for(first, last, body, std::forward<decltype(how)>(how)...);
    tbb::parallel_for(first, last, stride, body, std::forward<decltype(how)>(how)...);
  });
  told.tell(path + " indices", seen.sorted());
  tbb::parallel_for(last, first, body);  // nothing
  std::string const out = thrown([&] { tbb::parallel_for(first, last, static_cast<Index>(0), body); });
  told.tell(path + " without a stride", out);
  told.tell(path + " indices afterwards", seen.count());
}

template <typename... Functions>
void invoke_some(int n, int fails, tally& seen, form& f, Functions const&... functions) {
  auto const next = [&seen, &f, fails, i = static_cast<int>(sizeof...(functions))] {
    f.pause();
    seen.add(i);
    if (i == fails) throw deliberate{i};
  };
  if constexpr (sizeof...(functions) >= 2) {
    if (static_cast<int>(sizeof...(functions)) == n) {
      if (f.with_context) return tbb::parallel_invoke(functions..., f.context);
      return tbb::parallel_invoke(functions...);
    }
  }
  if constexpr (sizeof...(functions) < 10) invoke_some(n, fails, seen, f, functions..., next);
}

void invoke(step const& s, form& f, std::string const& path, book& told) {
  tally seen;
  int const n = 2 + s.n % 9;
  int const fails = s.a % 4 == 0 ? s.a / 4 % n : -1;
  told.tell(path + " threw", thrown([&] { invoke_some(n, fails, seen, f); }));
  if (fails < 0) told.tell(path + " called", seen.sorted());
  if (f.with_context) told.tell(path + " cancelled", f.context.is_group_execution_cancelled());
}

void forms(step const& program, book& told) {
  for (std::size_t i = 0; i < program.body.size(); ++i) {
    step const& s = program.body[i];
    std::string const path = std::to_string(i) + " " + s.kind;
    form f(s);
    int const grain = 1 + s.a / 4 % 30;
    if (s.kind == "invoke") {
      invoke(s, f, path, told);
    } else if (s.kind == "indices") {
      constexpr void (*types[])(step const&, form&, std::string const&, book&) = {
          indices<int>, indices<unsigned char>, indices<std::size_t>, indices<short>, indices<long long>};
      types[static_cast<std::size_t>(s.a) % std::size(types)](s, f, path, told);
    } else if (s.a % 4 == 0) {
      over(own_range<true>(0, s.n, grain), s, f, path, told);
    } else if (s.a % 4 == 1) {
      over(own_range<false>(0, s.n, grain), s, f, path, told);
    } else {
      over(tbb::blocked_range<int>(0, s.n, static_cast<std::size_t>(grain)), s, f, path, told);
    }
  }
}

}  // namespace

void add_forms(subjects& table) { table["forms"] = forms; }

}  // namespace differ
