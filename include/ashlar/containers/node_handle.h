// SPDX-License-Identifier: Apache-2.0
// Owns one element outside any container, as the node handles of the standard containers do. Owner says what an element
// is kept in: Owner::node, value(node*) and destroy(Allocator&, node*).
#pragma once

#include <memory>
#include <new>
#include <utility>

namespace ashlar {
inline namespace v1 {
namespace containers {

template <typename Owner, typename Allocator>
class node_handle {
 public:
  using node = typename Owner::node;
  using allocator_type = Allocator;

  node_handle() noexcept {}
  node_handle(node* n, Allocator const& memory) : node_(n) { ::new (static_cast<void*>(place_)) Allocator(memory); }
  node_handle(node_handle&& other) noexcept { take(other); }
  node_handle& operator=(node_handle&& other) noexcept {
    if (this != &other) {
      reset();
      take(other);
    }
    return *this;
  }
  ~node_handle() { reset(); }

  [[nodiscard]] bool empty() const noexcept { return node_ == nullptr; }
  explicit operator bool() const noexcept { return node_ != nullptr; }
  allocator_type get_allocator() const { return *std::launder(reinterpret_cast<Allocator const*>(place_)); }
  void swap(node_handle& other) noexcept {
    node_handle mine(std::move(*this));
    take(other);
    other.take(mine);
  }
  friend void swap(node_handle& a, node_handle& b) noexcept { a.swap(b); }

  /// For the containers.
  node* get() const noexcept { return node_; }
  node* release() noexcept {
    if (node_ != nullptr) memory().~Allocator();
    return std::exchange(node_, nullptr);
  }

 private:
  // This one is empty.
  void take(node_handle& other) noexcept {
    if (other.node_ == nullptr) return;
    ::new (static_cast<void*>(place_)) Allocator(other.memory());
    node_ = other.release();
  }
  void reset() noexcept {
    if (node_ == nullptr) return;
    Owner::destroy(memory(), node_);
    release();
  }

  Allocator& memory() noexcept { return *std::launder(reinterpret_cast<Allocator*>(place_)); }

  node* node_ = nullptr;
  // Holds the node's allocator while there is one. Zeros at first: compilers don't see that nobody reads them.
  alignas(Allocator) unsigned char place_[sizeof(Allocator)] = {};
};

/// The Owner of elements that are kept alone.
template <typename Value, typename Allocator>
struct lone_element {
  using node = Value;
  using memory_traits = std::allocator_traits<Allocator>;
  static node& value(node* n) noexcept { return *n; }
  static void destroy(Allocator& memory, node* n) noexcept {
    memory_traits::destroy(memory, n);
    memory_traits::deallocate(memory, n, 1);
  }
};

/// Of maps and of sets.
template <typename Owner, typename Key, typename T, typename Allocator>
class map_node_handle : public node_handle<Owner, Allocator> {
 public:
  using key_type = Key;
  using mapped_type = T;
  using node_handle<Owner, Allocator>::node_handle;
  key_type& key() const { return const_cast<key_type&>(Owner::value(this->get()).first); }
  mapped_type& mapped() const { return Owner::value(this->get()).second; }
};
template <typename Owner, typename Key, typename Allocator>
class set_node_handle : public node_handle<Owner, Allocator> {
 public:
  using value_type = Key;
  using node_handle<Owner, Allocator>::node_handle;
  value_type& value() const { return const_cast<value_type&>(Owner::value(this->get())); }
};

/// The keys of maps and of sets.
template <typename Key, typename T>
struct map_value {
  using key_type = Key;
  using mapped_type = T;
  using value_type = std::pair<Key const, T>;
  template <typename Owner, typename Allocator>
  using handle = map_node_handle<Owner, Key, T, Allocator>;
  static Key const& key(value_type const& v) noexcept { return v.first; }
  /// The key may be moved out: the element's life ends.
  static std::pair<Key&&, T&&> moved(value_type& v) noexcept {
    return {std::move(const_cast<Key&>(v.first)), std::move(v.second)};
  }
};
template <typename Key>
struct set_value {
  using key_type = Key;
  using value_type = Key;
  template <typename Owner, typename Allocator>
  using handle = set_node_handle<Owner, Key, Allocator>;
  static Key const& key(Key const& v) noexcept { return v; }
  static Key&& moved(Key& v) noexcept { return std::move(v); }
};

}  // namespace containers
}  // namespace v1
}  // namespace ashlar
