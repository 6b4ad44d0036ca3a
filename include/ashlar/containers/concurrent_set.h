// SPDX-License-Identifier: Apache-2.0
// concurrent_set and concurrent_multiset over ordered_base.h.
#pragma once

#include <ashlar/containers/ordered_base.h>

namespace tbb {
ASHLAR_HOME(10)

template <typename Key, typename Compare = std::less<Key>, typename Allocator = tbb_allocator<Key>>
class concurrent_set
    : public ::ashlar::containers::ordered_base<::ashlar::containers::set_value<Key>, Compare, Allocator, false> {
  using base = ::ashlar::containers::ordered_base<::ashlar::containers::set_value<Key>, Compare, Allocator, false>;

 public:
  using base::base;
  concurrent_set() = default;
  concurrent_set(concurrent_set const& other, Allocator const& memory) : base(other, memory) {}
  concurrent_set(concurrent_set&& other, Allocator const& memory) : base(std::move(other), memory) {}
  concurrent_set(concurrent_set const&) = default;
  concurrent_set(concurrent_set&&) = default;
  concurrent_set& operator=(concurrent_set const&) = default;
  concurrent_set& operator=(concurrent_set&&) = default;
  concurrent_set& operator=(std::initializer_list<typename base::value_type> values) {
    base::operator=(values);
    return *this;
  }
};

template <typename Key, typename Compare, typename Allocator>
void swap(concurrent_set<Key, Compare, Allocator>& a, concurrent_set<Key, Compare, Allocator>& b) {
  a.swap(b);
}

template <typename Iterator, typename Compare = std::less<typename std::iterator_traits<Iterator>::value_type>,
          typename Allocator = tbb_allocator<typename std::iterator_traits<Iterator>::value_type>,
          typename = ::ashlar::containers::enable_if_allocator<Allocator>,
          typename = ::ashlar::containers::enable_if_not_allocator<Compare>>
concurrent_set(Iterator, Iterator, Compare = Compare(), Allocator = Allocator())
    -> concurrent_set<typename std::iterator_traits<Iterator>::value_type, Compare, Allocator>;
template <typename Key, typename Compare = std::less<Key>, typename Allocator = tbb_allocator<Key>,
          typename = ::ashlar::containers::enable_if_allocator<Allocator>,
          typename = ::ashlar::containers::enable_if_not_allocator<Compare>>
concurrent_set(std::initializer_list<Key>, Compare = Compare(), Allocator = Allocator())
    -> concurrent_set<Key, Compare, Allocator>;

template <typename Key, typename Compare = std::less<Key>, typename Allocator = tbb_allocator<Key>>
class concurrent_multiset
    : public ::ashlar::containers::ordered_base<::ashlar::containers::set_value<Key>, Compare, Allocator, true> {
  using base = ::ashlar::containers::ordered_base<::ashlar::containers::set_value<Key>, Compare, Allocator, true>;

 public:
  using base::base;
  concurrent_multiset() = default;
  concurrent_multiset(concurrent_multiset const& other, Allocator const& memory) : base(other, memory) {}
  concurrent_multiset(concurrent_multiset&& other, Allocator const& memory) : base(std::move(other), memory) {}
  concurrent_multiset(concurrent_multiset const&) = default;
  concurrent_multiset(concurrent_multiset&&) = default;
  concurrent_multiset& operator=(concurrent_multiset const&) = default;
  concurrent_multiset& operator=(concurrent_multiset&&) = default;
  concurrent_multiset& operator=(std::initializer_list<typename base::value_type> values) {
    base::operator=(values);
    return *this;
  }
};

template <typename Key, typename Compare, typename Allocator>
void swap(concurrent_multiset<Key, Compare, Allocator>& a, concurrent_multiset<Key, Compare, Allocator>& b) {
  a.swap(b);
}

template <typename Iterator, typename Compare = std::less<typename std::iterator_traits<Iterator>::value_type>,
          typename Allocator = tbb_allocator<typename std::iterator_traits<Iterator>::value_type>,
          typename = ::ashlar::containers::enable_if_allocator<Allocator>,
          typename = ::ashlar::containers::enable_if_not_allocator<Compare>>
concurrent_multiset(Iterator, Iterator, Compare = Compare(), Allocator = Allocator())
    -> concurrent_multiset<typename std::iterator_traits<Iterator>::value_type, Compare, Allocator>;
template <typename Key, typename Compare = std::less<Key>, typename Allocator = tbb_allocator<Key>,
          typename = ::ashlar::containers::enable_if_allocator<Allocator>,
          typename = ::ashlar::containers::enable_if_not_allocator<Compare>>
concurrent_multiset(std::initializer_list<Key>, Compare = Compare(), Allocator = Allocator())
    -> concurrent_multiset<Key, Compare, Allocator>;

/// Deduction with an allocator alone.
template <typename Iterator, typename Allocator, typename = ::ashlar::containers::enable_if_allocator<Allocator>>
concurrent_set(Iterator, Iterator, Allocator)
    -> concurrent_set<typename std::iterator_traits<Iterator>::value_type,
                      std::less<typename std::iterator_traits<Iterator>::value_type>, Allocator>;
template <typename Key, typename Allocator, typename = ::ashlar::containers::enable_if_allocator<Allocator>>
concurrent_set(std::initializer_list<Key>, Allocator) -> concurrent_set<Key, std::less<Key>, Allocator>;
template <typename Iterator, typename Allocator, typename = ::ashlar::containers::enable_if_allocator<Allocator>>
concurrent_multiset(Iterator, Iterator, Allocator)
    -> concurrent_multiset<typename std::iterator_traits<Iterator>::value_type,
                           std::less<typename std::iterator_traits<Iterator>::value_type>, Allocator>;
template <typename Key, typename Allocator, typename = ::ashlar::containers::enable_if_allocator<Allocator>>
concurrent_multiset(std::initializer_list<Key>, Allocator) -> concurrent_multiset<Key, std::less<Key>, Allocator>;

ASHLAR_HOME_END
ASHLAR_KNOWN_IN(10, concurrent_set)
ASHLAR_KNOWN_IN(10, concurrent_multiset)

}  // namespace tbb
