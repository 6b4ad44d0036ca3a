// SPDX-License-Identifier: Apache-2.0
// A name that the user gives to an object (tbb::profiling::set_name), kept in the object and as long as the object
// lives.
#pragma once

#include <ashlar/base/config.h>

#include <cstring>
#include <type_traits>
#include <utility>

namespace ashlar {
inline namespace v1 {

// Not thread-safe: an object is named when it is set up.
class object_name {
 public:
  object_name() noexcept = default;
  object_name(object_name const&) = delete;
  object_name& operator=(object_name const&) = delete;
  ~object_name() { delete[] text_; }

  // A copy of the text; null or nothing: no name. Throws std::bad_alloc, and is then as it was.
  object_name& operator=(char const* text) {
    char* copy = nullptr;
    if (text != nullptr && *text != 0) {
      std::size_t const size = std::strlen(text) + 1;
      copy = static_cast<char*>(std::memcpy(new char[size], text, size));
    }
    delete[] text_;
    text_ = copy;
    return *this;
  }

  // Null without a name.
  char const* text() const noexcept { return text_; }

 private:
  char* text_ = nullptr;
};

// Whether such objects have room for a name: a member keep_name.
template <typename Object, typename = void>
constexpr bool keeps_name = false;
template <typename Object>
constexpr bool keeps_name<Object, std::void_t<decltype(std::declval<Object const&>().keep_name(nullptr))>> = true;

}  // namespace v1
}  // namespace ashlar
