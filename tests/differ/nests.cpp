// SPDX-License-Identifier: Apache-2.0
// Contexts in contexts, many levels deep, in algorithms of all kinds: who sees a cancellation or an exception that
// begins at any of them, while they run and afterwards.
#include "subjects.h"

#include <tbb/blocked_range.h>
#include <tbb/flow_graph.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_for_each.h>
#include <tbb/parallel_invoke.h>
#include <tbb/parallel_reduce.h>
#if DIFFER_ONETBB
#include <tbb/parallel_pipeline.h>
#else
#include <tbb/pipeline.h>
#include <tbb/task.h>
#endif
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <memory>

namespace differ {

namespace {

using context = tbb::task_group_context;
using body = std::function<void()>;

// Of what it is used for, one index of several is the one that goes deeper.
void run_loop(context& c, step const& s, body const& inside) {
  int const n = 1 + s.n % 3;
  tbb::parallel_for(
      0, n,
      [&](int i) {
        if (i == s.a % n) inside();
      },
      tbb::simple_partitioner(), c);
}

void run_reduce(context& c, step const& s, body const& inside) {
  int const n = 1 + s.n % 3;
  tbb::parallel_reduce(
      tbb::blocked_range<int>(0, n), 0,
      [&](tbb::blocked_range<int> const& r, int sum) {
        for (int i = r.begin(); i != r.end(); ++i) {
          if (i == s.a % n) inside();
        }
        return sum;
      },
      [](int x, int y) { return x + y; }, tbb::simple_partitioner(), c);
}

void run_invoke(context& c, step const& s, body const& inside) {
  auto const nothing = [] {};
  s.a % 2 == 0 ? tbb::parallel_invoke(inside, nothing, c) : tbb::parallel_invoke(nothing, nothing, inside, c);
}

void run_each(context& c, step const& s, body const& inside) {
  std::vector<int> const all(static_cast<std::size_t>(1 + s.n % 3), 0);
  tbb::parallel_for_each(
      all.begin(), all.end(),
      [&](int const& i) {
        if (&i == &all.front()) inside();
      },
      c);
}

void run_pipeline(context& c, step const& s, body const& inside) {
#if DIFFER_ONETBB
  using mode = tbb::filter_mode;
#else
  using mode = tbb::filter::mode;
#endif
  constexpr mode modes[] = {mode::parallel, mode::serial_in_order, mode::serial_out_of_order};
  bool given = false;
  auto const in = tbb::make_filter<void, int>(mode::serial_in_order, [&](tbb::flow_control& control) {
    if (given) control.stop();
    given = true;
    return 1;
  });
  tbb::parallel_pipeline(2, in & tbb::make_filter<int, void>(modes[s.a % 3], [&](int) { inside(); }), c);
}

void run_graph(context& c, step const& s, body const& inside) {
  tbb::flow::graph g(c);
  tbb::flow::function_node<int> node(g, s.a % 2 == 0 ? tbb::flow::serial : tbb::flow::unlimited,
                                     [&](int) { inside(); });
  node.try_put(1);
  g.wait_for_all();
}

void run_group(context& c, step const& s, body const& inside) {
#if DIFFER_ONETBB
  tbb::task_group group(c);
  if (s.a % 3 == 0) {
    group.run_and_wait(inside);
  } else {
    group.run(inside);
    group.wait();
  }
#else
  run_invoke(c, s, inside);
#endif
}

using runner = void (*)(context&, step const&, body const&);
std::map<std::string, runner> const runners = {
    {"loop", run_loop},   {"reduce", run_reduce}, {"invoke", run_invoke},    {"each", run_each},
    {"graph", run_graph}, {"group", run_group},   {"pipeline", run_pipeline}};

bool cancelling_here() {
#if DIFFER_ONETBB
  return tbb::is_current_task_group_canceling();
#else
  return tbb::task::self().is_cancelled();
#endif
}

// One thread at a time is in it, the one that has come deepest.
class nest {
 public:
  explicit nest(book& told) : told_(told) {}
  nest(nest const&) = delete;
  nest& operator=(nest const&) = delete;
  ~nest() {
    while (!all_.empty()) all_.pop_back();  // children before their parents
  }

  void play(step const& scope, std::string const& path) {
    for (std::size_t i = 0; i < scope.body.size(); ++i) act(scope.body[i], path + std::to_string(i));
  }

 private:
  struct member {
    member(bool isolated, member* above) : own(isolated ? context::isolated : context::bound), parent(above) {}
    bool is_below(member const& other) const {
      return parent != nullptr && (parent == &other || parent->is_below(other));
    }
    int depth() const { return parent == nullptr ? 0 : 1 + parent->depth(); }
    context own;
    member* parent;  // null: bound to none
    bool running = true;
    // What it is after a reset beside a cancellation above or below it is a known difference (docs/compatibility.md).
    bool is_open = false;
    bool has_thrown = false;  // a loop that begins then is a known difference
  };

