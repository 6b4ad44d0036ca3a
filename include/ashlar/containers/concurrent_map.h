// SPDX-License-Identifier: Apache-2.0
// concurrent_map and concurrent_multimap over ordered_base.h.
#pragma once

#include <ashlar/containers/ordered_base.h>

namespace tbb {
ASHLAR_HOME(10)

template <typename Key, typename T, typename Compare = std::less<Key>,
          typename Allocator = tbb_allocator<std::pair<Key const, T>>>
class concurrent_map
    : public ::ashlar::containers::ordered_base<::ashlar::containers::map_value<Key, T>, Compare, Allocator, false> {
  using base = ::ashlar::containers::ordered_base<::ashlar::containers::map_value<Key, T>, Compare, Allocator, false>;

 public:
  using mapped_type = T;
  using base::base;
  concurrent_map() = default;
  concurrent_map(concurrent_map const& other, Allocator const& memory) : base(other, memory) {}
  concurrent_map(concurrent_map&& other, Allocator const& memory) : base(std::move(other), memory) {}
  concurrent_map(concurrent_map const&) = default;
  concurrent_map(concurrent_map&&) = default;
  concurrent_map& operator=(concurrent_map const&) = default;
  concurrent_map& operator=(concurrent_map&&) = default;
  concurrent_map& operator=(std::initializer_list<typename base::value_type> values) {
    base::operator=(values);
    return *this;
  }

  // The mapped value of a key, made if there is none.
  T& operator[](Key const& key) {
    return this->get_or_insert(key, std::piecewise_construct, std::forward_as_tuple(key), std::tuple<>()).first->second;
  }
  T& operator[](Key&& key) {
    return this->get_or_insert(key, std::piecewise_construct, std::forward_as_tuple(std::move(key)), std::tuple<>())
        .first->second;
  }
  // Throws std::out_of_range if the map has no such key.
  T& at(Key const& key) { return const_cast<T&>(static_cast<concurrent_map const*>(this)->at(key)); }
  T const& at(Key const& key) const {
    auto const p = this->contents().find(key);
    if (!p) ::ashlar::throw_exception(::ashlar::exception_id::invalid_key);
    return p->value().second;
  }
};

template <typename Key, typename T, typename Compare, typename Allocator>
void swap(concurrent_map<Key, T, Compare, Allocator>& a, concurrent_map<Key, T, Compare, Allocator>& b) {
  a.swap(b);
}

template <typename Iterator, typename Compare = std::less<::ashlar::containers::iterator_key<Iterator>>,
          typename Allocator = tbb_allocator<std::pair<::ashlar::containers::iterator_key<Iterator> const,
                                                       ::ashlar::containers::iterator_mapped<Iterator>>>,
          typename = ::ashlar::containers::enable_if_allocator<Allocator>,
          typename = ::ashlar::containers::enable_if_not_allocator<Compare>>
concurrent_map(Iterator, Iterator, Compare = Compare(), Allocator = Allocator())
    -> concurrent_map<::ashlar::containers::iterator_key<Iterator>, ::ashlar::containers::iterator_mapped<Iterator>,
                      Compare, Allocator>;
template <typename Key, typename T, typename Compare = std::less<std::remove_const_t<Key>>,
          typename Allocator = tbb_allocator<std::pair<std::remove_const_t<Key> const, T>>,
          typename = ::ashlar::containers::enable_if_allocator<Allocator>,
          typename = ::ashlar::containers::enable_if_not_allocator<Compare>>
concurrent_map(std::initializer_list<std::pair<Key, T>>, Compare = Compare(), Allocator = Allocator())
    -> concurrent_map<std::remove_const_t<Key>, T, Compare, Allocator>;

template <typename Key, typename T, typename Compare = std::less<Key>,
          typename Allocator = tbb_allocator<std::pair<Key const, T>>>
class concurrent_multimap
    : public ::ashlar::containers::ordered_base<::ashlar::containers::map_value<Key, T>, Compare, Allocator, true> {
  using base = ::ashlar::containers::ordered_base<::ashlar::containers::map_value<Key, T>, Compare, Allocator, true>;

 public:
  using mapped_type = T;
  using base::base;
  concurrent_multimap() = default;
  concurrent_multimap(concurrent_multimap const& other, Allocator const& memory) : base(other, memory) {}
  concurrent_multimap(concurrent_multimap&& other, Allocator const& memory) : base(std::move(other), memory) {}
  concurrent_multimap(concurrent_multimap const&) = default;
  concurrent_multimap(concurrent_multimap&&) = default;
  concurrent_multimap& operator=(concurrent_multimap const&) = default;
  concurrent_multimap& operator=(concurrent_multimap&&) = default;
  concurrent_multimap& operator=(std::initializer_list<typename base::value_type> values) {
    base::operator=(values);
    return *this;
  }
};

template <typename Key, typename T, typename Compare, typename Allocator>
void swap(concurrent_multimap<Key, T, Compare, Allocator>& a, concurrent_multimap<Key, T, Compare, Allocator>& b) {
  a.swap(b);
}

template <typename Iterator, typename Compare = std::less<::ashlar::containers::iterator_key<Iterator>>,
          typename Allocator = tbb_allocator<std::pair<::ashlar::containers::iterator_key<Iterator> const,
                                                       ::ashlar::containers::iterator_mapped<Iterator>>>,
          typename = ::ashlar::containers::enable_if_allocator<Allocator>,
          typename = ::ashlar::containers::enable_if_not_allocator<Compare>>
concurrent_multimap(Iterator, Iterator, Compare = Compare(), Allocator = Allocator())
    -> concurrent_multimap<::ashlar::containers::iterator_key<Iterator>,
                           ::ashlar::containers::iterator_mapped<Iterator>, Compare, Allocator>;
template <typename Key, typename T, typename Compare = std::less<std::remove_const_t<Key>>,
          typename Allocator = tbb_allocator<std::pair<std::remove_const_t<Key> const, T>>,
          typename = ::ashlar::containers::enable_if_allocator<Allocator>,
          typename = ::ashlar::containers::enable_if_not_allocator<Compare>>
concurrent_multimap(std::initializer_list<std::pair<Key, T>>, Compare = Compare(), Allocator = Allocator())
    -> concurrent_multimap<std::remove_const_t<Key>, T, Compare, Allocator>;

/// Deduction with an allocator alone.
template <typename Iterator, typename Allocator, typename = ::ashlar::containers::enable_if_allocator<Allocator>>
concurrent_map(Iterator, Iterator, Allocator)
    -> concurrent_map<::ashlar::containers::iterator_key<Iterator>, ::ashlar::containers::iterator_mapped<Iterator>,
                      std::less<::ashlar::containers::iterator_key<Iterator>>, Allocator>;
template <typename Key, typename T, typename Allocator, typename = ::ashlar::containers::enable_if_allocator<Allocator>>
concurrent_map(std::initializer_list<std::pair<Key, T>>, Allocator)
    -> concurrent_map<std::remove_const_t<Key>, T, std::less<std::remove_const_t<Key>>, Allocator>;
template <typename Iterator, typename Allocator, typename = ::ashlar::containers::enable_if_allocator<Allocator>>
concurrent_multimap(Iterator, Iterator, Allocator)
    -> concurrent_multimap<::ashlar::containers::iterator_key<Iterator>,
                           ::ashlar::containers::iterator_mapped<Iterator>,
                           std::less<::ashlar::containers::iterator_key<Iterator>>, Allocator>;
template <typename Key, typename T, typename Allocator, typename = ::ashlar::containers::enable_if_allocator<Allocator>>
concurrent_multimap(std::initializer_list<std::pair<Key, T>>, Allocator)
    -> concurrent_multimap<std::remove_const_t<Key>, T, std::less<std::remove_const_t<Key>>, Allocator>;

ASHLAR_HOME_END
ASHLAR_KNOWN_IN(10, concurrent_map)
ASHLAR_KNOWN_IN(10, concurrent_multimap)

}  // namespace tbb
