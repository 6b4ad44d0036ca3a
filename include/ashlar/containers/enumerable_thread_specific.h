// SPDX-License-Identifier: Apache-2.0
// The class template behind tbb/enumerable_thread_specific.h, which documents it.
#pragma once

#include <ashlar/base/stack_identity.h>
#include <ashlar/containers/element_maker.h>
#include <ashlar/containers/element_range.h>
#include <ashlar/containers/indexed_iterator.h>
#include <ashlar/containers/thread_elements.h>

namespace tbb {

template <typename T>
class cache_aligned_allocator;

/// How an enumerable_thread_specific finds a thread's element: by a key of its own, by a table, or by the stack that a
/// suspended task goes on with.
enum ets_key_usage_type { ets_key_per_instance, ets_no_key, ets_suspend_aware };
ASHLAR_HOME(6)

template <typename T, typename Allocator = cache_aligned_allocator<T>, ets_key_usage_type Key = ets_no_key>
class enumerable_thread_specific {
  using elements = ::ashlar::containers::thread_elements<T, Allocator>;
  using maker = ::ashlar::containers::owned_maker<T>;
  template <typename, typename, ets_key_usage_type>
  friend class enumerable_thread_specific;

  template <typename F>
  static constexpr bool is_initializer = std::is_invocable_v<std::decay_t<F>&>;
  template <typename Other>
  struct is_container : std::false_type {};
  template <typename U, typename A, ets_key_usage_type K>
  struct is_container<enumerable_thread_specific<U, A, K>> : std::true_type {};
  // Arguments of T's constructor: neither an initializer, nor an exemplar, nor a container to copy.
  template <typename First>
  static constexpr bool is_argument =
      !is_initializer<First> && !std::is_same_v<std::decay_t<First>, T> && !is_container<std::decay_t<First>>::value;

 public:
  using allocator_type = Allocator;
  using value_type = T;
  using reference = T&;
  using const_reference = T const&;
  using pointer = T*;
  using const_pointer = T const*;
  using size_type = std::size_t;
  using difference_type = std::ptrdiff_t;
  using iterator = ::ashlar::containers::indexed_iterator<elements, T>;
  using const_iterator = ::ashlar::containers::indexed_iterator<elements, T const>;
  using range_type = ::ashlar::containers::element_range<iterator>;
  using const_range_type = ::ashlar::containers::element_range<const_iterator>;

  enumerable_thread_specific() = default;
  template <typename F, typename = std::enable_if_t<is_initializer<F> && !is_container<std::decay_t<F>>::value>>
  explicit enumerable_thread_specific(F initializer)
      : maker_(new ::ashlar::containers::function_maker<T, F>(std::in_place, std::move(initializer))) {}
  explicit enumerable_thread_specific(T const& exemplar)
      : maker_(new ::ashlar::containers::arguments_maker<T, T>(std::in_place, exemplar)) {}
  explicit enumerable_thread_specific(T&& exemplar)
      : maker_(new ::ashlar::containers::arguments_maker<T, T>(std::in_place, std::move(exemplar))) {}
  template <typename First, typename... Rest, typename = std::enable_if_t<is_argument<First>>>
  enumerable_thread_specific(First&& first, Rest&&... rest)  // NOLINT: implicit, as TBB's
      : maker_(new ::ashlar::containers::arguments_maker<T, std::decay_t<First>, std::decay_t<Rest>...>(
            std::in_place, std::forward<First>(first), std::forward<Rest>(rest)...)) {}

  enumerable_thread_specific(enumerable_thread_specific const& other) : maker_(other.maker_) { copy(other); }
  template <typename A, ets_key_usage_type K>
  enumerable_thread_specific(enumerable_thread_specific<T, A, K> const& other) : maker_(other.maker_) {
    copy(other);
  }
  enumerable_thread_specific(enumerable_thread_specific&& other) noexcept
      : enumerable_thread_specific(swapped(), other) {}
  template <typename A, ets_key_usage_type K>
  enumerable_thread_specific(enumerable_thread_specific<T, A, K>&& other) : maker_(std::move(other.maker_)) {
    move(other);
  }
  ~enumerable_thread_specific() = default;

