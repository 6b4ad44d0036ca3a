// SPDX-License-Identifier: Apache-2.0
// Which type a value of unknown type has. Works without RTTI, too.
#pragma once

#include <ashlar/base/config.h>

#include <typeinfo>

namespace ashlar {
inline namespace v1 {
namespace flow {

/// Two identities of one type have the same mark, unless shared libraries that hide their symbols have one each; then
/// RTTI tells that the types are equal.
class type_identity {
 public:
  template <typename T>
  static constexpr type_identity of() noexcept {
#if __TBB_USE_OPTIONAL_RTTI
    return {&mark<T>, &typeid(T)};
#else
    return {&mark<T>, nullptr};
#endif
  }
  friend bool operator==(type_identity a, type_identity b) noexcept {
#if __TBB_USE_OPTIONAL_RTTI
    return a.mark_ == b.mark_ || (a.info_ != nullptr && b.info_ != nullptr && *a.info_ == *b.info_);
#else
    return a.mark_ == b.mark_;
#endif
  }
  friend bool operator!=(type_identity a, type_identity b) noexcept { return !(a == b); }
  /// Null without RTTI.
  std::type_info const* info() const noexcept { return info_; }

 private:
  template <typename T>
  static constexpr char mark = 0;
  constexpr type_identity(void const* its_mark, std::type_info const* info) noexcept : mark_(its_mark), info_(info) {}

  void const* mark_;
  std::type_info const* info_;
};

/// Throws std::bad_cast: a body was asked for by another type than its own.
[[noreturn]] ASHLAR_EXPORT ASHLAR_COLD void throw_wrong_body();
/// Throws std::runtime_error. The types' names are in its text where they are known.
[[noreturn]] ASHLAR_EXPORT ASHLAR_COLD void throw_bad_tagged_msg_cast(std::type_info const* is,
                                                                      std::type_info const* asked);

}  // namespace flow
}  // namespace v1
}  // namespace ashlar
