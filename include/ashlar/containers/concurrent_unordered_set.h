// SPDX-License-Identifier: Apache-2.0
// concurrent_unordered_set and concurrent_unordered_multiset over unordered_base.h.
#pragma once

#include <ashlar/containers/unordered_base.h>

namespace tbb {

template <typename Key, typename Hash = ::ashlar::containers::default_hash<Key>, typename KeyEqual = std::equal_to<Key>,
          typename Allocator = tbb_allocator<Key>>
class concurrent_unordered_set
    : public ::ashlar::containers::unordered_base<::ashlar::containers::set_value<Key>, Hash, KeyEqual, Allocator,
                                                  ::ashlar::containers::unique_engine> {
  using base = ::ashlar::containers::unordered_base<::ashlar::containers::set_value<Key>, Hash, KeyEqual, Allocator,
                                                    ::ashlar::containers::unique_engine>;

 public:
  using base::base;
  using base::operator=;
  concurrent_unordered_set() = default;
  concurrent_unordered_set(concurrent_unordered_set const& other, Allocator const& memory) : base(other, memory) {}
  concurrent_unordered_set(concurrent_unordered_set&& other, Allocator const& memory)
      : base(std::move(other), memory) {}
  concurrent_unordered_set(concurrent_unordered_set const&) = default;
  concurrent_unordered_set(concurrent_unordered_set&&) = default;
  concurrent_unordered_set& operator=(concurrent_unordered_set const&) = default;
  concurrent_unordered_set& operator=(concurrent_unordered_set&&) = default;
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
  using base::operator=;
  concurrent_unordered_multiset() = default;
  concurrent_unordered_multiset(concurrent_unordered_multiset const& other, Allocator const& memory)
      : base(other, memory) {}
  concurrent_unordered_multiset(concurrent_unordered_multiset&& other, Allocator const& memory)
      : base(std::move(other), memory) {}
  concurrent_unordered_multiset(concurrent_unordered_multiset const&) = default;
  concurrent_unordered_multiset(concurrent_unordered_multiset&&) = default;
  concurrent_unordered_multiset& operator=(concurrent_unordered_multiset const&) = default;
  concurrent_unordered_multiset& operator=(concurrent_unordered_multiset&&) = default;
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

}  // namespace tbb