  enumerable_thread_specific& operator=(enumerable_thread_specific const& other) {
    if (this != &other) *this = enumerable_thread_specific(other);
    return *this;
  }
  template <typename A, ets_key_usage_type K>
  enumerable_thread_specific& operator=(enumerable_thread_specific<T, A, K> const& other) {
    return *this = enumerable_thread_specific(other);
  }
  enumerable_thread_specific& operator=(enumerable_thread_specific&& other) noexcept {
    if (this != &other) {
      clear();
      swap(other);
    }
    return *this;
  }
  template <typename A, ets_key_usage_type K>
  enumerable_thread_specific& operator=(enumerable_thread_specific<T, A, K>&& other) {
    return *this = enumerable_thread_specific(std::move(other));
  }

  ASHLAR_ALWAYS_INLINE reference local() {
    if constexpr (Key != ets_suspend_aware) {
      if (T* const mine = elements_.find(); ASHLAR_LIKELY(mine != nullptr)) return *mine;
    }
    bool exists;
    return find_or_make(exists);
  }
  reference local(bool& exists) {
    if constexpr (Key != ets_suspend_aware) {
      if (T* const mine = elements_.find()) {
        exists = true;
        return *mine;
      }
    }
    return find_or_make(exists);
  }

  size_type size() const { return elements_.size(); }
  bool empty() const { return size() == 0; }
  iterator begin() { return iterator(elements_, 0); }
  const_iterator begin() const { return const_iterator(elements_, 0); }
  const_iterator cbegin() const { return begin(); }
  iterator end() { return iterator(elements_, size()); }
  const_iterator end() const { return const_iterator(elements_, size()); }
  const_iterator cend() const { return end(); }
  range_type range(size_type grainsize = 1) { return range_type(begin(), end(), grainsize); }
  const_range_type range(size_type grainsize = 1) const { return const_range_type(begin(), end(), grainsize); }

  template <typename Combine>
  T combine(Combine f) {
    if (empty()) return fresh();
    auto i = begin();
    T result(*i);
    while (++i != end()) result = f(result, *i);
    return result;
  }
  template <typename Function>
  void combine_each(Function f) {
    for (T& element : *this) f(element);
  }

  void clear() { elements_.clear(); }
  void swap(enumerable_thread_specific& other) noexcept {
    elements_.swap(other.elements_);
    std::swap(maker_, other.maker_);
  }

 private:
  struct swapped {};
  enumerable_thread_specific(swapped, enumerable_thread_specific& other) { swap(other); }

  ASHLAR_NOINLINE reference find_or_make(bool& exists) {
    std::uint64_t owner = 0;
    T* found;
    if constexpr (Key == ets_suspend_aware) owner = ::ashlar::stack_identity();
    bool const of_thread = owner == 0;
    if (of_thread) {
      owner = ::ashlar::containers::thread_number();
      found = elements_.find();
      if (found == nullptr) found = elements_.find_slowly(owner);
    } else {
      owner |= 1;  // threads have even numbers
      found = elements_.find_by_owner(owner);
    }
    exists = found != nullptr;
    if (found == nullptr) {
      found = elements_.add(owner, [this](void* place) { maker_.make(place); });
      if (of_thread) elements_.remember(found);
    }
    return *found;
  }

  template <typename Other>
  void copy(Other const& other) {
    elements_.copy_from(other.elements_, [](void* place, T const& value) { ::new (place) T(value); });
  }
  template <typename Other>
  void move(Other& other) {
    elements_.copy_from(other.elements_, [](void* place, T& value) { ::new (place) T(std::move(value)); });
    other.clear();
  }
  // A value as a new thread would get it.
  T fresh() const {
    struct holder {
      alignas(T) unsigned char place[sizeof(T)];
      T* value = nullptr;
      ~holder() {
        if (value) value->~T();
      }
    } h;
    maker_.make(h.place);
    h.value = std::launder(reinterpret_cast<T*>(h.place));
    return std::move(*h.value);
  }

  elements elements_;
  maker maker_;
};

ASHLAR_HOME_END
ASHLAR_KNOWN_IN(6, enumerable_thread_specific)

}  // namespace tbb
