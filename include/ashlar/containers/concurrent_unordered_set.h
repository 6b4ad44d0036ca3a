// SPDX-License-Identifier: Apache-2.0
// concurrent_unordered_set and concurrent_unordered_multiset over unordered_base.h.
#pragma once

#include <ashlar/containers/unordered_base.h>

namespace tbb {
ASHLAR_HOME(5)

template <typename Key, typename Hash = ::ashlar::containers::default_hash<Key>, typename KeyEqual = std::equal_to<Key>,
          typename Allocator = tbb_allocator<Key>>
class concurrent_unordered_set
    : public ::ashlar::containers::unordered_base<::ashlar::containers::set_value<Key>, Hash, KeyEqual, Allocator,
                                                  ::ashlar::containers::unique_engine> {
  using base = ::ashlar::containers::unordered_base<::ashlar::containers::set_value<Key>, Hash, KeyEqual, Allocator,
                                                    ::ashlar::containers::unique_engine>;

 public:
  using base::base;
  concurrent_unordered_set() = default;
  concurrent_unordered_set(concurrent_unordered_set const& other, Allocator const& memory) : base(other, memory) {}
  concurrent_unordered_set(concurrent_unordered_set&& other, Allocator const& memory)
      : base(std::move(other), memory) {}
  concurrent_unordered_set(concurrent_unordered_set const&) = default;
  concurrent_unordered_set(concurrent_unordered_set&&) = default;
  concurrent_unordered_set& operator=(concurrent_unordered_set const&) = default;
  concurrent_unordered_set& operator=(concurrent_unordered_set&&) = default;
  concurrent_unordered_set& operator=(std::initializer_list<typename base::value_type> list) {
    base::operator=(list);
    return *this;
  }
};

template <typename Key, typename Hash, typename KeyEqual, typename Allocator>
void swap(concurrent_unordered_set<Key, Hash, KeyEqual, Allocator>& a,
          concurrent_unordered_set<Key, Hash, KeyEqual, Allocator>& b) {
  a.swap(b);
}

template <typename Iterator,
          typename Hash = ::ashlar::containers::default_hash<typename std::iterator_traits<Iterator>::value_type>,
          typename KeyEqual = std::equal_to<typename std::iterator_traits<Iterator>::value_type>,
          typename Allocator = tbb_allocator<typename std::iterator_traits<Iterator>::value_type>,
          typename = ::ashlar::containers::enable_if_allocator<Allocator>,
          typename = ::ashlar::containers::enable_if_not_allocator<Hash>,
          typename = ::ashlar::containers::enable_if_not_allocator<KeyEqual>>
concurrent_unordered_set(Iterator, Iterator, std::size_t = 0, Hash = Hash(), KeyEqual = KeyEqual(),
                         Allocator = Allocator())
    -> concurrent_unordered_set<typename std::iterator_traits<Iterator>::value_type, Hash, KeyEqual, Allocator>;
template <typename Key, typename Hash = ::ashlar::containers::default_hash<Key>, typename KeyEqual = std::equal_to<Key>,
          typename Allocator = tbb_allocator<Key>, typename = ::ashlar::containers::enable_if_allocator<Allocator>,
          typename = ::ashlar::containers::enable_if_not_allocator<Hash>,
          typename = ::ashlar::containers::enable_if_not_allocator<KeyEqual>>
concurrent_unordered_set(std::initializer_list<Key>, std::size_t = 0, Hash = Hash(), KeyEqual = KeyEqual(),
                         Allocator = Allocator()) -> concurrent_unordered_set<Key, Hash, KeyEqual, Allocator>;

template <typename Key, typename Hash = ::ashlar::containers::default_hash<Key>, typename KeyEqual = std::equal_to<Key>,
          typename Allocator = tbb_allocator<Key>>
class concurrent_unordered_multiset
    : public ::ashlar::containers::unordered_base<::ashlar::containers::set_value<Key>, Hash, KeyEqual, Allocator,
                                                  ::ashlar::containers::multi_engine> {
  using base = ::ashlar::containers::unordered_base<::ashlar::containers::set_value<Key>, Hash, KeyEqual, Allocator,
                                                    ::ashlar::containers::multi_engine>;

 public:
  using base::base;
  concurrent_unordered_multiset() = default;
  concurrent_unordered_multiset(concurrent_unordered_multiset const& other, Allocator const& memory)
      : base(other, memory) {}
  concurrent_unordered_multiset(concurrent_unordered_multiset&& other, Allocator const& memory)
      : base(std::move(other), memory) {}
  concurrent_unordered_multiset(concurrent_unordered_multiset const&) = default;
  concurrent_unordered_multiset(concurrent_unordered_multiset&&) = default;
  concurrent_unordered_multiset& operator=(concurrent_unordered_multiset const&) = default;
  concurrent_unordered_multiset& operator=(concurrent_unordered_multiset&&) = default;
  concurrent_unordered_multiset& operator=(std::initializer_list<typename base::value_type> list) {
    base::operator=(list);
    return *this;
  }
};

template <typename Key, typename Hash, typename KeyEqual, typename Allocator>
void swap(concurrent_unordered_multiset<Key, Hash, KeyEqual, Allocator>& a,
          concurrent_unordered_multiset<Key, Hash, KeyEqual, Allocator>& b) {
  a.swap(b);
}

template <typename Iterator,
          typename Hash = ::ashlar::containers::default_hash<typename std::iterator_traits<Iterator>::value_type>,
          typename KeyEqual = std::equal_to<typename std::iterator_traits<Iterator>::value_type>,
          typename Allocator = tbb_allocator<typename std::iterator_traits<Iterator>::value_type>,
          typename = ::ashlar::containers::enable_if_allocator<Allocator>,
          typename = ::ashlar::containers::enable_if_not_allocator<Hash>,
          typename = ::ashlar::containers::enable_if_not_allocator<KeyEqual>>
concurrent_unordered_multiset(Iterator, Iterator, std::size_t = 0, Hash = Hash(), KeyEqual = KeyEqual(),
                              Allocator = Allocator())
    -> concurrent_unordered_multiset<typename std::iterator_traits<Iterator>::value_type, Hash, KeyEqual, Allocator>;
template <typename Key, typename Hash = ::ashlar::containers::default_hash<Key>, typename KeyEqual = std::equal_to<Key>,
          typename Allocator = tbb_allocator<Key>, typename = ::ashlar::containers::enable_if_allocator<Allocator>,
          typename = ::ashlar::containers::enable_if_not_allocator<Hash>,
          typename = ::ashlar::containers::enable_if_not_allocator<KeyEqual>>
concurrent_unordered_multiset(std::initializer_list<Key>, std::size_t = 0, Hash = Hash(), KeyEqual = KeyEqual(),
                              Allocator = Allocator()) -> concurrent_unordered_multiset<Key, Hash, KeyEqual, Allocator>;

/// Deduction with an allocator alone, or after the hash function.
template <typename Iterator, typename Allocator, typename = ::ashlar::containers::enable_if_allocator<Allocator>>
concurrent_unordered_set(Iterator, Iterator, std::size_t, Allocator)
    -> concurrent_unordered_set<typename std::iterator_traits<Iterator>::value_type,
                                ::ashlar::containers::default_hash<typename std::iterator_traits<Iterator>::value_type>,
                                std::equal_to<typename std::iterator_traits<Iterator>::value_type>, Allocator>;
template <typename Iterator, typename Hash, typename Allocator,
          typename = ::ashlar::containers::enable_if_allocator<Allocator>,
          typename = ::ashlar::containers::enable_if_not_allocator<Hash>>
concurrent_unordered_set(Iterator, Iterator, std::size_t, Hash, Allocator)
    -> concurrent_unordered_set<typename std::iterator_traits<Iterator>::value_type, Hash,
                                std::equal_to<typename std::iterator_traits<Iterator>::value_type>, Allocator>;
template <typename Key, typename Allocator, typename = ::ashlar::containers::enable_if_allocator<Allocator>>
concurrent_unordered_set(std::initializer_list<Key>, std::size_t, Allocator)
    -> concurrent_unordered_set<Key, ::ashlar::containers::default_hash<Key>, std::equal_to<Key>, Allocator>;
template <typename Key, typename Hash, typename Allocator,
          typename = ::ashlar::containers::enable_if_allocator<Allocator>,
          typename = ::ashlar::containers::enable_if_not_allocator<Hash>>
concurrent_unordered_set(std::initializer_list<Key>, std::size_t, Hash, Allocator)
    -> concurrent_unordered_set<Key, Hash, std::equal_to<Key>, Allocator>;
template <typename Iterator, typename Allocator, typename = ::ashlar::containers::enable_if_allocator<Allocator>>
concurrent_unordered_multiset(Iterator, Iterator, std::size_t, Allocator) -> concurrent_unordered_multiset<
    typename std::iterator_traits<Iterator>::value_type,
    ::ashlar::containers::default_hash<typename std::iterator_traits<Iterator>::value_type>,
    std::equal_to<typename std::iterator_traits<Iterator>::value_type>, Allocator>;
template <typename Iterator, typename Hash, typename Allocator,
          typename = ::ashlar::containers::enable_if_allocator<Allocator>,
          typename = ::ashlar::containers::enable_if_not_allocator<Hash>>
concurrent_unordered_multiset(Iterator, Iterator, std::size_t, Hash, Allocator)
    -> concurrent_unordered_multiset<typename std::iterator_traits<Iterator>::value_type, Hash,
                                     std::equal_to<typename std::iterator_traits<Iterator>::value_type>, Allocator>;
template <typename Key, typename Allocator, typename = ::ashlar::containers::enable_if_allocator<Allocator>>
concurrent_unordered_multiset(std::initializer_list<Key>, std::size_t, Allocator)
    -> concurrent_unordered_multiset<Key, ::ashlar::containers::default_hash<Key>, std::equal_to<Key>, Allocator>;
template <typename Key, typename Hash, typename Allocator,
          typename = ::ashlar::containers::enable_if_allocator<Allocator>,
          typename = ::ashlar::containers::enable_if_not_allocator<Hash>>
concurrent_unordered_multiset(std::initializer_list<Key>, std::size_t, Hash, Allocator)
    -> concurrent_unordered_multiset<Key, Hash, std::equal_to<Key>, Allocator>;

ASHLAR_HOME_END
ASHLAR_KNOWN_IN(5, concurrent_unordered_set)
ASHLAR_KNOWN_IN(5, concurrent_unordered_multiset)

}  // namespace tbb
