// SPDX-License-Identifier: Apache-2.0
// The pace at which a heap takes its mail, in the allocator's own sources: one thread allocates while others free, and
// what waits for it is bounded as src/alloc/README.md says ("What is held"); no object is lost. Made here is only what
// heaps call. The descriptors of pages lie so that they share one slot of a freer: an object that is freed after one of
// another page becomes a message of its own.
//
// The bound is required of mail that the owner can know of: what was sent before something that its thread has read.
#include <doctest/doctest.h>

#include "alloc/free_check.cpp"
#include "alloc/heap.cpp"
#include "alloc/holes.cpp"
#include "alloc/remote.cpp"
#include "scenes.h"

#include <cstdlib>
#include <vector>

using namespace ashlar;
using alloc::heap;
using alloc::page;

namespace {

constexpr std::size_t size = 256;
constexpr std::size_t other_size = 240;
constexpr std::size_t in_page = alloc::unit_bytes / size;
constexpr std::size_t most_pages = 40;
constexpr std::size_t apart = 64;  // descriptors, for the same slot

constinit page descriptors[most_pages * apart];
alignas(1 << 20) char memory[most_pages * alloc::unit_bytes];

struct owner_of_objects;
owner_of_objects* now;  // of the execution

}  // namespace

namespace ashlar::inline v1::alloc {

constinit backend central;
constinit page_map map;
constinit secrets secret{};
constinit thread_local heap* current_heap = &no_heap;

bool page_map::cover(std::uintptr_t start, std::size_t) noexcept {
  alignas(leaf) static char zeroes[sizeof(leaf)];
  model::beside(zeroes);
  leaves_[start >> leaf_shift].store(reinterpret_cast<leaf*>(zeroes), mo::relaxed);
  return true;
}

void backend::give(page*, bool) noexcept {}
void backend::rest() noexcept {}
bool large_cache::give_all() noexcept { return false; }
void* allocate_alone(large_cache&, std::size_t, rare_classes::counter&) noexcept { return nullptr; }
void tend_idle_heap(heap*) noexcept { model::require(false, "no heap is idle"); }
void for_each_heap(void (*)(heap const&, void*), void*) noexcept {}
void free_with_care(void*) noexcept { model::require(false, "an object is freed twice"); }
std::size_t system_page() noexcept { return 4096; }
void os_purge(void*, std::size_t) noexcept {}
void os_guard(void*, std::size_t, bool) noexcept {}
void fatal(char const* what, void const*) noexcept {
  model::require(false, what);
  std::abort();
}

}  // namespace ashlar::inline v1::alloc

namespace {

// A thread's heap. Its inbox is the only part of it that several threads use.
struct thread_heap {
  alignas(heap) char place[sizeof(heap)];
  heap& h;
  thread_heap() : h(*new (place) heap) {
    auto* const mail = reinterpret_cast<char*>(&h.mail());
    model::beside(place, static_cast<std::size_t>(mail - place));
    model::label(h.mail(), "inbox");
  }
  ~thread_heap() { h.~heap(); }
};

struct owner_of_objects {
  thread_heap mine;
  std::size_t pages = 0;
  bool new_page = false;
  // Lists of messages that the owner has not seen yet, and a bit for each that has been sent.
  std::vector<alloc::message*> lists[8];
  atomic<std::uint32_t> sent{0};
  std::uint32_t known = 0;  // bits of those that the owner's thread can know of
  // Since mail waits without a break, in the README's words:
  std::int64_t lived = 0;   // L
  std::int64_t handed = 0;  // H
  std::int64_t seen = 0;    // messages

  owner_of_objects() {
    now = this;
    model::beside(alloc::map);
    model::beside(alloc::central);
    model::beside(alloc::clean_epoch);
    model::beside(descriptors);
    alloc::map.cover(reinterpret_cast<std::uintptr_t>(memory), sizeof(memory));
  }

  template <typename Use>
  void each_page(Use const& use) {
    for (std::size_t i = 0; i != pages; ++i) {
      page const* const pg = &descriptors[i * apart];
      if (pg->kind.load(mo::relaxed) == alloc::page_kind::small) use(pg, mine.h.active(pg->size_class) == pg);
    }
  }
  static std::int64_t free_objects(page const* pg) {
    std::int64_t n = (pg->fresh_end - pg->fresh) / pg->block_size.load(mo::relaxed);
    for (alloc::block const* list : {pg->free, pg->reserve}) {
      for (; list != nullptr; list = list->next()) ++n;
    }
    return n;
  }
  // Free objects of active pages.
  std::int64_t at_hand() {
    std::int64_t n = 0;
    each_page([&n](page const* pg, bool active) { n += active ? free_objects(pg) : 0; });
    return n;
  }
  // Objects that the program has, that are at hand for it, or that have not come back yet.
  std::int64_t out() {
    std::int64_t n = 0;
    each_page([&n](page const* pg, bool active) {
      n += active ? static_cast<std::int32_t>(pg->capacity) : pg->needed + pg->slack;
    });
    return n;
  }

  // Heads of messages have a number of objects until they have come back.
  static bool is_back(alloc::message const* m) { return m->count() == 0; }

  void check(std::int64_t given) {
    std::int64_t const visit = alloc::mail_pace::visit;
    std::int64_t mail = 0;
    for (unsigned i = 0; i != 8; ++i) {
      seen += static_cast<std::int64_t>(std::erase_if(lists[i], is_back));
      if ((known >> i & 1) == 0) continue;
      for (alloc::message const* m : lists[i]) mail += m->count();
    }
    handed += given;
    if (mail == 0) {
      lived = out();
      handed = seen = 0;
      return;
    }
    std::int64_t const unpaid = new_page ? 0 : given;
    model::require(seen >= 2 * (handed - unpaid) - visit, "mail is taken more slowly than it may come");
    model::require(mail <= lived + 2 * unpaid + visit - handed, "more mail waits than may");
  }