  void act(step const& s, std::string const& path) {
    std::string const name = path + " " + s.kind;
    auto const found = runners.find(s.kind);
    if (found != runners.end()) {
      enter(found->second, s, name);
    } else if (s.kind == "arena") {
      tbb::task_arena other(2 + s.a % 2);
      other.execute([&] { at(nullptr, [&] { play(s, path + "."); }); });
    } else if (s.kind == "isolate") {
      tbb::this_task_arena::isolate([&] { play(s, path + "."); });
    } else if (s.kind == "throw") {
      throw deliberate{s.b};
    } else if (!all_.empty()) {
      touch(*all_[static_cast<std::size_t>(s.a) % all_.size()], s, name);
    }
  }

  // b: whether it is isolated, and whether what is thrown inside of it goes on.
  void enter(runner run, step const& s, std::string const& name) {
    if (here_ != nullptr && here_->is_open) return;
    bool const isolated = s.b % 7 == 0;
    all_.push_back(std::make_unique<member>(isolated, isolated ? nullptr : here_));
    member& here = *all_.back();
    bool ran = false, cancelled = true;
    auto const inside = [&] {
      ran = true;
      tell_here(name + " begins");
      at(&here, [&] { play(s, name + "."); });
      tell_here(name + " ends");
      cancelled = here.own.is_group_execution_cancelled();
    };
    auto const call = [&] {
      ending const guard{*this, here, cancelled, s.kind == "group" || s.kind == "graph"};
      run(here.own, s, inside);
    };
    std::string out = "nothing";
    if (s.b / 7 % 3 == 0) {
      out = thrown(call);
      told_.tell(name + " threw", out);
    } else {
      call();
    }
    told_.tell(name + " ran", ran);
    tell_states(name);
  }

  // The end of a run, by an exception or not. Waits of some kinds reset a context that is cancelled.
  struct ending {
    ~ending() {
      its.running = false;
      its.has_thrown = !resets && std::uncaught_exceptions() > before;
      if (resets && cancelled) all.was_reset(its, true);
    }
    nest& all;
    member& its;
    bool const& cancelled;
    bool resets;
    int before = std::uncaught_exceptions();
  };
  // Its own wait, or the program, has reset it.
  void was_reset(member& m, bool was_cancelled) {
    m.is_open = m.is_open || (m.parent != nullptr && m.parent->own.is_group_execution_cancelled());
    if (!was_cancelled) return;
    for (auto const& other : all_) other->is_open = other->is_open || other->is_below(m);
  }

  // What is bound meanwhile hangs below m.
  template <typename F>
  void at(member* m, F const& f) {
    struct leaving {
      member*& here;
      member* const before;
      ~leaving() { here = before; }
    } const guard{here_, here_};
    here_ = m;
    f();
  }
  void touch(member& m, step const& s, std::string const& name) {
    if (m.is_open) return;
    if (s.kind == "cancel") {
      told_.tell(name + " is the first", m.own.cancel_group_execution());
    } else if (s.kind == "reset" && !m.running) {
      bool const was_cancelled = m.own.is_group_execution_cancelled();
      m.own.reset();
      m.has_thrown = false;
      was_reset(m, was_cancelled);
    } else if (s.kind == "again" && !m.running && !m.has_thrown) {
      bool ran = false;
      tbb::parallel_for(0, 1, [&](int) { ran = true; }, tbb::auto_partitioner(), m.own);
      told_.tell(name + " ran", ran);
    }
    tell_states(name);
  }

  void tell_here(std::string const& name) {
    if (here_ == nullptr || !here_->is_open) told_.tell(name + " cancelled", cancelling_here());
  }
  static bool is_cancelled(member& m) {
    if (planted("nest cancels three levels deep") && m.depth() > 3) return false;
    return m.own.is_group_execution_cancelled();
  }
  void tell_states(std::string const& name) {
    std::string states(all_.size(), '?');
    for (std::size_t i = all_.size(); i-- > 0;) {  // the innermost first: none above it has been asked then
      if (!all_[i]->is_open) states[i] = is_cancelled(*all_[i]) ? 'x' : '.';
    }
    told_.tell(name + ": all of them", states);
    tell_here(name);
  }

  book& told_;
  member* here_ = nullptr;  // the innermost that runs
  std::vector<std::unique_ptr<member>> all_;
};

void nests(step const& program, book& told) {
  nest all(told);
  told.tell("threw", thrown([&] { all.play(program, ""); }));
}

}  // namespace

void add_nests(subjects& table) { table["nest"] = nests; }

}  // namespace differ
