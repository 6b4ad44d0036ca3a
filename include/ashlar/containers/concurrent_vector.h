// SPDX-License-Identifier: Apache-2.0
// The class template behind tbb/concurrent_vector.h, which documents it.
#pragma once

#include <ashlar/containers/clear_access.h>
#include <ashlar/containers/compare.h>
#include <ashlar/containers/element_range.h>
#include <ashlar/containers/growing_array.h>
#include <ashlar/containers/segmented_iterator.h>

#include <initializer_list>
#include <iterator>
#include <utility>

namespace ashlar {
inline namespace v1 {
namespace containers {

// Classic TBB with TBB_DEPRECATED returns indices where iterators are returned otherwise.
#if ASHLAR_CLASSIC_DIALECT && defined(TBB_DEPRECATED) && TBB_DEPRECATED - 0
inline constexpr bool growth_returns_index = true;
#else
inline constexpr bool growth_returns_index = false;
#endif

template <typename Iterator>
using enable_if_iterator = typename std::iterator_traits<Iterator>::iterator_category;
template <typename Iterator>
inline constexpr bool is_multi_pass =
    std::is_base_of_v<std::forward_iterator_tag, typename std::iterator_traits<Iterator>::iterator_category>;

}  // namespace containers
}  // namespace v1
}  // namespace ashlar

namespace tbb {

template <typename T>
class cache_aligned_allocator;

template <typename T, typename Allocator = cache_aligned_allocator<T>>
class concurrent_vector {
  using own_allocator = typename std::allocator_traits<Allocator>::template rebind_alloc<T>;
  using traits = std::allocator_traits<own_allocator>;
  using array = ::ashlar::containers::growing_array<T, own_allocator>;
  using table = typename array::table;

 public:
  using value_type = T;
  using allocator_type = Allocator;
  using size_type = std::size_t;
  using difference_type = std::ptrdiff_t;
  using reference = T&;
  using const_reference = T const&;
  using pointer = typename traits::pointer;
  using const_pointer = typename traits::const_pointer;
  using iterator = ::ashlar::containers::segmented_iterator<table, T>;
  using const_iterator = ::ashlar::containers::segmented_iterator<table, T const>;
  using reverse_iterator = std::reverse_iterator<iterator>;
  using const_reverse_iterator = std::reverse_iterator<const_iterator>;
  using range_type = ::ashlar::containers::element_range<iterator>;
  using const_range_type = ::ashlar::containers::element_range<const_iterator>;
  using growth_result = std::conditional_t<::ashlar::containers::growth_returns_index, size_type, iterator>;

  // ---- construction, assignment
  concurrent_vector() : concurrent_vector(Allocator()) {}
  explicit concurrent_vector(Allocator const& a) noexcept : array_(own_allocator(a)) {}
  explicit concurrent_vector(size_type n, Allocator const& a = Allocator()) : concurrent_vector(a) { grow_by(n); }
  concurrent_vector(size_type n, T const& value, Allocator const& a = Allocator()) : concurrent_vector(a) {
    grow_by(n, value);
  }
  template <typename Iterator, typename = ::ashlar::containers::enable_if_iterator<Iterator>>
  concurrent_vector(Iterator first, Iterator last, Allocator const& a = Allocator()) : concurrent_vector(a) {
    append_range(first, last);
  }
  concurrent_vector(std::initializer_list<T> list, Allocator const& a = Allocator()) : concurrent_vector(a) {
    append_range(list.begin(), list.end());
  }
  concurrent_vector(concurrent_vector const& other)
      : concurrent_vector(other, traits::select_on_container_copy_construction(other.array_.allocator())) {}
  concurrent_vector(concurrent_vector const& other, Allocator const& a) : concurrent_vector(a) {
    append_range(other.begin(), other.end());
  }
  template <typename OtherAllocator>
  explicit concurrent_vector(concurrent_vector<T, OtherAllocator> const& other, Allocator const& a = Allocator())
      : concurrent_vector(a) {
    append_range(other.begin(), other.end());
  }
  concurrent_vector(concurrent_vector&& other) noexcept : array_(other.array_.allocator()) {
    array_.swap(other.array_);
  }
  concurrent_vector(concurrent_vector&& other, Allocator const& a) : concurrent_vector(a) { take(other); }
  ~concurrent_vector() = default;

