// SPDX-License-Identifier: Apache-2.0
// Random-access iterators over numbers, over several sequences at once, over results and over chosen elements. The
// arithmetic is written once; an iterator supplies its position, its distance and its element.
#pragma once

#include <ashlar/algo/iterator.h>

#include <cstddef>
#include <tuple>

namespace ashlar {
inline namespace v1 {
namespace algo {

/// Self has advance(n), distance_to(other) and element().
template <typename Self, typename Value, typename Reference, typename Difference = std::ptrdiff_t>
class random_access {
 public:
  using iterator_category = std::random_access_iterator_tag;
  using value_type = Value;
  using reference = Reference;
  using difference_type = Difference;
  using pointer = std::remove_reference_t<Reference>*;

  Reference operator*() const { return self().element(); }
  Reference operator[](Difference n) const { return *(self() + n); }
  Self& operator++() { return *this += 1; }
  Self& operator--() { return *this -= 1; }
  Self operator++(int) {
    Self const old(self());
    ++*this;
    return old;
  }
  Self operator--(int) {
    Self const old(self());
    --*this;
    return old;
  }
  Self& operator+=(Difference n) {
    self().advance(n);
    return self();
  }
  Self& operator-=(Difference n) {
    self().advance(-n);
    return self();
  }
  friend Self operator+(Self i, Difference n) { return i += n; }
  friend Self operator+(Difference n, Self i) { return i += n; }
  friend Self operator-(Self i, Difference n) { return i -= n; }
  friend Difference operator-(Self const& a, Self const& b) { return b.distance_to(a); }
  friend bool operator==(Self const& a, Self const& b) { return b.distance_to(a) == 0; }
  friend bool operator!=(Self const& a, Self const& b) { return b.distance_to(a) != 0; }
  friend bool operator<(Self const& a, Self const& b) { return a.distance_to(b) > 0; }
  friend bool operator>(Self const& a, Self const& b) { return a.distance_to(b) < 0; }
  friend bool operator<=(Self const& a, Self const& b) { return a.distance_to(b) >= 0; }
  friend bool operator>=(Self const& a, Self const& b) { return a.distance_to(b) <= 0; }

 protected:
  random_access() = default;

 private:
  Self& self() noexcept { return static_cast<Self&>(*this); }
  Self const& self() const noexcept { return static_cast<Self const&>(*this); }
};

}  // namespace algo
}  // namespace v1
}  // namespace ashlar

