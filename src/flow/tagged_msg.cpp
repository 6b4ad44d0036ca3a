// SPDX-License-Identifier: Apache-2.0
#include <ashlar/flow/tagged_msg.h>

#include <cxxabi.h>

#include <cstdlib>
#include <stdexcept>
#include <string>

namespace ashlar::flow {

namespace {

std::string name_of(std::type_info const& type) {
  int status = 0;
  char* const readable = abi::__cxa_demangle(type.name(), nullptr, nullptr, &status);
  std::string const name = status == 0 ? readable : type.name();
  std::free(readable);
  return name;
}

}  // namespace

void throw_bad_tagged_msg_cast(std::type_info const* is, std::type_info const& asked) {
  throw std::runtime_error("Illegal tagged_msg cast: the message holds " + (is != nullptr ? name_of(*is) : "nothing") +
                           ", the cast asks for " + name_of(asked));
}

}  // namespace ashlar::flow
