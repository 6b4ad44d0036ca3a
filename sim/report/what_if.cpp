// SPDX-License-Identifier: Apache-2.0
#include "report/what_if.h"

#include "program/bad_input.h"
#include "trace/critical_path.h"
#include "trace/folding.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <utility>

namespace ashlar::sim {

namespace {

struct change {
  enum class what { grain, region, threads } kind;
  std::string name;
  double factor;
};

std::string trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return std::string(text);
}

std::optional<double> number_of(std::string const& text) {
  char* end = nullptr;
  double const value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != 0 || !(value > 0) || value > 1e6) return std::nullopt;
  return value;
}

change parse_change(std::string const& text) {
  static constexpr std::string_view threads = " threads";
  if (text.size() > threads.size() && text.ends_with(threads)) {
    auto const n = number_of(text.substr(0, text.size() - threads.size()));
    if (n && *n == std::floor(*n) && *n <= max_workers) return {change::what::threads, "", *n};
  }
  std::size_t const sign = text.find_last_of("x*");
  auto const factor =
      sign == std::string::npos ? std::nullopt : number_of(trimmed(std::string_view(text).substr(sign + 1)));
  std::string const name = factor ? trimmed(std::string_view(text).substr(0, sign)) : "";
  if (name.empty()) {
    throw bad_input::of("--what-if: '", text,
                        "' is none of 'grain x 4', 'REGION x 2' (twice as fast) and '16 threads'");
  }
  if (name != "grain") return {change::what::region, name, *factor};
  if (*factor < 2 || *factor != std::floor(*factor)) {
    throw bad_input::of("--what-if: '", text, "': the grain grows by a whole number from 2 on");
  }
  return {change::what::grain, name, *factor};
}

std::vector<change> parse(std::string const& text) {
  static constexpr std::string_view between = " and ";
  std::vector<change> all;
  for (std::size_t at = 0; at != std::string::npos;) {
    std::size_t const end = text.find(between, at);
    all.push_back(parse_change(trimmed(std::string_view(text).substr(at, end - at))));
    at = end == std::string::npos ? end : end + between.size();
  }
  return all;
}

// Up to `factor` tasks become one. A part that is known in sum only gets fewer tasks, and its longest path larger ones.
void coarsen(task_graph& g, double factor, picoseconds grain) {
  fold_request how;
  how.most_tasks = static_cast<std::uint64_t>(factor);
  how.serial = true;
  how.stretches = false;
  fold(g, how);
  auto const longer = static_cast<picoseconds>((factor - 1) * static_cast<double>(grain));
  for (folded_part& p : g.folded) {
    bool const one = p.tasks <= how.most_tasks;
    p.tasks = one ? 0 : p.tasks / how.most_tasks;
    if (!one) p.span = std::min(p.work, p.span + longer);
  }
}

void speed_up(task_graph& g, std::string const& name, double factor) {
  std::vector<bool> meant;
  for (std::string const& region : g.regions) meant.push_back(region.find(name) != std::string::npos);
  if (std::find(meant.begin(), meant.end(), true) == meant.end()) throw bad_input::unknown("region", name, g.regions);
  auto const less = [factor](picoseconds& time) {
    auto const now = static_cast<picoseconds>(static_cast<double>(time) / factor);
    return std::exchange(time, now) - now;  // modulo 2^64, if it is more
  };
  for (task_item& item : g.items) {
    if (item.kind == task_item::what::work && meant[item.region]) less(item.time);
  }
  for (folded_part& p : g.folded) {
    for (auto& r : p.regions) {
      if (!meant[r.region]) continue;
      p.work -= less(r.work);
      p.span -= less(r.path);
    }
    p.span = std::min(p.span, p.work);
  }
}

struct job {
  std::size_t row, column;
  std::size_t level = ~std::size_t{0};  // none yet
};

}  // namespace

what_if_questions::what_if_questions(task_graph const& g, what_if_settings const& how) : how_(how) {
  if (how.questions.empty()) return;
  variants_.push_back(make_variant("", g));
  for (std::string const& question : how.questions) variants_.push_back(make_variant(question, g));
  all_.threads = columns();
}

what_if_questions::variant what_if_questions::make_variant(std::string const& question, task_graph g) {
  unsigned threads = 0;
  if (!question.empty()) {
    for (change const& c : parse(question)) {
      if (c.kind == change::what::grain) coarsen(g, c.factor, how_.median_grain);
      if (c.kind == change::what::region) speed_up(g, c.name, c.factor);
      if (c.kind == change::what::threads) threads = static_cast<unsigned>(c.factor);
    }
  }
  path_analysis const path = analyse_path(g);
  all_.rows.push_back({question.empty() ? "as it is" : question, path.work, path.span, {}});
  return {std::make_unique<program_levels>(std::move(g), how_.costs), threads};
}

std::vector<unsigned> what_if_questions::columns() const {
  std::vector<unsigned> all{how_.recorded_threads};
  for (unsigned n : {4u, 16u, 64u, 256u}) {
    if (n <= how_.most_threads) all.push_back(n);
  }
  for (variant const& v : variants_) {
    if (v.threads != 0) all.push_back(v.threads);
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

what_if_answers what_if_questions::answer(picoseconds part) {
  std::vector<job> jobs;
  for (std::size_t row = 0; row < all_.rows.size(); ++row) {
    all_.rows[row].times.resize(all_.threads.size());
    for (std::size_t column = 0; column < all_.threads.size(); ++column) jobs.push_back({row, column});
  }
  auto const simulate = [&](job& j) {
    program_levels& program = *variants_[j.row].program;
    std::size_t const level = program.level_of(part);
    if (j.level == level) return;
    options o;
    o.workers = all_.threads[j.column];
    o.fast_forward = true;
    auto const made = program.simulate(how_.on, o, level);
    all_.rows[j.row].times[j.column] = made.simulated.makespan;
    j.level = made.level;
  };
  // All with parts of one size, or they can't be compared: again, as long as one of them needed larger ones.
  for (picoseconds needed = part;; part = needed) {
    tbb::parallel_for(
        tbb::blocked_range<std::size_t>(0, jobs.size(), 1),
        [&](auto const& range) {
          for (std::size_t i = range.begin(); i != range.end(); ++i) simulate(jobs[i]);
        },
        tbb::simple_partitioner());
    for (job const& j : jobs) needed = std::max(needed, variants_[j.row].program->part(j.level));
    if (needed == part) return all_;
  }
}

}  // namespace ashlar::sim
