// SPDX-License-Identifier: Apache-2.0
// Reductions and scans whose bodies know which part of the range they hold, so that a wrong order of splits, joins and
// passes shows itself.
#include "subjects.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>
#include <tbb/parallel_scan.h>
#include <tbb/partitioner.h>

#include <algorithm>

namespace differ {

namespace {

using range = tbb::blocked_range<int>;

struct log {
  std::atomic<int> splits{0}, joins{0}, wrong_places{0}, runs{0}, passes{0};
};

// Holds the part from `first` to `last`; a new one holds none.
class sum_body {
 public:
  explicit sum_body(log& l) : log_(&l) {}
  sum_body(sum_body& other, tbb::split) : log_(other.log_) { ++log_->splits; }
  void operator()(range const& r) {
    linger();
    ++log_->runs;
    take(r.begin(), r.end());
  }
  void join(sum_body& right) {
    if (planted("split is not joined") && right.last > 20) return;
    ++log_->joins;
    if (right.first >= 0) take(right.first, right.last);
  }
  int first = -1;
  int last = -1;

 private:
  void take(int begin, int end) {
    if (first < 0) first = begin;
    if (last >= 0 && last != begin) ++log_->wrong_places;
    last = end;
  }
  log* log_;
  counted alive_;
};

template <typename Run>
void with_partitioner(int which, Run const& run) {
  switch (which) {
    case 0:
      return run(tbb::simple_partitioner());
    case 1:
      return run(tbb::auto_partitioner());
    case 2:
      return run(tbb::static_partitioner());
    default: {
      tbb::affinity_partitioner own;
      run(own);
      run(own);
    }
  }
}

void reduce(step const& s, std::string const& path, book& told) {
  range const all(0, s.n, static_cast<std::size_t>(1 + s.a % 30));
  with_partitioner(s.b % 4, [&](auto&& partitioner) {
    log l;
    sum_body body(l);
    tbb::parallel_reduce(all, body, partitioner);
    told.tell(path + " holds", std::to_string(body.first) + " to " + std::to_string(body.last));
    told.tell(path + " wrong places", l.wrong_places.load());
    told.tell(path + " all that was split was joined", l.splits == l.joins);
    told.open("bodies of a reduction, partitioner " + std::to_string(s.b % 4), l.splits.load());
  });
}

void deterministic(step const& s, std::string const& path, book& told) {
  log l;
  sum_body body(l);
  range const all(0, s.n, static_cast<std::size_t>(1 + s.a % 30));
  if (s.b % 2 == 0) {
    tbb::parallel_deterministic_reduce(all, body, tbb::simple_partitioner());
  } else {
    tbb::parallel_deterministic_reduce(all, body, tbb::static_partitioner());
  }
  told.tell((s.b % 2 == 0 ? "" : "@") + path + " splits, joins, runs",
            std::to_string(l.splits) + " " + std::to_string(l.joins) + " " + std::to_string(l.runs));
  told.tell(path + " holds", std::to_string(body.first) + " to " + std::to_string(body.last) + ", wrong places " +
                                 std::to_string(l.wrong_places));
}

// What is known of each index: how often it was passed.
struct passes {
  explicit passes(int n) : before(static_cast<std::size_t>(n)), finally(static_cast<std::size_t>(n)) {}
  std::vector<std::atomic<int>> before, finally;
  log all;
};

// Holds the sum of the part from `first` to `last`; the first one begins with all that is before 0.
class scan_body {
 public:
  explicit scan_body(passes& p) : first(0), last(0), passes_(&p) {}
  scan_body(scan_body& other, tbb::split) : passes_(other.passes_) { ++passes_->all.splits; }
  template <typename Tag>
  void operator()(range const& r, Tag) {
    linger();
    ++passes_->all.passes;
    bool const is_final = Tag::is_final_scan();
    if (first < 0) first = r.begin();
    if ((last >= 0 && last != r.begin()) || (is_final && first != 0)) ++passes_->all.wrong_places;
    last = r.end();
    bool const twice = planted("split is scanned twice") && is_final && r.begin() > 9;
    for (int i = r.begin(); i != r.end(); ++i) {
      (is_final ? passes_->finally : passes_->before)[static_cast<std::size_t>(i)] += twice ? 2 : 1;
    }
  }
  void reverse_join(scan_body& left) {
    if ((first >= 0 && left.last != first) || left.first < 0) ++passes_->all.wrong_places;
    if (first < 0) last = left.last;
    first = left.first;
    ++passes_->all.joins;
  }
  void assign(scan_body& other) {
    first = other.first;
    last = other.last;
  }
  int first = -1;
  int last = -1;

 private:
  passes* passes_;
  counted alive_;
};

void scan(step const& s, std::string const& path, book& told) {
  passes p(s.n);
  scan_body body(p);
  range const all(0, s.n, static_cast<std::size_t>(1 + s.a % 30));
  if (s.b % 2 == 0) {
    tbb::parallel_scan(all, body, tbb::simple_partitioner());
  } else {
    tbb::parallel_scan(all, body, tbb::auto_partitioner());
  }
  auto const is = [](int most) { return [most](std::atomic<int> const& times) { return times == most; }; };
  told.tell(path + " each index once finally", std::all_of(p.finally.begin(), p.finally.end(), is(1)));
  bool const once = std::all_of(p.before.begin(), p.before.end(), [](auto const& times) { return times <= 1; });
  told.tell(path + " none twice before", once);
  told.tell(path + " wrong places", p.all.wrong_places.load());
  told.tell(path + " holds", std::to_string(body.first) + " to " + std::to_string(body.last));
  auto const before = std::count_if(p.before.begin(), p.before.end(), is(1));
  told.open("indices that a scan passes twice, in hundredths", 100 * before / s.n);
}

void splits(step const& program, book& told) {
  using action = void (*)(step const&, std::string const&, book&);
  static std::map<std::string, action> const actions = {
      {"reduce", reduce}, {"deterministic", deterministic}, {"scan", scan}};
  for (std::size_t i = 0; i < program.body.size(); ++i) {
    auto const found = actions.find(program.body[i].kind);
    if (found != actions.end()) found->second(program.body[i], std::to_string(i) + " " + program.body[i].kind, told);
  }
}

}  // namespace

void add_splits(subjects& table) { table["splits"] = splits; }

}  // namespace differ
