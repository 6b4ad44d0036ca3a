// SPDX-License-Identifier: Apache-2.0
// Speed-up against threads as SVG, both axes logarithmic.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace ashlar::sim {

struct plot_line {
  std::string name;  // data-name in the picture
  std::string legend;
  unsigned colour;                                  // of the palette, 0 to 6
  bool dashed;                                      // without dots
  std::vector<std::pair<unsigned, double>> points;  // threads, speed-up; by threads
};

// The palette as CSS variables, light and dark, and the rules of the pictures' texts and grids.
extern char const* const plot_style;

// One <svg id="speedup">. With `alone` it is a document of its own: namespace and style are in it. All lines have
// points at the same threads, at least one.
std::string speedup_plot(std::vector<plot_line> const& lines, bool alone);

// The pictures' frame: what is drawn lies between left and right, top and bottom.
struct picture {
  static constexpr double width = 760, left = 60, right = 740, top = 20, bottom = 340, key_at = bottom + 25;
};

// What the colours of a picture mean: squares and texts, in as many rows as they need, from picture::key_at on.
struct key_entry {
  std::string text;
  unsigned colour;
};
struct picture_key {
  std::string svg;
  double height;  // of the whole picture
};
picture_key draw_key(std::vector<key_entry> const& entries);

// For text in HTML and XML.
std::string escaped(std::string const& text);

}  // namespace ashlar::sim
