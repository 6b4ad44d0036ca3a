// SPDX-License-Identifier: Apache-2.0
// Owns one element outside any container, as the node handles of the standard containers do. Owner says what an element
// is kept in: Owner::node, value(node*) and destroy(Allocator&, node*).
#pragma once

#include <memory>
#include <utility>

namespace ashlar {
inline namespace v1 {
namespace containers {

template <typename Owner, typename Allocator>
class node_handle {
 public:
  using node = typename Owner::node;
  using allocator_type = Allocator;

  node_handle() noexcept = default;
  node_handle(node* n, Allocator const& memory) : node_(n), memory_(memory) {}
  node_handle(node_handle&& other) noexcept : node_(other.release()), memory_(std::move(other.memory_)) {}
  node_handle& operator=(node_handle&& other) noexcept {
    if (this != &other) {
      reset();
      node_ = other.release();
      memory_ = std::move(other.memory_);
    }
    return *this;
  }
  ~node_handle() { reset(); }

  [[nodiscard]] bool empty() const noexcept { return !node_; }
  explicit operator bool() const noexcept { return node_ != nullptr; }
  allocator_type get_allocator() const { return memory_; }
  void swap(node_handle& other) noexcept {
    std::swap(node_, other.node_);
    std::swap(memory_, other.memory_);
  }
  friend void swap(node_handle& a, node_handle& b) noexcept { a.swap(b); }

  // For the containers.
  node* get() const noexcept { return node_; }
  node* release() noexcept { return std::exchange(node_, nullptr); }

 private:
  void reset() noexcept {
    if (node_) Owner::destroy(memory_, node_);
    node_ = nullptr;
  }

  node* node_ = nullptr;
  Allocator memory_;
};

// Of maps and of sets.
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

// What inserting a handle returns.
template <typename Iterator, typename Handle>
struct node_insert_result {
  Iterator position;
  bool inserted;
  Handle node;
};

// The keys of maps and of sets.
template <typename Key, typename T>
struct map_value {
  using key_type = Key;
  using mapped_type = T;
  using value_type = std::pair<Key const, T>;
  template <typename Owner, typename Allocator>
  using handle = map_node_handle<Owner, Key, T, Allocator>;
  static Key const& key(value_type const& v) noexcept { return v.first; }
  // The key may be moved out: the element's life ends.
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
