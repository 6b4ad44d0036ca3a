// SPDX-License-Identifier: Apache-2.0
// The checker checked: programs whose outcomes under C++'s memory model are known. A forbidden outcome must never
// appear, an allowed one must. Counts of executions show that each consistent one is explored exactly once.
#include <doctest/doctest.h>

#include <engine/model.h>
#include <engine/os.h>

#include <initializer_list>
#include <memory>

using namespace ashlar;

namespace {

enum class between { nothing, fence, light, heavy };

void barrier(between what) {
  if (what == between::fence) fence_seq_cst();
  if (what == between::light) fence_light();
  if (what == between::heavy) os::heavy_fence();
}

model::result run(std::function<void()> const& body, model::options how = {}) {
  model::result r = model::check(how, body);
  INFO(r.report);
  CHECK(!r.failed);
  if (how.how == model::search::exhaustive) CHECK(r.complete);
  return r;
}

std::set<std::uint64_t> outcomes(model::result const& r) {
  std::set<std::uint64_t> all;
  for (auto const& [value, count] : r.outcomes) all.insert(value);
  return all;
}
using set = std::set<std::uint64_t>;

struct two {
  atomic<int> x{0}, y{0};
};

// Two threads, each returning what it has read; the outcome is 10 * first + second.
template <typename First, typename Second>
model::result both(First first, Second second, model::options how = {}) {
  return run(
      [=] {
        two v;
        int r1 = 0, r2 = 0;
        model::thread a("first", [&] { r1 = first(v); });
        model::thread b("second", [&] { r2 = second(v); });
        a.join();
        b.join();
        model::observe(static_cast<std::uint64_t>(10 * r1 + r2));
      },
      how);
}

model::result store_buffering(order store, order load, between left, between right) {
  return both(
      [=](two& v) {
        v.x.store(1, store);
        barrier(left);
        return v.y.load(load);
      },
      [=](two& v) {
        v.y.store(1, store);
        barrier(right);
        return v.x.load(load);
      });
}

model::result message_passing(order store, order load, between left = between::nothing,
                              between right = between::nothing) {
  return both(
      [=](two& v) {
        v.x.store(1, mo::relaxed);
        barrier(left);
        v.y.store(1, store);
        return 0;
      },
      [=](two& v) {
        int const flag = v.y.load(load);
        barrier(right);
        return 2 * flag + v.x.load(mo::relaxed);
      });
}

}  // namespace

TEST_CASE("store buffering") {
  set const all{0, 1, 10, 11}, ordered{1, 10, 11};
  for (auto [store, load] : {std::pair{mo::relaxed, mo::relaxed},
                             {mo::release, mo::acquire},
                             {mo::seq_cst, mo::acquire},
                             {mo::release, mo::seq_cst}}) {
    auto const r = store_buffering(store, load, between::nothing, between::nothing);
    CHECK(outcomes(r) == all);
    CHECK(r.executions == 4);
  }
  CHECK(outcomes(store_buffering(mo::seq_cst, mo::seq_cst, between::nothing, between::nothing)) == ordered);
  CHECK(outcomes(store_buffering(mo::relaxed, mo::relaxed, between::fence, between::fence)) == ordered);
  CHECK(outcomes(store_buffering(mo::relaxed, mo::relaxed, between::fence, between::nothing)) == all);
  CHECK(outcomes(store_buffering(mo::relaxed, mo::relaxed, between::light, between::heavy)) == ordered);
  CHECK(outcomes(store_buffering(mo::relaxed, mo::relaxed, between::heavy, between::light)) == ordered);
  CHECK(outcomes(store_buffering(mo::relaxed, mo::relaxed, between::light, between::fence)) == all);
  CHECK(outcomes(store_buffering(mo::relaxed, mo::relaxed, between::light, between::light)) == all);
}

TEST_CASE("store buffering: a read-modify-write is no fence") {
  auto const with = [](order rmw, order load) {
    return outcomes(both(
        [=](two& v) {
          v.x.exchange(1, rmw);
          return v.y.load(load);
        },
        [=](two& v) {
          v.y.store(1, mo::relaxed);
          fence_seq_cst();
          return v.x.load(mo::acquire);
        }));
  };
  CHECK(with(mo::acq_rel, mo::acquire).count(0) == 1);
  CHECK(with(mo::seq_cst, mo::acquire).count(0) == 1);  // the acquire load may still be early
  CHECK(with(mo::seq_cst, mo::relaxed).count(0) == 1);
  CHECK(with(mo::acq_rel, mo::seq_cst).count(0) == 1);
  CHECK(with(mo::seq_cst, mo::seq_cst) == set{1, 10, 11});
}

