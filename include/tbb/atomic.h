// SPDX-License-Identifier: Apache-2.0
// Classic TBB's atomic<T>, from before std::atomic. T is an integer, an enumeration, bool, a floating-point type, a
// pointer or a trivially copyable class of 1, 2, 4 or 8 bytes (not padded: values are compared bit by bit).
//
// Mind the differences to std::atomic:
//  - compare_and_swap(value, comparand) takes the new value first and returns the OLD value;
//  - reading acquires, assignment and store release, all else is a full fence; the template argument changes that;
//  - a default-constructed automatic object holds no value, a static one holds zero before any constructor runs;
//  - copying copies the value.
// Arithmetic exists for integers (wrapping), enumerations (in their underlying type, which classic TBB lacks) and
// pointers to objects (in elements), and returns what the built-in operators return; fetch_and_... return the old
// value. All operations are lock-free and never throw.
#pragma once

#include <ashlar/base/config.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace tbb {

/// What an access of tbb::atomic orders: everything (full_fence), what comes after it, what comes before it, or
/// nothing.
enum memory_semantics { full_fence, acquire, release, relaxed };

/// The compiler shows this line where two using-directives make `atomic` ambiguous.
template <typename T>
struct atomic;  // -DASHLAR_LEAN_HEADERS=1 keeps it out of the headers that oneTBB has, but for <tbb/tbb.h>

namespace internal {

template <memory_semantics M>
inline constexpr int memory_order_of = M == full_fence ? __ATOMIC_SEQ_CST
                                       : M == acquire  ? __ATOMIC_ACQUIRE
                                       : M == release  ? __ATOMIC_RELEASE
                                                       : __ATOMIC_RELAXED;
/// The order of a compare-and-swap that changes nothing.
template <memory_semantics M>
inline constexpr int failure_order_of = M == full_fence ? __ATOMIC_SEQ_CST
                                        : M == acquire  ? __ATOMIC_ACQUIRE
                                                        : __ATOMIC_RELAXED;

template <typename T>
class atomic_value {
  static_assert(sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8,
                "tbb::atomic holds values of 1, 2, 4 or 8 bytes");
  static_assert(std::is_trivially_copyable<T>::value, "tbb::atomic holds trivially copyable values");

 public:
  using value_type = T;

  atomic_value() = default;
  constexpr atomic_value(T value) noexcept : value_(value) {}  // NOLINT: implicit, as in TBB

  template <memory_semantics M>
  T fetch_and_store(T value) noexcept {
    T old;
    __atomic_exchange(&value_, &value, &old, memory_order_of<M>);
    return old;
  }
  T fetch_and_store(T value) noexcept { return fetch_and_store<full_fence>(value); }

  /// Stores `value` if the current value is `comparand`. Returns the value found, which is `comparand` on success.
  template <memory_semantics M>
  T compare_and_swap(T value, T comparand) noexcept {
    __atomic_compare_exchange(&value_, &comparand, &value, false, memory_order_of<M>, failure_order_of<M>);
    return comparand;
  }
  T compare_and_swap(T value, T comparand) noexcept { return compare_and_swap<full_fence>(value, comparand); }

  operator T() const volatile noexcept { return read<acquire>(); }  // NOLINT: implicit, as in TBB
  template <memory_semantics M>
  T load() const noexcept {
    return read<M>();
  }
  T load() const noexcept { return read<acquire>(); }
  template <memory_semantics M>
  void store(T value) noexcept {
    static_assert(M != acquire, "a store can't acquire");
    __atomic_store(&value_, &value, memory_order_of<M>);
  }
  void store(T value) noexcept { store<release>(value); }

 protected:
  template <memory_semantics M>
  T read() const volatile noexcept {
    static_assert(M != release, "a load can't release");
    T value;
    __atomic_load(const_cast<T*>(&value_), &value, memory_order_of<M>);
    return value;
  }
  alignas(sizeof(T)) T value_;
};

/// D is the type of differences. A pointer's target may be incomplete until it is counted in.
template <typename T, typename D>
class atomic_number : public atomic_value<T> {
 public:
  using atomic_value<T>::atomic_value;

