// SPDX-License-Identifier: Apache-2.0
// The parts of classic TBB that the standard library has replaced: critical_section, condition_variable, tbb_thread.
#include <tbb/critical_section.h>
#include <tbb/tbb_thread.h>
#include <tbb/compat/condition_variable>
#include <tbb/compat/thread>

#include <doctest/doctest.h>

#include <atomic>
#include <deque>
#include <memory>
#include <set>
#include <sstream>
#include <stdexcept>
#include <system_error>
#include <vector>

namespace {

namespace sync = ashlar::sync;
using interval = tbb::tick_count::interval_t;

template <typename Mutex>
struct cv_of;
template <>
struct cv_of<sync::adaptive_mutex> {
  using type = sync::adaptive_condition_variable;
};
template <>
struct cv_of<sync::os_mutex> {
  using type = sync::os_condition_variable;
};

}  // namespace

TEST_CASE("critical_section refuses its owner") {
  tbb::critical_section c;
  {
    tbb::critical_section::scoped_lock l(c);
    CHECK_THROWS_AS(c.lock(), tbb::improper_lock);
    CHECK_FALSE(c.try_lock());
    bool other = true;
    std::thread([&] { other = c.try_lock(); }).join();
    CHECK_FALSE(other);
  }
  REQUIRE(c.try_lock());
  c.unlock();
}

TEST_CASE_TEMPLATE("condition_variable hands over", Mutex, sync::adaptive_mutex, sync::os_mutex) {
  using lock = tbb::interface5::unique_lock<Mutex>;
  Mutex m;
  typename cv_of<Mutex>::type not_empty;
  typename cv_of<Mutex>::type not_full;
  std::deque<int> items;
  long sum = 0;
  constexpr int n = 20'000;
  std::vector<std::thread> team;
  for (int c = 0; c < 3; ++c) {
    team.emplace_back([&] {
      for (;;) {
        lock l(m);
        not_empty.wait(l, [&] { return !items.empty(); });
        CHECK(l.owns_lock());
        int const v = items.front();
        if (v < 0) return;
        items.pop_front();
        sum += v;
        not_full.notify_one();
      }
    });
  }
  for (int i = 0; i < n; ++i) {
    lock l(m);
    while (items.size() >= 4) not_full.wait(l);
    items.push_back(i);
    not_empty.notify_one();
  }
  {
    lock l(m);
    items.push_back(-1);
    not_empty.notify_all();
  }
  for (auto& t : team) t.join();
  CHECK(sum == static_cast<long>(n) * (n - 1) / 2);
}

TEST_CASE_TEMPLATE("condition_variable: time-outs", Mutex, sync::adaptive_mutex, sync::os_mutex) {
  using lock = tbb::interface5::unique_lock<Mutex>;
  Mutex m;
  typename cv_of<Mutex>::type cv;
  lock l(m);
  tbb::tick_count const start = tbb::tick_count::now();
  while (cv.wait_for(l, interval(0.01)) == tbb::interface5::no_timeout) {
  }
  CHECK((tbb::tick_count::now() - start).seconds() >= 0.009);
  CHECK(l.owns_lock());
  CHECK_FALSE(cv.wait_for(l, interval(0.001), [] { return false; }));
  CHECK(cv.wait_for(l, interval(0.001), [] { return true; }));
  CHECK_FALSE(cv.wait_for(l, interval(-1.0), [] { return false; }));

  bool ready = false;
  std::thread other([&] {
    lock o(m);
    ready = true;
    cv.notify_one();
  });
  CHECK(cv.wait_for(l, interval(100.0), [&] { return ready; }));
  l.unlock();
  other.join();
}

TEST_CASE("condition_variable may be destroyed after notify_all") {
  for (int round = 0; round < 500; ++round) {
    tbb::interface5::unique_lock<sync::adaptive_mutex> none;
    CHECK_FALSE(none);
    sync::adaptive_mutex m;
    auto cv = std::make_unique<sync::adaptive_condition_variable>();
    bool go = false;
    std::atomic<int> waiting{0};
    std::vector<std::thread> team;
    for (int t = 0; t < 2; ++t) {
      team.emplace_back([&, condition = cv.get()] {
        tbb::interface5::unique_lock<sync::adaptive_mutex> l(m);
        waiting.fetch_add(1);
        if (!go) condition->wait(l);
      });
    }
    while (waiting.load() != 2) std::this_thread::yield();
    {
      tbb::interface5::lock_guard<sync::adaptive_mutex> l(m);
      go = true;
      cv->notify_all();
    }
    cv.reset();
    for (auto& t : team) t.join();
  }
}