  void* allocate_one(std::size_t bytes = size) {
    unsigned const c = alloc::compute_class(bytes);
    page* const pg = mine.h.active(c);
    if (pg->free != nullptr) return mine.h.pop(pg, pg->free);
    if (pg->fresh != pg->fresh_end) return pg->take_fresh();
    known = sent.load(mo::acquire);
    std::int64_t const before = at_hand();
    new_page = false;
    void* const p = mine.h.allocate_slow(c);
    check(at_hand() + 1 - before);
    return p;
  }
  std::vector<void*> allocate(std::size_t n, std::size_t bytes = size) {
    std::vector<void*> objects(n);
    for (void*& p : objects) p = allocate_one(bytes);
    return objects;
  }

  // Another thread frees with its heap: at most 128 objects at a time, which are sent at once.
  void free(unsigned list, heap& its, std::vector<void*> const& objects) {
    for (void* p : objects) its.free_to_slot(alloc::map.find(p), p);
    its.flush();
    for (void* p : objects) {
      auto* const m = static_cast<alloc::message*>(p);
      if (!is_back(m)) lists[list].push_back(m);
    }
    sent.fetch_or(1u << list, mo::release);
  }

  // All the program's objects but `left` have been freed.
  void end(std::size_t left) {
    while (mine.h.has_mail()) mine.h.receive(~0u);
    std::int64_t not_free = 0;
    each_page([&not_free](page const* pg, bool) { not_free += pg->capacity - free_objects(pg); });
    model::require(not_free == static_cast<std::int64_t>(left), "every object comes back once");
    model::require(out() - at_hand() == not_free, "what has come back is counted");
  }
};

}  // namespace

page* alloc::backend::take(std::uint32_t units, std::uint32_t, bool) noexcept {
  model::require(now->pages != most_pages && units == 1, "the scene has room");
  page* const pg = &descriptors[now->pages * apart];
  auto const begin = reinterpret_cast<std::uintptr_t>(memory + now->pages++ * unit_bytes);
  map.set(begin, pg);
  pg->start.set(begin);
  pg->units = units;
  pg->has_signed = true;
  pg->needed = pg->slack = 0;
  now->new_page = true;
  return pg;
}

namespace {

using objects = std::vector<void*>;

objects part(objects const& v, std::size_t from, std::size_t to) {
  return {v.begin() + static_cast<std::ptrdiff_t>(from), v.begin() + static_cast<std::ptrdiff_t>(to)};
}
// Neighbours are of different pages: each becomes a message.
objects mixed(objects const& v) {
  objects result;
  for (std::size_t first = 0; first != in_page; ++first) {
    for (std::size_t i = first; i < v.size(); i += in_page) result.push_back(v[i]);
  }
  return result;
}

// Of the first list one message is left when the next ones come; the owner takes new pages, of another size.
void new_pages() {
  owner_of_objects o;
  thread_heap first, second;
  auto const all = mixed(o.allocate(4 * in_page));
  o.free(0, first.h, part(all, 0, 2 * in_page + 1));
  model::thread one("one", [&] { o.free(1, first.h, part(all, 2 * in_page + 1, 3 * in_page)); });
  model::thread two("two", [&] { o.free(2, second.h, part(all, 3 * in_page, 4 * in_page)); });
  std::size_t const more = 3 * (alloc::unit_bytes / other_size);
  o.allocate(more, other_size);
  one.join();
  two.join();
  o.end(more);
}

// The same where pages of which three quarters are free serve the owner.
void partial_pages() {
  owner_of_objects o;
  thread_heap other;
  auto const all = o.allocate(9 * in_page);
  objects kept = part(all, 4 * in_page, 9 * in_page);
  for (std::size_t i = 0; i != 4 * in_page; ++i) {
    if (i % 4 == 0) {
      kept.push_back(all[i]);
    } else {
      o.mine.h.free_own(alloc::map.find(all[i]), all[i]);
    }
  }
  kept = mixed(kept);
  std::size_t const most = 3 * in_page / 4;
  o.free(0, other.h, part(kept, 0, 2 * most + 1));
  model::thread one("one", [&] { o.free(1, other.h, part(kept, 2 * most + 1, 4 * most)); });
  o.allocate(4 * most);
  one.join();
  o.end(kept.size());
}

// Others free what the owner has, some of it or all, in messages of one object or of many, before each slow call.
void by_turns() {
  owner_of_objects o;
  thread_heap other;
  objects live = o.allocate(2 * in_page);
  for (int i = 0; i != 6; ++i) {
    int const how = model::choose(4);
    std::size_t const n = how == 0 ? 0 : how == 1 ? live.size() / 2 : live.size();
    objects const freed = part(live, 0, n);
    o.free(static_cast<unsigned>(i), other.h, how == 3 ? freed : mixed(freed));
    live.erase(live.begin(), live.begin() + static_cast<std::ptrdiff_t>(n));
    do live.push_back(o.allocate_one());
    while (o.at_hand() != 0);
  }
  o.end(live.size());
}

model::scene const scenes[] = {
    {"new_pages", new_pages, 3}, {"partial_pages", partial_pages, 3}, {"by_turns", by_turns}};

}  // namespace

TEST_CASE("mail is taken as fast as it may come, and no object is lost") { model::check_all(scenes); }

TEST_CASE("so it is in random interleavings") { model::check_randomly(scenes, 2000); }
