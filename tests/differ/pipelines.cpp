// SPDX-License-Identifier: Apache-2.0
// parallel_pipeline: filters of all modes, numbers of tokens, exceptions, cancellation, an input that stops at once.
#include "subjects.h"

#if DIFFER_ONETBB
#include <tbb/parallel_pipeline.h>
#else
#include <tbb/pipeline.h>
#endif
#include <tbb/task_group.h>

#include <algorithm>
#include <memory>
#include <numeric>

namespace differ {

namespace {

#if DIFFER_ONETBB
using mode = tbb::filter_mode;
constexpr mode modes[] = {mode::parallel, mode::serial_in_order, mode::serial_out_of_order};
template <typename In, typename Out>
using filter = tbb::filter<In, Out>;
#else
using mode = tbb::filter::mode;
constexpr mode modes[] = {mode::parallel, mode::serial_in_order, mode::serial_out_of_order};
template <typename In, typename Out>
using filter = tbb::filter_t<In, Out>;
#endif

// A filter in the middle and what it saw.
struct stage {
  int mode = 0;
  int throws_at = -1;
  int cancels_at = -1;
  int first = 0;
  tally seen;
  std::atomic<int> inside{0};
  std::atomic<bool> crowded{false};
};

using item = std::shared_ptr<counted>;

void pass(stage& s, int i, tbb::task_group_context& context) {
  if (++s.inside > 1) s.crowded = true;
  s.seen.add(i);
  linger();
  --s.inside;
  if (i == s.throws_at) throw deliberate{i};
  if (i == s.cancels_at) context.cancel_group_execution();
}

// Filters of mode serial_in_order keep the order of the first of them, or of an input of that mode.
bool keeps_order(std::vector<int> const& order, std::vector<int> const& first) {
  return order.size() <= first.size() && std::equal(order.begin(), order.end(), first.begin()) &&
         !planted("pipeline out of order");
}

void tell_stage(stage const& s, std::string const& path, bool whole, int n, std::vector<int>& first, book& told) {
  if (s.mode == 1) {
    std::vector<int> const order = s.seen.sequence();
    if (first.empty()) first = order;
    told.tell(path + " in order", keeps_order(order, first));
  }
  if (s.mode != 0) told.tell(path + " one at a time", !s.crowded);
  if (whole) {
    told.tell(path + " saw", s.seen.sorted());
  } else {
    told.tell(path + " not more than there are", s.seen.count() <= n);
    told.open("items of a stage before the end", s.seen.count());
  }
}

// Of the program's steps each is a filter; a: its mode. n of the program: the items; a: tokens; b: the input's mode.
void pipeline(step const& program, book& told) {
  std::vector<std::unique_ptr<stage>> stages;
  bool whole = true;
  for (step const& s : program.body) {
    stages.push_back(std::make_unique<stage>());
    stages.back()->mode = s.a % 3;
    if (!whole || s.wrong == fault::none || s.b >= program.n * 2) continue;
    whole = s.b >= program.n;  // an item that does not come
    (s.wrong == fault::exception ? stages.back()->throws_at : stages.back()->cancels_at) = s.b;
  }
  tbb::task_group_context context;
  int const tokens = 1 + program.a % 12;
  std::atomic<int> alive{0}, most{0}, next{0};
  auto const input = [&](tbb::flow_control& control) -> item {
    int const i = next++;
    if (i >= program.n) {
      control.stop();
      return nullptr;
    }
    int const now = ++alive;
    for (int seen = most; seen < now && !most.compare_exchange_weak(seen, now);) {
    }
    return std::make_shared<counted>(i);
  };
  auto const last = std::make_unique<stage>();
  last->mode = program.b / 3 % 3;
  std::string const out = thrown([&] {
    auto chain = tbb::make_filter<void, item>(modes[program.b % 3], input);
    for (auto const& s : stages) {
      auto const body = [&context, p = s.get()](item x) {
        pass(*p, x->value, context);
        return x;
      };
      chain = filter<void, item>(chain & tbb::make_filter<item, item>(modes[s->mode], body));
    }
    auto const body = [&](item const& x) {
      --alive;
      if (planted("pipeline loses an item") && x->value == 3) return;
      pass(*last, x->value, context);
    };
    auto const all = filter<void, void>(chain & tbb::make_filter<item, void>(modes[last->mode], body));
    tbb::parallel_pipeline(static_cast<std::size_t>(tokens), all, context);
  });
  told.tell("pipeline threw", out);
  told.tell("cancelled", context.is_group_execution_cancelled());
  told.tell("not more than its tokens", most <= tokens);
  told.open("most tokens at once", most.load());
  std::vector<int> first(program.b % 3 == 1 ? static_cast<std::size_t>(program.n) : 0);
  std::iota(first.begin(), first.end(), 0);
  for (std::size_t i = 0; i < stages.size(); ++i) {
    tell_stage(*stages[i], "filter " + std::to_string(i), whole, program.n, first, told);
  }
  tell_stage(*last, "last filter", whole, program.n, first, told);
}

}  // namespace

void add_pipelines(subjects& table) { table["pipeline"] = pipeline; }

}  // namespace differ
