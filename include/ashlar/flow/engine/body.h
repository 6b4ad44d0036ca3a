// SPDX-License-Identifier: Apache-2.0
// A node's body: a function object of any type in a small buffer, and the copy of it that reset() goes back to; what it
// may be in a node with one input and one output, and how it is called.
#pragma once

#include <ashlar/base/invoke.h>
#include <ashlar/flow/engine/graph_core.h>
#include <ashlar/flow/engine/type_identity.h>
#include <ashlar/flow/engine/types.h>
#include <ashlar/obs/trace_region.h>

#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace ashlar {
inline namespace v1 {
namespace flow {

/// How a body of type F takes a message: by const reference, or, if it can only take values that it may move from, so.
template <typename F, typename Input, typename... More>
inline constexpr bool takes_const = std::is_invocable_v<F&, Input const&, More...>;

/// While a trace is recorded, a call of a node's body is a region: it has the node's name, or that of the user's code.
class body_region {
 public:
  static bool is_wanted() noexcept { return obs::trace_is_on.load(mo::relaxed); }
  body_region(node_base const& n, void const* code) noexcept { begin(n, code); }
  ~body_region() { obs::end_trace_region(); }
  body_region(body_region const&) = delete;
  body_region& operator=(body_region const&) = delete;

 private:
  ASHLAR_EXPORT ASHLAR_COLD static void begin(node_base const& n, void const* code) noexcept;
};

/// Bodies that run concurrently share the object.
template <typename Signature>
class body_box;

template <typename Result, typename... Args>
class body_box<Result(Args...)> {
 public:
  // `Adapter::call(F&, Args...)` calls the body. Throws what copying f throws, and std::bad_alloc.
  template <typename Adapter, typename F>
  body_box(Adapter, F const& f) : call_(&call_it<Adapter, F>), what_(&kind_of<Adapter, F>) {
    what_->make(buffer_, std::addressof(f));
  }
  // With a copy of what the other one was constructed with.
  body_box(body_box const& other) : call_(other.call_), what_(other.what_) {
    what_->make(buffer_, what_->first(other.buffer_));
  }
  body_box& operator=(body_box const&) = delete;
  ~body_box() { what_->end(buffer_); }

  ASHLAR_ALWAYS_INLINE Result operator()(Args... args) { return call_(buffer_, static_cast<Args>(args)...); }
  // As the body of the node. Observed: the thread's attention_observe may be up.
  template <bool Observed>
  ASHLAR_ALWAYS_INLINE Result call_for(node_base const& n, Args... args) {
    if constexpr (Observed) {
      if (body_region::is_wanted()) return call_traced(n, static_cast<Args>(args)...);
    }
    return call_(buffer_, static_cast<Args>(args)...);
  }
  // The call throws nothing.
  bool never_throws() const noexcept { return what_->nothrow; }
  // Goes back to the body of the constructor. Throws what copying it throws; then it is as it was.
  void reset() { what_->reset(buffer_); }
  // The current body. Throws std::bad_cast if it has another type.
  template <typename F>
  F copy() const {
    if (what_->type != type_identity::of<F>()) throw_wrong_body();
    return static_cast<F const&>(of<F>::in(buffer_).now);
  }

 private:
  static constexpr std::size_t small_size = 32;
  struct kind {
    void (*make)(void* buffer, void const* object);
    void (*end)(void* buffer) noexcept;
    void (*reset)(void* buffer);
    void const* (*first)(void const* buffer) noexcept;
    type_identity type;
    bool nothrow;
  };
  // How a body of type F lies in a buffer.
  template <typename F>
  struct of {
    // The body, which its calls may change, and as it was given.
    struct copies {
      explicit copies(F const& f) : now(f), first(f) {}
      F now;
      F const first;
    };
    static constexpr bool is_small = sizeof(copies) <= small_size && alignof(copies) <= alignof(std::max_align_t) &&
                                     std::is_nothrow_move_constructible_v<F>;

    static copies& in(void const* buffer) noexcept {
      if constexpr (is_small) {
        return *std::launder(static_cast<copies*>(const_cast<void*>(buffer)));
      } else {
        return **static_cast<copies* const*>(buffer);
      }
    }
    static void make(void* buffer, void const* object) {
      F const& f = *static_cast<F const*>(object);
      if constexpr (is_small) {
        ::new (buffer) copies(f);
      } else {
        *static_cast<copies**>(buffer) = new copies(f);
      }
    }
    static void end(void* buffer) noexcept {
      if constexpr (is_small) {
        in(buffer).~copies();
      } else {
        delete &in(buffer);
      }
    }
    static void reset(void* buffer) {
      copies& c = in(buffer);
      if constexpr (is_small) {
        F fresh(c.first);
        c.now.~F();
        ::new (static_cast<void*>(std::addressof(c.now))) F(std::move(fresh));
      } else {
        *static_cast<copies**>(buffer) = new copies(c.first);
        delete &c;
      }
    }
    static void const* first(void const* buffer) noexcept { return std::addressof(in(buffer).first); }
  };
  template <typename Adapter, typename F>
  static Result call_it(void* buffer, Args... args) {
    return Adapter::call(of<F>::in(buffer).now, static_cast<Args>(args)...);
  }
  template <typename Adapter, typename F>
  static constexpr kind kind_of = {&of<F>::make,           &of<F>::end,
                                   &of<F>::reset,          &of<F>::first,
                                   type_identity::of<F>(), Adapter::template never_throws<F>};

  ASHLAR_NOINLINE Result call_traced(node_base const& n, Args... args) {
    body_region const region(n, reinterpret_cast<void const*>(call_));
    return call_(buffer_, static_cast<Args>(args)...);
  }

  Result (*call_)(void*, Args...);
  kind const* what_;
  alignas(std::max_align_t) unsigned char buffer_[small_size];
};

/// The part of a node that has a body.
template <typename Signature>
class bodied {
 public:
  /// A copy of the body as it is now. Throws std::bad_cast if it has another type.
  template <typename Body>
  Body copy_function_object() const {
    return body_.template copy<Body>();
  }

 protected:
  template <typename Adapter, typename F>
  bodied(Adapter a, F const& f) : body_(a, f) {}
  /// With a copy of what the other one was constructed with.
  bodied(bodied const&) = default;
  ~bodied() = default;
  void reset_body(reset_flags f) {
    if ((f & rf_reset_bodies) != 0) body_.reset();
  }

  body_box<Signature> body_;
};

/// The result is an output. Where that is continue_msg, it may be anything, and is dropped.
template <typename Result, typename Output>
inline constexpr bool makes = std::is_same_v<Output, continue_msg> || std::is_convertible_v<Result, Output>;

template <typename Body, typename Input, typename Output>
constexpr bool accepts_function_body() {
  if constexpr (takes_const<Body, Input>) {
    return makes<decltype(::ashlar::invoke(std::declval<Body&>(), std::declval<Input const&>())), Output>;
  } else if constexpr (std::is_invocable_v<Body&, Input&&>) {
    return makes<decltype(::ashlar::invoke(std::declval<Body&>(), std::declval<Input&&>())), Output>;
  } else {
    return false;
  }
}
template <typename Body, typename Input, typename Output>
inline constexpr bool is_function_body = accepts_function_body<Body, Input, Output>();

/// Calls the body as it is.
template <typename Result>
struct plain_adapter {
  template <typename F, typename... Args>
  static Result call(F& f, Args&&... args) {
    return static_cast<Result>(::ashlar::invoke(f, std::forward<Args>(args)...));
  }
  template <typename F>
  static constexpr bool never_throws = false;
};

/// Tells in one sentence what the body of a node with one output has to be.
template <typename F, typename Input, typename Output>
constexpr bool check_function_body() {
  static_assert(is_function_body<F, Input, Output>,
                "the body of the node must be callable with an Input const& (or an rvalue) and return an Output");
  return true;
}

/// Calls the body of a node with one output.
template <typename Input, typename Output>
struct function_adapter {
  template <typename F>
  static Output call(F& f, Input& v) {
    static_assert(is_function_body<F, Input, Output>,
                  "the body of the node must be callable with an Input const& (or an rvalue) and return an Output");
    if constexpr (takes_const<F, Input>) {
      return finish(f, static_cast<Input const&>(v));
    } else {
      return finish(f, std::move(v));
    }
  }
  /// A body that moves from its message can't be called with the sender's.
  template <typename F>
  static constexpr bool takes_any = takes_const<F, Input>;
  template <typename F>
  static constexpr bool never_throws = std::is_nothrow_invocable_v<F&, Input const&>;

 private:
  template <typename F, typename Value>
  static Output finish(F& f, Value&& v) {
    if constexpr (std::is_same_v<Output, continue_msg>) {
      static_cast<void>(::ashlar::invoke(f, std::forward<Value>(v)));
      return Output();
    } else {
      return ::ashlar::invoke(f, std::forward<Value>(v));
    }
  }
};

/// Whether a body may be called in the sender's task, for a policy that asks for it. oneTBB wants noexcept.
template <typename Adapter, typename Body, bool Classic>
inline constexpr bool may_be_lightweight =
    Adapter::template takes_any<Body> && (Classic || Adapter::template never_throws<Body>);

}  // namespace flow
}  // namespace v1
}  // namespace ashlar
