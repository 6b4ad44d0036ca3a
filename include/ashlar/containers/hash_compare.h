// SPDX-License-Identifier: Apache-2.0
// How hash containers hash and compare keys by default. tbb_hash_compare is open to specialisation in namespace tbb
// and in tbb::detail::d1, and tbb_hasher to overloads beside the key's type.
#pragma once

#include <ashlar/base/config.h>

#include <cstddef>
#include <memory>  // std::equal_to, and the strings' names
#include <string_view>
#include <type_traits>
#include <utility>

namespace ashlar {
inline namespace v1 {
namespace containers {

template <typename Key, typename = void>
inline constexpr bool has_std_hash = false;
template <typename Key>
inline constexpr bool has_std_hash<Key, std::void_t<decltype(std::hash<Key>()(std::declval<Key const&>()))>> = true;

template <typename T>
inline constexpr bool is_string = false;
template <typename Char, typename Traits, typename Allocator>
inline constexpr bool is_string<std::basic_string<Char, Traits, Allocator>> = true;

template <typename String>
std::size_t string_hash(String const& s) {
  std::size_t h = s.size();
  for (auto c : s) h = (h ^ std::hash<decltype(c)>()(c)) * std::size_t{0x9E3779B97F4A7C15};
  return h ^ h >> (sizeof h * 4);
}

template <typename T, typename = void>
inline constexpr bool is_transparent = false;
template <typename T>
inline constexpr bool is_transparent<T, std::void_t<typename T::is_transparent>> = true;

/// The equality of keys, which the hash function may bring along.
template <typename Hash, typename KeyEqual, typename = void>
struct key_equality {
  using type = KeyEqual;
  static constexpr bool transparent = is_transparent<Hash> && is_transparent<KeyEqual>;
};
template <typename Hash, typename KeyEqual>
struct key_equality<Hash, KeyEqual, std::void_t<typename Hash::transparent_key_equal>> {
  using type = typename Hash::transparent_key_equal;
  static constexpr bool transparent = true;
  static_assert(is_transparent<type>, "Hash::transparent_key_equal must have a member type is_transparent");
};

template <typename T, typename = void>
inline constexpr bool is_allocator = false;
template <typename T>
inline constexpr bool
    is_allocator<T, std::void_t<typename T::value_type, decltype(std::declval<T&>().allocate(std::size_t{}))>> = true;

template <typename T>
using enable_if_allocator = std::enable_if_t<is_allocator<T>>;
template <typename T>
using enable_if_not_allocator = std::enable_if_t<!is_allocator<T>>;

template <typename Iterator>
using iterator_key = std::remove_const_t<typename std::iterator_traits<Iterator>::value_type::first_type>;
template <typename Iterator>
using iterator_mapped = typename std::iterator_traits<Iterator>::value_type::second_type;

}  // namespace containers
}  // namespace v1
}  // namespace ashlar

namespace tbb {

/// The hash of a key: std::hash where it exists, that of its characters for a string with an allocator of its own, else
/// that of its conversion to an integer. An array counts as a pointer.
template <typename T>
std::size_t tbb_hasher(T const& t) {
  using key = std::decay_t<T const&>;
  if constexpr (::ashlar::containers::has_std_hash<key>) {
    return std::hash<key>()(t);
  } else if constexpr (::ashlar::containers::is_string<key>) {
    return ::ashlar::containers::string_hash(t);
  } else {
    return static_cast<std::size_t>(t);
  }
}
template <typename First, typename Second>
std::size_t tbb_hasher(std::pair<First, Second> const& p) {
  std::size_t const h = tbb_hasher(p.first) * 0x9E3779B97F4A7C15u;
  return h ^ h >> (sizeof h * 4) ^ tbb_hasher(p.second);
}

// oneTBB's programs specialise this one, because there no other is open to it.
namespace detail {
namespace d1 {
inline namespace ashlar_v1 {
template <typename Key>
struct tbb_hash_compare {
  static std::size_t hash(Key const& key) { return tbb_hasher(key); }
  static bool equal(Key const& a, Key const& b) { return std::equal_to<Key>()(a, b); }
};
}  // namespace ashlar_v1
}  // namespace d1
}  // namespace detail

/// The default HashCompare of concurrent_hash_map.
template <typename Key>
struct tbb_hash_compare : detail::d1::tbb_hash_compare<Key> {
  tbb_hash_compare() = default;
  // With oneTBB the two are one.
  tbb_hash_compare(detail::d1::tbb_hash_compare<Key> const&) {}  // NOLINT: implicit
};

/// tbb_hasher as a function object (classic TBB's default for the unordered containers).
template <typename Key>
class tbb_hash {
 public:
  std::size_t operator()(Key const& key) const { return tbb_hasher(key); }
};

template <typename T>
class tbb_allocator;

}  // namespace tbb

namespace ashlar {
inline namespace v1 {
namespace containers {

// The default hash function of the unordered containers.
#if ASHLAR_CLASSIC_DIALECT
template <typename Key>
using default_hash = ::tbb::tbb_hash<Key>;
#else
template <typename Key>
using default_hash = std::hash<Key>;
#endif

}  // namespace containers
}  // namespace v1
}  // namespace ashlar

// Classic TBB's specialisations for what the standard leaves out, on demand.
#if defined(TBB_DEFINE_STD_HASH_SPECIALIZATIONS) && TBB_DEFINE_STD_HASH_SPECIALIZATIONS
namespace std {
template <typename First, typename Second>
struct hash<pair<First, Second>> {
  size_t operator()(pair<First, Second> const& p) const { return ::tbb::tbb_hasher(p); }
};
#if defined(__GLIBCXX__)  // other standard libraries have it
template <typename Char, typename Traits, typename Allocator>
struct hash<basic_string<Char, Traits, Allocator>> {
  size_t operator()(basic_string<Char, Traits, Allocator> const& s) const {
    return ::ashlar::containers::string_hash(s);
  }
};
#endif
}  // namespace std
#endif
