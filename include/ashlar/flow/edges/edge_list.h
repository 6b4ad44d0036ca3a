// SPDX-License-Identifier: Apache-2.0
// The list of an output's successors, which whoever sends a message reads without its lock.
//
// Threads    any; what changes a list, copies it or reads more than the first two needs the lock that belongs to it.
// Invariants EL1 `only` is the one entry, or several() where there are others or the list is closed, or null.
//            EL2 while the version is odd the list changes, or is closed to those who don't take the lock.
// Ordering   [EL1] the only entry: release -> [EL2] who sends: acquire (what the entry's maker did)
//            [EL3] a change of the list: version odd, the entries, release, version even, release
//                  -> [EL4] a reader without the lock: version, number, two entries, acquire, and the version again
// Model      tests/model/flow_edges_model.cpp; protocol: src/flow/README.md, 'Edges'
#pragma once

#include <ashlar/base/atomic.h>

#include <cstddef>
#include <cstdint>

namespace ashlar {
inline namespace v1 {
namespace flow {

/// A list of pointers, in the order of their coming, but for those that went before all others. The caller locks; but
/// the first two, and the number, may be read at any time.
///
/// A long list from whose middle something is removed gets an index of its entries' positions, and then has gaps. It
/// costs nothing before: the heap array has a word for it, and add() meets a list with an index as a full one.
class edge_list {
 public:
  /// A list of so many entries or fewer has no gaps.
  static constexpr std::size_t few = 16;

  edge_list() noexcept = default;
  edge_list(edge_list const&) = delete;
  edge_list& operator=(edge_list const&) = delete;
  ~edge_list() {
    if (ASHLAR_UNLIKELY(more_ != nullptr)) free_more();
  }
  std::size_t size() const noexcept { return size_.load(mo::acquire); }  // [EL4]
  /// Of a list without gaps.
  void* at(std::size_t i) const noexcept {
    return i < own_room ? own_[i].load(mo::acquire) : more_[i - own_room];  // [EL4]
  }
  /// Of a list that is not empty.
  void* first() const noexcept { return ASHLAR_LIKELY(size() <= few) ? at(0) : first_of_many(); }
  void* last() const noexcept { return ASHLAR_LIKELY(size() <= few) ? at(size() - 1) : last_of_many(); }
  ASHLAR_EXPORT bool has(void const* what) const noexcept;
  /// All of them.
  ASHLAR_EXPORT void copy_to(void** to) const noexcept;
  /// Throws std::bad_alloc; then nothing has changed.
  void add(void* what) {
    std::uint32_t const n = size_.load(mo::relaxed);
    if (ASHLAR_UNLIKELY(n == room_)) return add_slowly(what);
    set(n, what);
    set_size(n + 1);
  }
  /// The same before all others, in O(n).
  ASHLAR_EXPORT void add_first(void* what);
  /// The last entry that is `what`, in O(1) (amortized); where there is no memory for an index, O(1) for the last
  /// ones only. False: it isn't there.
  ASHLAR_EXPORT bool remove(void* what) noexcept;
  void clear() noexcept {
    if (ASHLAR_UNLIKELY(size() > few)) drop_index();
    set_size(0);
  }

 private:
  static constexpr std::uint32_t own_room = 2;
  struct index;
  void set(std::size_t i, void* what) noexcept {
    if (i < own_room) {
      own_[i].store(what, mo::release);  // [EL3]
    } else {
      more_[i - own_room] = what;
    }
  }
  void set_size(std::size_t n) noexcept { size_.store(static_cast<std::uint32_t>(n), mo::release); }  // [EL3]
  // Null: there is none, and there are no gaps.
  index* get_index() const noexcept { return more_ != nullptr ? static_cast<index*>(more_[-1]) : nullptr; }
  ASHLAR_EXPORT void add_slowly(void* what);
  ASHLAR_EXPORT void* first_of_many() const noexcept;
  ASHLAR_EXPORT void* last_of_many() const noexcept;
  ASHLAR_EXPORT void drop_index() noexcept;
  ASHLAR_EXPORT void free_more() noexcept;
  bool remove_by_search(void* what, std::size_t from) noexcept;
  bool remove_from_many(void* what) noexcept;
  bool remove_by_index(index& x, void* what) noexcept;
  index* make_index() noexcept;
  std::uint32_t* find(index& x, void const* what) const noexcept;
  void enter(index& x, std::uint32_t position, void* what) noexcept;
  void leave(index& x, std::uint32_t* cell) noexcept;
  void close_gaps(index& x) noexcept;
  void enter_all(index& x) noexcept;
  void grow();

  atomic<std::uint32_t> size_{0};
  std::uint32_t room_ = own_room;  // of a list with an index: its size, so that add() goes the other way
  atomic<void*> own_[own_room];    // the first two
  void** more_ = nullptr;          // the word before it is the index
};

/// A list as it was at one moment, to be walked without a lock.
class edge_copy {
 public:
  explicit edge_copy(edge_list const& l) : size_(l.size()), list_(size_ > edge_list::few ? new void*[size_] : own_) {
    if (ASHLAR_UNLIKELY(size_ > edge_list::few)) {
      l.copy_to(list_);
    } else {
      for (std::size_t i = 0; i < size_; ++i) list_[i] = l.at(i);
    }
  }
  edge_copy(edge_copy const&) = delete;
  edge_copy& operator=(edge_copy const&) = delete;
  ~edge_copy() {
    if (list_ != own_) delete[] list_;
  }
  std::size_t size() const noexcept { return size_; }
  void* operator[](std::size_t i) const noexcept { return list_[i]; }

 private:
  std::size_t const size_;
  void** const list_;
  void* own_[edge_list::few];
};

/// The successors of an output: those that go first, the latest of them before the others, and then all others in the
/// order of their coming.
class successor_list {
 public:
  successor_list() noexcept = default;
  successor_list(successor_list const&) = delete;
  successor_list& operator=(successor_list const&) = delete;

  bool empty() const noexcept { return only_.load(mo::acquire) == nullptr; }  // [EL2]
  /// The only one; else what is_one() is false for: null, or that there are several.
  ASHLAR_ALWAYS_INLINE void* only() const noexcept { return only_.load(mo::acquire); }  // [EL2]
  static bool is_one(void* only) noexcept { return reinterpret_cast<std::uintptr_t>(only) > 1; }
  /// False: there is none, and `one` is null, or there are several.
  ASHLAR_ALWAYS_INLINE bool find_only(void*& one) const noexcept {
    one = only();
    return is_one(one);
  }
  static void* several() noexcept { return reinterpret_cast<void*>(std::uintptr_t{1}); }
  /// There are two; false: look with the lock.
  ASHLAR_ALWAYS_INLINE bool look_at_two(void*& first, void*& second) const noexcept {
    std::uint32_t const before = version_.load(mo::acquire);  // [EL4]
    bool const two = list_.size() == 2;
    first = list_.at(0);
    second = list_.at(1);
    return two && (before & 1) == 0 && version_.load(mo::relaxed) == before;
  }

  // ---- the caller has the lock
  edge_list const& all() const noexcept { return list_; }
  /// Throws std::bad_alloc; then nothing has changed.
  void add(void* what, bool goes_first) {
    change const c(*this);
    add_to_list(what, goes_first);
  }
  bool remove(void* what) noexcept {
    change const c(*this);
    return list_.remove(what);
  }
  /// Takes it out when it has another place: f() returns whether it has, and may throw. Else it stays: false.
  template <typename F>
  bool move_out(void* what, F const& f) {
    return list_.has(what) && f() && remove(what);
  }
  /// Adds it when it has left its other place: f(), which throws nothing, returns whether it has. Those who send don't
  /// see it before. Throws std::bad_alloc; then f was not called.
  template <typename F>
  bool move_in(void* what, bool goes_first, F const& f) {
    change const c(*this);
    add_to_list(what, goes_first);
    if (f()) return true;
    list_.remove(what);
    return false;
  }
  /// Whoever sends must take the lock from now on, or need not any more.
  void close(bool closed) noexcept {
    change const c(*this);
    closed_.store(closed, mo::relaxed);
  }
  /// Any thread may ask; those who send may see it late.
  bool is_closed() const noexcept { return closed_.load(mo::relaxed); }

 private:
  class change {
   public:
    explicit change(successor_list& l) noexcept : list_(l), before_(l.version_.load(mo::relaxed)) {
      list_.version_.store(before_ | 1, mo::relaxed);
    }
    ~change() {
      bool const closed = list_.is_closed();
      std::size_t const n = list_.list_.size();
      void* only = nullptr;
      if (n != 0) only = n == 1 && !closed ? list_.list_.at(0) : several();
      list_.only_.store(only, mo::release);                                       // [EL1]
      list_.version_.store(((before_ | 1) + 1) | (closed ? 1 : 0), mo::release);  // [EL3]
    }
    change(change const&) = delete;
    change& operator=(change const&) = delete;

   private:
    successor_list& list_;
    std::uint32_t const before_;
  };
  void add_to_list(void* what, bool goes_first) {
    if (ASHLAR_UNLIKELY(goes_first)) return list_.add_first(what);
    list_.add(what);
  }

  atomic<void*> only_{nullptr};
  atomic<std::uint32_t> version_{0};
  atomic<bool> closed_{false};
  edge_list list_;
};

}  // namespace flow
}  // namespace v1
}  // namespace ashlar
