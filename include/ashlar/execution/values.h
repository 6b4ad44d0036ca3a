// SPDX-License-Identifier: Apache-2.0
// The types of a sender's values and errors.
#pragma once

#include <ashlar/execution/implementation.h>

#include <exception>
#include <system_error>
#include <tuple>
#include <type_traits>
#include <utility>

ASHLAR_EXECUTION_PARTS

template <typename... Values>
using decayed_values = std::tuple<std::decay_t<Values>...>;

/// The values of a sender that has one set of them, as a tuple.
template <typename Sender, typename Env>
using single_values = ex::value_types_of_t<Sender, Env, decayed_values, std::type_identity_t>;

/// An error as an exception: error codes become std::system_error.
template <typename Error>
std::exception_ptr exception_of(Error&& e) noexcept {
  using plain = std::decay_t<Error>;
  if constexpr (std::is_same_v<plain, std::exception_ptr>) {
    return std::forward<Error>(e);
  } else if constexpr (std::is_same_v<plain, std::error_code>) {
    return std::make_exception_ptr(std::system_error(e));
  } else {
    return std::make_exception_ptr(std::forward<Error>(e));
  }
}

ASHLAR_EXECUTION_PARTS_END
