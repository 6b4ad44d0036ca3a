// SPDX-License-Identifier: Apache-2.0
// Locks: queuing, speculative, and those that sleep by address.
#include "client.h"

// What the speculative locks are with transactions switched on when the program is compiled.
#include <oneapi/tbb/detail/_rtm_mutex.h>
#include <oneapi/tbb/detail/_rtm_rw_mutex.h>
#include <tbb/tbb.h>
#if TBB_INTERFACE_VERSION >= 12040
#include <tbb/mutex.h>
#include <tbb/rw_mutex.h>
#endif

#include <vector>

using namespace tbb;

template <typename Mutex>
static void exclusive(char const* name) {
  Mutex m;
  long value = 0;
  threads(4, [&](int) {
    for (int i = 0; i < 5000; ++i) {
      typename Mutex::scoped_lock lock;
      if ((i & 7) == 0) {
        while (!lock.try_acquire(m)) std::this_thread::yield();
      } else {
        lock.acquire(m);
      }
      ++value;
    }
  });
  line(name, value);
}

template <typename Mutex>
static void shared(char const* name) {
  Mutex m;
  long value = 0;
  std::atomic<long> torn{0}, upgraded{0};
  long pair[2] = {};
  threads(4, [&](int t) {
    for (int i = 0; i < 3000; ++i) {
      typename Mutex::scoped_lock lock;
      bool const write = (i + t) % 3 == 0;
      if ((i & 15) == 0) {
        while (!lock.try_acquire(m, write)) std::this_thread::yield();
      } else {
        lock.acquire(m, write);
      }
      if (!write && pair[0] != pair[1]) ++torn;
      if (!write && i % 5 == 0) {
        lock.upgrade_to_writer();
        ++upgraded;
        ++value;
        ++pair[0], ++pair[1];
#if TBB_INTERFACE_VERSION >= 12040
        if (!lock.is_writer()) ++torn;
#endif
        lock.downgrade_to_reader();
#if TBB_INTERFACE_VERSION >= 12040
        if (lock.is_writer()) ++torn;
#endif
        if (pair[0] != pair[1]) ++torn;
      } else if (write) {
        ++value;
        ++pair[0], ++pair[1];
      }
      lock.release();
    }
  });
  line(name, value);
  line(name, upgraded);
  line("torn", torn);
}

int main() {
  exclusive<spin_mutex>("spin");
  exclusive<queuing_mutex>("queuing");
  exclusive<speculative_spin_mutex>("speculative");
  exclusive<detail::d1::rtm_mutex>("rtm");
  exclusive<detail::d1::rtm_rw_mutex>("rtm_rw as mutex");
  exclusive<queuing_rw_mutex>("queuing_rw as mutex");
  exclusive<speculative_spin_rw_mutex>("speculative_rw as mutex");
  shared<spin_rw_mutex>("spin_rw");
  shared<queuing_rw_mutex>("queuing_rw");
  shared<speculative_spin_rw_mutex>("speculative_rw");
  shared<detail::d1::rtm_rw_mutex>("rtm_rw");
  {
    using lock = detail::d1::rtm_rw_mutex::scoped_lock;
    detail::d1::rtm_rw_mutex m;
    lock a(m, false), b;
    line("second reader", b.try_acquire(m, false));
    b.release();
    line("upgrade alone", a.upgrade_to_writer());
    a.release();
    line("released", b.try_acquire(m, true));
  }
#if TBB_INTERFACE_VERSION >= 12040
  exclusive<mutex>("mutex");
  exclusive<rw_mutex>("rw_mutex as mutex");
  shared<rw_mutex>("rw_mutex");
  {
    // A sleeper is woken for sure, and one of its own context.
    rw_mutex m;
    m.lock();
    std::atomic<long> got{0};
    std::thread readers[3];
    for (auto& r : readers) r = std::thread([&] { m.lock_shared(), ++got, m.unlock_shared(); });
    std::thread writer([&] { m.lock(), ++got, m.unlock(); });
    std::this_thread::sleep_for(std::chrono::milliseconds(60));
    line("asleep", got);
    m.unlock();
    for (auto& r : readers) r.join();
    writer.join();
    line("woken", got);
  }
#endif
}