namespace tbb {

/// The numbers themselves.
template <typename Integer>
class counting_iterator
    : public ashlar::algo::random_access<counting_iterator<Integer>, Integer, Integer, std::make_signed_t<Integer>> {
 public:
  static_assert(std::is_integral_v<Integer>, "counting_iterator counts with an integer");
  using base = ashlar::algo::random_access<counting_iterator, Integer, Integer, std::make_signed_t<Integer>>;
  using difference_type = typename base::difference_type;

  counting_iterator() = default;
  explicit counting_iterator(Integer start) noexcept : at_(start) {}

  void advance(difference_type n) noexcept { at_ = static_cast<Integer>(at_ + static_cast<Integer>(n)); }
  difference_type distance_to(counting_iterator const& o) const noexcept {
    return static_cast<difference_type>(o.at_ - at_);
  }
  Integer element() const noexcept { return at_; }

 private:
  Integer at_{};
};

/// Elements of several sequences side by side, as a tuple of their references.
template <typename... It>
class zip_iterator : public ashlar::algo::random_access<zip_iterator<It...>, std::tuple<ashlar::algo::value_of<It>...>,
                                                        std::tuple<ashlar::algo::reference_of<It>...>> {
 public:
  static_assert(sizeof...(It) != 0, "zip_iterator needs a sequence");
  using it_types = std::tuple<It...>;

  zip_iterator() = default;
  explicit zip_iterator(It... its) : its_(its...) {}
  explicit zip_iterator(it_types its) : its_(std::move(its)) {}

  it_types base() const { return its_; }
  void advance(std::ptrdiff_t n) {
    std::apply(
        [n](auto&... i) {
          ((i = i + static_cast<typename std::iterator_traits<std::decay_t<decltype(i)>>::difference_type>(n)), ...);
        },
        its_);
  }
  std::ptrdiff_t distance_to(zip_iterator const& o) const {
    return static_cast<std::ptrdiff_t>(std::get<0>(o.its_) - std::get<0>(its_));
  }
  std::tuple<ashlar::algo::reference_of<It>...> element() const {
    return std::apply([](auto const&... i) { return std::tuple<ashlar::algo::reference_of<It>...>(*i...); }, its_);
  }

 private:
  it_types its_;
};

/// The zip_iterator of these iterators.
template <typename... It>
zip_iterator<It...> make_zip_iterator(It... its) {
  return zip_iterator<It...>(its...);
}
template <typename... It>
zip_iterator<It...> make_zip_iterator(std::tuple<It...> its) {
  return zip_iterator<It...>(std::move(its));
}

/// What a function makes of the elements.
template <typename F, typename It>
class transform_iterator
    : public ashlar::algo::random_access<transform_iterator<F, It>,
                                         std::decay_t<std::invoke_result_t<F const&, ashlar::algo::reference_of<It>>>,
                                         std::invoke_result_t<F const&, ashlar::algo::reference_of<It>>,
                                         typename std::iterator_traits<It>::difference_type> {
 public:
  using difference_type = typename std::iterator_traits<It>::difference_type;

  transform_iterator(It at, F f) : at_(at), f_(std::move(f)) {}
  transform_iterator(transform_iterator const&) = default;
  /// Assigns the position; both have the same function (a lambda can't be assigned).
  transform_iterator& operator=(transform_iterator const& o) {
    at_ = o.at_;
    return *this;
  }

  It base() const { return at_; }
  void advance(difference_type n) { at_ = at_ + n; }
  difference_type distance_to(transform_iterator const& o) const { return o.at_ - at_; }
  std::invoke_result_t<F const&, ashlar::algo::reference_of<It>> element() const { return f_(*at_); }

 private:
  It at_;
  F f_;
};

/// The iterator that gives f of what `at` gives.
template <typename F, typename It>
transform_iterator<F, It> make_transform_iterator(It at, F f) {
  return transform_iterator<F, It>(at, std::move(f));
}

/// The elements of one sequence that another one, or a function of numbers, names: element i is first[map[i]] or
/// first[map(i)].
template <typename It, typename Map>
class permutation_iterator
    : public ashlar::algo::random_access<permutation_iterator<It, Map>, ashlar::algo::value_of<It>,
                                         ashlar::algo::reference_of<It>> {
 public:
  permutation_iterator(It first, Map map, std::ptrdiff_t at = 0) : first_(first), map_(std::move(map)), at_(at) {}
  permutation_iterator(permutation_iterator const&) = default;
  /// Assigns the position; both have the same sequence and map.
  permutation_iterator& operator=(permutation_iterator const& o) {
    first_ = o.first_;
    at_ = o.at_;
    return *this;
  }

  It base() const { return first_; }
  Map map() const { return map_; }
  void advance(std::ptrdiff_t n) noexcept { at_ += n; }
  std::ptrdiff_t distance_to(permutation_iterator const& o) const noexcept { return o.at_ - at_; }
  ashlar::algo::reference_of<It> element() const {
    using difference = typename std::iterator_traits<It>::difference_type;
    if constexpr (std::is_invocable_v<Map const&, std::ptrdiff_t>) {
      return *(first_ + static_cast<difference>(map_(at_)));
    } else {
      return *(first_ + static_cast<difference>(map_[at_]));
    }
  }

 private:
  It first_;
  Map map_;
  std::ptrdiff_t at_;
};

template <typename It, typename Map>
permutation_iterator<It, Map> make_permutation_iterator(It first, Map map) {
  return permutation_iterator<It, Map>(first, std::move(map));
}

}  // namespace tbb
