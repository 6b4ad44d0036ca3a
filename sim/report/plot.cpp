// SPDX-License-Identifier: Apache-2.0
#include "report/plot.h"

#include "program/format.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace ashlar::sim {

char const* const plot_style = R"(
:root { color-scheme: light dark; --text: #1c2430; --paper: #ffffff; --line: #d5dae2; --soft: #667085;
  --c0: #2a9d4a; --c1: #3b6fd4; --c2: #7a52c7; --c3: #d64545; --c4: #e0a030; --c5: #9aa3b2; --c6: #3aa6b0; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e6e9ef; --paper: #14181f; --line: #333b48; --soft: #98a2b3;
    --c0: #4cc26c; --c1: #6d9bf5; --c2: #a583ea; --c3: #ef6b6b; --c4: #edb95a; --c5: #6b7482; --c6: #5cc5ce; } }
svg text { fill: var(--text); font: 12px system-ui, sans-serif; } .grid { stroke: var(--line); }
)";

std::string escaped(std::string const& text) {
  std::string out;
  for (char const c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

picture_key draw_key(std::vector<key_entry> const& entries) {
  constexpr double row = 18, square = 12, letter = 6.6, gap = 14;  // a letter's width is a guess: fonts differ
  picture_key key{{}, picture::key_at + row};
  double x = picture::left;
  for (key_entry const& e : entries) {
    double const width = square + 4 + letter * static_cast<double>(e.text.size()) + gap;
    if (x + width > picture::width && x > picture::left) {
      x = picture::left;
      key.height += row;
    }
    fmt::format_to(std::back_inserter(key.svg),
                   "<rect x=\"{:.1f}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"var(--c{})\"/><text x=\"{:.1f}\" "
                   "y=\"{}\">{}</text>\n",
                   x, key.height - row, square, square, e.colour, x + square + 4, key.height - row + 11,
                   escaped(e.text));
    x += width;
  }
  return key;
}

namespace {

class plot : picture {
 public:
  explicit plot(std::vector<plot_line> const& lines) : lines_(lines) {
    for (auto const& [threads, speedup] : lines.front().points) most_ = std::max(most_, threads);
  }

  std::string draw(bool alone) {
    std::vector<key_entry> meanings;
    for (plot_line const& l : lines_) meanings.push_back({l.legend, l.colour % 7});
    picture_key const key = draw_key(meanings);
    put("<svg id=\"speedup\" {}viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"Speed-up against threads\">\n",
        alone ? "xmlns=\"http://www.w3.org/2000/svg\" " : "", width, key.height);
    if (alone) put("<style>{} svg {{ background: var(--paper); }}</style>\n", plot_style);
    grid();
    for (plot_line const& l : lines_) draw_line(l);
    put("{}</svg>", key.svg);
    return std::move(out_);
  }

 private:
  template <typename... Args>
  void put(fmt::format_string<Args...> form, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), form, std::forward<Args>(args)...);
  }

  double x_of(double threads) const { return left + (right - left) * std::log2(threads) / std::log2(most_); }
  double y_of(double speedup) const {
    return std::clamp(bottom - (bottom - top) * std::log2(speedup) / std::log2(most_), top, bottom + 20);
  }

  void grid() {
    for (auto const& [threads, speedup] : lines_.front().points) {
      double const x = x_of(threads), y = y_of(threads);
      put("<line class=\"grid\" x1=\"{0:.1f}\" y1=\"{1}\" x2=\"{0:.1f}\" y2=\"{2}\"/>"
          "<text x=\"{0:.1f}\" y=\"{3}\" text-anchor=\"middle\">{4}</text>\n",
          x, top, bottom, bottom + 16, threads);
      put("<line class=\"grid\" x1=\"{0}\" y1=\"{1:.1f}\" x2=\"{2}\" y2=\"{1:.1f}\"/>"
          "<text x=\"{3}\" y=\"{4:.1f}\" text-anchor=\"end\">{5}</text>\n",
          left, y, right, left - 6, y + 4, threads);
    }
  }

  void draw_line(plot_line const& l) {
    put("<polyline data-name=\"{}\" fill=\"none\" stroke=\"var(--c{})\" stroke-width=\"2\" stroke-dasharray=\"{}\" "
        "points=\"",
        escaped(l.name), l.colour % 7, l.dashed ? "4 4" : "none");
    for (auto const& [threads, speedup] : l.points) put("{:.1f},{:.1f} ", x_of(threads), y_of(speedup));
    put("\"/>\n");
    if (l.dashed) return;
    for (auto const& [threads, speedup] : l.points) {
      put("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3.5\" fill=\"var(--c{})\"><title>{}, {} threads: "
          "{}</title></circle>\n",
          x_of(threads), y_of(speedup), l.colour % 7, escaped(l.name), threads, number_text(speedup));
    }
  }

  std::vector<plot_line> const& lines_;
  unsigned most_ = 2;
  std::string out_;
};

}  // namespace

std::string speedup_plot(std::vector<plot_line> const& lines, bool alone) { return plot(lines).draw(alone); }

}  // namespace ashlar::sim
