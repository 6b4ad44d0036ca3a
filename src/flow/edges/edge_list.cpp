// SPDX-License-Identifier: Apache-2.0
#include <ashlar/flow/edges/edge_list.h>

#include <cstring>
#include <new>

namespace ashlar::inline v1::flow {

// A hash table of the positions of a list's entries, and for each position the one of the same entry before it: an edge
// may have been made several times. One block of memory: this, the table, the positions before.
struct edge_list::index {
  static std::size_t size_for(std::uint32_t room, std::uint32_t cells) noexcept {
    return sizeof(index) + (std::size_t{room} + cells) * sizeof(std::uint32_t);
  }
  // Each cell has a position + 1, or 0.
  std::uint32_t* table() noexcept { return reinterpret_cast<std::uint32_t*>(this + 1); }
  std::uint32_t* before() noexcept { return table() + mask + 1; }
  std::uint32_t home_of(void const* what) const noexcept {
    std::uint64_t const hash = reinterpret_cast<std::uintptr_t>(what) * std::uint64_t{0x9E3779B97F4A7C15};
    return static_cast<std::uint32_t>(hash >> 32) & mask;
  }

  std::uint32_t begin;  // the position of the first entry
  std::uint32_t end;    // one after that of the last one
  std::uint32_t room;   // positions
  std::uint32_t mask;
};

bool edge_list::remove(void* what) noexcept {
  std::size_t const n = size();
  if (n > few) {
    if (auto* const x = static_cast<index*>(more_[-1])) return remove_by_index(*x, what);
    if (more_[n - 1 - own_room] == what) {
      set_size(n - 1);
      return true;
    }
    if (n > 2 * few) return remove_from_many(what);
  }
  return remove_by_search(what, 0);
}

bool edge_list::has(void const* what) const noexcept {
  if (index* const x = get_index()) return *find(*x, what) != 0;
  for (std::size_t i = size(); i-- != 0;) {
    if (at(i) == what) return true;
  }
  return false;
}

// Looks at all entries from `from` on, the latest first.
ASHLAR_ALWAYS_INLINE bool edge_list::remove_by_search(void* what, std::size_t from) noexcept {
  std::size_t const n = size();
  for (std::size_t i = n; i-- != from;) {
    if (at(i) != what) continue;
    for (; i + 1 < n; ++i) set(i, at(i + 1));
    set_size(n - 1);
    return true;
  }
  return false;
}

ASHLAR_NOINLINE bool edge_list::remove_from_many(void* what) noexcept {
  if (remove_by_search(what, size() - few)) return true;
  index* const x = make_index();
  return x != nullptr ? remove_by_index(*x, what) : remove_by_search(what, 0);
}

// ---- lists with an index

// Null without memory.
edge_list::index* edge_list::make_index() noexcept {
  std::uint32_t cells = 4 * few;
  while (cells / 2 < room_) cells *= 2;
  void* const place = ::operator new(index::size_for(room_, cells), std::nothrow);
  if (place == nullptr) return nullptr;
  auto const n = static_cast<std::uint32_t>(size());
  auto* const x = ::new (place) index{0, n, room_, cells - 1};
  enter_all(*x);
  more_[-1] = x;
  room_ = n;
  return x;
}

void edge_list::drop_index() noexcept {
  index* const x = get_index();
  if (x == nullptr) return;
  room_ = x->room;
  more_[-1] = nullptr;
  ::operator delete(x);
}

// The cell of the latest position of `what`, or the empty one where it belongs.
std::uint32_t* edge_list::find(index& x, void const* what) const noexcept {
  std::uint32_t* const table = x.table();
  std::uint32_t i = x.home_of(what);
  while (table[i] != 0 && at(table[i] - 1) != what) i = (i + 1) & x.mask;
  return table + i;
}

void edge_list::enter(index& x, std::uint32_t position, void* what) noexcept {
  std::uint32_t* const cell = find(x, what);
  x.before()[position] = *cell;
  *cell = position + 1;
}

void edge_list::enter_all(index& x) noexcept {
  std::memset(x.table(), 0, (std::size_t{x.mask} + 1) * sizeof(std::uint32_t));
  for (std::uint32_t i = 0; i < x.end; ++i) enter(x, i, at(i));
}

// The position in the cell is to become a gap.
void edge_list::leave(index& x, std::uint32_t* cell) noexcept {
  std::uint32_t const older = x.before()[*cell - 1];
  *cell = older;
  if (older != 0) return;
  // What was put further on because this cell was full moves up.
  std::uint32_t* const table = x.table();
  auto gap = static_cast<std::uint32_t>(cell - table);
  for (std::uint32_t i = (gap + 1) & x.mask; table[i] != 0; i = (i + 1) & x.mask) {
    std::uint32_t const home = x.home_of(at(table[i] - 1));
    if (((i - home) & x.mask) < ((i - gap) & x.mask)) continue;
    table[gap] = table[i];
    table[i] = 0;
    gap = i;
  }
}

bool edge_list::remove_by_index(index& x, void* what) noexcept {
  std::uint32_t* const cell = find(x, what);
  if (*cell == 0) return false;
  std::uint32_t const position = *cell - 1;
  leave(x, cell);
  set(position, nullptr);
  // The first and the last position have entries.
  while (at(x.begin) == nullptr) ++x.begin;
  while (at(x.end - 1) == nullptr) --x.end;
  auto const n = static_cast<std::uint32_t>(size()) - 1;
  set_size(n);
  room_ = n;
  if (n <= few) {
    close_gaps(x);
    drop_index();
  } else if (x.end - x.begin > 2 * n) {
    close_gaps(x);
    enter_all(x);
  }
  return true;
}

void edge_list::close_gaps(index& x) noexcept {
  std::uint32_t to = 0;
  for (std::uint32_t i = x.begin; i < x.end; ++i) {
    if (void* const what = at(i)) set(to++, what);
  }
  x.begin = 0;
  x.end = to;
}

void* edge_list::first_of_many() const noexcept {
  index const* const x = get_index();
  return at(x != nullptr ? x->begin : 0);
}

void* edge_list::last_of_many() const noexcept {
  index const* const x = get_index();
  return at((x != nullptr ? x->end : size()) - 1);
}

void edge_list::copy_to(void** to) const noexcept {
  index const* const x = get_index();
  std::size_t const end = x != nullptr ? x->end : size();
  for (std::size_t i = x != nullptr ? x->begin : 0; i < end; ++i) {
    if (void* const what = at(i)) *to++ = what;
  }
}

// ---- memory

void edge_list::add_slowly(void* what) {
  index* x = get_index();
  auto const n = static_cast<std::uint32_t>(size());
  if (x != nullptr && x->end == x->room) {
    close_gaps(*x);
    if (n <= x->room / 4 * 3) {
      enter_all(*x);
    } else {
      // Nearly full: else the same entries would be moved about again soon.
      drop_index();
      x = nullptr;
    }
  }
  if (x == nullptr) {
    grow();
    set(n, what);
    return set_size(n + 1);
  }
  set(x->end, what);
  enter(*x, x->end++, what);
  set_size(n + 1);
  room_ = n + 1;
}

void edge_list::add_first(void* what) {
  if (index* const x = get_index()) {
    close_gaps(*x);
    drop_index();
  }
  auto const n = static_cast<std::uint32_t>(size());
  if (n == room_) grow();
  for (std::size_t i = n; i-- != 0;) set(i + 1, at(i));
  set(0, what);
  set_size(n + 1);
}

void edge_list::grow() {
  std::size_t const used = room_ - own_room;
  auto** const larger = new void*[std::size_t{2} * room_ - own_room + 1] + 1;
  larger[-1] = nullptr;
  if (used != 0) std::memcpy(larger, more_, used * sizeof *larger);
  free_more();
  more_ = larger;
  room_ *= 2;
}

void edge_list::free_more() noexcept {
  if (more_ == nullptr) return;
  drop_index();
  delete[] (more_ - 1);
}

}  // namespace ashlar::inline v1::flow
