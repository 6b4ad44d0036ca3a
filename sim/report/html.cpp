// SPDX-License-Identifier: Apache-2.0
// The report as one page: styles and pictures are in it, and it follows the reader's light or dark setting.
#include "program/format.h"
#include "report/plot.h"
#include "report/run_page.h"
#include "report/scalability.h"
#include "report/shares.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace ashlar::sim {

namespace {

constexpr char const* style = R"(
body { font: 15px/1.5 system-ui, sans-serif; color: var(--text); background: var(--paper); margin: 2rem auto;
  max-width: 60rem; padding: 0 1rem; }
h1 { font-size: 1.5rem; overflow-wrap: anywhere; } h2 { font-size: 1.15rem; margin-top: 2rem; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { padding: .25rem .6rem; border-bottom: 1px solid var(--line); text-align: right; }
th:first-child, td:first-child { text-align: left; } td { white-space: nowrap; }
#regions td:first-child, #what-if td:first-child { white-space: normal; overflow-wrap: anywhere; }
.facts { display: grid; grid-template-columns: repeat(auto-fill, minmax(11rem, 1fr)); gap: .8rem; }
.facts div { border: 1px solid var(--line); border-radius: .5rem; padding: .6rem .8rem; }
.facts b { display: block; font-size: 1.25rem; } .facts span, figcaption { color: var(--soft); font-size: .85rem; }
.warning { border-left: 4px solid var(--c4); padding: .3rem .8rem; }
#path td:first-child { white-space: normal; overflow-wrap: anywhere; } #run-tip { overflow-wrap: anywhere; }
figure.run { max-height: 80vh; overflow-y: auto; } canvas { display: block; touch-action: pan-y; cursor: grab; }
.scroll { overflow-x: auto; }
figure { margin: 1rem 0; overflow-x: auto; } svg { max-width: 100%; height: auto; }
@media print {
  body { margin: 0; max-width: none; font-size: 11px; } .buttons { display: none; }
  figure, figure.run, .scroll { max-height: none; overflow: visible; }
  .scroll table { font-size: 9px; } .scroll th, .scroll td { padding: .15rem .3rem; white-space: normal; }
  canvas { width: 100% !important; height: auto !important; max-height: 20cm; }
  h2 { break-after: avoid; } tr, figure { break-inside: avoid; }
}
)";

class page : picture {
 public:
  explicit page(scalability const& s) : s_(s) {}

  std::string write() {
    put("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>Scalability of {0}</title>\n"
        "<style>{1}{7}</style>\n</head>\n<body>\n<h1>Scalability of {0}</h1>\n"
        "<p>Trace {2}, recorded with {3} threads in {4}. The same run is predicted to take {6} on the machine "
        "{5}.</p>\n",
        escaped(s_.program), style, escaped(s_.trace_file), s_.recorded_threads, time_text(s_.recorded_time),
        escaped(s_.machine), time_text(s_.predicted_time), plot_style);
    facts();
    for (std::string const& line : advice(s_)) put("<p class=\"advice\"><b>Advice.</b> {}</p>\n", escaped(line));
    for (std::string const& w : warnings(s_)) put("<p class=\"warning\">{}</p>\n", escaped(w));
    put("<h2>Speed-up</h2>\n");
    curve();
    put("<h2>Where the threads' time goes</h2>\n");
    bars();
    shares_table();
    regions();
    if (s_.run != nullptr) {
      out_ += path_chapter(s_.plain, s_.names);
      out_ += run_chapters(*s_.run, s_.names);
    }
    what_if();
    policies();
    put("<h2>What the model leaves out</h2>\n<ul>\n");
    for (std::string const& line : left_out()) put("<li>{}</li>\n", escaped(line));
    put("</ul>\n</body>\n</html>\n");
    return std::move(out_);
  }

