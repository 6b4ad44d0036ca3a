// SPDX-License-Identifier: Apache-2.0
// Priorities: of arenas and of nodes in oneTBB's dialect, of groups and of what is enqueued in TBB 2020's. That all
// runs, and nothing twice, is determined; what comes first is a preference.
#include "subjects.h"

#include <tbb/flow_graph.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>
#if !DIFFER_ONETBB
#include <tbb/task.h>
#endif

#include <algorithm>
#include <chrono>
#include <memory>
#include <thread>

namespace differ {

namespace {

constexpr char const* names[] = {"low", "normal", "high"};

// What has run: numbers in classes 0 to 2, in the order in which they came.
class arrivals {
 public:
  void add(int priority, int number) { seen_.add(priority * 1000 + number); }
  // Waits until so many have come.
  void wait(int all) const {
    auto const end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (static_cast<int>(seen_.snapshot().size()) < all && std::chrono::steady_clock::now() < end) {
      std::this_thread::yield();
    }
  }
  void tell(std::string const& path, std::string const& what, book& told) const {
    std::vector<int> const order = seen_.snapshot();
    std::vector<int> sorted = order;
    std::sort(sorted.begin(), sorted.end());
    if (planted("priority low starves") && sorted.size() > 9) sorted.erase(sorted.begin());
    told.tell(path + " ran", sorted);
    double rank[3] = {}, count[3] = {};
    for (std::size_t i = 0; i < order.size(); ++i) {
      rank[order[i] / 1000] += static_cast<double>(i) / static_cast<double>(order.size());
      ++count[order[i] / 1000];
    }
    for (int p = 0; p < 3; ++p) {
      if (count[p] > 0 && order.size() > 9) told.open(what + ", rank of priority " + names[p], rank[p] / count[p]);
    }
  }

