// SPDX-License-Identifier: Apache-2.0
// A server with a deadline: each request is a sender that runs in an arena, and is stopped where it is late.
#include <stdexec/execution.hpp>

#include <ashlar/execution.h>
#include <tbb/concurrent_queue.h>
#include <tbb/task_group.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <memory>
#include <thread>

namespace ex = stdexec;
using tbb::execution::arena_scheduler;
using tbb::execution::group_token;
using namespace std::chrono_literals;
using clock_type = std::chrono::steady_clock;

// All requests have the same time, so their deadlines come in the order of the requests.
struct request {
  explicit request(int p) : pieces(p) {}
  int const pieces;
  clock_type::time_point const deadline = clock_type::now() + 100ms;
  ex::inplace_stop_source stop;
};
using request_pointer = std::shared_ptr<request>;

int main() {
  tbb::task_arena arena(4);
  arena_scheduler const pool(arena);
  tbb::task_group requests;
  std::atomic<int> answered{0}, late{0};

  tbb::concurrent_bounded_queue<request_pointer> pending;
  std::jthread const timer([&pending] {
    request_pointer next;
    for (pending.pop(next); next; pending.pop(next)) {
      std::this_thread::sleep_until(next->deadline);
      next->stop.request_stop();
    }
  });

  // Most requests take some milliseconds. One takes a quarter of a second at least, whatever the machine.
  constexpr int count = 20;
  for (int i = 0; i < count; ++i) {
    auto const r = std::make_shared<request>(i == count / 2 ? 1000 : 4);
    pending.push(r);
    auto work = ex::schedule(pool) |
                ex::bulk_unchunked(ex::par, r->pieces, [](int) { std::this_thread::sleep_for(1ms); }) |
                ex::then([&answered, r] { ++answered; }) | ex::upon_stopped([&late] { ++late; }) |
                ex::upon_error([](std::exception_ptr const&) noexcept { std::terminate(); });
    ex::spawn(ex::write_env(std::move(work), ex::prop(ex::get_stop_token, r->stop.get_token())), group_token(requests));
    std::this_thread::sleep_for(5ms);
  }
  arena.execute([&requests] { requests.wait(); });
  pending.push(nullptr);
  std::printf("%d answered, %d late\n", answered.load(), late.load());
  return answered + late == count && late >= 1 ? 0 : 1;
}
