// SPDX-License-Identifier: Apache-2.0
#include "base/raise.h"

#include <ashlar/flow/engine/type_identity.h>

#include <cxxabi.h>

#include <cstdlib>
#include <stdexcept>
#include <string>

namespace ashlar::inline v1::flow {

namespace {

std::string name_of(std::type_info const* type) {
  if (type == nullptr) return "another type";
  int status = 0;
  char* const readable = abi::__cxa_demangle(type->name(), nullptr, nullptr, &status);
  std::string name = status == 0 ? readable : type->name();
  std::free(readable);
  return name;
}

}  // namespace

void throw_wrong_body() { raise(std::bad_cast()); }

void throw_bad_tagged_msg_cast(std::type_info const* is, std::type_info const* asked) {
  raise(std::runtime_error("Illegal tagged_msg cast: the message holds " + name_of(is) + ", the cast asks for " +
                           name_of(asked)));
}

}  // namespace ashlar::inline v1::flow
