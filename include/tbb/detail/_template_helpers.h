// SPDX-License-Identifier: Apache-2.0
// Template helpers by oneTBB's names, for programs that use them.
#pragma once

#include <ashlar/base/split.h>
#include <tbb/detail/_utils.h>

#include <cstddef>
#include <iterator>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>
#if __TBB_CPP20_CONCEPTS_PRESENT
#include <concepts>
#endif

namespace tbb {
namespace detail {
inline namespace d0 {
inline namespace ashlar_v1 {

using std::conjunction;
using std::disjunction;
using std::index_sequence;
using std::is_nothrow_swappable;
using std::is_swappable;
using std::make_index_sequence;
using std::void_t;

/// std::true_type when T has every property of the list; each is an alias template that names an expression.
template <typename T, typename Enable, template <typename> class... Checks>
struct supports_impl : std::false_type {};
template <typename T, template <typename> class... Checks>
struct supports_impl<T, std::void_t<Checks<T>...>, Checks...> : std::true_type {};
template <typename T, template <typename> class... Checks>
using supports = typename supports_impl<T, void, Checks...>::type;

template <typename T>
struct type_identity {
  using type = T;
};
template <typename T>
using type_identity_t = T;

template <typename Iterator>
using iterator_value_t = typename std::iterator_traits<Iterator>::value_type;

/// Calls a function when it goes out of scope, unless it was dismissed.
template <typename Function>
class raii_guard {
 public:
  static_assert(std::is_nothrow_move_constructible_v<Function>, "a guard must be created without an exception");

  explicit raii_guard(Function f) noexcept : function_(std::move(f)) {}
  raii_guard(raii_guard&& other) noexcept
      : function_(std::move(other.function_)), active_(std::exchange(other.active_, false)) {}
  raii_guard& operator=(raii_guard&&) = delete;
  ~raii_guard() {
    if (active_) {
      function_();
    }
  }
  void dismiss() { active_ = false; }

 private:
  Function function_;
  bool active_ = true;
};
template <typename Function>
raii_guard<Function> make_raii_guard(Function f) {
  return raii_guard<Function>(std::move(f));
}

/// try_call(body).on_exception(handler) runs body, and handler if body throws; on_completion runs it in any case.
template <typename Body>
struct try_call_proxy {
  template <typename Handler>
  void on_exception(Handler handler) {
    auto guard = make_raii_guard(std::move(handler));
    body();
    guard.dismiss();
  }
  template <typename Handler>
  void on_completion(Handler handler) {
    auto guard = make_raii_guard(std::move(handler));
    body();
  }
  Body body;
};
template <typename Body>
try_call_proxy<Body> try_call(Body body) {
  return try_call_proxy<Body>{std::move(body)};
}

/// save_pack keeps copies of its arguments; call and call_and_return pass them to a function, as lvalues or,
/// from a pack that is an rvalue, as rvalues.
template <typename... Types>
struct stored_pack {
  std::tuple<std::decay_t<Types>...> values;
};
template <typename... Types>
stored_pack<Types...> save_pack(Types&&... values) {
  return {std::tuple<std::decay_t<Types>...>(std::forward<Types>(values)...)};
}
template <typename F, typename Pack>
void call(F&& f, Pack&& pack) {
  std::apply(std::forward<F>(f), std::forward<Pack>(pack).values);
}
template <typename Result, typename F, typename Pack>
Result call_and_return(F&& f, Pack&& pack) {
  return std::apply(std::forward<F>(f), std::forward<Pack>(pack).values);
}

#if __TBB_CPP20_CONCEPTS_PRESENT
/// What the algorithms ask of a range.
template <typename Range>
concept tbb_range = std::copy_constructible<Range> && requires(Range const& r) {
  { r.empty() } -> std::convertible_to<bool>;
  { r.is_divisible() } -> std::convertible_to<bool>;
} && std::constructible_from<Range, Range&, ::tbb::split>;
#endif

}  // namespace ashlar_v1
}  // namespace d0
}  // namespace detail
}  // namespace tbb
