// SPDX-License-Identifier: Apache-2.0
#include "obs/code_name.h"

#include "os/image_file.h"
#include "os/modules.h"

namespace ashlar::inline v1::obs {

void add_code_name(text_line& to, std::uintptr_t code) noexcept {
  os::code_place place;
  std::uintptr_t address = 0;
  if (os::find_code(code, place)) {
    os::image_file const file(place.path);
    if (file.find_address(place.offset, address)) {
      std::string_view const name = file.name_at(address);
      if (!name.empty()) {
        to.add(name);
        to.add(" ");
      }
      to.add("(");
      to.add(place.path);
      to.add("+");
      to.add_address(address);
      to.add(")");
      return;
    }
  }
  to.add_address(code);
}

}  // namespace ashlar::inline v1::obs
