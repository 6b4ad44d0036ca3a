// SPDX-License-Identifier: Apache-2.0
#include "program/format.h"
#include "report/scalability.h"
#include "report/shares.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <iterator>
#include <string_view>

namespace ashlar::sim {

std::array<double, 7> time_shares(result const& r) {
  auto const all = static_cast<double>(r.makespan) * r.workers;
  if (all == 0) return {1, 0, 0, 0, 0, 0, 0};
  // Looking in vain is part of the idle times; what is left of these is told by cause.
  auto const failing = static_cast<double>(r[activity::failing]);
  auto const idle = static_cast<double>(r.idle_ramp_up + r.idle_tail + r.idle_between);
  double const rest = idle == 0 ? 0 : std::max(0.0, idle - failing) / idle;
  return {static_cast<double>(r[activity::work]) / all,     static_cast<double>(r[activity::scheduling]) / all,
          static_cast<double>(r[activity::stealing]) / all, failing / all,
          static_cast<double>(r.idle_ramp_up) * rest / all, static_cast<double>(r.idle_tail) * rest / all,
          static_cast<double>(r.idle_between) * rest / all};
}

namespace {

template <typename... Args>
void put(std::string& out, fmt::format_string<Args...> form, Args&&... args) {
  fmt::format_to(std::back_inserter(out), form, std::forward<Args>(args)...);
}

void put_summary(std::string& out, scalability const& s) {
  put(out, "Scalability of {} (trace {}, machine {})\n\n", s.program, s.trace_file, s.machine);
  put(out, "recorded              {} threads, {}, {} tasks, {} thefts, {} parks\n", s.recorded_threads,
      time_text(s.recorded_time), s.tasks, s.steals, s.parks);
  put(out, "predicted for these   {}", time_text(s.predicted_time));
  // A run that others held up says nothing of the prediction.
  double const error = scalability::ratio(s.predicted_time, s.recorded_time) - 1;
  out += s.preempted_share() > much_preempted ? "\n" : fmt::format(" ({:+.1f} %)\n", 100 * error);
  put(out, "clipped               {} of preemption; the recorder took about {}\n", time_text(s.preempted),
      time_text(s.recorder_time));
  put(out, "work                  {}", time_text(s.plain.work));
  out += s.blocked == 0 ? "\n" : fmt::format(", of which {} asleep: for input, locks or time\n", time_text(s.blocked));
  put(out, "span                  {}\n", time_text(s.plain.span));
  put(out, "parallelism           {}\n", number_text(s.parallelism()));
  put(out, "burdened parallelism  {} ({} for each spawn: a wake and a theft)\n", number_text(s.burdened_parallelism()),
      time_text(s.burden));
  put(out, "median grain          {}\n", time_text(s.median_grain));
  put(out, "recommended grain     {} or more, so that scheduling takes 5 % at most; {} of {} tasks are smaller\n",
      time_text(s.smallest_grain), s.small_tasks, s.tasks);
  put(out, "buried waits          {} in the recorded run", s.buried_waits);
  out += s.buried_waits == 0 ? "\n" : fmt::format(", {} long in all\n", time_text(s.buried_time));
  put(out,
      "recommended threads   {}: speed-up {}; beyond it each doubling gains less than 10 %; the best is {} with {}\n",
      s.recommended_threads, number_text(s.recommended().speedup), number_text(s.best().speedup), s.best().threads);
}

void put_curve(std::string& out, scalability const& s) {
  put(out, "\n{:>7} {:>9} {:>9} {:>9} {:>9} {:>8} {:>7}", "threads", "work law", "span law", "burdened", "simulated",
      "time", "buried");
  for (char const* name : share_names) put(out, "  {:>7}", name);
  out += '\n';
  for (curve_point const& p : s.curve) {
    put(out, "{:>7} {:>9} {:>9} {:>9} {:>9} {:>8} {:>7}", p.threads, number_text(p.work_law), number_text(p.span_law),
        number_text(p.burdened_law), number_text(p.speedup), time_text(p.simulated.makespan), p.simulated.buried_waits);
    auto const shares = time_shares(p.simulated);
    for (std::size_t i = 0; i < shares.size(); ++i) {
      put(out, "  {:>{}.1f} %", 100 * shares[i], std::max<std::size_t>(7, std::string_view(share_names[i]).size()) - 2);
    }
    out += '\n';
  }
  put(out, "{}\n", shares_note);
}

void put_regions(std::string& out, scalability const& s) {
  put(out, "\n{:>14} {:>12} {:>10}  region\n", "critical path", "work", "tasks");
  for (region_share const& r : s.regions) {
    put(out, "{:>12.1f} % {:>12} {:>10}  {}\n", 100 * scalability::ratio(r.path, s.plain.span), time_text(r.work),
        r.tasks, r.name);
  }
}

void put_policies(std::string& out, scalability const& s) {
  put(out, "\n{:<16} {:<14}", "victim policy", "wait rule");
  for (unsigned n : s.policy_threads) put(out, " {:>8}", fmt::format("P={}", n));
  out += '\n';
  for (policy_row const& r : s.policies) {
    put(out, "{:<16} {:<14}", r.victim, r.wait);
    for (double x : r.speedups) put(out, " {:>8}", number_text(x));
    out += '\n';
  }
}

void put_what_if(std::string& out, scalability const& s) {
  if (s.what_if.rows.empty()) return;
  put(out, "\n{:<32} {:>9} {:>9}", "what if", "work", "span");
  for (unsigned n : s.what_if.threads) put(out, " {:>17}", fmt::format("P={}", n));
  out += '\n';
  for (what_if_answers::row const& r : s.what_if.rows) {
    put(out, "{:<32} {:>9} {:>9}", r.question, time_text(r.work), time_text(r.span));
    for (std::size_t i = 0; i < r.times.size(); ++i) {
      put(out, " {:>8} {:>+6.1f} %", time_text(r.times[i]),
          100 * (scalability::ratio(r.times[i], s.what_if.rows[0].times[i]) - 1));
    }
    out += '\n';
  }
}

}  // namespace

std::string to_text(scalability const& s) {
  std::string out;
  put_summary(out, s);
  for (std::string const& line : advice(s)) put(out, "\nadvice: {}\n", line);
  for (std::string const& w : warnings(s)) put(out, "\nwarning: {}\n", w);
  put_curve(out, s);
  put_regions(out, s);
  put_policies(out, s);
  put_what_if(out, s);
  out += "\nThe model leaves out:\n";
  for (std::string const& line : left_out()) put(out, "  * {}\n", line);
  return out;
}

namespace {

double nanoseconds(picoseconds t) { return static_cast<double>(t) / nanosecond; }

nlohmann::json recorded(scalability const& s) {
  return {{"complete", s.complete},
          {"threads", s.recorded_threads},
          {"time_ns", nanoseconds(s.recorded_time)},
          {"predicted_ns", nanoseconds(s.predicted_time)},
          {"tasks", s.tasks},
          {"steals", s.steals},
          {"parks", s.parks},
          {"preempted_ns", nanoseconds(s.preempted)},
          {"recorder_ns", nanoseconds(s.recorder_time)},
          {"buried_waits", s.buried_waits},
          {"buried_ns", nanoseconds(s.buried_time)}};
}

}  // namespace

std::string to_json(scalability const& s) {
  using nlohmann::json;
  auto const ns = nanoseconds;
  json j;
  j["trace"] = s.trace_file;
  j["program"] = s.program;
  j["machine"] = s.machine;
  j["recorded"] = recorded(s);
  j["work_ns"] = ns(s.plain.work);
  j["blocked_ns"] = ns(s.blocked);
  j["span_ns"] = ns(s.plain.span);
  j["parallelism"] = s.parallelism();
  j["burden_ns"] = ns(s.burden);
  j["burdened_parallelism"] = s.burdened_parallelism();
  j["median_grain_ns"] = ns(s.median_grain);
  j["recommended_grain_ns"] = ns(s.smallest_grain);
  j["recommended_threads"] = s.recommended_threads;
  for (curve_point const& p : s.curve) {
    json shares;
    auto const values = time_shares(p.simulated);
    for (std::size_t i = 0; i < values.size(); ++i) shares[share_names[i]] = values[i];
    j["curve"].push_back({{"threads", p.threads},
                          {"work_law", p.work_law},
                          {"span_law", p.span_law},
                          {"burdened_law", p.burdened_law},
                          {"speedup", p.speedup},
                          {"time_ns", ns(p.simulated.makespan)},
                          {"steals", p.simulated.steals},
                          {"failed_steals", p.simulated.failed_steals},
                          {"buried_waits", p.simulated.buried_waits},
                          {"shares", shares}});
  }
  for (region_share const& r : s.regions) {
    j["regions"].push_back({{"name", r.name}, {"work_ns", ns(r.work)}, {"path_ns", ns(r.path)}, {"tasks", r.tasks}});
  }
  j["policy_threads"] = s.policy_threads;
  for (policy_row const& r : s.policies) {
    j["policies"].push_back({{"victim", r.victim}, {"wait", r.wait}, {"speedups", r.speedups}});
  }
  for (what_if_answers::row const& r : s.what_if.rows) {
    json times;
    for (picoseconds const t : r.times) times.push_back(ns(t));
    j["what_if"].push_back(
        {{"question", r.question}, {"work_ns", ns(r.work)}, {"span_ns", ns(r.span)}, {"times_ns", times}});
  }
  if (!s.what_if.rows.empty()) j["what_if_threads"] = s.what_if.threads;
  j["advice"] = advice(s);
  j["warnings"] = warnings(s);
  j["left_out"] = left_out();
  return j.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace ashlar::sim
