// SPDX-License-Identifier: Apache-2.0
// concurrent_unordered_map and concurrent_unordered_multimap over unordered_base.h.
#pragma once

#include <ashlar/containers/unordered_base.h>

namespace tbb {
ASHLAR_HOME(5)

template <typename Key, typename T, typename Hash = ::ashlar::containers::default_hash<Key>,
          typename KeyEqual = std::equal_to<Key>, typename Allocator = tbb_allocator<std::pair<Key const, T>>>
class concurrent_unordered_map
    : public ::ashlar::containers::unordered_base<::ashlar::containers::map_value<Key, T>, Hash, KeyEqual, Allocator,
                                                  ::ashlar::containers::unique_engine> {
  using base = ::ashlar::containers::unordered_base<::ashlar::containers::map_value<Key, T>, Hash, KeyEqual, Allocator,
                                                    ::ashlar::containers::unique_engine>;

 public:
  using mapped_type = T;
  using base::base;
  concurrent_unordered_map() = default;
  concurrent_unordered_map(concurrent_unordered_map const& other, Allocator const& memory) : base(other, memory) {}
  concurrent_unordered_map(concurrent_unordered_map&& other, Allocator const& memory)
      : base(std::move(other), memory) {}
  concurrent_unordered_map(concurrent_unordered_map const&) = default;
  concurrent_unordered_map(concurrent_unordered_map&&) = default;
  concurrent_unordered_map& operator=(concurrent_unordered_map const&) = default;
  concurrent_unordered_map& operator=(concurrent_unordered_map&&) = default;
  concurrent_unordered_map& operator=(std::initializer_list<typename base::value_type> list) {
    base::operator=(list);
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
  T& at(Key const& key) { return const_cast<T&>(static_cast<concurrent_unordered_map const*>(this)->at(key)); }
  T const& at(Key const& key) const {
    auto const p = this->lookup(key);
    if (!p) ::ashlar::throw_exception(::ashlar::exception_id::invalid_key);
    return base::engine::value(p).second;
  }
};

template <typename Key, typename T, typename Hash, typename KeyEqual, typename Allocator>
void swap(concurrent_unordered_map<Key, T, Hash, KeyEqual, Allocator>& a,
          concurrent_unordered_map<Key, T, Hash, KeyEqual, Allocator>& b) {
  a.swap(b);
}

template <
    typename Iterator, typename Hash = ::ashlar::containers::default_hash<::ashlar::containers::iterator_key<Iterator>>,
    typename KeyEqual = std::equal_to<::ashlar::containers::iterator_key<Iterator>>,
    typename Allocator = tbb_allocator<
        std::pair<::ashlar::containers::iterator_key<Iterator> const, ::ashlar::containers::iterator_mapped<Iterator>>>,
    typename = ::ashlar::containers::enable_if_allocator<Allocator>,
    typename = ::ashlar::containers::enable_if_not_allocator<Hash>,
    typename = ::ashlar::containers::enable_if_not_allocator<KeyEqual>>
concurrent_unordered_map(Iterator, Iterator, std::size_t = 0, Hash = Hash(), KeyEqual = KeyEqual(),
                         Allocator = Allocator())
    -> concurrent_unordered_map<::ashlar::containers::iterator_key<Iterator>,
                                ::ashlar::containers::iterator_mapped<Iterator>, Hash, KeyEqual, Allocator>;
template <typename Key, typename T, typename Hash = ::ashlar::containers::default_hash<std::remove_const_t<Key>>,
          typename KeyEqual = std::equal_to<std::remove_const_t<Key>>,
          typename Allocator = tbb_allocator<std::pair<std::remove_const_t<Key> const, T>>,
          typename = ::ashlar::containers::enable_if_allocator<Allocator>,
          typename = ::ashlar::containers::enable_if_not_allocator<Hash>,
          typename = ::ashlar::containers::enable_if_not_allocator<KeyEqual>>
concurrent_unordered_map(std::initializer_list<std::pair<Key, T>>, std::size_t = 0, Hash = Hash(),
                         KeyEqual = KeyEqual(), Allocator = Allocator())
    -> concurrent_unordered_map<std::remove_const_t<Key>, T, Hash, KeyEqual, Allocator>;

template <typename Key, typename T, typename Hash = ::ashlar::containers::default_hash<Key>,
          typename KeyEqual = std::equal_to<Key>, typename Allocator = tbb_allocator<std::pair<Key const, T>>>
class concurrent_unordered_multimap
    : public ::ashlar::containers::unordered_base<::ashlar::containers::map_value<Key, T>, Hash, KeyEqual, Allocator,
                                                  ::ashlar::containers::multi_engine> {
  using base = ::ashlar::containers::unordered_base<::ashlar::containers::map_value<Key, T>, Hash, KeyEqual, Allocator,
                                                    ::ashlar::containers::multi_engine>;

 public:
  using mapped_type = T;
  using base::base;
  concurrent_unordered_multimap() = default;
  concurrent_unordered_multimap(concurrent_unordered_multimap const& other, Allocator const& memory)
      : base(other, memory) {}
  concurrent_unordered_multimap(concurrent_unordered_multimap&& other, Allocator const& memory)
      : base(std::move(other), memory) {}
  concurrent_unordered_multimap(concurrent_unordered_multimap const&) = default;
  concurrent_unordered_multimap(concurrent_unordered_multimap&&) = default;
  concurrent_unordered_multimap& operator=(concurrent_unordered_multimap const&) = default;
  concurrent_unordered_multimap& operator=(concurrent_unordered_multimap&&) = default;
  concurrent_unordered_multimap& operator=(std::initializer_list<typename base::value_type> list) {
    base::operator=(list);
    return *this;
  }
};

template <typename Key, typename T, typename Hash, typename KeyEqual, typename Allocator>
void swap(concurrent_unordered_multimap<Key, T, Hash, KeyEqual, Allocator>& a,
          concurrent_unordered_multimap<Key, T, Hash, KeyEqual, Allocator>& b) {
  a.swap(b);
}

template <
    typename Iterator, typename Hash = ::ashlar::containers::default_hash<::ashlar::containers::iterator_key<Iterator>>,
    typename KeyEqual = std::equal_to<::ashlar::containers::iterator_key<Iterator>>,
    typename Allocator = tbb_allocator<
        std::pair<::ashlar::containers::iterator_key<Iterator> const, ::ashlar::containers::iterator_mapped<Iterator>>>,
    typename = ::ashlar::containers::enable_if_allocator<Allocator>,
    typename = ::ashlar::containers::enable_if_not_allocator<Hash>,
    typename = ::ashlar::containers::enable_if_not_allocator<KeyEqual>>
concurrent_unordered_multimap(Iterator, Iterator, std::size_t = 0, Hash = Hash(), KeyEqual = KeyEqual(),
                              Allocator = Allocator())
    -> concurrent_unordered_multimap<::ashlar::containers::iterator_key<Iterator>,
                                     ::ashlar::containers::iterator_mapped<Iterator>, Hash, KeyEqual, Allocator>;
template <typename Key, typename T, typename Hash = ::ashlar::containers::default_hash<std::remove_const_t<Key>>,
          typename KeyEqual = std::equal_to<std::remove_const_t<Key>>,
          typename Allocator = tbb_allocator<std::pair<std::remove_const_t<Key> const, T>>,
          typename = ::ashlar::containers::enable_if_allocator<Allocator>,
          typename = ::ashlar::containers::enable_if_not_allocator<Hash>,
          typename = ::ashlar::containers::enable_if_not_allocator<KeyEqual>>
concurrent_unordered_multimap(std::initializer_list<std::pair<Key, T>>, std::size_t = 0, Hash = Hash(),
                              KeyEqual = KeyEqual(), Allocator = Allocator())
    -> concurrent_unordered_multimap<std::remove_const_t<Key>, T, Hash, KeyEqual, Allocator>;

/// Deduction with an allocator alone, or after the hash function.
template <typename Iterator, typename Allocator, typename = ::ashlar::containers::enable_if_allocator<Allocator>>
concurrent_unordered_map(Iterator, Iterator, std::size_t, Allocator)
    -> concurrent_unordered_map<::ashlar::containers::iterator_key<Iterator>,
                                ::ashlar::containers::iterator_mapped<Iterator>,
                                ::ashlar::containers::default_hash<::ashlar::containers::iterator_key<Iterator>>,
                                std::equal_to<::ashlar::containers::iterator_key<Iterator>>, Allocator>;
template <typename Iterator, typename Hash, typename Allocator,
          typename = ::ashlar::containers::enable_if_allocator<Allocator>,
          typename = ::ashlar::containers::enable_if_not_allocator<Hash>>
concurrent_unordered_map(Iterator, Iterator, std::size_t, Hash, Allocator)
    -> concurrent_unordered_map<::ashlar::containers::iterator_key<Iterator>,
                                ::ashlar::containers::iterator_mapped<Iterator>, Hash,
                                std::equal_to<::ashlar::containers::iterator_key<Iterator>>, Allocator>;
template <typename Key, typename T, typename Allocator, typename = ::ashlar::containers::enable_if_allocator<Allocator>>
concurrent_unordered_map(std::initializer_list<std::pair<Key, T>>, std::size_t, Allocator)
    -> concurrent_unordered_map<std::remove_const_t<Key>, T,
                                ::ashlar::containers::default_hash<std::remove_const_t<Key>>,
                                std::equal_to<std::remove_const_t<Key>>, Allocator>;
template <typename Key, typename T, typename Hash, typename Allocator,
          typename = ::ashlar::containers::enable_if_allocator<Allocator>,
          typename = ::ashlar::containers::enable_if_not_allocator<Hash>>
concurrent_unordered_map(std::initializer_list<std::pair<Key, T>>, std::size_t, Hash, Allocator)
    -> concurrent_unordered_map<std::remove_const_t<Key>, T, Hash, std::equal_to<std::remove_const_t<Key>>, Allocator>;
template <typename Iterator, typename Allocator, typename = ::ashlar::containers::enable_if_allocator<Allocator>>
concurrent_unordered_multimap(Iterator, Iterator, std::size_t, Allocator)
    -> concurrent_unordered_multimap<::ashlar::containers::iterator_key<Iterator>,
                                     ::ashlar::containers::iterator_mapped<Iterator>,
                                     ::ashlar::containers::default_hash<::ashlar::containers::iterator_key<Iterator>>,
                                     std::equal_to<::ashlar::containers::iterator_key<Iterator>>, Allocator>;
template <typename Iterator, typename Hash, typename Allocator,
          typename = ::ashlar::containers::enable_if_allocator<Allocator>,
          typename = ::ashlar::containers::enable_if_not_allocator<Hash>>
concurrent_unordered_multimap(Iterator, Iterator, std::size_t, Hash, Allocator)
    -> concurrent_unordered_multimap<::ashlar::containers::iterator_key<Iterator>,
                                     ::ashlar::containers::iterator_mapped<Iterator>, Hash,
                                     std::equal_to<::ashlar::containers::iterator_key<Iterator>>, Allocator>;
template <typename Key, typename T, typename Allocator, typename = ::ashlar::containers::enable_if_allocator<Allocator>>
concurrent_unordered_multimap(std::initializer_list<std::pair<Key, T>>, std::size_t, Allocator)
    -> concurrent_unordered_multimap<std::remove_const_t<Key>, T,
                                     ::ashlar::containers::default_hash<std::remove_const_t<Key>>,
                                     std::equal_to<std::remove_const_t<Key>>, Allocator>;
template <typename Key, typename T, typename Hash, typename Allocator,
          typename = ::ashlar::containers::enable_if_allocator<Allocator>,
          typename = ::ashlar::containers::enable_if_not_allocator<Hash>>
concurrent_unordered_multimap(std::initializer_list<std::pair<Key, T>>, std::size_t, Hash, Allocator)
    -> concurrent_unordered_multimap<std::remove_const_t<Key>, T, Hash, std::equal_to<std::remove_const_t<Key>>,
                                     Allocator>;

ASHLAR_HOME_END
ASHLAR_KNOWN_IN(5, concurrent_unordered_map)
ASHLAR_KNOWN_IN(5, concurrent_unordered_multimap)

}  // namespace tbb
