// SPDX-License-Identifier: Apache-2.0
// Loops, reductions, scans, sorts and invocations, whose ranges and bodies write down how they are split and joined.
#include "subjects.h"

#include <tbb/blocked_range.h>
#include <tbb/blocked_range2d.h>
#include <tbb/blocked_range3d.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_for_each.h>
#include <tbb/parallel_invoke.h>
#include <tbb/parallel_reduce.h>
#include <tbb/parallel_scan.h>
#include <tbb/parallel_sort.h>
#include <tbb/partitioner.h>
#include <tbb/task_group.h>

#include <algorithm>
#include <list>
#include <numeric>

namespace differ {

namespace {

using range = tbb::blocked_range<int>;

int begin_of(step const& s) { return s.a % 7 - 3; }
range range_of(step const& s) { return {begin_of(s), begin_of(s) + s.n, static_cast<std::size_t>(1 + s.b / 8 % 40)}; }

// What a body does at index i that is to go wrong.
struct trouble {
  explicit trouble(step const& s) : kind(s.wrong), at(begin_of(s) + (s.a + s.b) % s.n) {}
  void operator()(int i) {
    linger();
    if (kind == fault::none || i != at) return;
    if (kind == fault::exception) throw deliberate{i};
    context.cancel_group_execution();
  }
  fault kind;
  int at;
  tbb::task_group_context context;
};

template <typename Body>
void with_partitioner(step const& s, trouble& t, Body const& run) {
  switch (s.b % 4) {
    case 0:
      return run(tbb::simple_partitioner(), t.context);
    case 1:
      return run(tbb::auto_partitioner(), t.context);
    case 2:
      return run(tbb::static_partitioner(), t.context);
    default: {
      tbb::affinity_partitioner own;
      return run(own, t.context);
    }
  }
}

void tell_all(step const& s, trouble& t, std::string const& path, std::string const& out, tally const& seen,
              book& told) {
  told.tell(path + " threw", out);
  told.tell(path + " cancelled", t.context.is_group_execution_cancelled());
  if (t.kind == fault::none) {
    std::vector<int> all = seen.sorted();
    for (std::size_t i = 0; i < all.size(); ++i) all[i] -= static_cast<int>(i);
    all.erase(std::unique(all.begin(), all.end()), all.end());
    told.tell(path + " indices less their place", all);
    told.tell(path + " iterations", seen.count());
  } else {
    told.tell(path + " not too many", seen.count() <= s.n);
    told.open("iterations of a loop that stops", seen.count());
  }
}

void blocks(step const& s, std::string const& path, book& told) {
  tally seen, begins;
  trouble t(s);
  std::string const out = thrown([&] {
    with_partitioner(s, t, [&](auto&& partitioner, tbb::task_group_context& context) {
      tbb::parallel_for(
          range_of(s),
          [&](range const& r) {
            begins.add(r.begin());
            for (int i = r.begin();
                 i != r.end() - (planted("loop loses an iteration") && r.end() - r.begin() > 7 ? 1 : 0); ++i) {
              t(i);
              seen.add(i);
            }
          },
          partitioner, context);
    });
  });
  if (s.b % 4 == 0 && t.kind == fault::none) told.tell(path + " chunks begin at", begins.sorted());
  if (s.b % 4 != 0) told.open("chunks of partitioner " + std::to_string(s.b % 4), begins.count());
  tell_all(s, t, path, out, seen, told);
}

void indices(step const& s, std::string const& path, book& told) {
  tally seen;
  int const stride = 1 + s.b % 5;
  int const first = begin_of(s);
  std::string const out = thrown([&] { tbb::parallel_for(first, first + s.n, stride, [&](int i) { seen.add(i); }); });
  told.tell(path + " threw", out);
  std::vector<int> const all = seen.sequence();
  told.tell(path + " sum", std::accumulate(all.begin(), all.end(), 0L));
  told.tell(path + " iterations", seen.count());
}

void plane(step const& s, std::string const& path, book& told) {
  tally seen, sizes;
  int const rows = 1 + s.n % 20;
  int const columns = 1 + s.a % 20;
  tbb::blocked_range2d<int> const all(0, rows, static_cast<std::size_t>(1 + s.b % 3), 0, columns,
                                      static_cast<std::size_t>(1 + s.b / 3 % 3));
  tbb::parallel_for(
      all,
      [&](tbb::blocked_range2d<int> const& r) {
        sizes.add(static_cast<int>(r.rows().size() * 100 + r.cols().size()));
        for (int i = r.rows().begin(); i != r.rows().end(); ++i) {
          for (int j = r.cols().begin(); j != r.cols().end(); ++j) seen.add(i * 100 + j);
        }
      },
      tbb::simple_partitioner());
  told.tell(path + " cells", seen.sorted());
  told.tell(path + " sizes of chunks", sizes.sorted());
}

// A sum that tells how it was put together.
struct tree {
  std::string shape;
  long sum = 0;
};

void reduce(step const& s, std::string const& path, book& told) {
  trouble t(s);
  tally seen;
  std::vector<int> joined;
  std::string const out = thrown([&] {
    with_partitioner(s, t, [&](auto&& partitioner, tbb::task_group_context& context) {
      joined = tbb::parallel_reduce(
          range_of(s), std::vector<int>(),
          [&](range const& r, std::vector<int> so_far) {
            for (int i = r.begin(); i != r.end(); ++i) {
              t(i);
              seen.add(i);
              so_far.push_back(i);
            }
            return so_far;
          },
          [](std::vector<int> left, std::vector<int> const& right) {
            if (planted("reduction joins in the wrong order") && left.size() > 3) {
              std::vector<int> other = right;
              other.insert(other.end(), left.begin(), left.end());
              return other;
            }
            left.insert(left.end(), right.begin(), right.end());
            return left;
          },
          partitioner, context);
    });
  });
  if (t.kind == fault::none) {
    told.tell(path + " in order",
              std::is_sorted(joined.begin(), joined.end()) && static_cast<int>(joined.size()) == s.n);
  }
  tell_all(s, t, path, out, seen, told);
}

struct splitting_body {
  explicit splitting_body(trouble& t) : t_(&t) {}
  splitting_body(splitting_body& other, tbb::split) : t_(other.t_) {}
  void operator()(range const& r) {
    for (int i = r.begin(); i != r.end(); ++i) (*t_)(i);
    made.shape += "[" + std::to_string(r.begin()) + "," + std::to_string(r.end()) + ")";
  }
  void join(splitting_body& right) { made.shape = "(" + made.shape + right.made.shape + ")"; }
  tree made;
  counted alive;
  trouble* t_;
};

void deterministic(step const& s, std::string const& path, book& told) {
  trouble t(s);
  splitting_body body(t);
  bool const fixed = s.b % 2 == 0;
  std::string const out = thrown([&] {
    if (fixed) {
      tbb::parallel_deterministic_reduce(range_of(s), body, tbb::simple_partitioner(), t.context);
    } else {
      tbb::parallel_deterministic_reduce(range_of(s), body, tbb::static_partitioner(), t.context);
    }
  });
  told.tell(path + " threw", out);
  told.tell(path + " cancelled", t.context.is_group_execution_cancelled());
  if (t.kind == fault::none) told.tell((fixed ? "" : "@") + path + " tree", body.made.shape);
}

struct scan_body {
  explicit scan_body(std::vector<std::string>& out) : out_(&out) {}
  scan_body(scan_body& other, tbb::split) : out_(other.out_) {}
  template <typename Tag>
  void operator()(range const& r, Tag) {
    linger();
    for (int i = r.begin(); i != r.end(); ++i) {
      sum += static_cast<char>('a' + i % 26);
      if (Tag::is_final_scan()) (*out_)[static_cast<std::size_t>(i)] = sum;
    }
  }
  void reverse_join(scan_body& left) { sum = left.sum + sum; }
  void assign(scan_body& other) { sum = other.sum; }
  std::string sum;
  counted alive;
  std::vector<std::string>* out_;
};

void scan(step const& s, std::string const& path, book& told) {
  int const n = 1 + s.n % 300;
  std::vector<std::string> out(static_cast<std::size_t>(n));
  scan_body body(out);
  range const all(0, n, static_cast<std::size_t>(1 + s.a % 20));
  if (s.b % 2 == 0) {
    tbb::parallel_scan(all, body, tbb::simple_partitioner());
  } else {
    tbb::parallel_scan(all, body, tbb::auto_partitioner());
  }
  bool right = true;
  for (std::size_t i = 0; i < out.size(); ++i) {
    right = right && out[i].size() == i + 1 && out[i].back() == static_cast<char>('a' + i % 26);
  }
  told.tell(path + " every prefix", right);
  told.tell(path + " total", body.sum);
}

void sort(step const& s, std::string const& path, book& told) {
  std::vector<counted> all;
  unsigned random = static_cast<unsigned>(s.a);
  for (int i = 0; i < s.n; ++i) {
    all.emplace_back(static_cast<int>((random = random * 1664525 + 1013904223) >> (8 + s.b % 20)));
  }
  calls_left = s.wrong == fault::exception ? s.b % (1 + s.n) : -1;
  bool const throws = calls_left >= 0;
  std::string const out = thrown([&] { tbb::parallel_sort(all.begin(), all.end()); });
  bool const reached = calls_left < 0 && throws;
  calls_left = -1;
  if (!throws) {
    told.tell(path + " threw", out);
    std::vector<int> values;
    for (counted const& c : all) values.push_back(c.value);
    told.tell(path + " sorted", std::is_sorted(values.begin(), values.end()));
    told.tell(path + " sum", std::accumulate(values.begin(), values.end(), 0L));
  } else {
    told.tell(path + " threw if it compared so often", reached == (out != "nothing"));
  }
}

void each(step const& s, std::string const& path, book& told) {
  tally seen;
  trouble t(s);
  std::list<int> items(static_cast<std::size_t>(s.n));
  std::iota(items.begin(), items.end(), begin_of(s));
  auto const body = [&](int i) {
    t(i);
    seen.add(i);
  };
  std::string const out = thrown([&] {
    if (s.b % 2 == 0) {
      tbb::parallel_for_each(items.begin(), items.end(), body, t.context);
    } else {
      std::vector<int> const random_access(items.begin(), items.end());
      tbb::parallel_for_each(random_access.begin(), random_access.end(), body, t.context);
    }
  });
  tell_all(s, t, path, out, seen, told);
}

#if DIFFER_ONETBB
void feeder(step const& s, std::string const& path, book& told) {
  tally seen;
  std::vector<int> const roots = {1, 2};
  int const last = s.n;
  tbb::parallel_for_each(roots.begin(), roots.end(), [&](int i, tbb::feeder<int>& more) {
    seen.add(i);
    for (int next : {2 * i + 1, 2 * i + 2}) {
      if (next < last && next > 2) more.add(next);
    }
  });
  told.tell(path + " items", seen.sorted());
}
#endif

void invoke(step const& s, std::string const& path, book& told) {
  tally seen;
  step three = s;
  three.n = 3;
  three.a = 3;
  trouble t(three);
  auto const part = [&](int i) {
    t(i);
    seen.add(i);
  };
  std::string const out =
      thrown([&] { tbb::parallel_invoke([&] { part(0); }, [&] { part(1); }, [&] { part(2); }, t.context); });
  tell_all(three, t, path, out, seen, told);
}

void loops(step const& program, book& told) {
  using action = void (*)(step const&, std::string const&, book&);
  static std::map<std::string, action> const actions = {
      {"blocks", blocks}, {"indices", indices}, {"plane", plane}, {"reduce", reduce}, {"deterministic", deterministic},
      {"scan", scan},     {"sort", sort},       {"each", each},   {"invoke", invoke},
#if DIFFER_ONETBB
      {"feeder", feeder},
#endif
  };
  for (std::size_t i = 0; i < program.body.size(); ++i) {
    auto const found = actions.find(program.body[i].kind);
    if (found != actions.end()) found->second(program.body[i], std::to_string(i) + " " + program.body[i].kind, told);
  }
}

}  // namespace

void add_loops(subjects& table) { table["loops"] = loops; }

}  // namespace differ
