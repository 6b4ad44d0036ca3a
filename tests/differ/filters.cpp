// SPDX-License-Identifier: Apache-2.0
// Classic TBB's pipeline of filter objects: all modes, filters that a thread of its own drives, exceptions,
// cancellation, items that are dropped, and a pipeline that runs again.
#include "subjects.h"

#if DIFFER_TASKS
#include <tbb/pipeline.h>
#include <tbb/task.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <thread>

namespace differ {

namespace {

constexpr tbb::filter::mode modes[] = {tbb::filter::parallel, tbb::filter::serial_in_order,
                                       tbb::filter::serial_out_of_order};

struct item {
  int number;
  counted alive;
};

// What a filter is, and what it saw.
struct part {
  step const* s = nullptr;
  bool first = false, last = false;
  int mode = 0;
  int total = 0;      // of the input
  int fails_at = -1;  // an item
  fault wrong{};
  tbb::task_group_context* context = nullptr;
  tally seen;
  std::atomic<int> inside{0}, next{0}, finalized{0};
  std::atomic<bool> crowded{false};

  void* pass(void* given) {
    if (++inside > 1) crowded = true;
    std::unique_ptr<item> one(first ? make() : static_cast<item*>(given));
    if (one != nullptr) {
      seen.add(one->number);
      linger();
    }
    --inside;
    if (one == nullptr) return nullptr;
    if (one->number == fails_at && wrong == fault::exception) {
      if (!first) one.release();  // finalize() gets it
      throw deliberate{fails_at};
    }
    if (one->number == fails_at) context->cancel_group_execution();
    return last || one == nullptr ? nullptr : one.release();
  }
  item* make() {
    int const i = next++;
    return i < total ? new item{i, i} : nullptr;
  }
  void drop(void* given) {
    std::unique_ptr<item> const one(static_cast<item*>(given));
    ++finalized;
  }
};

template <typename Base>
class stage : public Base {
 public:
  explicit stage(part& p) : Base(modes[p.mode]), part_(p) {}
  void* operator()(void* given) override { return part_.pass(given); }
  void finalize(void* given) override { part_.drop(given); }

 private:
  part& part_;
};

// A filter, and the thread that drives it, if it is bound to one.
class worker {
 public:
  explicit worker(part& p) : part_(p) {
    if (bound(p)) {
      bound_ = new stage<tbb::thread_bound_filter>(p);
      filter_.reset(bound_);
    } else {
      filter_ = std::make_unique<stage<tbb::filter>>(p);
    }
  }
  static bool bound(part const& p) { return p.mode != 0 && p.s->b % 4 == 0; }
  tbb::filter& get() { return *filter_; }
  void start() {
    if (bound_ == nullptr) return;
    thread_ = std::thread([this] {
      bool const waits = part_.s->b / 4 % 2 == 0;
      for (;;) {
        auto const result = waits ? bound_->process_item() : bound_->try_process_item();
        if (result == tbb::thread_bound_filter::end_of_stream) return;
        if (result == tbb::thread_bound_filter::item_not_available) std::this_thread::yield();
      }
    });
  }
  void join() {
    if (thread_.joinable()) thread_.join();
  }

 private:
  part& part_;
  std::unique_ptr<tbb::filter> filter_;
  stage<tbb::thread_bound_filter>* bound_ = nullptr;
  std::thread thread_;
};

bool is_order_of(std::vector<int> const& seen, std::vector<int>& first) {
  if (first.empty()) first = seen;
  return seen.size() <= first.size() && std::equal(seen.begin(), seen.end(), first.begin());
}

void tell_part(part const& p, std::string const& path, bool whole, std::vector<int>& first, book& told) {
  std::vector<int> const order = p.seen.sequence();
  if (p.mode == 1) told.tell(path + " in order", is_order_of(order, first));
  if (p.mode != 0) told.tell(path + " one at a time", !p.crowded);
  if (whole) {
    std::vector<int> seen = p.seen.sorted();
    if (planted("filter loses an item") && seen.size() > 3) seen.pop_back();
    told.tell(path + " saw", seen);
  } else {
    told.tell(path + " not more than there are", p.seen.count() <= p.total);
    told.open("items of a filter before the end", p.seen.count());
  }
}

// One run of all filters.
void run(step const& program, std::vector<std::unique_ptr<part>>& parts, std::string const& path, book& told) {
  tbb::pipeline line;  // TBB 2020's waits for ever if it runs with other filters than before
  tbb::task_group_context context;
  bool whole = true;
  for (auto& p : parts) {
    p->context = &context;
    whole = whole && p->fails_at < 0;
  }
  std::vector<std::unique_ptr<worker>> workers;
  for (auto& p : parts) {
    workers.push_back(std::make_unique<worker>(*p));
    tbb::filter& f = workers.back()->get();
    told.tell(path + " serial, ordered, bound",
              text(f.is_serial()) + " " + text(f.is_ordered()) + " " + text(f.is_bound()));
    line.add_filter(f);
  }
  for (auto& w : workers) w->start();
  bool const any_bound = std::any_of(parts.begin(), parts.end(), [](auto const& p) { return worker::bound(*p); });
  int const times = whole && !any_bound ? 1 + program.b / 90 % 2 : 1;
  std::string out;
  for (int i = 0; i < times; ++i) {
    parts[0]->next = 0;
    out = thrown([&] { line.run(static_cast<std::size_t>(1 + program.a % 12), context); });
  }
  for (auto& w : workers) w->join();
  line.clear();
  told.tell(path + " threw", planted("filter loses an exception") ? "nothing" : out);
  told.tell(path + " cancelled", context.is_group_execution_cancelled());
  std::vector<int> first(parts[0]->mode == 1 ? static_cast<std::size_t>(times * program.n) : 0);
  std::iota(first.begin(), first.end(), 0);
  for (int& number : first) number %= program.n;
  int dropped = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    tell_part(*parts[i], path + " filter " + std::to_string(i), whole, first, told);
    dropped += parts[i]->finalized;
  }
  told.tell(path + " dropped, if nothing fails", whole ? dropped : 0);
  told.open("items that a stopped pipeline drops", dropped);
}

// n: the items; a: tokens; b: runs. Each step is a filter; a: its mode; b: where it fails, and whether it is bound.
void filters(step const& program, book& told) {
  std::vector<step> all = program.body;
  all.insert(all.begin(), step{"filter", 1, program.b, program.b / 3, {}, {}});
  for (int round = 0; round < 1 + program.b / 30 % 3; ++round) {
    if (round == 1) std::reverse(all.begin() + 1, all.end());
    std::vector<std::unique_ptr<part>> parts;
    bool any_bound = false;
    for (step const& s : all) {
      parts.push_back(std::make_unique<part>());
      parts.back()->s = &s;
      parts.back()->mode = s.a % 3;
      parts.back()->total = program.n;
      any_bound = any_bound || worker::bound(*parts.back());
    }
    parts.front()->first = true;
    parts.back()->last = parts.size() > 1;
    auto const wrong =
        std::find_if(parts.begin(), parts.end(), [](auto const& p) { return p->s->wrong != fault::none; });
    if (wrong != parts.end() && !any_bound && parts.size() > 1) {
      (*wrong)->wrong = (*wrong)->s->wrong;
      (*wrong)->fails_at = (*wrong)->s->b % program.n;
    }
    if (parts.size() > 1) run(program, parts, "run " + std::to_string(round), told);
  }
}

}  // namespace

void add_filters(subjects& table) { table["filters"] = filters; }

}  // namespace differ
#endif
