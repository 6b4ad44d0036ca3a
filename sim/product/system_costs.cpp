// SPDX-License-Identifier: Apache-2.0
// What threads and their system calls take, without any scheduler of tasks: naps, wakes, new threads, yields, fences.
// Built twice, for the machine at hand and for simulated processors; calibrate.py finds the costs with which both say
// the same. Prints `name value`, in microseconds, the lower quartile of so many rounds.
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <climits>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <numeric>
#include <thread>
#include <utility>
#include <vector>

namespace {

using word = std::atomic<std::uint32_t>;

double now(clockid_t clock = CLOCK_MONOTONIC) {
  timespec t;
  clock_gettime(clock, &t);
  return 1e6 * static_cast<double>(t.tv_sec) + 1e-3 * static_cast<double>(t.tv_nsec);
}

void nap(double microseconds) {
  timespec const t{static_cast<time_t>(microseconds / 1e6), static_cast<long>(microseconds * 1e3) % 1'000'000'000};
  clock_nanosleep(CLOCK_MONOTONIC, 0, &t, nullptr);
}

void wait(word& w) {
  while (w == 0) syscall(SYS_futex, &w, FUTEX_WAIT_PRIVATE, 0, nullptr, nullptr, 0);
}
void wake(word& w, int count = 1) {
  w = 1;
  syscall(SYS_futex, &w, FUTEX_WAKE_PRIVATE, count, nullptr, nullptr, 0);
}

void run_all(int threads, std::function<void(int)> const& body) {
  std::vector<std::thread> all;
  for (int i = 0; i < threads; ++i) all.emplace_back(body, i);
  for (std::thread& t : all) t.join();
}

void stay_on(int processor) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(processor, &one);
  sched_setaffinity(0, sizeof one, &one);
}

constexpr double asleep = 20'000;  // until all threads sleep

// So many threads nap 25 times for 2 ms at the same time: how much longer each nap takes than told, sorted.
std::vector<double> naps(int threads) {
  constexpr std::size_t each = 25;
  std::vector<double> longer(each * static_cast<std::size_t>(threads));
  word go{0};
  std::thread starter([&] {
    nap(asleep);
    wake(go, INT_MAX);
  });
  run_all(threads, [&](int i) {
    wait(go);
    double* mine = &longer[each * static_cast<std::size_t>(i)];
    double begin = now();
    for (std::size_t k = 0; k < each; ++k) {
      nap(2000);
      double const end = now();
      *mine++ = end - std::exchange(begin, end) - 2000;
    }
  });
  starter.join();
  std::sort(longer.begin(), longer.end());
  return longer;
}

double mean_nap(int threads) {
  std::vector<double> const longer = naps(threads);
  return std::accumulate(longer.begin(), longer.end(), 0.0) / static_cast<double>(longer.size());
}

// By which share of the median the naps of one thread differ: the middle four fifths of them.
double nap_spread() {
  std::vector<double> const longer = naps(1);
  std::size_t const tenth = longer.size() / 10;
  return (longer[longer.size() - 1 - tenth] - longer[tenth]) / longer[longer.size() / 2];
}

// Processor time of a nap.
double nap_time() {
  constexpr int times = 100;
  double const begin = now(CLOCK_PROCESS_CPUTIME_ID);
  for (int i = 0; i < times; ++i) nap(500);
  return (now(CLOCK_PROCESS_CPUTIME_ID) - begin) / times;
}

// Sleeping threads, each at a word of its own: each that wakes wakes up to two more, and then naps. Until the last one
// runs.
double tree(int threads) {
  std::vector<word> words(static_cast<std::size_t>(threads));
  std::vector<double> woken(static_cast<std::size_t>(threads));
  double begin = 0;
  std::thread starter([&] {
    nap(asleep);
    begin = now();
    wake(words[0]);
  });
  run_all(threads, [&](int i) {
    wait(words[static_cast<std::size_t>(i)]);
    woken[static_cast<std::size_t>(i)] = now();
    for (int child = 2 * i + 1; child <= 2 * i + 2 && child < threads; ++child) {
      wake(words[static_cast<std::size_t>(child)]);
    }
    nap(5000);
  });
  starter.join();
  return *std::max_element(woken.begin(), woken.end()) - begin;
}

// The same, all woken by one call.
double crowd(int threads) {
  word go{0};
  std::vector<double> woken(static_cast<std::size_t>(threads));
  double begin = 0;
  std::thread starter([&] {
    nap(asleep);
    begin = now();
    wake(go, INT_MAX);
  });
  run_all(threads, [&](int i) {
    wait(go);
    woken[static_cast<std::size_t>(i)] = now();
    nap(5000);
  });
  starter.join();
  return *std::max_element(woken.begin(), woken.end()) - begin;
}

// For who wakes a thread.
double call() {
  word go{0};
  double took = 0;
  std::thread sleeper([&] { wait(go); });
  nap(asleep / 4);
  double const begin = now();
  wake(go);
  took = now() - begin;
  sleeper.join();
  return took;
}

double create() {
  constexpr int threads = 8;
  word go{0};
  std::vector<std::thread> all;
  double const begin = now();
  for (int i = 0; i < threads; ++i) all.emplace_back([&] { wait(go); });
  double const took = now() - begin;
  nap(1000);
  wake(go, INT_MAX);
  for (std::thread& t : all) t.join();
  return took / threads;
}

double yields() {
  constexpr int times = 2000;
  double const begin = now();
  for (int i = 0; i < times; ++i) sched_yield();
  return (now() - begin) / times;
}

// Eight threads on the processors yield to each other: for one yield of a processor.
double turns() {
  constexpr int threads = 8, times = 500;
  word ready{0};
  std::vector<double> spans(threads);
  run_all(threads, [&](int i) {
    ready.fetch_add(1);
    while (ready < threads) sched_yield();
    double const begin = now();
    for (int k = 0; k < times; ++k) sched_yield();
    spans[static_cast<std::size_t>(i)] = now() - begin;
  });
  double sum = 0;
  for (double s : spans) sum += s;
  long const processors = std::min<long>(threads, sysconf(_SC_NPROCESSORS_ONLN));
  return sum / threads / times * static_cast<double>(processors) / threads;
}

// With a thread that runs on another processor.
double fence() {
  cpu_set_t everywhere;
  sched_getaffinity(0, sizeof everywhere, &everywhere);
  constexpr int times = 50;
  syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0);
  std::atomic<bool> stop{false};
  stay_on(0);
  std::thread other([&] {
    stay_on(1);
    while (!stop) now();
  });
  nap(1000);
  double const begin = now();
  for (int i = 0; i < times; ++i) syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
  double const took = (now() - begin) / times;
  stop = true;
  other.join();
  sched_setaffinity(0, sizeof everywhere, &everywhere);
  return took;
}

void print(char const* name, int rounds, std::function<double()> const& measure) {
  std::vector<double> found;
  for (int i = 0; i < rounds; ++i) found.push_back(measure());
  std::sort(found.begin(), found.end());
  std::printf("%s %.3f\n", name, found[found.size() / 4]);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  int const rounds = argc > 1 ? std::atoi(argv[1]) : 9;
  prctl(PR_SET_TIMERSLACK, 1UL, 0, 0, 0);
  for (int threads : {1, 4, 16, 64}) {
    char name[32];
    std::snprintf(name, sizeof name, "naps-%d", threads);
    print(name, rounds, [&] { return mean_nap(threads); });
  }
  print("nap-spread", rounds, nap_spread);
  print("nap-time", rounds, nap_time);
  for (int threads : {2, 16, 64}) {
    char name[32];
    std::snprintf(name, sizeof name, "tree-%d", threads);
    print(name, rounds, [&] { return tree(threads); });
    std::snprintf(name, sizeof name, "crowd-%d", threads);
    print(name, rounds, [&] { return crowd(threads); });
  }
  print("call", rounds, call);
  print("create", rounds, create);
  print("yield", rounds, yields);
  print("turn", rounds, turns);
  print("fence", rounds, fence);
}
