// SPDX-License-Identifier: Apache-2.0
// What the pipeline engine knows of a filter: how to run its body on a token's value, whatever the types are.
#pragma once

#include <ashlar/base/invoke.h>
#include <ashlar/base/tsan.h>
#include <ashlar/sched/tasks/task_group_context.h>

#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>

namespace ashlar {
inline namespace v1 {
namespace algo {
struct flow_control_access;
class bound_port;
}  // namespace algo
}  // namespace v1
}  // namespace ashlar

namespace tbb {

/// How many items a filter works on at a time, and in which order.
enum class filter_mode : unsigned { parallel = 0, serial_in_order = 1, serial_out_of_order = 2 };

/// Given to the first filter of a pipeline, which ends the stream with stop(); what it returns then is ignored.
class flow_control {
 public:
  void stop() noexcept { stopped_ = true; }

 private:
  friend struct ashlar::algo::flow_control_access;
  flow_control() noexcept = default;

  bool stopped_ = false;
};

}  // namespace tbb

namespace ashlar {
inline namespace v1 {
namespace algo {

/// For those whose bodies take a flow_control.
struct flow_control_access {
  static tbb::flow_control make() noexcept { return {}; }
  static bool const& stopped(tbb::flow_control const& c) noexcept { return c.stopped_; }
};

/// The value that a token carries from filter to filter: in place if it is small, else behind a pointer.
struct alignas(16) token_value {
  static constexpr std::size_t room = 64;
  unsigned char bytes[room];
};

template <typename T>
struct carried {
  static constexpr bool in_place = sizeof(T) <= token_value::room && alignof(T) <= alignof(token_value);

  static T& get(token_value& v) noexcept {
    if constexpr (in_place) {
      return *std::launder(reinterpret_cast<T*>(v.bytes));
    } else {
      return **std::launder(reinterpret_cast<T**>(v.bytes));
    }
  }
  /// Keeps what make() returns.
  template <typename Make>
  static void put(token_value& v, Make make) {
    if constexpr (in_place) {
      ::new (static_cast<void*>(v.bytes)) T(make());
    } else {
      new (v.bytes) T*(new T(make()));
    }
  }
  static void drop(token_value& v) noexcept {
    if constexpr (in_place) {
      get(v).~T();
    } else {
      delete &get(v);
    }
  }
};
template <>
struct carried<void> {
  static void drop(token_value&) noexcept {}
};

struct stage {
  /// Replaces the value by the body's result. If the body throws, or if it ends the stream, no value is left.
  using run_function = void (*)(void const* body, token_value& value, tbb::flow_control& control, bool const& stopped);
  using drop_function = void (*)(void const* body, token_value& value) noexcept;

  void const* body;
  run_function run;
  drop_function drop_input;
  tbb::filter_mode mode;
  bound_port* bound;  // null, or where a thread of the user's runs it
};

template <typename In>
void drop_value(void const*, token_value& value) noexcept {
  carried<In>::drop(value);
}

template <typename In, typename Body>
decltype(auto) call_filter(Body const& body, In& in) {
  if constexpr (std::is_invocable_v<Body const&, In>) {
    return invoke(body, std::move(in));
  } else {
    return invoke(body, in);
  }
}

/// The edges of a filter's call: the token comes from another filter, and a serial filter's body from another token.
template <bool Serial>
class filter_edges {
 public:
  filter_edges(void const* body, token_value const& v) noexcept : body_(body), value_(v) {
    tsan::acquire(&v);
    if (Serial) tsan::acquire(body);
  }
  ~filter_edges() {
    tsan::release(&value_);
    tsan::release(body_);
  }
  filter_edges(filter_edges const&) = delete;
  filter_edges& operator=(filter_edges const&) = delete;

 private:
  void const* body_;
  token_value const& value_;
};

template <typename In, typename Out, typename Body, bool Serial = true>
void run_filter(void const* what, token_value& value, tbb::flow_control& control, bool const& stopped) {
#if ASHLAR_TSAN_EDGES
  filter_edges<Serial> const edges(what, value);
#endif
  Body const& body = *static_cast<Body const*>(what);
  if constexpr (std::is_void_v<In>) {
    if constexpr (std::is_void_v<Out>) {
      invoke(body, control);
    } else {
      carried<Out>::put(value, [&]() -> decltype(auto) { return invoke(body, control); });
      if (stopped) carried<Out>::drop(value);
    }
  } else {
    struct input {
      token_value* v;
      ~input() {
        if (v != nullptr) carried<In>::drop(*v);
      }
    } in{std::addressof(value)};
    if constexpr (std::is_void_v<Out>) {
      call_filter<In>(body, carried<In>::get(value));
    } else {
      Out out(call_filter<In>(body, carried<In>::get(value)));
      carried<In>::drop(value);
      in.v = nullptr;
      carried<Out>::put(value, [&]() -> Out&& { return static_cast<Out&&>(out); });
    }
  }
}

/// Runs the stages until the first one ends the stream and every token has left. At most `tokens` of them are in the
/// pipeline at a time. Throws the first exception of a body; std::bad_alloc.
ASHLAR_EXPORT void run_pipeline(stage const* stages, std::size_t count, std::size_t tokens,
                                tbb::task_group_context* context);

}  // namespace algo
}  // namespace v1
}  // namespace ashlar