TEST_CASE("message passing") {
  CHECK(outcomes(message_passing(mo::relaxed, mo::relaxed)) == set{0, 1, 2, 3});
  CHECK(outcomes(message_passing(mo::release, mo::relaxed)) == set{0, 1, 2, 3});
  CHECK(outcomes(message_passing(mo::relaxed, mo::acquire)) == set{0, 1, 2, 3});
  auto const r = message_passing(mo::release, mo::acquire);
  CHECK(outcomes(r) == set{0, 1, 3});
  CHECK(r.executions == 3);
  CHECK(outcomes(message_passing(mo::relaxed, mo::relaxed, between::fence, between::fence)) == set{0, 1, 3});
  CHECK(outcomes(message_passing(mo::relaxed, mo::acquire, between::fence)) == set{0, 1, 3});
  CHECK(outcomes(message_passing(mo::release, mo::relaxed, between::nothing, between::fence)) == set{0, 1, 3});
  CHECK(outcomes(message_passing(mo::relaxed, mo::relaxed, between::fence)) == set{0, 1, 2, 3});
}

TEST_CASE("load buffering needs values out of thin air, which RC11 forbids") {
  auto const r = both(
      [](two& v) {
        int const a = v.x.load(mo::relaxed);
        v.y.store(1, mo::relaxed);
        return a;
      },
      [](two& v) {
        int const b = v.y.load(mo::relaxed);
        v.x.store(1, mo::relaxed);
        return b;
      });
  CHECK(outcomes(r) == set{0, 1, 10});
  CHECK(r.executions == 3);
}

TEST_CASE("2+2W: modification order need not follow the order of execution") {
  auto const with = [](order o, between what) {
    return run([=] {
      two v;
      model::thread a("first", [&] {
        v.x.store(1, o);
        barrier(what);
        v.y.store(2, o);
      });
      model::thread b("second", [&] {
        v.y.store(1, o);
        barrier(what);
        v.x.store(2, o);
      });
      a.join();
      b.join();
      model::observe(static_cast<std::uint64_t>(10 * v.x.load(mo::relaxed) + v.y.load(mo::relaxed)));
    });
  };
  auto const r = with(mo::release, between::nothing);
  CHECK(outcomes(r) == set{11, 12, 21, 22});
  CHECK(r.executions == 4);
  CHECK(outcomes(with(mo::relaxed, between::fence)) == set{12, 21, 22});
  CHECK(outcomes(with(mo::seq_cst, between::nothing)) == set{12, 21, 22});
}

namespace {
model::result four_readers(order load, between what) {
  return run([=] {
    two v;
    int r[4] = {};
    model::thread a("x", [&] { v.x.store(1, load == mo::seq_cst ? mo::seq_cst : mo::release); });
    model::thread b("y", [&] { v.y.store(1, load == mo::seq_cst ? mo::seq_cst : mo::release); });
    model::thread c("xy", [&] {
      r[0] = v.x.load(load);
      barrier(what);
      r[1] = v.y.load(load);
    });
    model::thread d("yx", [&] {
      r[2] = v.y.load(load);
      barrier(what);
      r[3] = v.x.load(load);
    });
    for (model::thread* t : {&a, &b, &c, &d}) t->join();
    model::observe(static_cast<std::uint64_t>(1000 * r[0] + 100 * r[1] + 10 * r[2] + r[3]));
  });
}
}  // namespace

TEST_CASE("independent reads of independent writes") {
  auto const weak = four_readers(mo::acquire, between::nothing);
  CHECK(weak.outcomes.count(1010) == 1);
  CHECK(weak.outcomes.size() == 16);
  CHECK(weak.executions == 16);
  auto const fenced = four_readers(mo::relaxed, between::fence);
  CHECK(fenced.outcomes.count(1010) == 0);
  CHECK(fenced.outcomes.size() == 15);
  auto const strong = four_readers(mo::seq_cst, between::nothing);
  CHECK(strong.outcomes.count(1010) == 0);
  CHECK(strong.outcomes.size() == 15);
}

TEST_CASE("coherence: reads of one place never go back") {
  auto const r = run([] {
    atomic<int> x{0};
    int r1 = 0, r2 = 0;
    model::thread a("first", [&] { x.store(1, mo::relaxed); });
    model::thread b("second", [&] { x.store(2, mo::relaxed); });
    model::thread c("reader", [&] {
      r1 = x.load(mo::relaxed);
      r2 = x.load(mo::relaxed);
    });
    a.join();
    b.join();
    c.join();
    model::observe(static_cast<std::uint64_t>(100 * x.load(mo::relaxed) + 10 * r1 + r2));
  });
  CHECK(outcomes(r) == set{100, 101, 102, 111, 121, 122, 200, 201, 202, 211, 212, 222});
  CHECK(r.executions == 12);
}

