// SPDX-License-Identifier: Apache-2.0
// The work-stealing deque: one owner, two thieves; every job is taken exactly once, whatever the ring does meanwhile.
// The files under test are compiled unchanged, but for the capacity of the first ring (2).
#include <doctest/doctest.h>

#include <engine/model.h>

#include "sched/queue/deque.cpp"

#include <algorithm>

using namespace ashlar;

namespace {

constexpr int most_jobs = 4;

struct numbered : sched::job {
  model::var<int> taken{0};
};

struct scene {
  sched::deque queue;
  numbered jobs[most_jobs];
  int pushed = 0;

  // Of the jobs, `shared` are open to thieves from the start.
  explicit scene(sched::deque::index shared = most_jobs, bool has_ring = true) : queue(shared) {
    model::label(queue, "deque");
    model::label(jobs, "jobs");
    if (has_ring) queue.make_room(0);
  }
  void push() {
    jobs[pushed].taken.set(0);
    queue.push(&jobs[pushed], static_cast<sched::job_key>(100 + pushed));
    ++pushed;
  }
  void take(sched::job* what) {
    if (what == nullptr) return;
    auto& mine = *static_cast<numbered*>(what);
    mine.taken.set(mine.taken.get() + 1);
    model::require(mine.taken.get() == 1, "a job is taken twice");
  }
  void pop() { take(queue.pop()); }
  void steal(int attempts) {
    for (int i = 0; i < attempts; ++i) {
      sched::job* what = nullptr;
      sched::job_key key = 0;
      auto const got = queue.steal(what, key, [](auto...) { return true; });
      if (got != sched::deque::outcome::taken) continue;
      model::require(key == static_cast<sched::job_key>(100 + (static_cast<numbered*>(what) - jobs)),
                     "a job's key is another's");
      take(what);
    }
  }
  // Owner part in the main thread, beside the thieves.
  template <typename Owner>
  void run(int thieves, int attempts, Owner owner) {
    auto const steals = [this, attempts] { steal(attempts); };
    model::thread first("thief 1", steals);
    if (thieves == 2) {
      model::thread second("thief 2", steals);
      owner();
      second.join();
    } else {
      owner();
    }
    first.join();
    for (int i = 0; i < most_jobs; ++i) pop();
    for (int i = 0; i < pushed; ++i) model::require(jobs[i].taken.get() == 1, "a job is lost");
  }
};

void last_job() {
  scene s;
  s.push();
  s.run(2, 1, [&] { s.pop(); });
}

void two_jobs() {
  scene s;
  s.push();
  s.push();
  s.run(2, 2, [&] {
    s.pop();
    s.pop();
  });
}

void push_while_stolen() {
  scene s;
  s.run(2, 1, [&] {
    s.push();
    s.push();
    s.pop();
  });
}

void growth() {
  scene s;
  s.push();
  s.push();
  s.run(2, 1, [&] {
    s.push();
    s.pop();
  });
}

void reuse() {
  scene s;
  s.push();
  s.push();
  s.run(1, 2, [&] {
    s.push();
    s.push();
    s.pop();
  });
}

// From here on thieves have to unlock what the owner pops without a fence.
void private_job() {
  scene s(0);
  s.push();
  s.run(1, 1, [&] { s.pop(); });
}

void private_and_pushed_again() {
  scene s(0);
  s.push();
  s.run(1, 1, [&] {
    s.pop();
    s.push();
    s.pop();
  });
}

void unlocked_by_the_owner() {
  scene s(0);
  s.push();
  s.run(1, 1, [&] {
    s.pop();
    s.pop();
  });
}

void half_private() {
  scene s(1);
  s.push();
  s.push();
  s.run(1, 2, [&] {
    s.pop();
    s.pop();
  });
}

void unlocked_by_another() {
  scene s(0);
  s.push();
  s.run(2, 1, [&] { s.pop(); });
}

// A thief may meet the deque without a ring. It crashes if what it takes for a job's push says nothing of the ring, so
// no weakened order may come here: this is the last scene.
void first_job() {
  scene s(most_jobs, false);
  s.run(2, 1, [&] {
    s.push();
    s.pop();
  });
}

// "unlocked by another" has too many executions to be searched whole.
struct {
  char const* name;
  void (*body)();
  model::search how = model::search::exhaustive;
} const scenes[] = {{"last job", last_job},
                    {"push while stolen", push_while_stolen},
                    {"growth", growth},
                    {"reuse of cells", reuse},
                    {"two jobs", two_jobs},
                    {"private job", private_job},
                    {"private and pushed again", private_and_pushed_again},
                    {"half private", half_private},
                    {"unlocked by the owner", unlocked_by_the_owner},
                    {"unlocked by another", unlocked_by_another, model::search::pct},
                    {"first job", first_job}};

// The scene that fails when the lines are weakened, or an empty string.
std::string caught_by(std::vector<model::site> const& lines) {
  for (auto const& s : scenes) {
    model::options how;
    how.name = s.name;
    how.weaken = lines;
    how.how = s.how;
    if (s.how != model::search::exhaustive) how.executions = 50'000;
    if (model::check(how, s.body).failed) return s.name;
  }
  return "";
}

}  // namespace

