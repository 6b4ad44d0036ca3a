// SPDX-License-Identifier: Apache-2.0
// How long a message is on its way from one thread to another: through concurrent_queue, whose consumer asks again and
// again ("queue"; one message after the other), and through concurrent_bounded_queue, whose consumer
// sleeps meanwhile ("bounded"). Both threads are
// pinned, each to a CPU of its own.
#include <tbb/concurrent_queue.h>

#include <bench/tbb_peer.h>

#include <bench/latencies.h>
#include <bench/sampler.h>

#include <atomic>
#include <thread>

#include "pace.h"

namespace {

struct message {
  long number;
  double sent;
};

// `receive` waits for the next message, `pause(received)` is what the sender does between two.
template <typename Send, typename Receive, typename Pause>
int measure(bench::options const& o, long n, Send send, Receive receive, Pause pause) {
  bench::report r(o, "us");
  bench::latencies found(n);
  long const warm = n / 10;
  bool in_order = true;
  std::atomic<long> received{-warm};
  bench::bystanders const others;
  std::thread consumer([&] {
    bench::pin_thread(0, bench::cpu_of(1));
    for (long i = -warm; i < n; ++i) {
      message m{};
      receive(m);
      if (i >= 0) found.set(i, bench::micros_since(m.sent));
      in_order = in_order && m.number == i;
      received.store(i + 1, std::memory_order_release);
    }
  });
  bench::pin_thread(0, bench::cpu_of(0));
  bench::want_exact_sleeps();
  for (long i = -warm; i < n; ++i) {
    pause([&] { return received.load(std::memory_order_acquire) == i; });
    send(message{i, bench::wall_now()});
  }
  consumer.join();
  r.foreign(others);
  r.check(in_order, "order of the messages");
  found.into(r);
  return r.finish();
}

int run(bench::options const& o) {
  if (bench::is_row(o, "queue")) {
    tbb::concurrent_queue<message> queue;
    bench::random_gaps gaps(3, 1);
    return measure(
        o, o.size ? o.size : 60'000, [&](message m) { queue.push(m); },
        [&](message& m) {
          while (!queue.try_pop(m)) bench::short_pause();
        },
        [&](auto const& received) {
          while (!received()) bench::short_pause();
          bench::spin_until(bench::wall_now() + gaps.next());
        });
  }
  if (bench::is_row(o, "bounded")) {
    tbb::concurrent_bounded_queue<message> queue;
    bench::random_gaps gaps(400, 1);
    return measure(
        o, o.size ? o.size : 2'500, [&](message m) { queue.push(m); }, [&](message& m) { queue.pop(m); },
        [&](auto const&) { bench::sleep_until(bench::wall_now() + gaps.next()); });
  }
  bench::usage("unknown row", o.row);
}

}  // namespace

int main(int argc, char** argv) { return run(bench::parse(argc, argv)); }
