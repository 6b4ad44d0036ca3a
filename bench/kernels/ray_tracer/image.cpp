// SPDX-License-Identifier: Apache-2.0
#include "ray_tracer/image.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <stdexcept>

#include <png.h>
#include <sys/stat.h>

namespace kernels::ray {
namespace {

struct writer {
  png_structp png = nullptr;
  png_infop info = nullptr;
  std::string problem;

  // libpng must not return to its caller after an error; an exception is how C++ leaves.
  [[noreturn]] static void failed(png_structp png, png_const_charp message) {
    static_cast<writer*>(png_get_error_ptr(png))->problem = message;
    throw std::runtime_error(message);
  }
  static void ignore(png_structp, png_const_charp) {}

  ~writer() { png_destroy_write_struct(png ? &png : nullptr, info ? &info : nullptr); }
};

void write(image const& picture, std::FILE* file) {
  writer w;
  w.png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &w, writer::failed, writer::ignore);
  w.info = w.png ? png_create_info_struct(w.png) : nullptr;
  if (!w.info) {
    throw std::runtime_error("out of memory");
  }
  png_init_io(w.png, file);
  png_set_IHDR(w.png, w.info, static_cast<png_uint_32>(picture.width()), static_cast<png_uint_32>(picture.height()), 8,
               PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_set_sRGB(w.png, w.info, PNG_sRGB_INTENT_PERCEPTUAL);
  png_set_compression_level(w.png, 6);
  png_write_info(w.png, w.info);
  for (int y = 0; y < picture.height(); ++y) {
    png_write_row(w.png, picture.pixel(0, y));
  }
  png_write_end(w.png, w.info);
}

}  // namespace

void write_png(image const& picture, std::string const& path) {
  auto const fail = [&](std::string const& why) { throw std::runtime_error("cannot write " + path + ": " + why); };
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) {
    fail(std::strerror(errno));
  }
  struct stat status;
  bool const regular = fstat(fileno(file), &status) == 0 && S_ISREG(status.st_mode);
  std::string problem;
  try {
    write(picture, file);
  } catch (std::exception const& e) {
    problem = e.what();
  }
  if (std::fclose(file) != 0 && problem.empty()) {
    problem = std::strerror(errno);
  }
  if (!problem.empty()) {
    // Only a file: the path may name a device.
    if (regular) {
      std::remove(path.c_str());
    }
    fail(problem);
  }
}

}  // namespace kernels::ray