TEST_CASE("every job is taken exactly once") {
  for (auto const& s : scenes) {
    model::options how;
    how.name = s.name;
    how.how = s.how;
    if (s.how != model::search::exhaustive) how.executions = 50'000;
    model::result const r = model::check(how, s.body);
    INFO(r.report);
    CHECK(!r.failed);
    CHECK(r.complete == (s.how == model::search::exhaustive));
    CHECK(r.executions > 10);
  }
}

TEST_CASE("each order is needed") {
  struct edge {
    char const* file;
    std::string tag;
    bool operator==(edge const& o) const { return tag == o.tag && std::strcmp(file, o.file) == 0; }
  };
  edge const invisible[] = {
      // The owner overwrites a cell after it has seen that top has passed it. A thief that read the new job although it
      // read the cell before it moved top would be load buffering, which C++ allows but RC11 does not.
      {"src/sched/queue/deque.cpp", "D6"},
      // The exchange before it is seq_cst, and the checker lets every later fence see that one.
      {"src/sched/queue/deque.cpp", "D10"},
      // Orders the compiler, which the checker is not.
      {"include/ashlar/sched/queue/deque.h", "D9"}};
  // The thief crashes without it; mutants.toml has that.
  edge const deadly{"src/sched/queue/deque.cpp", "D11"};
  for (char const* file : {"include/ashlar/sched/queue/deque.h", "src/sched/queue/deque.cpp"}) {
    for (std::string const& tag : model::tags_of(file)) {
      CAPTURE(file);
      CAPTURE(tag);
      if (edge{file, tag} == deadly) continue;
      bool const seen = std::find(std::begin(invisible), std::end(invisible), edge{file, tag}) == std::end(invisible);
      CHECK((caught_by(model::tagged(file, tag)) != "") == seen);
    }
  }
}

TEST_CASE("a deque that is stolen from again and again needs no heavy fence for that") {
  struct : sched::job {
  } some;
  sched::deque queue;
  // A flat list of jobs of which a thief takes some; how many heavy fences that costs.
  auto const list = [&](int pushed, int stolen) {
    std::uint64_t const before = model::heavy_fences;
    for (int i = 0; i < pushed; ++i) queue.push(&some, 0);
    for (int i = 0; i < stolen; ++i) {
      sched::job* what = nullptr;
      sched::job_key key = 0;
      CHECK(queue.steal(what, key, [](auto...) { return true; }) == sched::deque::outcome::taken);
    }
    for (int i = stolen; i < pushed; ++i) CHECK(queue.pop() == &some);
    CHECK(queue.pop() == nullptr);
    return model::heavy_fences - before;
  };
  CHECK(list(15, 7) == 1);
  list(15, 7);
  for (int i = 0; i < 100; ++i) CHECK(list(15, 7) == 0);
  // What was learnt is forgotten when the owner has paid as much for open jobs.
  for (int i = 0; i < 500; ++i) CHECK(list(15, 0) == 0);
  CHECK(list(15, 7) == 1);
}

// The owner empties the deque while a thief is in the heavy fence: this is no less a reason for a wider margin.
TEST_CASE("a deque learns from a theft that it overtakes") {
  struct : sched::job {
  } some;
  sched::deque queue;
  auto const overtaken = [&] {
    for (int i = 0; i < 8; ++i) queue.push(&some, 0);
    bool asked = false;
    for (int i = 0; i < 8; ++i) {
      sched::job* what = nullptr;
      sched::job_key key = 0;
      auto const outcome = queue.steal(
          what, key, [](auto...) { return true; },
          [&] {
            asked = true;
            sched::deque::index const bound = queue.raise_split();
            while (queue.pop() != nullptr) {
            }
            queue.publish(bound);
            return false;
          });
      if (outcome != sched::deque::outcome::taken) break;
    }
    while (queue.pop() != nullptr) {
    }
    return asked;
  };
  CHECK(overtaken());
  int again = 0;
  for (int i = 0; i < 20; ++i) again += overtaken();
  CHECK(again <= 1);
}

TEST_CASE("random and PCT search find the missing fence, too, and their finds can be replayed") {
  for (model::search how : {model::search::random, model::search::pct}) {
    model::options o;
    o.how = how;
    o.executions = 200'000;
    o.weaken = model::tagged("include/ashlar/sched/queue/deque.h", "D4");
    model::result const found = model::check(o, two_jobs);
    REQUIRE(found.failed);
    CHECK(model::check(o, two_jobs).report == found.report);
    o.how = model::search::exhaustive;
    o.replay = found.replay;
    CHECK(model::check(o, two_jobs).report == found.report);
  }
}
