// SPDX-License-Identifier: Apache-2.0
#include "os/text_file.h"

#include <cstdio>
#include <memory>

namespace ashlar::inline v1::os {

std::optional<std::string> read_text_file(std::string const& path) {
  struct closer {
    void operator()(std::FILE* f) const noexcept { std::fclose(f); }
  };
  std::unique_ptr<std::FILE, closer> const file(std::fopen(path.c_str(), "rb"));
  if (!file) return std::nullopt;
  std::string text;
  char buffer[4096];
  while (std::size_t const got = std::fread(buffer, 1, sizeof buffer, file.get())) text.append(buffer, got);
  if (std::ferror(file.get()) != 0) return std::nullopt;
  return text;
}

}  // namespace ashlar::inline v1::os