TEST_CASE("unique_lock") {
  namespace tbb5 = tbb::interface5;
  using lock = tbb5::unique_lock<tbb::mutex>;
  tbb::mutex m;
  lock none;
  CHECK_THROWS_AS(none.lock(), std::system_error);
  CHECK_THROWS_AS(none.try_lock(), std::system_error);
  CHECK_THROWS_AS(none.unlock(), std::system_error);
  lock a(m);
  CHECK(a.owns_lock());
  CHECK(a.mutex() == &m);
  CHECK_THROWS_AS(a.lock(), std::system_error);
  CHECK_THROWS_AS(a.try_lock(), std::system_error);
  lock b(m, tbb5::try_to_lock);
  CHECK_FALSE(b);
  lock c(m, tbb5::defer_lock);
  CHECK_FALSE(c.owns_lock());
  lock timed(m, interval(0.001));
  CHECK_FALSE(timed.owns_lock());
  a.unlock();
  CHECK_THROWS_AS(a.unlock(), std::system_error);
  CHECK(c.try_lock_for(interval(0.1)));
  lock d(std::move(c));
  CHECK(d.owns_lock());
  CHECK_FALSE(c.owns_lock());
  CHECK(c.mutex() == nullptr);
  b = std::move(d);
  CHECK(b.owns_lock());
  swap(a, b);
  CHECK(a.owns_lock());
  CHECK(a.release() == &m);
  CHECK_FALSE(a.owns_lock());
  lock e(m, tbb5::adopt_lock);
  CHECK(e.owns_lock());
  e.unlock();
  {
    tbb5::lock_guard<tbb::mutex> g(m);
    CHECK_FALSE(m.try_lock());
  }
  CHECK(m.try_lock());
  tbb5::lock_guard<tbb::mutex> g(m, tbb5::adopt_lock);
}

TEST_CASE("tbb_thread") {
  std::atomic<int> sum{0};
  struct adder {
    std::atomic<int>* target;
    void operator()() const { target->fetch_add(1); }
    void operator()(int a) const { target->fetch_add(a); }
    void operator()(int a, long b) const { target->fetch_add(a + static_cast<int>(b)); }
  };
  tbb::tbb_thread nothing;
  CHECK_FALSE(nothing.joinable());
  CHECK(nothing.get_id() == tbb::tbb_thread::id());

  tbb::tbb_thread a(adder{&sum});
  tbb::tbb_thread b(adder{&sum}, 10);
  tbb::tbb_thread c(adder{&sum}, 100, 1000L);
  CHECK(a.joinable());
  std::set<tbb::tbb_thread::id> const ids{a.get_id(), b.get_id(), c.get_id(), tbb::this_tbb_thread::get_id()};
  CHECK(ids.size() == 4);
  CHECK(pthread_equal(a.native_handle(), a.native_handle()));
  swap(a, b);
  tbb::tbb_thread d(std::move(c));
  CHECK_FALSE(c.joinable());
  a.join();
  b.join();
  d.join();
  CHECK_FALSE(a.joinable());
  CHECK(sum.load() == 1 + 10 + 1100);

  tbb::tbb_thread e(adder{&sum}, 5);
  tbb::tbb_thread f;
  tbb::move(f, e);
  CHECK_FALSE(e.joinable());
  f.join();
  CHECK(sum.load() == 1116);

  // Destruction and assignment detach.
  auto finished = std::make_shared<std::atomic<int>>(0);
  auto const tick = [finished] { finished->fetch_add(1); };
  {
    tbb::tbb_thread detached(tick);
    tbb::tbb_thread replaced(tick);
    replaced = tbb::tbb_thread(tick);
  }
  while (finished->load() != 3) tbb::this_tbb_thread::yield();

  std::atomic<tbb::tbb_thread*> self{nullptr};
  std::atomic<bool> threw{false};
  tbb::tbb_thread joins_itself([&] {
    while (!self.load()) tbb::this_tbb_thread::yield();
    try {
      self.load()->join();
    } catch (std::system_error const&) {
      threw.store(true);
    }
  });
  self.store(&joins_itself);
  while (!threw.load()) tbb::this_tbb_thread::yield();
  joins_itself.join();

  CHECK(tbb::tbb_thread::hardware_concurrency() >= 1);
  std::ostringstream text;
  text << tbb::this_tbb_thread::get_id();
  CHECK_FALSE(text.str().empty());
  CHECK(tbb_hasher(tbb::this_tbb_thread::get_id()) == tbb_hasher(tbb::this_tbb_thread::get_id()));
  tbb::tick_count const start = tbb::tick_count::now();
  tbb::this_tbb_thread::sleep(interval(0.002));
  CHECK((tbb::tick_count::now() - start).seconds() >= 0.002);
}

TEST_CASE("tbb_thread: an argument whose copy throws leaves nothing behind") {
  struct thrower {
    std::shared_ptr<int> token;
    explicit thrower(std::shared_ptr<int> t) : token(std::move(t)) {}
    thrower(thrower const& o) : token(o.token) { throw std::runtime_error("copy"); }
    void operator()() const {}
  };
  auto const token = std::make_shared<int>(0);
  thrower const t(token);
  CHECK_THROWS_AS(tbb::tbb_thread{t}, std::runtime_error);
  CHECK(token.use_count() == 2);
}
