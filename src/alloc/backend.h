// SPDX-License-Identifier: Apache-2.0
// The memory that all heaps share: takes address space from the system in growing steps, hands out runs of units
// and joins what comes back. Wholly free memory goes back to the system beyond a budget, at once and by the thread
// that frees, because there is no background thread and nobody may come by later. The budget starts at 4 MB,
// is at least a sixteenth of what is in use, and grows by half when memory is asked for soon after it was given back,
// up to what is in use (or see most_budget_for). When too much is free after a second without such an event it is
// halved again; giving back the whole budget meanwhile does the same, the program is shrinking then. Every half second,
// half of what was kept all the time and not needed comes off it. Above the soft limit it is at most the limit and what
// is in use.
//
// Threads: any; one lock, held for list operations and, rarely, for the mapping of new memory. Giving memory back
// happens outside of the lock.
#pragma once

#include "alloc/lock.h"
#include "alloc/os_memory.h"
#include "alloc/page.h"
#include "alloc/run_bins.h"
#include "alloc/size_class.h"

namespace ashlar {
inline namespace v1 {
namespace alloc {

struct backend_figures {
  std::size_t mapped = 0;  // from the system, for objects
  std::size_t used = 0;    // in pages of heaps and in large objects
  std::size_t dirty = 0;   // free and possibly holding memory
  std::size_t metadata = 0;
};

class backend {
 public:
  // A run whose first unit lies at a multiple of `align` units (a power of two); null without memory. The entries
  // of its first and last unit lead to it, with `all` those of every unit. The caller fills the rest of the page.
  page* take(std::uint32_t units, std::uint32_t align, bool all) noexcept;
  // The page must be of no more use to anybody, and without a guard.
  void give(page* pg, bool all) noexcept;
  // Lengthens the run in place, if the memory behind it is free, to `units`.
  bool extend(page* pg, std::uint32_t units) noexcept;
  // Shortens the run in place.
  void shorten(page* pg, std::uint32_t units) noexcept;
  // Moves the memory of `from` to `to` by page tables; `from` ends. False: nothing happened.
  bool move(page* from, page* to, std::size_t bytes) noexcept;

  // Gives back free memory until at most `keep` bytes of it are dirty; with `unmap`, address space too. Bytes given.
  std::size_t trim(std::size_t keep, bool unmap) noexcept;

  // Memory for the allocator's own structures, zeroed, never freed.
  void* metadata(std::size_t bytes) noexcept;

  void set_limit(std::size_t bytes) noexcept { limit_.store(bytes, mo::relaxed); }
  std::size_t limit() const noexcept { return limit_.load(mo::relaxed); }
  bool above_limit(std::size_t more) const noexcept {
    std::size_t const l = limit_.load(mo::relaxed);
    return ASHLAR_UNLIKELY(l != 0) && mapped_.load(mo::relaxed) + more > l;
  }
  void set_huge_pages(bool on) noexcept { huge_pages_.store(on, mo::relaxed); }
  bool huge_pages() const noexcept { return huge_pages_.load(mo::relaxed); }
  backend_figures figures() noexcept;

  // For threads that come by without need: rest() gives back what the program does not miss. There is none where no
  // more is kept than at least.
  bool may_rest() const noexcept { return keeps_more_.load(mo::relaxed); }
  void rest() noexcept;

  slow_lock& lock() noexcept { return lock_; }

 private:
  page* new_page() noexcept;
  void drop_page(page* pg) noexcept;
  void give_descriptors() noexcept;
  page* cut(std::uint32_t units, std::uint32_t align, bool all) noexcept;
  void insert(page* run) noexcept;
  void remove(page* run) noexcept;
  page* join(page* run) noexcept;
  void put_rest(page* pg, std::uint32_t units) noexcept;
  bool grow(std::uint32_t units) noexcept;
  bool map_region(std::size_t bytes) noexcept;
  void count_fresh_memory(std::size_t bytes, std::size_t fresh) noexcept;
  void see_purge(page const* run) noexcept;
  void count_purge(page const* run) noexcept;
  void decay() noexcept;
  std::size_t budget() const noexcept;
  std::size_t purge_longest(bool unmap) noexcept;
  std::size_t unmap_run(page* run, std::size_t most) noexcept;
  void unmap_to_limit(std::size_t more, std::size_t keep, std::size_t most) noexcept;
  std::size_t trim_locked(std::size_t keep, bool unmap) noexcept;
  void* metadata_locked(std::size_t bytes, std::size_t align) noexcept;

  static constexpr std::size_t kept_by_heaps = std::size_t{4} << 20;  // about twice what a small program's heaps keep
  static constexpr std::size_t least_budget = std::size_t{4} << 20;
  static constexpr std::size_t most_small = std::size_t{512} << 10;  // the longest page of a heap
  // By what is missed. Small objects come back in pages, of which few are enough. Large objects are few, and each of
  // them is missed at the cost of many page faults: as much as is in use may be kept for the next ones, and as the
  // program frees what it uses, that goes as well.
  static constexpr std::size_t most_budget_for(std::size_t bytes, std::size_t used) noexcept {
    constexpr std::size_t mb = std::size_t{1} << 20;
    if (bytes <= most_small) {
      return bytes <= (std::size_t{32} << 10) ? 36 * mb : 160 * mb;
    }
    return used > 48 * mb ? used : 48 * mb;
  }
  static constexpr std::uint64_t soon_ms = 100;
  static constexpr std::uint64_t decay_ms = 500;
  static constexpr std::size_t unmap_from = std::size_t{2} << 20;  // shorter runs keep their address space
  static constexpr std::size_t hole_from = std::size_t{64} << 10;  // the same when space itself is wanted
  static constexpr std::size_t unmap_step = std::size_t{1} << 20;  // of long runs, so much more than is wanted

  static std::size_t descriptors_in_group() noexcept { return system_page() / sizeof(page); }
  static constexpr std::size_t most_given = 2048;

  slow_lock lock_;
  run_bins dirty_bins_;
  run_bins clean_bins_;
  page* spare_pages_ = nullptr;
  // Groups of unused descriptors without memory. Static, as there is one backend: so its zeroes are in no file.
  static page* given_[most_given];
  std::size_t given_count_ = 0;
  char* metadata_at_ = nullptr;
  std::size_t metadata_left_ = 0;
  std::size_t metadata_bytes_ = 0;
  std::size_t dirty_units_ = 0;
  std::size_t free_units_ = 0;
  std::size_t adaptive_budget_ = least_budget;
  bool large_missed_ = false;  // that is what the budget grew by last
  std::size_t refetched_ = 0;
  std::size_t purged_since_refetch_ = 0;
  std::size_t longest_purged_ = 0;  // of the runs that were given back shortly after each other
  std::uint64_t last_purge_ms_ = 0;
  std::uint64_t last_thrash_ms_ = 0;
  // The least and the most of dirty_units_ since the last decay.
  std::size_t least_dirty_ = 0;
  std::size_t most_dirty_ = 0;
  atomic<std::uint64_t> last_decay_ms_{0};  // written under the lock
  atomic<std::size_t> mapped_{0};
  atomic<std::size_t> limit_{0};
  atomic<bool> huge_pages_{false};
  atomic<bool> keeps_more_{false};  // the budget is above the least
};

extern backend central;

// The guard at a page's end, which stays while a heap keeps the page for itself.
inline void guard(page const* pg, bool on) noexcept {
  os_guard(pg->begin() + pg->bytes() - guard_bytes, guard_bytes, on);
}
inline void give_guarded(page* pg, bool all) noexcept {
  guard(pg, false);
  central.give(pg, all);
}

// Gives back what heaps keep beyond their needs; called without locks when the limit is reached or the system has no
// memory. Defined by thread_heap.cpp.
void reclaim_from_heaps() noexcept;

}  // namespace alloc
}  // namespace v1
}  // namespace ashlar