TEST_CASE("coherence is passed on with what happened before") {
  auto const r = run([] {
    two v;
    int got = 0;
    model::thread a("writer", [&] { v.x.store(1, mo::relaxed); });
    model::thread b("reader", [&] {
      if (v.x.load(mo::relaxed) == 1) v.y.store(1, mo::release);
    });
    model::thread c("third", [&] { got = v.y.load(mo::acquire) == 1 ? 1 + v.x.load(mo::relaxed) : 0; });
    a.join();
    b.join();
    c.join();
    model::observe(static_cast<std::uint64_t>(got));
  });
  CHECK(outcomes(r) == set{0, 2});
}

TEST_CASE("release sequences go on through read-modify-writes only") {
  auto const with = [](bool rmw) {
    return outcomes(run([=] {
      two v;
      int got = 0;
      model::thread a("head", [&] {
        v.x.store(1, mo::relaxed);
        v.y.store(1, mo::release);
      });
      model::thread b("middle", [&] {
        if (rmw) {
          v.y.fetch_add(1, mo::relaxed);
        } else if (v.y.load(mo::relaxed) == 1) {
          v.y.store(2, mo::relaxed);
        }
      });
      model::thread c("tail", [&] {
        if (v.y.load(mo::acquire) == 2) got = 1 + v.x.load(mo::relaxed);
      });
      a.join();
      b.join();
      c.join();
      model::observe(static_cast<std::uint64_t>(got));
    }));
  };
  CHECK(with(true) == set{0, 2});
  CHECK(with(false) == set{0, 1, 2});
}

TEST_CASE("read-modify-writes are atomic") {
  auto const r = run([] {
    atomic<int> x{0};
    model::thread a("a", [&] { x.fetch_add(1, mo::relaxed); });
    model::thread b("b", [&] {
      int seen = x.load(mo::relaxed);
      while (!x.compare_exchange(seen, seen + 10, mo::relaxed, mo::relaxed)) cpu_pause();
    });
    model::thread c("c", [&] { x.fetch_add(100, mo::relaxed); });
    a.join();
    b.join();
    c.join();
    model::observe(static_cast<std::uint64_t>(x.load(mo::relaxed)));
  });
  CHECK(outcomes(r) == set{111});
}

namespace {
enum class turn { exchange, fence, seq_cst, nothing };

void peterson(turn how) {
  struct shared {
    atomic<int> wants[2], turn{0};
    model::var<int> inside{0};
  } s;
  order const store = how == turn::seq_cst ? mo::seq_cst : mo::release;
  order const load = how == turn::seq_cst ? mo::seq_cst : mo::acquire;
  auto const enter = [&s, how, store, load](int me) {
    s.wants[me].store(1, store);
    if (how == turn::exchange) {
      s.turn.exchange(1 - me, mo::acq_rel);
    } else {
      s.turn.store(1 - me, store);
    }
    if (how == turn::fence) fence_seq_cst();
    while (s.wants[1 - me].load(load) == 1 && s.turn.load(load) == 1 - me) cpu_pause();
    s.inside.set(s.inside.get() + 1);
    s.wants[me].store(0, mo::release);
  };
  model::thread a("left", [&] { enter(0); });
  model::thread b("right", [&] { enter(1); });
  a.join();
  b.join();
  model::require(s.inside.get() == 2, "both have been inside");
}
}  // namespace

TEST_CASE("Peterson's lock") {
  run([] { peterson(turn::exchange); });
  run([] { peterson(turn::seq_cst); });
  // The fence keeps the two from being inside together, but a store of `turn` that comes first in modification
  // order lets the second enter without having read that the first has left.
  for (turn how : {turn::nothing, turn::fence}) {
    model::result const r = model::check({}, [=] { peterson(how); });
    CHECK(r.failed);
    CHECK(r.kind == "data race");
  }
}

namespace {
void sleep_until_set(bool recheck, bool wakes) {
  atomic<std::uint32_t> word{0};
  model::thread a("sleeper", [&] {
    if (recheck) {
      while (word.load(mo::acquire) == 0) os::futex_wait(word, 0);
    } else if (word.load(mo::acquire) == 0) {
      os::futex_wait(word, word.load(mo::relaxed));  // whatever it holds: the check is lost
    }
  });
  model::thread b("waker", [&] {
    word.store(1, mo::release);
    if (wakes) os::futex_wake(word, 1);
  });
  a.join();
  b.join();
}
}  // namespace

TEST_CASE("lost wake-up") {
  run([] { sleep_until_set(true, true); });
  for (bool recheck : {true, false}) {
    model::result const r = model::check({}, [=] { sleep_until_set(recheck, !recheck); });
    CHECK(r.failed);
    CHECK(r.kind == "deadlock");
  }
}
