// SPDX-License-Identifier: Apache-2.0
// The checker checked: what it reports besides outcomes (races, lifetimes, blocking), and that a report can be
// replayed. Its memory model has tests of its own: litmus_model.cpp, rc11_model.cpp.
#include <doctest/doctest.h>

#include <engine/model.h>
#include <engine/os.h>

#include <memory>
#include <mutex>
#include <stdexcept>

using namespace ashlar;

namespace {

std::string kind_of(std::function<void()> const& body, model::options const& how = {}) {
  model::result const r = model::check(how, body);
  CHECK(r.failed == !r.kind.empty());
  return r.kind;
}

// Hides from the compiler where a pointer comes from: the misuse below is meant.
template <typename T>
T* blind(T* p) {
  __asm__ __volatile__("" : "+r"(p));
  return p;
}

template <typename Other>
void beside_main(Other other, std::function<void()> const& mine) {
  model::thread t("other", other);
  mine();
  t.join();
}

// A flag set with one order and read with another; then both threads use the plain variable.
void publish(order set, order get) {
  atomic<bool> flag{false};
  model::var<int> data;
  beside_main(
      [&] {
        data.set(1);
        flag.store(true, set);
      },
      [&] {
        if (flag.load(get)) model::require(data.get() == 1, "the data is there");
      });
}

}  // namespace

TEST_CASE("plain variables: unordered accesses are races, ordered ones are not") {
  CHECK(kind_of([] { publish(mo::release, mo::acquire); }) == "");
  CHECK(kind_of([] { publish(mo::relaxed, mo::acquire); }) == "data race");
  CHECK(kind_of([] { publish(mo::release, mo::relaxed); }) == "data race");
  auto const both = [](bool write) {
    model::var<int> data;
    beside_main([&] { data.get(); },
                [&] {
                  if (write) data.set(1);
                  data.get();
                });
  };
  CHECK(kind_of([&] { both(false); }) == "");
  CHECK(kind_of([&] { both(true); }) == "data race");
}

TEST_CASE("atomics: use before construction, after the end, as one's own") {
  auto const hand_over = [](order set) {
    atomic<atomic<int>*> box{nullptr};
    beside_main([&] { box.store(new atomic<int>(1), set); },
                [&] {
                  while (box.load(mo::acquire) == nullptr) cpu_pause();
                  model::require(box.load(mo::acquire)->load(mo::relaxed) == 1, "the initial value");
                });
    delete box.load(mo::acquire);
  };
  CHECK(kind_of([&] { hand_over(mo::release); }) == "");
  CHECK(kind_of([&] { hand_over(mo::relaxed); }) == "data race");

  // The last user deletes; decrements that order nothing leave the other's use unordered with the end.
  auto const count_down = [](order down) {
    struct shared {
      atomic<int> users{2}, work{0};
    };
    auto* const s = new shared;
    auto const use = [s, down] {
      s->work.store(1, mo::relaxed);
      if (s->users.fetch_sub(1, down) == 1) delete s;
    };
    beside_main(use, use);
  };
  CHECK(kind_of([&] { count_down(mo::acq_rel); }) == "");
  CHECK(kind_of([&] { count_down(mo::release); }) == "data race");
  CHECK(kind_of([&] { count_down(mo::acquire); }) == "data race");

  auto const own = [](bool foreign) {
    atomic<int> mine{0};
    beside_main(
        [&] {
          if (foreign) mine.store(2, mo::relaxed);
        },
        [&] {
          mine.store(1, mo::relaxed);
          model::require(mine.load_own() == 1, "one's own value");
        });
  };
  CHECK(kind_of([&] { own(false); }) == "");
  CHECK(kind_of([&] { own(true); }) == "data race");
}

TEST_CASE("memory: heap and stack") {
  CHECK(kind_of([] {
          auto* const x = new atomic<int>(0);
          delete blind(x);
          x->load(mo::relaxed);
        }) == "use after free");
  CHECK(kind_of([] {
          auto* const x = new model::var<int>(0);
          delete blind(x);
          x->get();
        }) == "use after free");
  CHECK(kind_of([] {
          void* const x = ::operator new(8);
          ::operator delete(blind(x));
          ::operator delete(x);
        }) == "use after free");
  CHECK(kind_of([] { blind(::operator new(8)); }) == "leak");
  CHECK(kind_of([] {  // the frame that a waiter leaves early
          atomic<int*> seen{nullptr};
          atomic<atomic<int>*> box{nullptr};
          model::thread other("other", [&] {
            atomic<int>* word;
            while ((word = box.load(mo::acquire)) == nullptr) cpu_pause();
            word->store(1, mo::release);
            word->store(2, mo::release);
          });
          {
            atomic<int> word{0};
            box.store(&word, mo::release);
            while (word.load(mo::acquire) == 0) cpu_pause();
          }
          other.join();
        }) != "");
}

TEST_CASE("mutexes of the standard library") {
  auto const count = [](bool lock) {
    std::mutex m;
    model::var<int> sum;
    auto const add = [&] {
      std::unique_lock<std::mutex> guard(m, std::defer_lock);
      if (lock) guard.lock();
      sum.set(sum.get() + 1);
    };
    beside_main(add, add);
    model::require(sum.get() == 2, "both have counted");
  };
  CHECK(kind_of([&] { count(true); }) == "");
  CHECK(kind_of([&] { count(false); }) == "data race");
  auto const nested = [](bool same_order) {
    std::mutex a, b;
    auto const take = [](std::mutex& first, std::mutex& second) {
      std::lock_guard<std::mutex> one(first);
      std::lock_guard<std::mutex> two(second);
    };
    beside_main([&] { take(a, b); }, [&] { same_order ? take(a, b) : take(b, a); });
  };
  CHECK(kind_of([&] { nested(true); }) == "");
  CHECK(kind_of([&] { nested(false); }) == "deadlock");
}