  concurrent_vector& operator=(concurrent_vector const& other) {
    if (this == &other) return *this;
    if constexpr (traits::propagate_on_container_copy_assignment::value) {
      array_.release();
      array_.mutable_allocator() = other.array_.allocator();
    }
    copy_elements(other);
    return *this;
  }
  template <typename OtherAllocator>
  concurrent_vector& operator=(concurrent_vector<T, OtherAllocator> const& other) {
    copy_elements(other);
    return *this;
  }
  concurrent_vector& operator=(concurrent_vector&& other) noexcept(
      traits::propagate_on_container_move_assignment::value || traits::is_always_equal::value) {
    if (this == &other) return *this;
    if constexpr (traits::propagate_on_container_move_assignment::value) {
      array_.release();
      array_.mutable_allocator() = std::move(other.array_.mutable_allocator());
      array_.swap(other.array_);
    } else {
      clear();
      take(other);
    }
    return *this;
  }
  concurrent_vector& operator=(std::initializer_list<T> list) {
    assign(list);
    return *this;
  }
  void assign(size_type n, T const& value) {
    T const copy(value);  // it may be an element
    clear();
    reserve(n);
    grow_by(n, copy);
  }
  template <typename Iterator, typename = ::ashlar::containers::enable_if_iterator<Iterator>>
  void assign(Iterator first, Iterator last) {
    clear();
    if constexpr (::ashlar::containers::is_multi_pass<Iterator>) {
      reserve(static_cast<size_type>(std::distance(first, last)));
    }
    append_range(first, last);
  }
  void assign(std::initializer_list<T> list) { assign(list.begin(), list.end()); }
  void swap(concurrent_vector& other) noexcept {
    if (this == &other) return;
    if constexpr (traits::propagate_on_container_swap::value) {
      using std::swap;
      swap(array_.mutable_allocator(), other.array_.mutable_allocator());
    }
    array_.swap(other.array_);
  }
  friend void swap(concurrent_vector& a, concurrent_vector& b) noexcept { a.swap(b); }

  // ---- concurrent growth
  growth_result grow_by(size_type n) { return grown(array_.grow(n, default_values())); }
  growth_result grow_by(size_type n, T const& value) { return grown(array_.grow(n, copies(value))); }
  template <typename Iterator, typename = ::ashlar::containers::enable_if_iterator<Iterator>>
  growth_result grow_by(Iterator first, Iterator last) {
    return grown(append_range(first, last));
  }
  growth_result grow_by(std::initializer_list<T> list) { return grown(append_range(list.begin(), list.end())); }
  growth_result grow_to_at_least(size_type n) { return grown(array_.grow_to(n, default_values())); }
  growth_result grow_to_at_least(size_type n, T const& value) { return grown(array_.grow_to(n, copies(value))); }
  growth_result push_back(T const& value) { return emplace_back(value); }
  growth_result push_back(T&& value) { return emplace_back(std::move(value)); }
  template <typename... Args>
  growth_result emplace_back(Args&&... args) {
    size_type index;
    T* const place = array_.append(index, std::forward<Args>(args)...);
    if constexpr (::ashlar::containers::growth_returns_index) {
      (void)place;
      return index;
    } else {
      return iterator(array_.segments(), index, place);
    }
  }

  // ---- access
  ASHLAR_ALWAYS_INLINE reference operator[](size_type i) { return *array_.address(i); }
  ASHLAR_ALWAYS_INLINE const_reference operator[](size_type i) const { return *array_.address(i); }
  reference at(size_type i) { return *checked(i); }
  const_reference at(size_type i) const { return *checked(i); }
  reference front() { return (*this)[0]; }
  const_reference front() const { return (*this)[0]; }
  reference back() { return (*this)[size() - 1]; }
  const_reference back() const { return (*this)[size() - 1]; }

  iterator begin() noexcept { return iterator(array_.segments(), 0); }
  const_iterator begin() const noexcept { return const_iterator(array_.segments(), 0); }
  const_iterator cbegin() const noexcept { return begin(); }
  iterator end() noexcept { return iterator(array_.segments(), size()); }
  const_iterator end() const noexcept { return const_iterator(array_.segments(), size()); }
  const_iterator cend() const noexcept { return end(); }
  reverse_iterator rbegin() noexcept { return reverse_iterator(end()); }
  const_reverse_iterator rbegin() const noexcept { return const_reverse_iterator(end()); }
  const_reverse_iterator crbegin() const noexcept { return rbegin(); }
  reverse_iterator rend() noexcept { return reverse_iterator(begin()); }
  const_reverse_iterator rend() const noexcept { return const_reverse_iterator(begin()); }
  const_reverse_iterator crend() const noexcept { return rend(); }
  range_type range(size_type grainsize = 1) { return range_type(begin(), end(), grainsize); }
  const_range_type range(size_type grainsize = 1) const { return const_range_type(begin(), end(), grainsize); }

  allocator_type get_allocator() const noexcept { return allocator_type(array_.allocator()); }
  size_type size() const noexcept { return array_.size(); }
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }
  size_type max_size() const noexcept { return array_.max_size(); }
  size_type capacity() const noexcept { return array_.segments().capacity(); }

