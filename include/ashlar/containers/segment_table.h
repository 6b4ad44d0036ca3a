// SPDX-License-Identifier: Apache-2.0
// The memory of a concurrent array whose elements never move: a table of segments that grow by powers of two.
//
// The first segments are one block, sized by the first growth. A small table is part of the object; the large one
// (512 bytes) is allocated when segment 3 is needed. Table entries hold the segment's address minus the offset
// of its first index, so that an access is one bit scan, two loads and one addition.
//
// Who claims a segment (claimed_) allocates it and marks it ready or failed; others wait. A failed segment stays so
// until repair(), because elements below and above it were given out.
//
// [SG1] a segment's memory and table entry -> [SG2] whoever finds it ready
// [SG3] the large table's entries          -> [SG4] whoever reads the table's address (by address dependency)
// Model: tests/model/segment_table_model.cpp
#pragma once

#include <ashlar/base/atomic.h>
#include <ashlar/base/lsan.h>
#include <ashlar/base/throw.h>
#include <ashlar/containers/segment_index.h>
#include <ashlar/sync/backoff.h>

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <utility>

namespace ashlar {
inline namespace v1 {
namespace containers {

template <typename T, typename Allocator>
class segment_table {
  using traits = std::allocator_traits<Allocator>;
  using entry = atomic<std::uintptr_t>;
  using word = std::uint64_t;
  using entry_allocator = typename traits::template rebind_alloc<entry>;
  using entry_traits = std::allocator_traits<entry_allocator>;

  static constexpr unsigned embedded = 3;          // segments
  static constexpr unsigned embedded_entries = 4;  // element 0 may have one of its own
  static constexpr unsigned large_table = 63;      // its bit in the masks

 public:
  /// At least so many bytes at the end are used only when segments come and go.
  static constexpr std::size_t rarely_read = 3 * sizeof(word);

  explicit segment_table(Allocator const& a) noexcept : allocator_(a) { reset(); }
  segment_table(segment_table const&) = delete;
  segment_table& operator=(segment_table const&) = delete;
  ~segment_table() { release_all(); }

  Allocator& allocator() noexcept { return allocator_; }
  Allocator const& allocator() const noexcept { return allocator_; }

  /// The places of elements, as long as the table does not grow. Keeps the table's address: the compiler can't, beside
  /// stores to elements that may be words as well.
  class places {
   public:
    explicit places(std::uintptr_t table) noexcept : table_(table) {}
    ASHLAR_ALWAYS_INLINE T* operator[](std::size_t i) const noexcept {
      entry const* const e = reinterpret_cast<entry const*>(table_ + segment_position(i) * sizeof(entry));
#if ASHLAR_TSAN || defined(ASHLAR_MODEL)
      return reinterpret_cast<T*>(e->load(mo::relaxed) + i * sizeof(T));
#else
      return reinterpret_cast<T*>(e->load_own() + i * sizeof(T));
#endif
    }

   private:
    std::uintptr_t table_;
  };
  /// Of elements whose segments must be ready. The caller has learnt so by an acquire, here or from another thread;
  /// what is read here was written before, and plain reads let the compiler keep the table in a register.
  ASHLAR_ALWAYS_INLINE places present() const noexcept {
#if ASHLAR_TSAN || defined(ASHLAR_MODEL)
    return places(table_.load(mo::acquire));  // [SG4]
#else
    return places(table_.load_own());
#endif
  }
  ASHLAR_ALWAYS_INLINE T* address(std::size_t i) const noexcept { return present()[i]; }
  bool is_ready(unsigned k) const noexcept { return ready_.load(mo::acquire) >> k & 1; }  // [SG2]
  /// The place of element i, or null if its segment is not ready.
  T* address_or_null(std::size_t i) const noexcept { return is_ready(segment_of(i)) ? address(i) : nullptr; }

  /// Elements that fit into the ready segments before the first one that is not.
  std::size_t capacity() const noexcept {
    unsigned const k = static_cast<unsigned>(__builtin_ctzll(~ready_.load(mo::acquire)));  // [SG2]
    return k == 0 ? 0 : segment_base(k);
  }

  /// The first growth decides how many segments the first block has: enough for `elements`.
  void choose_first_block(std::size_t elements) noexcept {
    if (first_block_.load(mo::relaxed) != 0) return;
    unsigned none = 0;
    first_block_.compare_exchange(none, segment_of(elements - 1) + 1, mo::relaxed, mo::relaxed);
  }
  unsigned first_block() const noexcept { return first_block_.load(mo::relaxed); }

  /// Makes segment k ready, or waits until the thread that claimed it has done so. False if that has failed; throws
  /// what the allocator throws if this thread is the one that failed.
  bool ensure(unsigned k) {
    if (is_ready(k)) return true;
    unsigned const first = first_block_.load(mo::relaxed);
    if (k >= first && k >= embedded && !ensure_large_table()) return false;
    if (!claim(leader(k))) return wait(k);
    allocate_claimed(leader(k), first);
    return true;
  }
  /// For a thread that gives up on an element of segment k: afterwards the segment is ready (true) or failed for ever.
  bool settle(unsigned k) noexcept {
    if (is_ready(k)) return true;
    if (!claim(leader(k))) return wait(k);
    failed_.fetch_or(mask_of(leader(k), first_block()), mo::release);  // [SG1]
    return false;
  }

  // ---- not concurrently with anything else

  /// Lets failed segments be tried again.
  void repair() noexcept {
    claimed_.store(ready_.load(mo::relaxed), mo::relaxed);
    failed_.store(0, mo::relaxed);
    if (ready_.load(mo::relaxed) == 0) reset();
  }
  /// Frees the segments from k on; k is not inside the first block.
  void release_from(unsigned k) noexcept {
    word const ready = ready_.load(mo::relaxed);
    unsigned const first = first_block();
    word blocks = ready & ~(word{1} << large_table) & (~mask_of(0, first) | 1);  // the first block counts once
    for (blocks &= ~word{0} << k; blocks != 0; blocks &= blocks - 1) {
      auto const s = static_cast<unsigned>(__builtin_ctzll(blocks));
      traits::deallocate(allocator_, address(segment_base(s)), block_size(s, first));
    }
    word const kept = ready & ((word{1} << k) - 1);
    ready_.store(kept | (ready & word{1} << large_table), mo::relaxed);
    if (kept == 0) {
      release_large_table();
      reset();
    }
    repair();
  }
  void release_all() noexcept { release_from(0); }

  void swap(segment_table& other) noexcept {
    bool const mine_large = has_large_table();
    bool const others_large = other.has_large_table();
    std::uintptr_t const mine = table_.load(mo::relaxed);
    table_.store(others_large ? other.table_.load(mo::relaxed) : embedded_address(), mo::relaxed);
    other.table_.store(mine_large ? mine : other.embedded_address(), mo::relaxed);
    for (unsigned i = 0; i != embedded_entries; ++i) exchange(embedded_[i], other.embedded_[i]);
    exchange(claimed_, other.claimed_);
    exchange(ready_, other.ready_);
    exchange(failed_, other.failed_);
    exchange(first_block_, other.first_block_);
  }

 private:
  static std::size_t block_size(unsigned leader, unsigned first) noexcept {
    return leader == 0 ? std::size_t{1} << first : segment_size(leader);
  }
  // The segment that stands for the whole block of segment k.
  unsigned leader(unsigned k) const noexcept { return k < first_block() ? 0 : k; }
  static word mask_of(unsigned leader, unsigned first) noexcept {
    if (leader != 0) return word{1} << leader;
    return ((word{1} << first) - 1) | (first > embedded ? word{1} << large_table : 0);
  }
  bool claim(unsigned k) noexcept {
    word const bit = word{1} << k;
    return !(claimed_.fetch_or(bit, mo::relaxed) & bit);
  }
  bool wait(unsigned k) const noexcept {
    for (sync::backoff b;; b.pause()) {
      if (is_ready(k)) return true;
      if (failed_.load(mo::acquire) >> k & 1) return is_ready(k);  // [SG2]
    }
  }
  void publish(word mask) noexcept { ready_.fetch_or(mask, mo::release); }  // [SG1]

  // A block that starts with the large table in need of it owns that table, too.
  void allocate_claimed(unsigned k, unsigned first) {
    word const mask = mask_of(k, first);
    bool const brings_table = k == 0 && first > embedded;
    ASHLAR_TRY {
      if (brings_table) allocate_large_table();
      ASHLAR_TRY {
        T* const block = std::addressof(*traits::allocate(allocator_, block_size(k, first)));
        unsigned const last = k == 0 ? first : k + 1;
        if (k != 0) lsan::ignore(block);  // its entry is another address
        for (unsigned s = k; s != last; ++s) {
          set_entry(s, k == 0 ? reinterpret_cast<std::uintptr_t>(block)
                              : reinterpret_cast<std::uintptr_t>(block) - segment_base(k) * sizeof(T));
        }
      }
      ASHLAR_CATCH_ALL {
        if (brings_table) release_large_table();
        ASHLAR_RETHROW;
      }
    }
    ASHLAR_CATCH_ALL {
      failed_.fetch_or(mask, mo::release);  // [SG1]
      ASHLAR_RETHROW;
    }
    publish(mask);
  }

  bool ensure_large_table() {
    if (is_ready(large_table)) return true;
    // The embedded entries are copied, so they must be final; a first block beyond them brings the table.
    for (unsigned k = 0; k != embedded; ++k) ensure(k);
    if (first_block() > embedded || !claim(large_table)) return wait(large_table);
    ASHLAR_TRY { allocate_large_table(); }
    ASHLAR_CATCH_ALL {
      failed_.fetch_or(word{1} << large_table, mo::release);  // [SG1]
      ASHLAR_RETHROW;
    }
    publish(word{1} << large_table);
    return true;
  }
  void allocate_large_table() {
    entry_allocator a(allocator_);
    entry* const table = std::addressof(*entry_traits::allocate(a, segment_positions));
    for (unsigned i = 0; i != segment_positions; ++i) ::new (static_cast<void*>(table + i)) entry(0);
    std::size_t const first = first_position();
    for (unsigned i = 0; i != embedded_entries; ++i) {
      table[first + i].store(embedded_[i].load(mo::relaxed), mo::relaxed);
    }
    table_.store(reinterpret_cast<std::uintptr_t>(table), mo::release);  // [SG3]
  }
  void release_large_table() noexcept {
    if (!has_large_table()) return;
    entry_allocator a(allocator_);
    entry_traits::deallocate(a, reinterpret_cast<entry*>(table_.load(mo::relaxed)), segment_positions);
    table_.store(embedded_address(), mo::relaxed);
  }
  bool has_large_table() const noexcept { return table_.load(mo::relaxed) != embedded_address(); }

  // The embedded entries stand in the order of the positions; the address is that of position 0, outside of the object.
  static std::size_t first_position() noexcept {
    std::size_t const low = segment_position(0);
    std::size_t const high = segment_position(segment_base(embedded - 1));
    return low < high ? low : high;
  }
  std::uintptr_t embedded_address() const noexcept {
    return reinterpret_cast<std::uintptr_t>(&embedded_[0]) - first_position() * sizeof(entry);
  }
  void set_entry(unsigned k, std::uintptr_t value) noexcept {
    std::size_t const last = segment_base(k) + segment_size(k) - 1;
    for (std::size_t const i : {segment_base(k), last}) {
      reinterpret_cast<entry*>(table_.load(mo::relaxed) + segment_position(i) * sizeof(entry))
          ->store(value, mo::relaxed);
    }
  }

  template <typename Word>
  static void exchange(atomic<Word>& a, atomic<Word>& b) noexcept {
    Word const old = a.load(mo::relaxed);
    a.store(b.load(mo::relaxed), mo::relaxed);
    b.store(old, mo::relaxed);
  }
  void reset() noexcept {
    for (entry& e : embedded_) e.store(0, mo::relaxed);
    table_.store(embedded_address(), mo::relaxed);
    claimed_.store(0, mo::relaxed);
    ready_.store(0, mo::relaxed);
    failed_.store(0, mo::relaxed);
    first_block_.store(0, mo::relaxed);
  }

  atomic<std::uintptr_t> table_;
  entry embedded_[embedded_entries];
  atomic<word> ready_;
  // From here on rarely_read bytes and the allocator.
  atomic<word> claimed_;
  atomic<word> failed_;
  atomic<unsigned> first_block_;
  [[no_unique_address]] Allocator allocator_;
};

}  // namespace containers
}  // namespace v1
}  // namespace ashlar