 private:
  tally seen_;
};

// Threads of the program, each with something of one priority.
template <typename Use>
void from_threads(Use const& use) {
  std::vector<std::thread> threads;
  for (int p = 0; p < 3; ++p) threads.emplace_back(use, p);
  for (std::thread& t : threads) t.join();
}

#if DIFFER_ONETBB

namespace flow = tbb::flow;
using arena_priority = tbb::task_arena::priority;
constexpr arena_priority priorities[] = {arena_priority::low, arena_priority::normal, arena_priority::high};

std::unique_ptr<tbb::task_arena> make_arena(step const& s, int p) {
  int const slots = 1 + s.b % 4;
  auto const reserved = static_cast<unsigned>(s.b / 4 % 2);
  if (s.b / 8 % 2 == 0) return std::make_unique<tbb::task_arena>(slots, reserved, priorities[p]);
  auto made = std::make_unique<tbb::task_arena>();
  made->initialize(slots, reserved, priorities[p]);
  return made;
}

void enqueued(step const& s, std::string const& path, book& told) {
  arrivals seen;
  std::unique_ptr<tbb::task_arena> arenas[3];
  for (int p = 0; p < 3; ++p) arenas[p] = make_arena(s, p);
  for (int i = 0; i < s.n; ++i) {
    int const p = (i + s.a) % 3;
    arenas[p]->enqueue([&seen, p, i] {
      linger();
      seen.add(p, i);
    });
  }
  seen.wait(s.n);
  seen.tell(path, "tasks enqueued in arenas", told);
}

// Loops in arenas of all priorities at once, and in one inside of the other.
void loops(step const& s, std::string const& path, book& told) {
  arrivals seen;
  from_threads([&](int p) {
    auto const arena = make_arena(s, p);
    std::unique_ptr<tbb::task_arena> const inner = make_arena(s, (p + s.a) % 3);
    arena->execute([&] {
      tbb::parallel_for(0, s.n, [&](int i) {
        if (i % 8 == 3) {
          inner->execute([&] { tbb::parallel_for(0, 2, [](int) {}); });
        }
        seen.add(p, i);
      });
    });
  });
  seen.tell(path, "iterations in arenas", told);
}

// Nodes of all priorities, and of none, behind one that sends to all.
void nodes(step const& s, std::string const& path, book& told) {
  using multi = flow::multifunction_node<int, std::tuple<int>>;
  arrivals seen;
  flow::graph g;
  flow::broadcast_node<int> start(g);
  std::vector<std::unique_ptr<flow::function_node<int, int>>> functions;
  std::vector<std::unique_ptr<multi>> multis;
  constexpr std::size_t limits[] = {flow::serial, 2, flow::unlimited};
  for (int p = 0; p < 3; ++p) {
    auto const priority = p == 0 ? flow::no_priority : static_cast<flow::node_priority_t>(1 + p * (s.b % 7));
    std::size_t const limit = limits[(s.a + p) % 3];
    functions.push_back(std::make_unique<flow::function_node<int, int>>(
        g, limit,
        [&seen, p](int i) {
          linger();
          seen.add(p, i);
          return i;
        },
        priority));
    multis.push_back(std::make_unique<multi>(
        g, limit,
        [&seen, p](int i, multi::output_ports_type& out) {
          seen.add(p, 500 + i);
          std::get<0>(out).try_put(i);
        },
        priority));
    flow::make_edge(start, *functions.back());
    flow::make_edge(*functions.back(), *multis.back());
  }
  for (int i = 0; i < s.n; ++i) start.try_put(i);
  g.wait_for_all();
  seen.tell(path, "bodies of nodes", told);
}

constexpr std::pair<char const*, void (*)(step const&, std::string const&, book&)> all_actions[] = {
    {"enqueued", enqueued}, {"loops", loops}, {"nodes", nodes}};

#else

constexpr tbb::priority_t priorities[] = {tbb::priority_low, tbb::priority_normal, tbb::priority_high};

// A task that is enqueued, with a priority.
struct note : tbb::task {
  note(arrivals& s, int p, int i) : seen(s), priority(p), number(i) {}
  task* execute() override {
    linger();
    seen.add(priority, number);
    return nullptr;
  }
  arrivals& seen;
  int priority, number;
  counted alive;
};

void enqueued(step const& s, std::string const& path, book& told) {
  arrivals seen;
  tbb::task_arena arena(2 + s.b % 3);
  arena.initialize();
  for (int i = 0; i < s.n; ++i) {
    int const p = (i + s.a) % 3;
    if (s.b / 3 % 3 == 0) {
      arena.enqueue([&seen, p, i] { seen.add(p, i); }, priorities[p]);
    } else {
      tbb::task& made = *new (tbb::task::allocate_root()) note(seen, p, i);
      s.b / 3 % 3 == 1 ? tbb::task::enqueue(made, priorities[p]) : tbb::task::enqueue(made, arena, priorities[p]);
    }
  }
  seen.wait(s.n);
  seen.tell(path, "tasks that are enqueued", told);
}

// Loops of groups with priorities, at once.
void loops(step const& s, std::string const& path, book& told) {
  arrivals seen;
  std::atomic<int> other{0}, other_inside{0};
  from_threads([&](int p) {
    tbb::task_group_context context;
    context.set_priority(priorities[p]);
    other += context.priority() != priorities[p] ? 1 : 0;
    tbb::parallel_for(
        0, s.n,
        [&](int i) {
          linger();
          other += tbb::task::self().group_priority() != priorities[p] ? 1 : 0;
          if (i % 8 == 3) {
            tbb::parallel_for(
                0, 2, [&](int) { other_inside += tbb::task::self().group_priority() != priorities[p] ? 1 : 0; });
          }
          seen.add(p, i);
        },
        tbb::auto_partitioner(), context);
  });
  told.tell(path + " tasks of another priority", other.load());
  told.known("inherited priority", path + " tasks of another priority inside", other_inside.load());
  seen.tell(path, "iterations of groups", told);
}

// A group whose priority changes while it runs.
void changed(step const& s, std::string const& path, book& told) {
  arrivals seen;
  tbb::task_group_context context;
  tbb::parallel_for(
      0, s.n,
      [&](int i) {
        if (i == s.a % s.n) tbb::task::self().set_group_priority(priorities[s.b % 3]);
        seen.add(1, i);
      },
      tbb::simple_partitioner(), context);
  told.tell(path + " its priority afterwards", context.priority() == priorities[s.b % 3]);
  seen.tell(path, "iterations of a group that changes", told);
}

constexpr std::pair<char const*, void (*)(step const&, std::string const&, book&)> all_actions[] = {
    {"enqueued", enqueued}, {"loops", loops}, {"changed", changed}};

#endif

void priority_programs(step const& program, book& told) {
  for (std::size_t i = 0; i < program.body.size(); ++i) {
    for (auto const& [kind, action] : all_actions) {
      if (program.body[i].kind == kind) action(program.body[i], std::to_string(i) + " " + kind, told);
    }
  }
}

}  // namespace

void add_priorities(subjects& table) { table["priority"] = priority_programs; }

}  // namespace differ
