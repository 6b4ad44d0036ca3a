// SPDX-License-Identifier: Apache-2.0
// The scalability report of a small trace that is made up, and its three forms.
#include "report/scalability.h"
#include "report/shares.h"

#include "machine/machine_file.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <numeric>
#include <tuple>

namespace {

using namespace ashlar::sim;  // NOLINT

// One thread runs 64 tasks of 20 us each that the main thread spawns and waits for, in a region whose name has markup.
trace many_tasks() {
  trace t;
  t.file = "made-up.trace";
  t.program = "program";
  t.complete = true;
  t.names = {"a <region> & more"};
  t.lanes.resize(1);
  auto& events = t.lanes[0].events;
  std::uint64_t now = 10000;
  auto const add = [&](trace_event kind, std::uint64_t payload) { events.push_back({now, payload, 0, kind}); };
  add(trace_event::region, 0);
  for (std::uint64_t i = 1; i <= 64; ++i) add(trace_event::spawn, i);
  for (std::uint64_t i = 64; i >= 1; --i) {
    add(trace_event::begin, i);
    now += 20000;
    add(trace_event::end, i);
  }
  add(trace_event::wait_end, 0);
  t.end_ticks = now + 10000;
  return t;
}

scalability report() {
  report_settings s;
  s.most_threads = 128;
  s.on = load_machine("epyc").described;
  return analyse_scalability(many_tasks(), s);
}

TEST_CASE("the report's figures are those of the tasks") {
  scalability const r = report();
  CHECK(r.tasks == 64);
  CHECK(r.plain.work == 1300 * microsecond);
  CHECK(r.plain.span == 40 * microsecond);
  CHECK(r.parallelism() == doctest::Approx(32.5));
  CHECK(r.burdened.span == r.plain.span + r.burden);
  CHECK(r.burden > 0);
  CHECK(r.median_grain == 20 * microsecond);
  CHECK(r.small_tasks == 0);
  REQUIRE(r.curve.size() == 8);
  for (curve_point const& p : r.curve) {
    // The simulated curve lies below both laws.
    CHECK(p.speedup <= p.work_law * 1.0001);
    CHECK(p.speedup <= p.span_law * 1.0001);
    auto const shares = time_shares(p.simulated);
    CHECK(std::accumulate(shares.begin(), shares.end(), 0.0) == doctest::Approx(1).epsilon(0.01));
  }
  CHECK(r.curve[0].speedup > 0.95);
  CHECK(r.curve[3].speedup > 5);
  CHECK(r.recommended_threads >= 16);
  CHECK(r.recommended_threads <= 128);
  // Each doubling beyond it gains less than 10 %.
  double least = 1.1 * r.recommended().speedup;
  for (curve_point const& p : r.curve) {
    if (p.threads <= r.recommended_threads) continue;
    CHECK(p.speedup < least);
    least *= 1.1;
  }
  CHECK(r.policies.size() == 8);
  CHECK(warnings(r).empty());
}

TEST_CASE("what if: a coarser grain, a faster region, more threads") {
  report_settings s;
  s.most_threads = 64;
  s.on = load_machine("epyc").described;
  s.what_if = {"grain x 4", "other x 2", "16 threads", "grain*32 and 32 threads"};
  CHECK_THROWS_WITH_AS(analyse_scalability(many_tasks(), s), doctest::Contains("there is no region 'other'"),
                       bad_input);
  s.what_if[1] = "more x 2";
  scalability const r = analyse_scalability(many_tasks(), s);
  CHECK(r.what_if.threads == std::vector<unsigned>{1, 4, 16, 32, 64});
  REQUIRE(r.what_if.rows.size() == 5);
  auto const& [plain, grain, faster, threads, both] =
      std::tie(r.what_if.rows[0], r.what_if.rows[1], r.what_if.rows[2], r.what_if.rows[3], r.what_if.rows[4]);
  // 20 us beside the tasks, which have 64 times 20 us.
  CHECK(plain.work == 1300 * microsecond);
  CHECK(grain.work == plain.work);
  CHECK(plain.span == 40 * microsecond);
  CHECK(grain.span == 100 * microsecond);
  CHECK(both.span == 660 * microsecond);
  CHECK(faster.work == doctest::Approx(static_cast<double>(plain.work) / 2).epsilon(0.03));
  CHECK(static_cast<double>(faster.times[0]) == doctest::Approx(static_cast<double>(plain.times[0]) / 2).epsilon(0.05));
  CHECK(grain.times[0] < plain.times[0]);  // less scheduling
  CHECK(both.times[1] > plain.times[1]);   // but two tasks don't fill four threads
  CHECK(threads.times == plain.times);
  CHECK(to_text(r).find("\ngrain*32 and 32 threads ") != std::string::npos);
  CHECK(nlohmann::json::parse(to_json(r)).at("what_if").size() == 5);
  CHECK(to_html(r).find("<table id=\"what-if\">") != std::string::npos);
  for (char const* const wrong :
       {"grain", "grain x 0", "grain x 1.5", "x 3", "0 threads", "grain x 4 and", "grain x 2x"}) {
    s.what_if = {wrong};
    CHECK_THROWS_AS(analyse_scalability(many_tasks(), s), bad_input);
  }
}

TEST_CASE("the forms of the report carry the figures, and what the model leaves out") {
  scalability const r = report();
  std::string const text = to_text(r);
  CHECK(text.find("parallelism           32.5") != std::string::npos);
  CHECK(text.find("a <region> & more") != std::string::npos);
  CHECK(text.find("memory bandwidth") != std::string::npos);
  auto const json = nlohmann::json::parse(to_json(r));
  CHECK(json.at("work_ns") == 1300000.0);
  CHECK(json.at("curve").size() == 8);
  CHECK(json.at("curve")[7].at("threads") == 128);
  CHECK(json.at("regions")[0].at("name") == "a <region> & more");
  CHECK(json.at("left_out").size() >= 3);
  std::string const html = to_html(r);
  CHECK(html.find("a &lt;region&gt; &amp; more") != std::string::npos);
  CHECK(html.find("<region>") == std::string::npos);
  CHECK(html.find("memory bandwidth") != std::string::npos);
  // The run itself, in names that can't end a script.
  CHECK(html.find("id=\"timeline\"") != std::string::npos);
  CHECK(html.find("\"a \\u003cregion> & more\"") != std::string::npos);
  CHECK(html.find("id=\"path\"") != std::string::npos);
  // Nothing is fetched from elsewhere.
  CHECK(html.find("http") == std::string::npos);
  CHECK(html.find("src=") == std::string::npos);
}

TEST_CASE("a trace of tiny tasks, or of a crash, is reported with a warning") {
  trace t = many_tasks();
  t.complete = false;
  t.ticks_per_ns = 100;  // the tasks take 200 ns
  report_settings s;
  s.most_threads = 2;
  s.on = load_machine("epyc").described;
  auto const w = warnings(analyse_scalability(t, s));
  REQUIRE(w.size() == 2);
  CHECK(w[0].find("did not end with the program") != std::string::npos);
  CHECK(w[1].find("less than 1 us") != std::string::npos);
}

TEST_CASE("advice names what holds the program back, and only that") {
  // Large tasks, all side by side: at most another policy would gain.
  for (std::string const& line : advice(report())) CHECK(line.find("policy") != std::string::npos);
  scalability s;
  s.plain.work = 100 * millisecond;
  s.plain.span = 25 * millisecond;
  s.regions = {{"assemble <1>", 20 * millisecond, 20 * millisecond, 0},
               {"row", 80 * millisecond, 5 * millisecond, 900}};
  s.tasks = 900;
  s.small_tasks = 800;
  s.smallest_grain = 440 * nanosecond;
  s.curve = {{1, 1, 4, 4, {}, 1}, {16, 16, 4, 4, {}, 3.9}, {1024, 1024, 4, 4, {}, 3.9}};
  s.recommended_threads = 16;
  s.policy_threads = {4, 16};
  s.policies = {{"by_size", "any", {3, 3}},
                {"random", "any", {3.1, 3.5}},
                {"by_size+half", "any", {9, 9}},
                {"by_size", "leapfrog", {3, 3.9}}};
  auto const lines = advice(s);
  REQUIRE(lines.size() == 3);
  CHECK(lines[0] ==
        "No number of threads speeds the program up more than 4.00 times: that is its work divided by its span, the "
        "25.0 ms that "
        "have to be done one after the other. 'assemble <1>' makes up 80 % of them (20.0 ms): shorten it, or split it "
        "into tasks.");
  CHECK(lines[1].find("800 of 900 tasks take less than 440 ns: ") == 0);
  CHECK(lines[2] ==
        "On 16 threads the wait rule leapfrog (ASHLAR_WAIT_POLICY) would give a speed-up of 3.90 instead of 3.00.");
  CHECK(to_text(s).find("advice: No number of threads") != std::string::npos);
  CHECK(to_html(s).find("'assemble &lt;1&gt;'") != std::string::npos);
  CHECK(nlohmann::json::parse(to_json(s)).at("advice").size() == 3);
  s.regions.clear();
  s.small_tasks = 100;
  s.policies[1].speedups = {3.7, 3};
  s.policies[3].speedups = {3, 3.5};
  REQUIRE(advice(s).size() == 1);
  CHECK(advice(s)[0].find("On 4 threads the victim policy random (ASHLAR_VICTIM_POLICY)") == 0);
}

TEST_CASE("a trace without work is refused") {
  trace t;
  t.file = "empty.trace";
  report_settings s;
  s.on = load_machine("epyc").described;
  CHECK_THROWS_WITH_AS(analyse_scalability(t, s), "empty.trace: the trace holds no work", bad_input);
}

}  // namespace
