// SPDX-License-Identifier: Apache-2.0
// A request server. Requests arrive by a Poisson process; each is a parallel_for of 64 pieces, together 400 us of one
// thread's time. The load is the share of all threads' time that the requests need, as measured at the start. A
// latency is a sojourn time: from the moment at which the request should arrive until it is answered.
// Rows server-30, server-60, server-90: a thread that only receives enqueues each request in an arena of `threads`
// workers. Rows handlers-...: `threads` threads of the application take requests from a queue of their own and call
// parallel_for themselves; one worker is there beside them.
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <bench/tbb_peer.h>

#include <bench/latencies.h>
#include <bench/sampler.h>

#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <queue>
#include <thread>
#include <vector>

#include "pace.h"

namespace {

constexpr int pieces = 64;
constexpr int calls = 214;  // of a piece, 6 us

struct server {
  explicit server(long n) : found(n) {}

  void answer(long i, double arrived) {
    tbb::parallel_for(0, pieces, [&](int) {
      bench::work_for(calls);
      done.fetch_add(1, std::memory_order_relaxed);
    });
    if (i < 0) return;
    found.set(i, bench::micros_since(arrived));
    answered.fetch_add(1, std::memory_order_release);
  }

  bench::latencies found;
  std::atomic<long> done{0};
  std::atomic<long> answered{0};
};

struct enqueuing {
  enqueuing(server& s, int threads) : server_(s), arena_(threads, 0) {}
  void request(long i, double arrived) {
    arena_.enqueue([this, i, arrived] { server_.answer(i, arrived); });
  }
  void close() {}

  server& server_;
  tbb::task_arena arena_;
};

class handlers {
 public:
  handlers(server& s, int threads) : server_(s) {
    for (int t = 0; t < threads; ++t) team_.emplace_back([this] { serve(); });
  }
  void request(long i, double arrived) {
    {
      std::lock_guard<std::mutex> const hold(lock_);
      waiting_.push({i, arrived});
    }
    changed_.notify_one();
  }
  void close() {
    {
      std::lock_guard<std::mutex> const hold(lock_);
      closed_ = true;
    }
    changed_.notify_all();
    for (std::thread& t : team_) t.join();
  }

 private:
  struct entry {
    long number;
    double arrived;
  };
  void serve() {
    for (;;) {
      std::unique_lock<std::mutex> hold(lock_);
      changed_.wait(hold, [this] { return closed_ || !waiting_.empty(); });
      if (waiting_.empty()) return;
      entry const e = waiting_.front();
      waiting_.pop();
      hold.unlock();
      server_.answer(e.number, e.arrived);
    }
  }

  server& server_;
  std::mutex lock_;
  std::condition_variable changed_;
  std::queue<entry> waiting_;
  bool closed_ = false;
  std::vector<std::thread> team_;
};

template <typename Front>
int serve(bench::options const& o, double load) {
  bench::report r(o, "us");
  long const n = o.size ? o.size : 5'000;
  auto const whole = [] {
    for (int i = 0; i < pieces; ++i) bench::work_for(calls);
  };
  double const service = bench::seconds_of(whole, o.threads);
  bench::want_exact_sleeps();
  server s(n);
  Front front(s, o.threads);
  bench::random_gaps gaps(1e6 * service / (load * o.threads), 7);
  double when = bench::wall_now() + 0.01;
  long const warm = n / 10;
  double cpu = 0, begun = 0;
  bench::bystanders const others;
  for (long i = -warm; i < n; ++i) {
    bench::sleep_until(when += gaps.next());
    if (i == 0) {
      cpu = bench::cpu_now();
      begun = bench::wall_now();
    }
    front.request(i, when);
  }
  while (s.answered.load(std::memory_order_acquire) != n) bench::sleep_until(bench::wall_now() + 0.001);
  double const cores = (bench::cpu_now() - cpu) / (bench::wall_now() - begun);
  double const needed = static_cast<double>(n) * service / (bench::wall_now() - begun);
  r.foreign(others);
  front.close();
  r.check(s.done == (n + warm) * pieces, "pieces");
  r.value("cpu", cores);
  r.value("beyond", cores - needed);
  r.value("needed", needed);
  r.value("service", service * 1e6);
  s.found.into(r);
  return r.finish();
}

}  // namespace

int main(int argc, char** argv) {
  bench::options const o = bench::parse(argc, argv);
  char const* const dash = std::strchr(o.row, '-');
  double const load = dash != nullptr ? bench::number("load", dash + 1, 1, 99) / 100 : 0;
  // Whoever receives or handles is an application thread, which makes one more thread than the workers.
  if (std::strncmp(o.row, "server-", 7) == 0) {
    return bench::with_threads(o.threads + 1, [&] { return serve<enqueuing>(o, load); });
  }
  if (std::strncmp(o.row, "handlers-", 9) == 0) {
    return bench::with_threads(o.threads, [&] { return serve<handlers>(o, load); });
  }
  bench::usage("unknown row", o.row);
}
