// SPDX-License-Identifier: Apache-2.0
// The backend's dealings with the system: when memory is asked for, and when it is given back (backend.h).
#include "alloc/backend.h"

#include "alloc/page_map.h"

namespace ashlar::inline v1::alloc {

namespace {

constexpr std::size_t bytes_of(std::size_t units) { return units << unit_shift; }
std::uintptr_t page_before(std::uintptr_t at) { return at & ~(std::uintptr_t{system_page()} - 1); }
std::uintptr_t page_after(std::uintptr_t at) { return page_before(at + system_page() - 1); }
constexpr std::size_t least(std::size_t a, std::size_t b) { return a < b ? a : b; }

}  // namespace

std::size_t backend::budget() const noexcept {
  std::size_t const used = mapped_.load(mo::relaxed) - bytes_of(free_units_);
  std::size_t const wanted =
      large_missed_ ? least(adaptive_budget_, most_budget_for(most_small + 1, used)) : adaptive_budget_;
  return wanted > used / 16 ? wanted : used / 16;
}

// A run was handed out, and so much of it costs page faults: too early a return of it is what the budget learns from.
// What is longer than all that was given back was not missed: an array that grows frees ever longer runs, and none
// serves the next one.
void backend::count_fresh_memory(std::size_t bytes, std::size_t fresh) noexcept {
  if (!last_purge_ms_) {
    return;
  }
  std::uint64_t const now = coarse_ms();
  if (now - last_purge_ms_ > soon_ms || bytes > longest_purged_) {
    return;
  }
  purged_since_refetch_ = 0;
  refetched_ += fresh;
  if (refetched_ > adaptive_budget_ / 2) {
    refetched_ = 0;
    last_thrash_ms_ = now;
    if (adaptive_budget_ < most_budget_for(bytes, mapped_.load(mo::relaxed) - bytes_of(free_units_))) {
      adaptive_budget_ += adaptive_budget_ / 2;
      large_missed_ = bytes > most_small;
    }
    keeps_more_.store(true, mo::relaxed);
  }
}

void backend::see_purge(page const* run) noexcept {
  std::uint64_t const now = coarse_ms();
  if (now - last_purge_ms_ > soon_ms || bytes_of(run->units) > longest_purged_) {
    longest_purged_ = bytes_of(run->units);
  }
  last_purge_ms_ = now;
}

void backend::count_purge(page const* run) noexcept {
  see_purge(run);
  purged_since_refetch_ += bytes_of(run->dirty);
  if (purged_since_refetch_ > adaptive_budget_ && adaptive_budget_ > least_budget) {
    adaptive_budget_ /= 2;
    purged_since_refetch_ = 0;
  }
}

// What is never needed within half a second is kept for nobody. Half of it at a time, because the next one may differ.
void backend::decay() noexcept {
  if (adaptive_budget_ <= least_budget) {
    keeps_more_.store(false, mo::relaxed);
    return;
  }
  most_dirty_ = most_dirty_ > dirty_units_ ? most_dirty_ : dirty_units_;
  std::uint64_t const now = coarse_ms();
  if (now - last_decay_ms_.load(mo::relaxed) < decay_ms) {
    return;
  }
  std::size_t const unneeded = bytes_of(least(least_dirty_, dirty_units_));
  if (unneeded > least_budget) {
    std::size_t const kept = least(adaptive_budget_, bytes_of(most_dirty_));
    std::size_t const lower = kept - least(kept, unneeded / 2);
    adaptive_budget_ = lower > least_budget ? lower : least_budget;
  }
  least_dirty_ = most_dirty_ = dirty_units_;
  last_decay_ms_.store(now, mo::relaxed);
}

void backend::rest() noexcept {
  if (coarse_ms() - last_decay_ms_.load(mo::relaxed) < decay_ms || !lock_.try_lock()) {
    return;  // not yet, or another thread is at it
  }
  decay();
  std::size_t const keep = budget();
  if (bytes_of(dirty_units_) > keep) {
    trim_locked(keep - keep / 4, false);
  }
  lock_.unlock();
}

bool backend::map_region(std::size_t bytes) noexcept {
  bytes = page_after(bytes);
  // The system chooses the place: it fills holes, where a place of our choice would march through the address space
  // and touch ever new parts of the page map.
  std::uintptr_t start = reinterpret_cast<std::uintptr_t>(os_map(bytes));
  if (!start) {
    return false;
  }
  if (start & (unit_bytes - 1)) {
    // Once the regions are aligned, the next one below usually is too; this one is not.
    os_unmap(reinterpret_cast<void*>(start), bytes);
    std::size_t const more = bytes + unit_bytes;
    std::uintptr_t const raw = reinterpret_cast<std::uintptr_t>(os_map(more));
    if (!raw) {
      return false;
    }
    start = (raw + unit_bytes - 1) & ~(unit_bytes - 1);
    if (start != raw) {
      os_unmap(reinterpret_cast<void*>(raw), start - raw);
    }
    os_unmap(reinterpret_cast<void*>(start + bytes), raw + more - start - bytes);
  }
  page* const run = map.cover(start, bytes) ? new_page() : nullptr;
  if (run == nullptr) {
    os_unmap(reinterpret_cast<void*>(start), bytes);
    return false;
  }
  if (huge_pages_.load(mo::relaxed) && bytes >= unmap_from) {
    os_want_huge_pages(reinterpret_cast<void*>(start), bytes);
  }
  mapped_.store(mapped_.load(mo::relaxed) + bytes, mo::relaxed);
  run->start.set(start);
  run->units = static_cast<std::uint32_t>(bytes >> unit_shift);
  run->dirty = 0;
  run->has_signed = false;
  run->owner.set(nullptr);
  run->bound.set(0);
  insert(join(run));
  return true;
}

bool backend::grow(std::uint32_t units) noexcept {
  std::size_t const least_bytes = bytes_of(units);
  std::size_t step = std::size_t{1} << 20;
  if (least_bytes < step) {
    while (step < (std::size_t{64} << 20) && step * 16 <= mapped_.load(mo::relaxed) && !above_limit(step * 2)) {
      step *= 2;
    }
    if (map_region(step)) {
      return true;
    }
  }
  return map_region(least_bytes);
}

// Gives the system the address space of a run that is in no structure, or of its last part: at least `most` bytes
// if it has them, and not much more. The rest is free again. Bytes given; 0: nothing happened.
std::size_t backend::unmap_run(page* run, std::size_t most) noexcept {
  std::size_t const whole = bytes_of(run->units);
  std::uintptr_t const begin = run->start.get();
  std::uintptr_t const end = begin + whole;
  std::size_t const wanted = (most + unmap_step + unit_bytes - 1) & ~(unit_bytes - 1);
  std::uintptr_t const from = page_after(most < whole && wanted < whole ? end - wanted : begin);
  std::uintptr_t const to = page_before(end);
  page* const rest = to != end ? new_page() : nullptr;
  bool const unmapped =
      from < to && (to == end || rest != nullptr) && os_unmap(reinterpret_cast<void*>(from), to - from);
  if (!unmapped) {
    if (rest != nullptr) {
      drop_page(rest);
    }
    return 0;
  }
  mapped_.store(mapped_.load(mo::relaxed) - (to - from), mo::relaxed);
  auto const keep = [&](page* part, std::uintptr_t start, std::uintptr_t stop) {
    part->start.set(start);
    part->units = static_cast<std::uint32_t>((stop - start) >> unit_shift);
    part->dirty = run->dirty < part->units ? run->dirty : part->units;
    part->has_signed = run->has_signed;
    part->owner.set(nullptr);
    part->bound.set(0);
    insert(part);
  };
  if (rest != nullptr) {
    keep(rest, to, end);
  }
  if (from != begin) {
    keep(run, begin, from);
  } else {
    drop_page(run);
  }
  return to - from;
}

// Unmaps free memory, first what has no memory behind it, until `more` bytes fit below the limit, only about `keep`
// bytes are dirty, or at least `most` bytes are given.
void backend::unmap_to_limit(std::size_t more, std::size_t keep, std::size_t most) noexcept {
  std::size_t const before = mapped_.load(mo::relaxed);
  while (above_limit(more)) {
    std::size_t const mapped = mapped_.load(mo::relaxed);
    std::size_t wanted = least(mapped + more - limit(), most - least(most, before - mapped));
    page* run = clean_bins_.longest();
    if (run == nullptr || bytes_of(run->units) < hole_from) {
      std::size_t const dirty = bytes_of(dirty_units_);
      wanted = least(wanted, dirty - least(dirty, keep));
      run = dirty_bins_.longest();
      if (run != nullptr) {
        see_purge(run);
      }
    }
    if (!wanted || run == nullptr || bytes_of(run->units) < hole_from) {
      return;
    }
    remove(run);
    if (!unmap_run(run, wanted)) {
      insert(run);
      return;
    }
  }
}

// Purges the longest run: that costs least per byte, and short ones may still grow together. The lock is released
// meanwhile; the run is nobody's then.
std::size_t backend::purge_longest(bool unmap) noexcept {
  page* const run = dirty_bins_.longest();
  std::size_t const bytes = bytes_of(run->dirty);
  remove(run);
  count_purge(run);
  std::size_t const whole = bytes_of(run->units);
  if (whole >= (unmap ? hole_from : unmap_from) && unmap_run(run, whole)) {
    return bytes;
  }
  lock_.unlock();
  os_purge(run->begin(), bytes_of(run->units));
  lock_.lock();
  run->dirty = 0;
  run->has_signed = false;
  insert(join(run));
  return bytes;
}

std::size_t backend::trim_locked(std::size_t keep, bool unmap) noexcept {
  std::size_t given = 0;
  while (dirty_units_ && bytes_of(dirty_units_) > keep) {
    given += purge_longest(unmap);
  }
  if (unmap) {
    // Address space without memory counts against the limit too.
    while (page* const run = clean_bins_.find(hole_from >> unit_shift)) {
      remove(run);
      std::size_t const bytes = unmap_run(run, bytes_of(run->units));
      if (!bytes) {
        insert(run);
        break;
      }
      given += bytes;
    }
  }
  return given;
}

std::size_t backend::trim(std::size_t keep, bool unmap) noexcept {
  slow_guard const g(lock_);
  std::size_t const given = trim_locked(keep, unmap);
  if (unmap) {
    give_descriptors();
  }
  return given;
}

}  // namespace ashlar::inline v1::alloc
