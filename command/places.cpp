// SPDX-License-Identifier: Apache-2.0
#include "places.h"

#include <fmt/format.h>

#include <sys/auxv.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace ashlar::command {

namespace {

// Without /proc, as in a bare root folder, the path that was executed tells it.
fs::path own_folder() {
  std::error_code none;
  fs::path own = fs::read_symlink("/proc/self/exe", none);
  if (none) own = fs::canonical(reinterpret_cast<char const*>(getauxval(AT_EXECFN)));
  return own.parent_path();
}

bool executable(fs::path const& file) {
  std::error_code none;
  return fs::is_regular_file(file, none) && access(file.c_str(), X_OK) == 0;
}

}  // namespace

fs::path compat_folder() {
  fs::path const prefix = own_folder().parent_path();
  for (fs::path const& place : {prefix / ASHLAR_LIBDIR / "ashlar-compat", prefix / "ashlar-compat"}) {
    if (fs::exists(place / "libtbb.so.12")) return place;
  }
  throw failure(fmt::format("libtbb.so.12 is not in {}", (prefix / ASHLAR_LIBDIR / "ashlar-compat").string()));
}

std::string simulator() {
  fs::path const here = own_folder();
  for (fs::path const& file : {here / "ashlar-sim", here.parent_path() / "sim/ashlar-sim"}) {
    if (executable(file)) return file;
  }
  return "ashlar-sim";
}

fs::path program_file(std::string const& name) {
  if (name.find('/') != std::string::npos) {
    if (!fs::exists(name)) throw failure(fmt::format("{}: no such file", name));
    if (!executable(name)) throw failure(fmt::format("{}: not a program", name));
    return name;
  }
  char const* const path = std::getenv("PATH");
  std::string_view rest = path != nullptr ? path : "/usr/local/bin:/usr/bin:/bin";
  for (;;) {
    std::size_t const end = rest.find(':');
    fs::path const folder = end == 0 || rest.empty() ? fs::path(".") : fs::path(rest.substr(0, end));
    if (executable(folder / name)) return folder / name;
    if (end == std::string_view::npos) break;
    rest.remove_prefix(end + 1);
  }
  throw failure(fmt::format("{}: no such program", name));
}

}  // namespace ashlar::command
