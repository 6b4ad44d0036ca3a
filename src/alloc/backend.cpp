// SPDX-License-Identifier: Apache-2.0
#include "alloc/backend.h"

#include "alloc/os_memory.h"
#include "alloc/page_map.h"

namespace ashlar::inline v1::alloc {

constinit backend central;
constinit page* backend::given_[most_given] = {};

namespace {

constexpr std::size_t bytes_of(std::size_t units) { return units << unit_shift; }

std::uintptr_t start_of(page const* pg) { return pg->start.get(); }

void set_ends(page* run, page* value) {
  map.set(start_of(run), value);
  map.set(start_of(run) + bytes_of(run->units - 1), value);
}

void set_all(page* run, page* value) {
  for (std::uint32_t i = 0; i < run->units; ++i) {
    map.set(start_of(run) + bytes_of(i), value);
  }
}

template <typename T>
constexpr T least(T a, T b) {
  return a < b ? a : b;
}

}  // namespace

void* backend::metadata_locked(std::size_t bytes, std::size_t align) noexcept {
  auto const up = [](std::size_t n, std::size_t to) { return (n + to - 1) & ~(to - 1); };
  bytes = up(bytes, 4096);
  std::size_t skipped = -reinterpret_cast<std::uintptr_t>(metadata_at_) & (align - 1);
  if (bytes + skipped > metadata_left_) {
    std::size_t const step = metadata_bytes_ < (std::size_t{1} << 20) ? std::size_t{64} << 10 : std::size_t{256} << 10;
    std::size_t const wanted = up(bytes > step ? bytes : step, system_page());
    std::size_t const guard = guard_bytes < system_page() ? 0 : guard_bytes;
    char* const fresh = static_cast<char*>(os_map(wanted + 2 * guard));
    if (!fresh) {
      return nullptr;
    }
    os_guard(fresh, guard, true);
    os_guard(fresh + guard + wanted, guard, true);
    metadata_at_ = fresh + guard;
    metadata_left_ = wanted;
    metadata_bytes_ += metadata_left_;
    skipped = 0;
  }
  char* const p = metadata_at_ + skipped;
  metadata_at_ += skipped + bytes;
  metadata_left_ -= skipped + bytes;
  return p;
}

void* backend::metadata(std::size_t bytes) noexcept {
  slow_guard const g(lock_);
  return metadata_locked(bytes, 4096);
}

// Descriptors come in groups, a system page each, so that the memory of unused ones can go back. One whose address
// can't be a signature is left out, and its group stays.
page* backend::new_page() noexcept {
  if (spare_pages_ == nullptr) {
    page* const group =
        given_count_ ? given_[--given_count_] : static_cast<page*>(metadata_locked(system_page(), system_page()));
    for (std::size_t i = group != nullptr ? descriptors_in_group() : 0; i-- > 0;) {
      if (block::can_sign(group + i)) {
        drop_page(group + i);
      }
    }
  }
  page* const pg = spare_pages_;
  if (pg != nullptr) {
    spare_pages_ = pg->next;
  }
  return pg;
}

void backend::drop_page(page* pg) noexcept {
  pg->kind.store(page_kind::none, mo::relaxed);
  pg->units = 0;
  pg->next = spare_pages_;
  spare_pages_ = pg;
}

// Gives back groups of which no descriptor is in use. What a late reader finds there is zeroes, a page that accepts
// nothing. The first descriptor of a group counts in `dirty`, which means nothing in an unused one; descriptors in
// use have units.
void backend::give_descriptors() noexcept {
  auto const first_of = [](page* pg) {
    return reinterpret_cast<page*>(reinterpret_cast<std::uintptr_t>(pg) & ~(system_page() - 1));
  };
  for (page* pg = spare_pages_; pg != nullptr; pg = pg->next) {
    page* const first = first_of(pg);
    if (first->units == 0) {
      first->dirty = 0;
    }
  }
  for (page* pg = spare_pages_; pg != nullptr; pg = pg->next) {
    page* const first = first_of(pg);
    if (first->units == 0) {
      ++first->dirty;
    }
  }
  std::size_t const before = given_count_;
  for (page* pg = spare_pages_; pg != nullptr; pg = pg->next) {
    if (pg == first_of(pg) && pg->dirty == descriptors_in_group() && given_count_ < most_given) {
      given_[given_count_++] = pg;
      ++pg->dirty;  // marks the group
    }
  }
  page* kept = nullptr;
  for (page* pg = spare_pages_; pg;) {
    page* const next = pg->next;
    page const* const first = first_of(pg);
    if (first->units != 0 || first->dirty <= descriptors_in_group()) {
      pg->next = kept;
      kept = pg;
    }
    pg = next;
  }
  spare_pages_ = kept;
  for (std::size_t i = before; i < given_count_; ++i) {
    os_purge(given_[i], system_page());
  }
}

// Puts a run that has no map entries yet into its bin; its neighbours are not free.
void backend::insert(page* run) noexcept {
  run->kind.store(page_kind::free_run, mo::relaxed);
  free_units_ += run->units;
  dirty_units_ += run->dirty;
  set_ends(run, run);
  (run->dirty ? dirty_bins_ : clean_bins_).insert(run);
}

// Takes a free run out of everything, map entries included.
void backend::remove(page* run) noexcept {
  free_units_ -= run->units;
  dirty_units_ -= run->dirty;
  set_ends(run, nullptr);
  run->kind.store(page_kind::none, mo::relaxed);
  (run->dirty ? dirty_bins_ : clean_bins_).remove(run);
}

// Joins a run that is in no structure with the free runs beside it.
page* backend::join(page* run) noexcept {
  page* const before = map.find(reinterpret_cast<void*>(start_of(run) - unit_bytes));
  if (before && before->kind.load(mo::relaxed) == page_kind::free_run) {
    remove(before);
    before->units += run->units;
    before->dirty += run->dirty;
    before->has_signed = before->has_signed || run->has_signed;
    drop_page(run);
    run = before;
  }
  page* const after = map.find(reinterpret_cast<void*>(start_of(run) + bytes_of(run->units)));
  if (after != nullptr && after->kind.load(mo::relaxed) == page_kind::free_run) {
    remove(after);
    run->units += after->units;
    run->dirty += after->dirty;
    run->has_signed = run->has_signed || after->has_signed;
    drop_page(after);
  }
  return run;
}

// Cuts a run of `units` out of the free ones, dirty memory first, which costs no page faults.
page* backend::cut(std::uint32_t units, std::uint32_t align, bool all) noexcept {
  std::uint32_t const wanted = units + align - 1;
  page* run = dirty_bins_.find(wanted);
  if (run == nullptr && !(run = clean_bins_.find(wanted))) {
    return nullptr;
  }
  std::size_t const index = start_of(run) >> unit_shift;
  std::uint32_t const front = static_cast<std::uint32_t>(-index & (align - 1));
  std::uint32_t const back = run->units - front - units;
  page* const first = front ? new_page() : nullptr;
  page* const last = back ? new_page() : nullptr;
  if ((front && first == nullptr) || (back && last == nullptr)) {
    if (first != nullptr) {
      drop_page(first);
    }
    return nullptr;
  }
  remove(run);
  std::uint32_t const dirty = run->dirty;
  std::uintptr_t const start = start_of(run);
  auto const put = [&](page* pg, std::uintptr_t at, std::uint32_t length) {
    if (pg != nullptr) {
      pg->start.set(at);
      pg->units = length;
      pg->dirty = least(dirty, length);
      pg->has_signed = run->has_signed;
      pg->owner.set(nullptr);
      pg->bound.set(0);
      insert(pg);
    }
  };
  put(first, start, front);
  put(last, start + bytes_of(front + units), back);
  run->start.set(start + bytes_of(front));
  run->units = units;
  run->zeroed = dirty == 0;
  if (all) {
    set_all(run, run);
  } else {
    set_ends(run, run);
  }
  // Where the dirty part of a run lies is not known. The rest keeps as much of it as it has room for; so what is taken
  // counts as fresh first, and the sum is right once all of the run has been taken.
  std::uint32_t const taken_dirty = dirty - least(dirty, front + back);
  if (taken_dirty < units) {
    count_fresh_memory(bytes_of(units), bytes_of(units - taken_dirty));
  }
  least_dirty_ = least(least_dirty_, dirty_units_);
  return run;
}

page* backend::take(std::uint32_t units, std::uint32_t align, bool all) noexcept {
  {
    slow_guard const g(lock_);
    if (page* const pg = cut(units, align, all)) {
      return pg;
    }
  }
  std::uint32_t const wanted = units + align - 1;
  bool const limited = above_limit(bytes_of(wanted));
  if (limited) {
    reclaim_from_heaps();
  }
  {
    slow_guard const g(lock_);
    page* pg = limited ? cut(units, align, all) : nullptr;
    if (pg != nullptr) {
      return pg;
    }
    // A heap that is above the limit for good reasons stays as large as it is.
    unmap_to_limit(bytes_of(wanted), 0, bytes_of(wanted));
    if (grow(wanted) && (pg = cut(units, align, all))) {
      return pg;
    }
  }
  // The system has no memory.
  reclaim_from_heaps();
  slow_guard const g(lock_);
  trim_locked(0, true);
  page* const pg = cut(units, align, all);
  return pg != nullptr || !grow(wanted) ? pg : cut(units, align, all);
}

void backend::give(page* pg, bool all) noexcept {
  slow_guard const g(lock_);
  if (all) {
    set_all(pg, nullptr);
  } else {
    set_ends(pg, nullptr);
  }
  pg->owner.set(nullptr);
  pg->bound.set(0);
  pg->dirty = pg->units;
  insert(join(pg));
  decay();
  std::size_t keep = budget();
  // Where much is in use more is kept, or the rise to every peak above the limit would cost page faults. As the program
  // frees all it has, what remains in use is what heaps keep, and nothing above the limit stays.
  std::size_t const wanted = limit() + mapped_.load(mo::relaxed) - bytes_of(free_units_);
  std::size_t const kept_above_limit = least(keep, wanted - least(wanted, kept_by_heaps));
  if (above_limit(0) && bytes_of(dirty_units_) > kept_above_limit) {
    unmap_to_limit(0, kept_above_limit - kept_above_limit / 32, ~std::size_t{0});
  }
  if (bytes_of(dirty_units_) > keep) {
    if (adaptive_budget_ > least_budget && coarse_ms() - last_thrash_ms_ > 1000) {
      adaptive_budget_ /= 2;
      last_thrash_ms_ = coarse_ms();
      keep = budget();
    }
    // A quarter less than allowed, so that not every further call has to purge.
    trim_locked(keep - keep / 4, false);
  }
}

bool backend::extend(page* pg, std::uint32_t units) noexcept {
  slow_guard const g(lock_);
  page* const after = map.find(reinterpret_cast<void*>(start_of(pg) + bytes_of(pg->units)));
  std::uint32_t const more = units - pg->units;
  if (after == nullptr || after->kind.load(mo::relaxed) != page_kind::free_run || after->units < more) {
    return false;
  }
  remove(after);
  set_ends(pg, nullptr);
  pg->has_signed = pg->has_signed || after->has_signed;
  std::uint32_t const rest = after->units - more;
  if (rest) {
    after->start.set(start_of(after) + bytes_of(more));
    after->units = rest;
    after->dirty = least(after->dirty, rest);
    insert(after);
  } else {
    drop_page(after);
  }
  pg->units = units;
  set_ends(pg, pg);
  return true;
}

void backend::shorten(page* pg, std::uint32_t units) noexcept {
  slow_guard const g(lock_);
  page* const rest = new_page();
  if (!rest) {
    return;
  }
  set_ends(pg, nullptr);
  rest->start.set(start_of(pg) + bytes_of(units));
  rest->units = pg->units - units;
  rest->dirty = rest->units;
  rest->has_signed = pg->has_signed;
  rest->owner.set(nullptr);
  rest->bound.set(0);
  pg->units = units;
  set_ends(pg, pg);
  insert(join(rest));
  if (bytes_of(dirty_units_) > budget()) {
    trim_locked(budget() - budget() / 4, false);
  }
}

bool backend::move(page* from, page* to, std::size_t bytes) noexcept {
  slow_guard const g(lock_);
  if (!os_move(from->begin(), bytes, to->begin(), bytes)) {
    return false;
  }
  to->has_signed = to->has_signed || from->has_signed;
  // The old addresses are the system's again; what lay behind `bytes` still is ours and goes too.
  std::size_t const whole = bytes_of(from->units);
  set_ends(from, nullptr);
  if (whole > bytes) {
    os_unmap(from->begin() + bytes, whole - bytes);
  }
  mapped_.store(mapped_.load(mo::relaxed) - whole, mo::relaxed);
  from->bound.set(0);
  drop_page(from);
  return true;
}

backend_figures backend::figures() noexcept {
  slow_guard const g(lock_);
  backend_figures f;
  f.mapped = mapped_.load(mo::relaxed);
  f.used = f.mapped - bytes_of(free_units_);
  f.dirty = bytes_of(dirty_units_);
  f.metadata = metadata_bytes_;
  return f;
}

}  // namespace ashlar::inline v1::alloc
