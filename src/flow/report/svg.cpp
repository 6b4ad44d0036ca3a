// SPDX-License-Identifier: Apache-2.0
// Numbers are whole ones, so that the program's locale doesn't matter.
#include "flow/report/layered_layout.h"
#include "flow/report/picture_map.h"
#include "flow/report/xml_text.h"

#include <ashlar/flow/engine/graph_core.h>

#include <algorithm>
#include <string_view>

namespace ashlar::inline v1::flow {

namespace {

// Of the type below, 12 pixels high and 7.2 wide.
constexpr long line_height = 15, padding = 8, margin = 60;
constexpr std::size_t longest_line = 44;  // characters; longer ones are broken
long width_of(std::size_t characters) noexcept { return static_cast<long>(characters) * 36 / 5; }

constexpr char const* style = R"(<style>
text { font: 12px monospace; fill: #222 }
.first { font-weight: bold }
.port { font-size: 10px; fill: #666 }
.refused { fill: #b00 }
rect, ellipse { fill: #fff; stroke: #555 }
.active rect { fill: #fff3c4 }
.wrong rect { stroke: #d00; stroke-width: 2 }
path { fill: none; stroke: #555 }
.pulled { stroke-dasharray: 5 4 }
</style>
<marker id="arrow" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto">
<path d="M0 0L8 4L0 8z" style="fill: #555; stroke: none"/>
</marker>
)";

// The lines of a text; those that are too long are broken at a space.
std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    std::size_t end = std::min(text.find('\n'), text.size());
    std::size_t next = std::min(end + 1, text.size());
    if (count_characters(text.substr(0, end)) > longest_line) {
      std::size_t const space = text.rfind(' ', longest_line);
      if (space != std::string_view::npos && space != 0) {
        end = space;
        next = space + 1;
      }
    }
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(next);
  }
  return lines;
}

struct point {
  long x, y;
};

class svg_drawing {
 public:
  explicit svg_drawing(picture_map const& m) : map_(m) {
    for (std::size_t i = 0; i < m.nodes().size(); ++i) add_box(m.text_of_node(i));
    m.for_each_edge([&](picture_map::end const* from, void const* receiver, bool pulled) {
      std::size_t const tail = from != nullptr ? from->node : external(nullptr, "sender of the program");
      picture_map::end const* const to = m.find(receiver);
      std::size_t const head = to != nullptr ? to->node : external(receiver, "receiver of the program");
      links_.push_back({tail, head});
      edges_.push_back({from != nullptr ? m.find(m.output(*from).sender) : nullptr, to, receiver, pulled});
    });
  }

  void write(std::FILE* to, char const* name) {
    layered_layout const all(boxes_, links_);
    std::string edges;
    for (std::size_t i = 0; i < edges_.size(); ++i) edges += edge_text(all, i);
    std::string nodes;
    for (std::size_t i = 0; i < boxes_.size(); ++i) nodes += box_text(all.boxes()[i], i);
    std::fprintf(
        to, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"%ld %ld %ld %ld\" width=\"%ld\" height=\"%ld\">\n",
        -margin, -margin, right_ + 2 * margin, bottom_ + 2 * margin, right_ + 2 * margin, bottom_ + 2 * margin);
    std::fprintf(to, "<title>%s</title>\n", xml_text(name).c_str());
    std::fputs(style, to);
    std::fprintf(to, "<rect x=\"%ld\" y=\"%ld\" width=\"%ld\" height=\"%ld\" style=\"stroke: none\"/>\n", -margin,
                 -margin, right_ + 2 * margin, bottom_ + 2 * margin);
    // Boxes cover edges that pass behind them.
    std::fputs(edges.c_str(), to);
    std::fputs(nodes.c_str(), to);
    std::fputs("</svg>\n", to);
  }

 private:
  struct edge {
    picture_map::end const* from;  // null: not in the graph
    picture_map::end const* to;
    void const* receiver;
    bool pulled;
  };

  std::size_t add_box(std::string const& text) {
    lines_.push_back(lines_of(text));
    std::size_t longest = 0;
    for (std::string const& l : lines_.back()) longest = std::max(longest, count_characters(l));
    auto const rows = static_cast<long>(lines_.back().size());
    boxes_.push_back({width_of(longest) + 2 * padding, rows * line_height + padding});
    return boxes_.size() - 1;
  }
  // A box for what is not in the graph.
  std::size_t external(void const* what, char const* text) {
    auto const [place, is_new] = externals_.emplace(what, boxes_.size());
    if (is_new) add_box(text);
    return place->second;
  }

  static std::string number(long n) { return std::to_string(n); }
  static std::string at(point p) { return "x=\"" + number(p.x) + "\" y=\"" + number(p.y) + '"'; }
  static std::string pair(point p) { return number(p.x) + ' ' + number(p.y); }
  void extend_to(long right, long bottom) noexcept {
    right_ = std::max(right_, right);
    bottom_ = std::max(bottom_, bottom);
  }

  std::string box_text(layered_layout::box const& b, std::size_t i) {
    extend_to(b.right(), b.bottom());
    bool const outside = i >= map_.nodes().size();
    std::string kind = "node";
    if (!outside && (map_.nodes()[i].busy != 0 || map_.nodes()[i].queued != 0)) kind += " active";
    if (!outside && !map_.nodes()[i].warnings.empty()) kind += " wrong";
    std::string text = "<g class=\"" + kind + "\">\n<rect " + at({b.x, b.y}) + " width=\"" + number(b.width) +
                       "\" height=\"" + number(b.height) + "\" rx=\"" + number(outside ? b.height / 2 : 3) + "\"/>\n";
    long y = b.y + line_height;
    for (std::string const& l : lines_[i]) {
      text += "<text " + at({b.x + padding, y}) + (y == b.y + line_height ? " class=\"first\">" : ">") + xml_text(l) +
              "</text>\n";
      y += line_height;
    }
    return text + "</g>\n";
  }

  // Where an edge leaves or enters its box: ports lie one above the other.
  static long height_of(layered_layout::box const& b, std::size_t port, std::size_t ports) noexcept {
    return b.y + b.height * static_cast<long>(port + 1) / static_cast<long>(ports + 1);
  }
  std::string edge_text(layered_layout const& all, std::size_t i) {
    edge const& e = edges_[i];
    layered_layout::link const& l = all.links()[i];
    layered_layout::box const& from = all.boxes()[l.from];
    layered_layout::box const& to = all.boxes()[l.to];
    point const begin{from.right(), e.from == nullptr
                                        ? height_of(from, 0, 1)
                                        : height_of(from, e.from->port, map_.nodes()[l.from].outputs.size())};
    point const end{
        to.x, e.to == nullptr ? height_of(to, 0, 1) : height_of(to, e.to->port, map_.nodes()[l.to].inputs.size())};
    std::string text = "<path class=\"edge" + std::string(e.pulled ? " pulled" : "") + (l.leads_back ? " back" : "") +
                       "\" marker-end=\"url(#arrow)\" d=\"M" + pair(begin);
    point label{(begin.x + end.x) / 2, (begin.y + end.y) / 2};
    if (l.leads_back) {
      // Below the boxes between, and not all at one height: at half of its way the curve is there.
      label.y = (l.from == l.to ? to.bottom() : all.bottom_of(to.column, from.column)) + layered_layout::row_gap / 2;
      if (l.from != l.to) label.y += backs_++ % 8 * line_height;
      long const control = (8 * label.y - begin.y - end.y) / 6;
      extend_to(0, (label.y + control) / 2);  // a little lower than that at most
      text += 'C' + pair({begin.x + margin, control}) + ' ' + pair({end.x - margin, control}) + ' ' + pair(end);
    } else {
      long const bend = (end.x - begin.x) / 2;
      text += 'C' + pair({begin.x + bend, begin.y}) + ' ' + pair({end.x - bend, end.y}) + ' ' + pair(end);
    }
    text += "\"/>\n";
    if (e.from != nullptr) {
      text += port_text({begin.x + 3, begin.y - 3}, "start", map_.text_of_output(*e.from));
      text += label_text(label, map_.text_of_edge(*e.from, e.receiver));
    }
    if (e.to != nullptr) text += port_text({end.x - 9, end.y - 3}, "end", map_.text_of_input(*e.to));
    return text;
  }
  static std::string port_text(point p, char const* anchor, std::string const& what) {
    if (what.empty()) return "";
    return "<text class=\"port\" text-anchor=\"" + std::string(anchor) + "\" " + at(p) + '>' + xml_text(what) +
           "</text>\n";
  }
  // The numbers of an edge: what was carried above it, what was refused below it.
  static std::string label_text(point p, std::string const& what) {
    if (what.empty()) return "";
    std::size_t const end = std::min(what.find('\n'), what.size());
    std::string text = "<text text-anchor=\"middle\" " + at({p.x, p.y - 4}) + '>' + what.substr(0, end) + "</text>\n";
    if (end != what.size()) {
      text += "<text class=\"refused\" text-anchor=\"middle\" " + at({p.x, p.y + line_height - 3}) + '>' +
              what.substr(end + 1) + "</text>\n";
    }
    return text;
  }

  picture_map const& map_;
  std::vector<layered_layout::box> boxes_;
  std::vector<std::vector<std::string>> lines_;  // of the boxes
  std::vector<layered_layout::link> links_;
  std::vector<edge> edges_;  // the same ones
  std::unordered_map<void const*, std::size_t> externals_;
  long right_ = 0, bottom_ = 0;
  long backs_ = 0;  // arcs that were drawn
};

}  // namespace

void write_svg(graph_core& g, std::FILE* to) {
  picture_map const m(g);
  svg_drawing(m).write(to, g.name().text() != nullptr ? g.name().text() : "graph");
}

}  // namespace ashlar::inline v1::flow
