// SPDX-License-Identifier: Apache-2.0
// The checker's ashlar::atomic, fences and pause: base/atomic.h includes this file in place of its own definitions
// when ASHLAR_MODEL is set. Every access becomes an `access` that the engine schedules; value_ keeps the
// initial value, the history of later ones lives in the engine. Each access also tells the source line it is
// written on, for the printed interleaving and for mutations (model.h, `weaken`).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace ashlar::model {

enum class action : unsigned char {
  resume,
  load,
  store,
  exchange,
  compare_exchange,
  fetch_add,
  fetch_sub,
  fetch_or,
  fetch_and,
  fence,
  remote_fence,
  futex_wait,
  futex_wake,
  lock,
  pause,
  join
};

struct site {
  char const* file;
  unsigned line;
};

struct access {
  action what;
  order success;
  order failure;
  unsigned char size;  // bytes of the atomic
  void* address;
  std::uint64_t operand;
  std::uint64_t expected;
  site where;
  int target;  // the other thread of a join or of a remote fence
};

struct answer {
  std::uint64_t value;  // what was read
  bool written;
};

answer perform(access const& what) noexcept;
// Not a scheduling point; a data race if the thread does not know of the newest store.
std::uint64_t read_own(access const& what) noexcept;
void constructed(void const* address, std::size_t size) noexcept;
void destroyed(void const* address, site where) noexcept;
void fence(site where) noexcept;
extern std::uint64_t heavy_fences;  // so far, in models and outside of them
void pause(site where) noexcept;

}  // namespace ashlar::model

namespace ashlar {
inline namespace v1 {

template <typename T>
class atomic {
  static_assert(sizeof(T) <= sizeof(std::uint64_t));
  using file_name = char const*;

 public:
  using value_type = T;

  constexpr atomic() noexcept : atomic(T{}) {}
  constexpr atomic(T v) noexcept : value_(v) {  // NOLINT: implicit, as std::atomic
    if (!__builtin_is_constant_evaluated()) model::constructed(this, sizeof(T));
  }
  atomic(atomic const&) = delete;
  atomic& operator=(atomic const&) = delete;
  ~atomic() { model::destroyed(this, {"destructor", 0}); }

  T load_own(file_name f = __builtin_FILE(), unsigned l = __builtin_LINE()) const noexcept {
    return value(
        {model::read_own(
             {model::action::load, mo::relaxed, mo::relaxed, sizeof(T), const_cast<T*>(&value_), 0, 0, {f, l}, 0}),
         false});
  }
  T load(order o, file_name f = __builtin_FILE(), unsigned l = __builtin_LINE()) const noexcept {
    return value(go(model::action::load, o, o, T{}, T{}, {f, l}));
  }
  void store(T v, order o, file_name f = __builtin_FILE(), unsigned l = __builtin_LINE()) noexcept {
    go(model::action::store, o, o, v, T{}, {f, l});
  }
  T exchange(T v, order o, file_name f = __builtin_FILE(), unsigned l = __builtin_LINE()) noexcept {
    return value(go(model::action::exchange, o, o, v, T{}, {f, l}));
  }
  bool compare_exchange(T& expected, T desired, order success, order fail, file_name f = __builtin_FILE(),
                        unsigned l = __builtin_LINE()) noexcept {
    model::answer const a = go(model::action::compare_exchange, success, fail, desired, expected, {f, l});
    if (!a.written) expected = value(a);
    return a.written;
  }
  T fetch_add(T v, order o, file_name f = __builtin_FILE(), unsigned l = __builtin_LINE()) noexcept {
    return value(go(model::action::fetch_add, o, o, v, T{}, {f, l}));
  }
  T fetch_sub(T v, order o, file_name f = __builtin_FILE(), unsigned l = __builtin_LINE()) noexcept {
    return value(go(model::action::fetch_sub, o, o, v, T{}, {f, l}));
  }
  T fetch_or(T v, order o, file_name f = __builtin_FILE(), unsigned l = __builtin_LINE()) noexcept {
    return value(go(model::action::fetch_or, o, o, v, T{}, {f, l}));
  }
  T fetch_and(T v, order o, file_name f = __builtin_FILE(), unsigned l = __builtin_LINE()) noexcept {
    return value(go(model::action::fetch_and, o, o, v, T{}, {f, l}));
  }
  void clear_lower_half(order o, file_name f = __builtin_FILE(), unsigned l = __builtin_LINE()) noexcept {
    fetch_and(~T{0} << 32, o, f, l);
  }
  T* address() noexcept { return &value_; }

 private:
  static std::uint64_t bits(T const& v) noexcept {
    std::uint64_t raw = 0;
    std::memcpy(&raw, &v, sizeof(T));
    return raw;
  }
  static T value(model::answer a) noexcept {
    T v;
    std::memcpy(&v, &a.value, sizeof(T));
    return v;
  }
  model::answer go(model::action what, order success, order fail, T const& operand, T const& expected,
                   model::site where) const noexcept {
    return model::perform(
        {what, success, fail, sizeof(T), const_cast<T*>(&value_), bits(operand), bits(expected), where, 0});
  }

  T value_;
};

inline void fence_seq_cst(char const* f = __builtin_FILE(), unsigned l = __builtin_LINE()) noexcept {
  model::fence({f, l});
}
// Orders nothing: what the pair guarantees, the heavy half does.
inline void fence_light() noexcept {}
// Of the scene: there is no heavy fence, and each side makes a full one.
inline bool heavy_fence_missing = false;
inline void fence_asymmetric(char const* f = __builtin_FILE(), unsigned l = __builtin_LINE()) noexcept {
  if (heavy_fence_missing) model::fence({f, l});
}
inline void cpu_pause(char const* f = __builtin_FILE(), unsigned l = __builtin_LINE()) noexcept {
  model::pause({f, l});
}

}  // namespace v1
}  // namespace ashlar