  template <memory_semantics M>
  T fetch_and_add(D addend) noexcept {
    if constexpr (std::is_pointer<T>::value) {
      constexpr D unit = sizeof(*this->value_);
      return __atomic_fetch_add(&this->value_, addend * unit, memory_order_of<M>);
    } else {
      using raw [[gnu::may_alias]] = D;
      return static_cast<T>(__atomic_fetch_add(reinterpret_cast<raw*>(&this->value_), addend, memory_order_of<M>));
    }
  }
  T fetch_and_add(D addend) noexcept { return fetch_and_add<full_fence>(addend); }
  template <memory_semantics M>
  T fetch_and_increment() noexcept {
    return fetch_and_add<M>(D(1));
  }
  T fetch_and_increment() noexcept { return fetch_and_add(D(1)); }
  template <memory_semantics M>
  T fetch_and_decrement() noexcept {
    return fetch_and_add<M>(minus_one);
  }
  T fetch_and_decrement() noexcept { return fetch_and_add(minus_one); }

  T operator+=(D value) noexcept { return plus(fetch_and_add(value), value); }
  T operator-=(D value) noexcept { return *this += negative(value); }
  T operator++() noexcept { return *this += D(1); }
  T operator--() noexcept { return *this += minus_one; }
  T operator++(int) noexcept { return fetch_and_add(D(1)); }
  T operator--(int) noexcept { return fetch_and_add(minus_one); }

 private:
  // Arithmetic of the builtins: wrapping, also for signed types.
  using wide = std::uintmax_t;
  static constexpr D negative(D d) noexcept { return static_cast<D>(wide(0) - static_cast<wide>(d)); }
  static constexpr D minus_one = negative(D(1));
  static T plus(T old, D d) noexcept {
    if constexpr (std::is_pointer<T>::value) {
      return old + d;
    } else {
      return static_cast<T>(static_cast<wide>(old) + static_cast<wide>(d));
    }
  }
};

template <typename T, bool Enumeration = std::is_enum<T>::value>
struct difference_of {
  using type = T;
};
template <typename T>
struct difference_of<T, true> : std::underlying_type<T> {};

template <typename T>
using atomic_base =
    std::conditional_t<std::is_enum<T>::value || (std::is_integral<T>::value && !std::is_same<T, bool>::value),
                       atomic_number<T, typename difference_of<T>::type>, atomic_value<T>>;
template <typename T>
using atomic_pointer_base =
    std::conditional_t<std::is_object<T>::value, atomic_number<T*, std::ptrdiff_t>, atomic_value<T*>>;

}  // namespace internal

template <typename T>
struct atomic : internal::atomic_base<T> {
  atomic() = default;
  constexpr atomic(T value) noexcept : internal::atomic_base<T>(value) {}  // NOLINT: implicit, as in TBB
  atomic(atomic const& other) noexcept : internal::atomic_base<T>(other.load()) {}
  T operator=(T value) noexcept {
    this->store(value);
    return value;
  }
  atomic& operator=(atomic const& other) noexcept {
    this->store(other.load());
    return *this;
  }
};

template <typename T>
struct atomic<T*> : internal::atomic_pointer_base<T> {
  atomic() = default;
  constexpr atomic(T* value) noexcept : internal::atomic_pointer_base<T>(value) {}  // NOLINT: implicit, as in TBB
  atomic(atomic const& other) noexcept : internal::atomic_pointer_base<T>(other.load()) {}
  T* operator=(T* value) noexcept {
    this->store(value);
    return value;
  }
  atomic& operator=(atomic const& other) noexcept {
    this->store(other.load());
    return *this;
  }
  T* operator->() const noexcept { return this->load(); }
};

/// Reads with the order M, as a function.
template <memory_semantics M, typename T>
T load(atomic<T> const& a) noexcept {
  return a.template load<M>();
}
/// Writes with the order M, as a function.
template <memory_semantics M, typename T>
void store(atomic<T>& a, T value) noexcept {
  a.template store<M>(value);
}

/// An atomic that holds `value`, for initialisers.
template <typename T>
atomic<T> make_atomic(T value) noexcept {
  return atomic<T>(value);
}

namespace interface6 {
using ::tbb::make_atomic;
}

namespace internal {

/// Treats an ordinary, suitably aligned object as an atomic.
template <typename T>
atomic<T>& as_atomic(T& object) noexcept {
  return reinterpret_cast<atomic<T>&>(object);
}
/// Not atomic as a whole: for objects that no other thread exchanges meanwhile.
template <memory_semantics M, typename T>
void swap(atomic<T>& a, atomic<T>& b) noexcept {
  T const t = load<M>(a);
  store<M>(a, load<M>(b));
  store<M>(b, t);
}

}  // namespace internal
}  // namespace tbb

#include <tbb/detail/closure/stddef.h>
#if !ASHLAR_LEAN_HEADERS
#include <tbb/tbb_machine.h>
#endif