  // ---- not concurrently
  void reserve(size_type n) { array_.reserve(n); }
  void resize(size_type n) {
    if (n < size()) {
      array_.destroy_from(n);
    } else {
      grow_to_at_least(n);
    }
  }
  void resize(size_type n, T const& value) {
    if (n < size()) {
      array_.destroy_from(n);
    } else {
      grow_to_at_least(n, value);
    }
  }
  void shrink_to_fit() { array_.compact(); }
  void compact() { array_.compact(); }  // the name in classic TBB before 3.0
  void clear() noexcept { array_.destroy_from(0); }

 private:
  friend ::ashlar::containers::clear_access;
  template <typename Run>
  void clear_parts(Run const& run) {
    if constexpr (!::ashlar::containers::ends_unnoticed<own_allocator, T>) {
      run(array_.claimed(), 256, [this](size_type first, size_type last) { array_.destroy_range(first, last); });
    }
    array_.forget();
  }

  static auto default_values() {
    return [](own_allocator& a, T* place) { traits::construct(a, place); };
  }
  static auto copies(T const& value) {
    return [&value](own_allocator& a, T* place) { traits::construct(a, place, value); };
  }

  growth_result grown(size_type index) {
    if constexpr (::ashlar::containers::growth_returns_index) {
      return index;
    } else {
      return iterator(array_.segments(), index);
    }
  }

  // Elements of a multi-pass sequence are appended in one piece; those of a single-pass one, one by one.
  template <typename Iterator>
  size_type append_range(Iterator first, Iterator last) {
    if constexpr (::ashlar::containers::is_multi_pass<Iterator>) {
      return array_.grow(static_cast<size_type>(std::distance(first, last)), [&first](own_allocator& a, T* place) {
        traits::construct(a, place, *first);
        ++first;
      });
    } else {
      size_type start = size();
      for (bool begun = false; first != last; ++first) {
        size_type index;
        array_.append(index, *first);
        if (!begun) start = index;
        begun = true;
      }
      return start;
    }
  }
  template <typename Other>
  void copy_elements(Other const& other) {
    clear();
    fill_empty(other.size(), [&other](size_type i) -> T const& { return other[i]; });
  }
  // Element i is made from source(i). What a failure prevents is not there afterwards: nobody has seen it.
  template <typename Source>
  void fill_empty(size_type n, Source const& source) {
    size_type made = 0;
    ASHLAR_TRY {
      array_.grow(n, [&](own_allocator& a, T* place) {
        traits::construct(a, place, source(made));
        ++made;
      });
    }
    ASHLAR_CATCH_ALL {
      array_.drop_from(made);
      ASHLAR_RETHROW;
    }
  }
  // The elements of `other`, whose memory can be taken only if the allocators are equal.
  void take(concurrent_vector& other) {
    if (array_.allocator() == other.array_.allocator()) {
      array_.swap(other.array_);
    } else {
      // When that throws, the source has the elements still that no vector has taken: there is no order or hash to
      // keep.
      fill_empty(other.size(), [&other](size_type i) -> T&& { return std::move(other[i]); });
      other.clear();
    }
  }
  T* checked(size_type i) const {
    if (ASHLAR_UNLIKELY(i >= size())) {
      ::ashlar::throw_exception(i < array_.claimed() ? ::ashlar::exception_id::range_error
                                                     : ::ashlar::exception_id::out_of_range);
    }
    return array_.address(i);
  }

  array array_;
};

template <typename Iterator, typename T = typename std::iterator_traits<Iterator>::value_type,
          typename Allocator = cache_aligned_allocator<T>>
concurrent_vector(Iterator, Iterator, Allocator = Allocator()) -> concurrent_vector<T, Allocator>;

template <typename T, typename A, typename B>
bool operator==(concurrent_vector<T, A> const& a, concurrent_vector<T, B> const& b) {
  return ::ashlar::containers::equal_elements(a, b);
}
#if __TBB_CPP20_COMPARISONS_PRESENT
template <typename T, typename A>
auto operator<=>(concurrent_vector<T, A> const& a, concurrent_vector<T, A> const& b)
    -> decltype(::ashlar::containers::three_way_elements(a, b)) {
  return ::ashlar::containers::three_way_elements(a, b);
}
#else
template <typename T, typename A, typename B>
bool operator!=(concurrent_vector<T, A> const& a, concurrent_vector<T, B> const& b) {
  return !(a == b);
}
template <typename T, typename A, typename B>
bool operator<(concurrent_vector<T, A> const& a, concurrent_vector<T, B> const& b) {
  return ::ashlar::containers::less_elements(a, b);
}
template <typename T, typename A, typename B>
bool operator>(concurrent_vector<T, A> const& a, concurrent_vector<T, B> const& b) {
  return b < a;
}
template <typename T, typename A, typename B>
bool operator<=(concurrent_vector<T, A> const& a, concurrent_vector<T, B> const& b) {
  return !(b < a);
}
template <typename T, typename A, typename B>
bool operator>=(concurrent_vector<T, A> const& a, concurrent_vector<T, B> const& b) {
  return !(a < b);
}
#endif

}  // namespace tbb
