// SPDX-License-Identifier: Apache-2.0
#include "ray_tracer/image.h"

#include <doctest/doctest.h>

#if KERNEL_PNG

#include <png.h>
#include <unistd.h>

#include <cstdlib>
#include <stdexcept>
#include <string>

namespace {

using kernels::ray::image;

class scratch_file {
 public:
  scratch_file() {
    char name[] = "/tmp/ashlar_image_XXXXXX";
    int const file = mkstemp(name);
    REQUIRE(file >= 0);
    close(file);
    path_ = name;
  }
  ~scratch_file() { unlink(path_.c_str()); }
  std::string const& path() const { return path_; }

 private:
  std::string path_;
};

std::string error_of(std::string const& path) {
  try {
    kernels::ray::write_png(image(4000, 200), path);
  } catch (std::runtime_error const& e) {
    return e.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a picture read back from its file is the same") {
  image picture(7, 5);
  for (int y = 0; y < 5; ++y) {
    for (int x = 0; x < 7; ++x) {
      picture.pixel(x, y)[0] = static_cast<std::uint8_t>(x * 30);
      picture.pixel(x, y)[1] = static_cast<std::uint8_t>(y * 50);
      picture.pixel(x, y)[2] = static_cast<std::uint8_t>(x * y);
    }
  }
  scratch_file file;
  kernels::ray::write_png(picture, file.path());

  png_image reader{};
  reader.version = PNG_IMAGE_VERSION;
  REQUIRE(png_image_begin_read_from_file(&reader, file.path().c_str()));
  REQUIRE(reader.width == 7);
  REQUIRE(reader.height == 5);
  reader.format = PNG_FORMAT_RGB;
  image back(7, 5);
  REQUIRE(png_image_finish_read(&reader, nullptr, back.pixel(0, 0), 0, nullptr));
  CHECK(back == picture);
}

TEST_CASE("a file that can't be written gives one line that names it") {
  CHECK(error_of("/no/such/folder/p.png") == "cannot write /no/such/folder/p.png: No such file or directory");
  std::string const full = error_of("/dev/full");
  CHECK(full.rfind("cannot write /dev/full: ", 0) == 0);
  CHECK(access("/dev/full", F_OK) == 0);
}

#endif
