// SPDX-License-Identifier: Apache-2.0
// The counters of all threads, those that have ended included; printed at exit if ASHLAR_STATS=1.
#pragma once

#include "obs/counters.h"

#include <mutex>

namespace ashlar {
inline namespace v1 {
namespace sched {

class statistics {
 public:
  static statistics& get() noexcept;

  obs::counters& add_thread(bool worker);
  void remove_thread(obs::counters& c) noexcept;
  // Switches counting of frequent events and times on or off for the process.
  void observe(bool on) noexcept;
  std::uint64_t total(obs::counter what) noexcept;
  void reset() noexcept;
  void print() noexcept;

 private:
  struct record {
    obs::counters values;
    bool worker = false;
    bool in_use = false;
    record* next = nullptr;
  };
  std::mutex lock_;
  record* first_ = nullptr;
};

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