 private:
  template <typename... Args>
  void put(fmt::format_string<Args...> form, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), form, std::forward<Args>(args)...);
  }

  void fact(std::string const& value, char const* what) { put("<div><b>{}</b><span>{}</span></div>\n", value, what); }

  void facts() {
    put("<div class=\"facts\">\n");
    fact(time_text(s_.plain.work), "work");
    fact(time_text(s_.plain.span), "span");
    fact(number_text(s_.parallelism()), "parallelism");
    fact(number_text(s_.burdened_parallelism()), "burdened parallelism");
    fact(std::to_string(s_.recommended_threads), "recommended threads");
    fact(std::to_string(s_.tasks), "tasks");
    fact(time_text(s_.median_grain), "median grain");
    fact(time_text(s_.smallest_grain), "recommended grain, at least");
    fact(std::to_string(s_.buried_waits), "buried waits, recorded");
    put("</div>\n<p>With {} threads the speed-up is {}; beyond it each doubling gains less than 10 %. The best is {} "
        "with {}.</p>\n",
        s_.recommended_threads, number_text(s_.recommended().speedup), number_text(s_.best().speedup),
        s_.best().threads);
    put("<p>Of {} tasks {} are smaller than the recommended grain, with which scheduling takes 5 %. The burden is {} "
        "for each "
        "spawn: a wake and a theft. A buried wait is over, but its thread runs another task on top of it.</p>\n",
        s_.tasks, s_.small_tasks, time_text(s_.burden));
    if (s_.blocked != 0) {
      put("<p>Of the work {} were spent asleep: for input, locks or time.</p>\n", time_text(s_.blocked));
    }
  }

  template <typename Value>
  plot_line line(char const* name, char const* legend, unsigned colour, bool dashed, Value const& value) const {
    plot_line l{name, legend, colour, dashed, {}};
    for (curve_point const& p : s_.curve) l.points.emplace_back(p.threads, value(p));
    return l;
  }

  void curve() {
    out_ += "<figure>";
    out_ += speedup_plot(
        {line("work law", "work law: no more than threads", 5, true, [](curve_point const& p) { return p.work_law; }),
         line("span law", "span law", 3, true, [](curve_point const& p) { return p.span_law; }),
         line("burdened span law", "span law with burden", 4, true,
              [](curve_point const& p) { return p.burdened_law; }),
         line("simulated", "simulated", 0, false, [](curve_point const& p) { return p.speedup; })},
        false);
    out_ +=
        "<figcaption>Speed-up over one thread without scheduling, by the number of threads.</figcaption></figure>\n";
  }

  void bars() {
    std::vector<key_entry> meanings;
    for (std::size_t k = 0; k < share_names.size(); ++k) meanings.push_back({share_names[k], static_cast<unsigned>(k)});
    picture_key const key = draw_key(meanings);
    double const step = (right - left) / static_cast<double>(s_.curve.size());
    put("<figure><svg id=\"shares\" viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"Shares of the threads' time\">\n",
        width, key.height);
    for (int percent : {0, 25, 50, 75, 100}) {
      double const y = bottom - (bottom - top) * percent / 100;
      put("<line class=\"grid\" x1=\"{0}\" y1=\"{1:.1f}\" x2=\"{2}\" y2=\"{1:.1f}\"/><text x=\"{3}\" y=\"{4:.1f}\" "
          "text-anchor=\"end\">{5} %</text>\n",
          left, y, right, left - 6, y + 4, percent);
    }
    for (std::size_t i = 0; i < s_.curve.size(); ++i) {
      double const x = left + step * static_cast<double>(i);
      double y = bottom;
      auto const shares = time_shares(s_.curve[i].simulated);
      for (std::size_t k = 0; k < shares.size(); ++k) {
        double const part = shares[k] * (bottom - top);
        y -= part;
        put("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"var(--c{})\"><title>{} threads, "
            "{}: {:.1f} %</title>"
            "</rect>\n",
            x + 4, y, step - 8, part, k, s_.curve[i].threads, share_names[k], 100 * shares[k]);
      }
      put("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n", x + step / 2, bottom + 16,
          s_.curve[i].threads);
    }
    put("{}</svg><figcaption>{}</figcaption></figure>\n", key.svg, shares_note);
  }

  void shares_table() {
    put("<div class=\"scroll\"><table id=\"curve\"><tr><th>threads</th><th>speed-up</th><th>time</th><th>buried "
        "waits</th>");
    for (char const* name : share_names) put("<th>{}</th>", name);
    put("</tr>\n");
    for (curve_point const& p : s_.curve) {
      put("<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td>", p.threads, number_text(p.speedup),
          time_text(p.simulated.makespan), p.simulated.buried_waits);
      for (double share : time_shares(p.simulated)) put("<td>{:.1f} %</td>", 100 * share);
      put("</tr>\n");
    }
    put("</table></div>\n");
  }

  void regions() {
    put("<h2>Who is on the critical path</h2>\n<table id=\"regions\"><tr><th>region</th><th>of the critical path</th>"
        "<th>work</th><th>tasks</th></tr>\n");
    std::size_t const shown = std::min<std::size_t>(s_.regions.size(), 40);
    for (std::size_t i = 0; i < shown; ++i) {
      region_share const& r = s_.regions[i];
      put("<tr><td>{}</td><td>{:.1f} %</td><td>{}</td><td>{}</td></tr>\n", escaped(r.name),
          100 * scalability::ratio(r.path, s_.plain.span), time_text(r.work), r.tasks);
    }
    put("</table>\n");
    if (shown < s_.regions.size()) put("<p>{} more are left out.</p>\n", s_.regions.size() - shown);
  }

  void policies() {
    put("<h2>Speed-up by policy</h2>\n<table id=\"policies\"><tr><th>victim policy, wait rule</th>");
    for (unsigned n : s_.policy_threads) put("<th>{} threads</th>", n);
    put("</tr>\n");
    for (policy_row const& r : s_.policies) {
      put("<tr><td>{}, {}</td>", escaped(r.victim), escaped(r.wait));
      for (double x : r.speedups) put("<td>{}</td>", number_text(x));
      put("</tr>\n");
    }
    put("</table>\n");
  }

  void what_if() {
    if (s_.what_if.rows.empty()) return;
    put("<h2>What if</h2>\n<div class=\"scroll\"><table "
        "id=\"what-if\"><tr><th>question</th><th>work</th><th>span</th>");
    for (unsigned n : s_.what_if.threads) put("<th>{} threads</th>", n);
    put("</tr>\n");
    for (what_if_answers::row const& r : s_.what_if.rows) {
      put("<tr><td>{}</td><td>{}</td><td>{}</td>", escaped(r.question), time_text(r.work), time_text(r.span));
      for (std::size_t i = 0; i < r.times.size(); ++i) {
        put("<td>{}", time_text(r.times[i]));
        auto const plain = s_.what_if.rows[0].times[i];
        if (&r != &s_.what_if.rows[0]) put("<br>{:+.1f} %", 100 * (scalability::ratio(r.times[i], plain) - 1));
        put("</td>");
      }
      put("</tr>\n");
    }
    put("</table></div>\n");
  }

  scalability const& s_;
  std::string out_;
};

}  // namespace

std::string to_html(scalability const& s) { return page(s).write(); }

}  // namespace ashlar::sim
