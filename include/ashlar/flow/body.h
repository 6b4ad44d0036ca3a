// SPDX-License-Identifier: Apache-2.0
// A node's body: a function object of any type in a small buffer, and the copy of it that reset() goes back to.
#pragma once

#include <ashlar/base/invoke.h>
#include <ashlar/flow/graph_core.h>
#include <ashlar/flow/type_identity.h>
#include <ashlar/flow/types.h>
#include <ashlar/obs/trace_region.h>

#include <new>
#include <type_traits>
#include <utility>

namespace ashlar {
inline namespace v1 {
namespace flow {

// How a body of type F takes a message: by const reference, or, if it can only take values that it may move from, so.
template <typename F, typename Input, typename... More>
inline constexpr bool takes_const = std::is_invocable_v<F&, Input const&, More...>;

// While a trace is recorded, a call of a node's body is a region: it has the node's name, or that of the user's code.
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

// Bodies that run concurrently share the object.
template <typename Signature>
class body_box;

template <typename Result, typename... Args>
class body_box<Result(Args...)> {
 public:
  // `Adapter::call(F&, Args...)` calls the body. Throws what copying f throws, and std::bad_alloc.
  template <typename Adapter, typename F>
  body_box(Adapter, F const& f) {
    use<Adapter, F>();
    make(&f);
  }
  // With a copy of what the other one was constructed with.
  body_box(body_box const& other) : call_(other.call_), what_(other.what_) { make(other.first()); }
  body_box& operator=(body_box const&) = delete;
  ~body_box() {
    what_->end(here());
    if (first_ != nullptr) what_->end_first(first_);
  }

  ASHLAR_ALWAYS_INLINE Result operator()(Args... args) { return call_(here(), static_cast<Args>(args)...); }
  // As the body of the node. Observed: the thread's attention_observe may be up.
  template <bool Observed>
  ASHLAR_ALWAYS_INLINE Result call_for(node_base const& n, Args... args) {
    if constexpr (Observed) {
      if (body_region::is_wanted()) return call_traced(n, static_cast<Args>(args)...);
    }
    return call_(here(), static_cast<Args>(args)...);
  }
  // The call throws nothing.
  bool never_throws() const noexcept { return what_->nothrow; }
  // Goes back to the body of the constructor. Throws what copying it throws; then it is as it was.
  void reset() {
    if (first_ == nullptr) return;
    body_box fresh(*this);
    what_->end(here());
    what_->move(fresh.here(), here());
  }
  // The current body. Throws std::bad_cast if it has another type.
  template <typename F>
  F copy() const {
    if (what_->type != type_identity::of<F>()) throw_wrong_body();
    return *static_cast<F const*>(what_->object(const_cast<body_box*>(this)->here()));
  }

 private:
  static constexpr std::size_t small_size = 32;
  struct kind {
    void (*copy)(void const* object, void* to);   // to: a buffer
    void (*move)(void* from, void* to) noexcept;  // between buffers; `from` has none then, but may be ended
    void (*end)(void* buffer) noexcept;
    void* (*copy_first)(void const* object);  // null: no first copy is needed
    void (*end_first)(void* object) noexcept;
    void* (*object)(void* buffer) noexcept;
    type_identity type;
    bool nothrow;
  };
  template <typename F>
  static constexpr bool is_small =
      sizeof(F) <= small_size && alignof(F) <= alignof(std::max_align_t) && std::is_nothrow_move_constructible_v<F>;
  // A copy of it is no other than the object after any number of calls.
  template <typename F>
  static constexpr bool never_changes = std::is_empty_v<F> || std::is_pointer_v<F> || std::is_member_pointer_v<F>;

  template <typename F>
  static F& object_in(void* buffer) noexcept {
    if constexpr (is_small<F>) {
      return *std::launder(static_cast<F*>(buffer));
    } else {
      return **static_cast<F**>(buffer);
    }
  }
  template <typename F>
  struct of {
    static void copy(void const* object, void* to) {
      if constexpr (is_small<F>) {
        ::new (to) F(*static_cast<F const*>(object));
      } else {
        *static_cast<F**>(to) = new F(*static_cast<F const*>(object));
      }
    }
    static void move(void* from, void* to) noexcept {
      if constexpr (is_small<F>) {
        ::new (to) F(std::move(object_in<F>(from)));
      } else {
        *static_cast<F**>(to) = std::exchange(*static_cast<F**>(from), nullptr);
      }
    }
    static void end(void* buffer) noexcept {
      if constexpr (is_small<F>) {
        object_in<F>(buffer).~F();
      } else {
        delete *static_cast<F**>(buffer);
      }
    }
    static void* copy_first(void const* object) { return new F(*static_cast<F const*>(object)); }
    static void end_first(void* object) noexcept { delete static_cast<F*>(object); }
    static void* object(void* buffer) noexcept { return &object_in<F>(buffer); }
  };
  template <typename Adapter, typename F>
  static Result call_it(void* buffer, Args... args) {
    return Adapter::call(object_in<F>(buffer), static_cast<Args>(args)...);
  }

  template <typename Adapter, typename F>
  void use() noexcept {
    static constexpr kind k = {&of<F>::copy,
                               &of<F>::move,
                               &of<F>::end,
                               never_changes<F> ? nullptr : &of<F>::copy_first,
                               &of<F>::end_first,
                               &of<F>::object,
                               type_identity::of<F>(),
                               Adapter::template never_throws<F>};
    call_ = &call_it<Adapter, F>;
    what_ = &k;
  }
  ASHLAR_NOINLINE Result call_traced(node_base const& n, Args... args) {
    body_region const region(n, reinterpret_cast<void const*>(call_));
    return call_(here(), static_cast<Args>(args)...);
  }
  void make(void const* object) {
    what_->copy(object, here());
    if (what_->copy_first == nullptr) return;
    ASHLAR_TRY { first_ = what_->copy_first(object); }
    ASHLAR_CATCH_ALL {
      what_->end(here());
      ASHLAR_RETHROW;
    }
  }
  void const* first() const noexcept {
    return first_ != nullptr ? first_ : what_->object(const_cast<body_box*>(this)->here());
  }
  void* here() noexcept { return small_; }

  Result (*call_)(void*, Args...);
  kind const* what_;
  void* first_ = nullptr;  // the body as it was given, if calls may change it
  alignas(std::max_align_t) unsigned char small_[small_size];
};

}  // namespace flow
}  // namespace v1
}  // namespace ashlar
