// SPDX-License-Identifier: Apache-2.0
// The core of enumerable_thread_specific: one element per thread (or stack), made at the first use, alive until the
// container is cleared or destroyed, and enumerable by index in the order of their making. An owner is a number; that
// of a thread that has ended goes to a new one (thread_slots.h), and so do its elements.
//
// Invariants TE-I1 elements [0, count_) are constructed; an element never moves.
//            TE-I2 find_slot(key_) gives an element of this container whose owner is the calling thread.
// [TE1] an element is made and listed -> [TE2] whoever sees it counted
// Any number of threads may call find(), find_by_owner(), add() and the reading members at the same time.
#pragma once

#include <ashlar/containers/segment_table.h>
#include <ashlar/containers/thread_slots.h>
#include <ashlar/sync/spin_mutex.h>

namespace ashlar {
inline namespace v1 {
namespace containers {

/// Fills whole cache lines; the value comes first.
template <typename T>
struct thread_element {
  static constexpr std::size_t line = 64;
  union {
    T value;
  };
  std::uint64_t owner;
  char padding[line - (sizeof(T) + sizeof(owner)) % line];

  explicit thread_element(std::uint64_t o) noexcept : owner(o) {}
  ~thread_element() {}
};

template <typename T, typename Allocator>
class thread_elements {
  using element = thread_element<T>;
  using element_allocator = typename std::allocator_traits<Allocator>::template rebind_alloc<element>;
  using element_traits = std::allocator_traits<element_allocator>;
  using pointer_allocator = typename std::allocator_traits<Allocator>::template rebind_alloc<element*>;

 public:
  thread_elements() : count_(0), searched_(false), table_(pointer_allocator(Allocator())), key_(acquire_slot_key()) {}
  thread_elements(thread_elements const&) = delete;
  thread_elements& operator=(thread_elements const&) = delete;
  ~thread_elements() {
    destroy_all();
    release_slot_key(key_);
  }

  ASHLAR_ALWAYS_INLINE T* find() const noexcept { return static_cast<T*>(find_slot(key_)); }
  /// The slow way, for stacks, and for threads whose element came from a copied container, has no slot or was that of a
  /// thread that has ended.
  T* find_by_owner(std::uint64_t owner) const noexcept {
    for (std::size_t i = 0, n = size(); i != n; ++i) {
      if (element& e = *listed(i); e.owner == owner) return std::addressof(e.value);
    }
    return nullptr;
  }
  T* find_slowly(std::uint64_t owner) noexcept {
    if (!thread_number_is_second_hand() && !searched_.load(mo::relaxed)) return nullptr;
    T* const found = find_by_owner(owner);
    if (found != nullptr) containers::store_slot(key_, found);
    return found;
  }

  /// Adds the owner's element, constructed by make(place). An exception leaves everything as it was.
  template <typename Make>
  T* add(std::uint64_t owner, Make const& make) {
    element_allocator a(table_.allocator());
    element* const e = std::addressof(*element_traits::allocate(a, 1));
    ::new (static_cast<void*>(e)) element(owner);
    ASHLAR_TRY {
      make(static_cast<void*>(std::addressof(e->value)));
      ASHLAR_TRY { list(e); }
      ASHLAR_CATCH_ALL {
        e->value.~T();
        ASHLAR_RETHROW;
      }
    }
    ASHLAR_CATCH_ALL {
      element_traits::deallocate(a, e, 1);
      ASHLAR_RETHROW;
    }
    return std::addressof(e->value);
  }
  /// For the element of a thread: its next use finds it at once.
  void remember(T* value) noexcept {
    if (!containers::store_slot(key_, value)) searched_.store(true, mo::relaxed);
  }

  std::size_t size() const noexcept { return count_.load(mo::acquire); }  // [TE2]
  T& at(std::size_t i) const noexcept { return listed(i)->value; }

  // ---- not concurrently
  void clear() noexcept {
    destroy_all();
    renew_slot_key(key_);
  }
  /// Adds what the other one holds, for the same owners.
  template <typename Other, typename Make>
  void copy_from(Other const& other, Make const& make) {
    searched_.store(true, mo::relaxed);
    for (std::size_t i = 0, n = other.size(); i != n; ++i) {
      add(other.owner(i), [&](void* place) { make(place, other.at(i)); });
    }
  }
  std::uint64_t owner(std::size_t i) const noexcept { return listed(i)->owner; }
  void swap(thread_elements& other) noexcept {
    std::swap(first_, other.first_);
    table_.swap(other.table_);
    exchange(count_, other.count_);
    exchange(searched_, other.searched_);
    std::swap(key_, other.key_);
  }

 private:
  static constexpr std::size_t few = 4;

  element* listed(std::size_t i) const noexcept { return i < few ? first_[i] : *table_.address(i); }
  // One thread at a time lists its element: the table grows rarely, and a failure leaves no gap.
  void list(element* e) {
    ::tbb::spin_mutex::scoped_lock const hold(lock_);
    std::size_t const i = count_.load(mo::relaxed);
    if (i < few) {
      first_[i] = e;
    } else {
      table_.choose_first_block(few);
      ASHLAR_TRY { table_.ensure(segment_of(i)); }
      ASHLAR_CATCH_ALL {
        table_.repair();
        ASHLAR_RETHROW;
      }
      *table_.address(i) = e;
    }
    count_.store(i + 1, mo::release);  // [TE1]
  }
  void destroy_all() noexcept {
    element_allocator a(table_.allocator());
    for (std::size_t i = 0, n = size(); i != n; ++i) {
      element* const e = listed(i);
      e->value.~T();
      element_traits::deallocate(a, e, 1);
    }
    count_.store(0, mo::relaxed);
    searched_.store(false, mo::relaxed);
  }
  template <typename Word>
  static void exchange(atomic<Word>& a, atomic<Word>& b) noexcept {
    Word const old = a.load(mo::relaxed);
    a.store(b.load(mo::relaxed), mo::relaxed);
    b.store(old, mo::relaxed);
  }

  atomic<std::size_t> count_;
  atomic<bool> searched_;  // some thread's element may have no slot
  ::tbb::spin_mutex lock_;
  element* first_[few] = {};  // the others are in the table
  segment_table<element*, pointer_allocator> table_;
  slot_key key_;
};

}  // namespace containers
}  // namespace v1
}  // namespace ashlar
