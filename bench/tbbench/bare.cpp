// SPDX-License-Identifier: Apache-2.0
// TBBench's floors: the same delays by two bare threads that do nothing else. As a worker of a library does, the second
// thread spins while regions follow each other and sleeps while the reference runs.
#include "region.h"

namespace tbbench {
namespace {

void relax() {
#ifdef __x86_64__
  __builtin_ia32_pause();
#endif
}

// The caller and another thread. A job is handed over by one line, and its end is told by another.
class bare_pair {
 public:
  bare_pair() : other_([this] { serve(); }) {}
  ~bare_pair() {
    set(over);
    other_.join();
  }
  bare_pair(bare_pair const&) = delete;
  bare_pair& operator=(bare_pair const&) = delete;

  // Between rouse() and dismiss() the other thread waits for jobs without sleeping.
  void rouse() {
    set(awake);
    while (!spins_.load()) {
      relax();
    }
  }
  void dismiss() { set(asleep); }

  // body(0) here and body(1) there; returns when both are over.
  template <typename Body>
  void run(Body const& body) {
    line_.work = [](void const* b) { (*static_cast<Body const*>(b))(1); };
    line_.body = &body;
    long const n = line_.given.load(std::memory_order_relaxed) + 1;
    line_.given.store(n, std::memory_order_release);
    body(0);
    while (done_.load(std::memory_order_acquire) != n) {
      relax();
    }
  }

 private:
  enum state { asleep, awake, over };
  void set(state next) {
    {
      std::lock_guard<std::mutex> const lock(mutex_);
      state_.store(next);
    }
    changed_.notify_one();
  }
  void serve() {
    long n = 1;
    for (;;) {
      {
        std::unique_lock<std::mutex> lock(mutex_);
        changed_.wait(lock, [this] { return state_.load() != asleep; });
      }
      spins_.store(true);
      while (state_.load(std::memory_order_relaxed) == awake) {
        if (line_.given.load(std::memory_order_acquire) != n) {
          relax();
          continue;
        }
        line_.work(line_.body);
        done_.store(n++, std::memory_order_release);
      }
      spins_.store(false);
      if (state_.load() == over) {
        return;
      }
    }
  }

  struct alignas(128) line {
    std::atomic<long> given{0};
    void (*work)(void const*) = nullptr;
    void const* body = nullptr;
  };
  line line_;
  alignas(128) std::atomic<long> done_{0};
  alignas(128) std::atomic<state> state_{asleep};
  std::atomic<bool> spins_{false};
  std::mutex mutex_;
  std::condition_variable changed_;
  std::thread other_;
};

// The region `once` and, for each thread, so many delays.
template <typename Region>
void measure_pair(bench::report& r, bare_pair& pair, Region once, long delays) {
  int visits[2] = {};
  pair.rouse();
  pair.run([&](int half) { ++visits[half]; });
  pair.dismiss();
  r.check(visits[0] == 1 && visits[1] == 1, "each thread runs its half");
  measure(
      r,
      [&](long n) {
        pair.rouse();
        for (long j = 0; j < n; ++j) {
          once();
        }
        pair.dismiss();
      },
      [delays](long n) { serial_delays(delays * n); }, 1);
}

void measure_parallel_for(bench::report& r) {
  bare_pair pair;
  measure_pair(r, pair, [&] { pair.run([](int) { delay(delaylength); }); }, 1);
}

// Each thread takes one half.
void measure_static(bench::report& r) {
  bare_pair pair;
  measure_pair(r, pair, [&] { pair.run([](int) { serial_delays(itersperthr); }); }, itersperthr);
}

// Each thread takes chunks of its half, and then of what the other one has left.
void measure_balanced(bench::report& r) {
  struct alignas(128) half {
    std::atomic<int> next{0};
  };
  bare_pair pair;
  half halves[2];
  auto body = [&](int own) {
    for (int h : {own, 1 - own}) {
      while (halves[h].next.load(std::memory_order_relaxed) < itersperthr) {
        int const first = halves[h].next.fetch_add(cksz, std::memory_order_relaxed);
        serial_delays(std::max(0, std::min(cksz, itersperthr - first)));
      }
    }
  };
  measure_pair(
      r, pair,
      [&] {
        for (half& h : halves) {
          h.next.store(0, std::memory_order_relaxed);
        }
        pair.run(body);
      },
      itersperthr);
}

bool run_row(bench::options const& o, bench::report& r) {
  if (nthreads != 2) {
    bench::usage("two threads only", o.row);
  }
  static row const rows[] = {{"parallel_for", measure_parallel_for},
                             {"static", measure_static},
                             {"simple", measure_balanced},
                             {"auto", measure_balanced}};
  row const* const wanted = find_row(rows, o);
  if (wanted != nullptr) {
    wanted->measure(r);
  }
  return wanted != nullptr;
}

}  // namespace
}  // namespace tbbench

int main(int argc, char** argv) { return tbbench::program(argc, argv, tbbench::run_row); }
