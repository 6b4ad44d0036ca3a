// SPDX-License-Identifier: Apache-2.0
// Speed-up against threads as SVG, both axes logarithmic.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace ashlar::sim {

struct plot_line {
  std::string name;    // data-name in the picture
  std::string legend;
  unsigned colour;     // of the palette, 0 to 6
  bool dashed;         // without dots
  std::vector<std::pair<unsigned, double>> points;  // threads, speed-up; by threads
};

// The palette as CSS variables, light and dark, and the rules of the pictures' texts and grids.
extern char const* const plot_style;

// One <svg id="speedup">. With `alone` it is a document of its own: namespace and style are in it. All lines have points at
// the same threads, at least one.
std::string speedup_plot(std::vector<plot_line> const& lines, bool alone);

// For text in HTML and XML.
std::string escaped(std::string const& text);

}  // namespace ashlar::sim
