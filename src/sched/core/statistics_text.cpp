// SPDX-License-Identifier: Apache-2.0
// The statistics as values and as texts. Nothing here allocates: it may run at exit.
#include "obs/text_buffer.h"
#include "os/clock.h"
#include "sched/core/statistics.h"

#include <cstdio>

namespace ashlar::inline v1::sched {

namespace {

using obs::column;
using obs::counter;
using obs::share;
using ull = unsigned long long;

constexpr unsigned most_rows = 16;  // of threads, in the table

void add(scheduler_statistics& to, obs::counters const& c) noexcept {
  to.spawned += c.get(counter::spawned);
  to.executed += c.get(counter::executed);
  to.stolen += c.get(counter::stolen);
  to.failed_steals += c.get(counter::failed_steals);
  to.conflicts += c.get(counter::conflicts);
  to.refused_steals += c.get(counter::refused_steals);
  to.mailed += c.get(counter::mailed);
  to.dequeued += c.get(counter::dequeued);
  to.parks += c.get(counter::parks);
  to.wakes += c.get(counter::wakes);
  to.spawn_ticks += c.get(counter::spawn_ticks);
  to.get_task_ticks += c.get(counter::get_task_ticks);
  to.steal_ticks += c.get(counter::steal_ticks);
  to.wait_ticks += c.get(counter::wait_ticks);
  to.acquire_queue_ticks += c.get(counter::acquire_queue_ticks);
}

// The table of threads with its heading and its sums.
class table {
 public:
  explicit table(obs::text_buffer& out) noexcept : out_(out), ticks_per_ms_(os::ticks_per_ns() * 1e6) {}

  void write() noexcept {
    statistics& s = statistics::get();
    s.each_thread([this](obs::counters const& c, bool, unsigned) {
      add(all_, c);
      ++threads_;
    });
    out_.put("ashlar: statistics of %u thread%s\n  %-15s %10s %6s %10s %8s %8s %7s %7s\n", threads_,
             threads_ == 1 ? "" : "s", "thread", "executed", "%", "spawned", "stolen", "received", "parked", "wait ms");
    s.each_thread([this](obs::counters const& c, bool worker, unsigned number) {
      bool const own_row = threads_ <= most_rows || ++rows_ < most_rows;
      scheduler_statistics one{};
      add(own_row ? one : others_, c);
      if (!own_row) return;
      char name[32];
      std::snprintf(name, sizeof name, "%s %u", worker ? "worker" : "application", number);
      row(name, one);
    });
    if (threads_ > most_rows) {
      char name[32];
      std::snprintf(name, sizeof name, "%u others", threads_ - (most_rows - 1));
      row(name, others_);
    }
    row("all", all_);
    explain();
  }

 private:
  void row(char const* name, scheduler_statistics const& s) const noexcept {
    auto const wait = static_cast<std::uint64_t>(static_cast<double>(s.wait_ticks) / ticks_per_ms_ + 0.5);
    out_.put("  %-15s %10s %6.1f %10s %8s %8s %7s %7s\n", name, column(s.executed, 10).digits,
             share(s.executed, all_.executed), column(s.spawned, 10).digits, column(s.stolen, 8).digits,
             column(s.dequeued + s.mailed, 8).digits, column(s.parks, 7).digits, column(wait, 7).digits);
  }

  void explain() const noexcept {
    std::uint64_t const tries = all_.stolen + all_.failed_steals + all_.conflicts + all_.refused_steals;
    auto const reason = [&](char const* what, std::uint64_t n) {
      out_.put("  %12llu  %5.1f %%  %s\n", static_cast<ull>(n), share(n, tries), what);
    };
    out_.put("  %12llu attempts to steal a task:\n", static_cast<ull>(tries));
    reason("got one", all_.stolen);
    reason("found the victim's deque empty", all_.failed_steals);
    reason("met a task not meant for this thread, or too young", all_.refused_steals);
    reason("lost the task to another thread", all_.conflicts);
    out_.put(
        "  %12.1f ms of the threads' time went into searching, %.1f ms into waiting\n"
        "  (search and sleep included). %%: the thread's part of what all executed.\n"
        "  Received: sent by affinity, or enqueued. k, M, G: 10^3, 10^6, 10^9.\n",
        static_cast<double>(all_.steal_ticks) / ticks_per_ms_, static_cast<double>(all_.wait_ticks) / ticks_per_ms_);
  }

  obs::text_buffer& out_;
  double const ticks_per_ms_;
  scheduler_statistics all_{}, others_{};
  unsigned threads_ = 0, rows_ = 0;
};

void put_json(obs::text_buffer& out, scheduler_statistics const& s, double ticks_per_ns) noexcept {
  auto const ns = [=](std::uint64_t ticks) { return static_cast<ull>(static_cast<double>(ticks) / ticks_per_ns); };
  out.put("\"executed\":%llu,\"spawned\":%llu,\"stolen\":%llu,\"steals_empty\":%llu,\"steals_refused\":%llu,",
          static_cast<ull>(s.executed), static_cast<ull>(s.spawned), static_cast<ull>(s.stolen),
          static_cast<ull>(s.failed_steals), static_cast<ull>(s.refused_steals));
  out.put("\"steals_lost\":%llu,\"mailed\":%llu,\"dequeued\":%llu,\"parks\":%llu,\"wakes\":%llu,",
          static_cast<ull>(s.conflicts), static_cast<ull>(s.mailed), static_cast<ull>(s.dequeued),
          static_cast<ull>(s.parks), static_cast<ull>(s.wakes));
  out.put("\"spawn_ns\":%llu,\"get_task_ns\":%llu,\"steal_ns\":%llu,\"wait_ns\":%llu,\"acquire_queue_ns\":%llu}",
          ns(s.spawn_ticks), ns(s.get_task_ticks), ns(s.steal_ticks), ns(s.wait_ticks), ns(s.acquire_queue_ticks));
}

void write_json(obs::text_buffer& out) noexcept {
  double const rate = os::ticks_per_ns();
  scheduler_statistics all{};
  char const* separator = "";
  out.put("{\"ashlar_statistics\":{\"threads\":[");
  statistics::get().each_thread([&](obs::counters const& c, bool worker, unsigned number) {
    scheduler_statistics one{};
    add(one, c);
    add(all, c);
    out.put("%s{\"kind\":\"%s\",\"number\":%u,", separator, worker ? "worker" : "application", number);
    put_json(out, one, rate);
    separator = ",";
  });
  out.put("],\"all\":{");
  put_json(out, all, rate);
  out.put("}}\n");
}

}  // namespace

scheduler_statistics read_statistics() noexcept {
  scheduler_statistics all{};
  statistics::get().each_thread([&](obs::counters const& c, bool, unsigned) { add(all, c); });
  return all;
}

std::size_t read_statistics_of_threads(thread_statistics* to, std::size_t most) noexcept {
  std::size_t n = 0;
  statistics::get().each_thread([&](obs::counters const& c, bool worker, unsigned number) {
    if (n < most) {
      to[n] = {{}, worker, number};
      add(to[n].did, c);
    }
    ++n;
  });
  return n;
}

double statistics_ticks_per_ns() noexcept { return os::ticks_per_ns(); }

std::size_t write_statistics(char* to, std::size_t room, statistics_form form) noexcept {
  obs::text_buffer out(to, room);
  if (form == statistics_form::json) {
    write_json(out);
  } else {
    table(out).write();
  }
  return out.length();
}

}  // namespace ashlar::inline v1::sched