TEST_CASE("spin loops wait for a change") {
  auto const spin_lock = [](order unlock) {
    atomic<int> locked{0};
    model::var<int> sum;
    auto const add = [&] {
      while (locked.exchange(1, mo::acquire) == 1) cpu_pause();
      sum.set(sum.get() + 1);
      locked.store(0, unlock);
    };
    model::thread a("a", add), b("b", add), c("c", add);
    a.join();
    b.join();
    c.join();
    model::require(sum.get() == 3, "all have counted");
  };
  CHECK(kind_of([&] { spin_lock(mo::release); }) == "");
  CHECK(kind_of([&] { spin_lock(mo::relaxed); }) == "data race");
  CHECK(kind_of([] {
          atomic<int> never{0};
          while (never.load(mo::relaxed) == 0) cpu_pause();
        }) == "deadlock");
  CHECK(kind_of([] {
          atomic<int> never{0};
          while (never.load(mo::relaxed) == 0) {
          }
        }) == "livelock");
  // A loop that gives up after some rounds needs pauses that don't wait.
  model::options how;
  how.free_pauses = 3;
  auto const bounded = [] {
    atomic<int> x{0};
    int rounds = 0;
    while (x.load(mo::relaxed) == 0 && rounds < 3) {
      cpu_pause();
      ++rounds;
    }
    model::require(rounds == 3, "the loop ends by itself");
  };
  CHECK(kind_of(bounded, how) == "");
}

TEST_CASE("futex waits that end early") {
  auto const wait = [](bool loop) {
    atomic<std::uint32_t> word{0};
    beside_main(
        [&] {
          word.store(1, mo::release);
          os::futex_wake(word, 1);
        },
        [&] {
          do {
            os::futex_wait(word, 0);
          } while (loop && word.load(mo::acquire) == 0);
          model::require(word.load(mo::acquire) == 1, "woken for a reason");
        });
  };
  model::options how;
  CHECK(kind_of([&] { wait(false); }, how) == "");
  how.spurious = 1;
  CHECK(kind_of([&] { wait(true); }, how) == "");
  CHECK(kind_of([&] { wait(false); }, how) == "assertion");

  auto const timed = [](bool expected) {
    atomic<std::uint32_t> word{0};
    beside_main([&] { os::futex_wake(word, 1); },
                [&] { model::require(os::futex_wait_for(word, 0, 1000) || !expected, "woken in time"); });
  };
  CHECK(kind_of([&] { timed(false); }) == "");
  CHECK(kind_of([&] { timed(true); }) == "assertion");  // the wake-up may come before the wait
}

TEST_CASE("threads that stay asleep are fine if the model says so") {
  auto const stay = [](int wanted) {
    int const done = 1;
    atomic<std::uint32_t> word{0};
    model::may_rest([=] { return done == wanted; });
    os::futex_wait(word, 0);
  };
  CHECK(kind_of([&] { stay(1); }) == "");
  CHECK(kind_of([&] { stay(2); }) == "deadlock");
}

TEST_CASE("free choices, exceptions and the limits") {
  model::result const r = model::check({}, [] {
    int const a = model::choose(3), b = model::choose(2);
    model::observe(static_cast<std::uint64_t>(10 * a + b));
  });
  CHECK(r.outcomes.size() == 6);
  CHECK(kind_of([] { throw std::runtime_error("out"); }) == "assertion");
  CHECK(kind_of([] {
          try {
            throw std::runtime_error("caught here");
          } catch (std::exception const&) {
            atomic<int> x{0};
            beside_main([&] { x.store(1, mo::relaxed); }, [&] { x.load(mo::relaxed); });
          }
        }) == "");
  model::options how;
  how.executions = 3;
  CHECK(!model::check(how, [] { model::choose(10); }).complete);
}

TEST_CASE("a report prints the interleaving and replays") {
  auto const body = [] {
    atomic<int> x{0}, y{0};
    model::label(x, "x");
    model::label(y, "y");
    beside_main(
        [&] {
          x.store(1, mo::relaxed);
          y.store(1, mo::relaxed);
        },
        [&] { model::require(y.load(mo::acquire) == 0 || x.load(mo::acquire) == 1, "in order"); });
  };
  model::options how;
  model::result const found = model::check(how, body);
  REQUIRE(found.failed);
  CHECK(found.report.find("other      store             relaxed  y") != std::string::npos);
  CHECK(found.report.find("engine_model.cpp:") != std::string::npos);
  CHECK(found.report.find(found.replay) != std::string::npos);
  how.replay = found.replay;
  CHECK(model::check(how, body).report == found.report);
  how.replay.assign(1, '0');
  CHECK(model::check(how, body).kind == "limit");
}

TEST_CASE("sources are mutated by tag") {
  char const* const deque = "include/ashlar/sched/queue/deque.h";
  CHECK(model::tags_of(deque).count("D2") == 1);
  CHECK(model::tagged(deque, "D2").size() == 1);
  CHECK(model::tagged(deque, "no such tag").empty());
}
