// SPDX-License-Identifier: Apache-2.0
// Reads the text format of scenes that README.md describes. Everything that is wrong with the text is reported with
// the file's name and the line's number; a scene that is returned can be drawn.
#pragma once

#include <iosfwd>
#include <stdexcept>
#include <string>

#include "ray_tracer/scene.h"

namespace kernels::ray {

// what() is "file:line: message", in one line.
class scene_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

scene read_scene(std::istream& text, std::string const& file_name);

// Also reports a file that can't be read.
scene read_scene_file(std::string const& path);

}  // namespace kernels::ray
