// SPDX-License-Identifier: Apache-2.0
// The member functions of hash_table (hash_table.h includes this).
#pragma once

namespace ashlar {
inline namespace v1 {
namespace containers {

/// Calls visit(node) for the nodes of the chain with the hash's tag until it returns true. Without the group's lock
/// that may include nodes that are no longer in the chain. `control` is the first group's.
template <typename Value, typename Allocator>
template <typename Visit>
typename hash_table<Value, Allocator>::node* hash_table<Value, Allocator>::visit_chain(hash_group* g,
                                                                                       std::uint64_t control,
                                                                                       std::uint32_t hash,
                                                                                       Visit const& visit) {
  for (std::uint64_t const tag = hash_tag(hash);; control = g->read()) {
    for (std::uint64_t m = hash_group::matches(control, tag); m; m &= m - 1) {
      node* const n = node_at(g, hash_group::slot_of(m));
      if (ASHLAR_LIKELY(visit(n))) return n;
    }
    g = g->following();
    if (ASHLAR_LIKELY(g == nullptr)) return nullptr;
  }
}

template <typename Value, typename Allocator>
template <typename Visit>
typename hash_table<Value, Allocator>::node* hash_table<Value, Allocator>::scan(std::uint32_t hash,
                                                                                Visit const& visit) const {
  core* const c = core_.load(mo::acquire);  // [HT2]
  if (!c) return nullptr;
  for (;;) {
    hash_group* const g = c->directory.responsible(hash);
    std::uint64_t const control = g->read();
    if (node* const n = visit_chain(g, control, hash, visit)) return n;
    if (ASHLAR_LIKELY(c->directory.responsible(hash) == g && ((g->read() ^ control) & hash_group::steps) == 0)) {
      return nullptr;
    }
  }
}

/// Locks the group responsible for a hash, split from its parent if memory allows, and unlocks it with the control
/// word as it became.
template <typename Value, typename Allocator>
class hash_table<Value, Allocator>::group_lock {
 public:
  explicit group_lock(hash_group* g) noexcept : group(g), control(g->lock()) {}
  group_lock(hash_table const& table, core& c, std::uint32_t hash) noexcept {
    std::uint32_t const mask = c.directory.mask();
    group = c.directory.at(hash & mask);
    control = group->lock();
    if (ASHLAR_LIKELY((control & hash_group::ready) != 0 && c.directory.mask() == mask)) return;
    group->write(control);
    group = table.lock_new(c, hash);
    control = group->control.load(mo::relaxed) & ~hash_group::locked;
  }
  group_lock(group_lock const&) = delete;
  ~group_lock() { group->write(control); }

  /// Tag 0 frees the slot. The first group's tags are written when it is unlocked.
  void set_tag(group_slot at, std::uint64_t tag) noexcept {
    if (at.group == group) {
      control = hash_group::with_tag(control, at.slot, tag);
    } else {
      at.group->write(hash_group::with_tag(at.group->control.load(mo::relaxed), at.slot, tag));
    }
  }
  void put(group_slot at, node* n) noexcept { put(at, hash_group::slot_word(n, n->hash), hash_tag(n->hash)); }
  void put(group_slot at, std::uint64_t word, std::uint64_t tag) noexcept {
    at.group->nodes[at.slot].store(word, mo::release);  // [H11]
    set_tag(at, tag);
  }
  /// Frees slots of a group of the chain.
  void free_slots(hash_group* g, std::uint64_t set) noexcept {
    std::uint64_t const tags = hash_group::tags_in(set);
    if (g == group) {
      control &= ~tags;
    } else {
      g->write(g->control.load(mo::relaxed) & ~tags);
    }
  }
  std::uint64_t tags_of(hash_group const* g) const noexcept {
    return g == group ? control : g->control.load(mo::relaxed);
  }
  /// Calls visit(node, slot) for the nodes of the chain until it returns true.
  template <typename Visit>
  node* each(Visit const& visit) const {
    for (hash_group* g = group; g != nullptr; g = g->next.load(mo::relaxed)) {
      for (std::uint64_t m = hash_group::used(tags_of(g)); m; m &= m - 1) {
        std::size_t const slot = hash_group::slot_of(m);
        if (visit(node_at(g, slot), group_slot{g, slot})) return node_at(g, slot);
      }
    }
    return nullptr;
  }
  template <typename Equal>
  node* search(std::uint32_t hash, Equal const& equal, group_slot& where) const {
    std::uint64_t const tag = hash_tag(hash);
    for (hash_group* g = group; g != nullptr; g = g->next.load(mo::relaxed)) {
      for (std::uint64_t m = hash_group::matches(tags_of(g), tag); m; m &= m - 1) {
        where = {g, hash_group::slot_of(m)};
        node* const n = node_at(g, where.slot);
        if (n->hash == hash && equal(n->value())) return n;
      }
    }
    return nullptr;
  }
  /// A free slot; throws what the allocator throws. `position` receives its number in the chain.
  group_slot free_slot(core& c, Allocator const& memory, unsigned& position) {
    position = 0;
    for (hash_group* g = group;; position += hash_group::slot_count) {
      if (std::uint64_t const m = hash_group::unused(tags_of(g))) {
        std::size_t const slot = hash_group::slot_of(m);
        position += static_cast<unsigned>(slot);
        return {g, slot};
      }
      hash_group* following = g->next.load(mo::relaxed);
      if (following == nullptr) g->link(following = c.directory.more(memory));
      g = following;
    }
  }
  /// All slots of the chain become free.
  void wipe() noexcept {
    each([this](node*, group_slot at) {
      set_tag(at, 0);
      return false;
    });
  }

  hash_group* group;
  std::uint64_t control;
};

/// As group_lock's constructor, for a group that is not ready or when the table has grown. Returns the locked group.
template <typename Value, typename Allocator>
ASHLAR_NOINLINE hash_group* hash_table<Value, Allocator>::lock_new(core& c, std::uint32_t hash) const noexcept {
  for (;;) {
    std::uint32_t const index = hash & c.directory.mask();
    hash_group* const g = make_ready(c, index) ? c.directory.at(index) : c.directory.responsible(hash);
    std::uint64_t const control = g->lock();
    if (c.directory.responsible(hash) == g) return g;
    g->write(control);
  }
}

template <typename Value, typename Allocator>
template <typename Equal>
typename hash_table<Value, Allocator>::node* hash_table<Value, Allocator>::find(std::uint32_t hash, Equal const& equal,
                                                                                hold h) const {
  hold const needed = h == hold::nothing ? hold::read : h;
  core* const c = core_.load(mo::acquire);  // [HT2]
  if (!c) return nullptr;
  std::uint32_t const mask = c->directory.mask();
  hash_group* const g = c->directory.at(hash & mask);
  std::uint64_t const control = g->read();
  if (ASHLAR_LIKELY((control & hash_group::ready) != 0)) {
    std::uint64_t m = hash_group::matches(control, hash_tag(hash));
    if (m == 0 && !g->following() && c->directory.mask() == mask && ((g->read() ^ control) & hash_group::steps) == 0) {
      return nullptr;
    }
    for (; m; m &= m - 1) {
      node* const n = node_at(g, hash_group::slot_of(m));
      if (ASHLAR_UNLIKELY(n->state.try_lock(needed) != node_state::outcome::taken)) break;
      element_hold guard{n, needed};
      if (ASHLAR_LIKELY(n->hash == hash && equal(n->value()))) {
        if (ASHLAR_LIKELY(h != hold::nothing)) guard.element = nullptr;
        return n;
      }
    }
  }
  return find_patiently(hash, equal, h);
}

/// As find(), for all cases.
template <typename Value, typename Allocator>
template <typename Equal>
ASHLAR_NOINLINE typename hash_table<Value, Allocator>::node* hash_table<Value, Allocator>::find_patiently(
    std::uint32_t hash, Equal const& equal, hold h) const {
  hold const needed = h == hold::nothing ? hold::read : h;
  for (;;) {
    bool blocked = false;
    node* n = scan(hash, [&](node* candidate) {
      auto const o = candidate->state.try_lock(needed);
      blocked |= o == node_state::outcome::busy;
      if (o != node_state::outcome::taken) return false;
      element_hold guard{candidate, needed};
      if (candidate->hash != hash || !equal(candidate->value())) return false;
      if (ASHLAR_LIKELY(h != hold::nothing)) guard.element = nullptr;
      return true;
    });
    if (ASHLAR_LIKELY(n || !blocked)) return n;
    // Somebody holds an element that may be the one. Its key can be read under the group's lock.
    {
      group_slot where;
      group_lock const own(*this, *core_.load(mo::relaxed), hash);
      n = own.search(hash, equal, where);
    }
    if (n == nullptr || h == hold::nothing) return n;
    if (n->state.lock(h)) {
      element_hold guard{n, h};
      if (n->hash == hash && equal(n->value())) {
        guard.element = nullptr;
        return n;
      }
    }
  }
}

template <typename Value, typename Allocator>
template <typename Make>
typename hash_table<Value, Allocator>::node* hash_table<Value, Allocator>::create(Make const& make) {
  core& c = *get_core();
  node* const n = c.store.take(memory_);
  if (ASHLAR_UNLIKELY(c.front.load(mo::relaxed) != nullptr)) lower_front(c, n);
  ASHLAR_TRY { make(static_cast<void*>(std::addressof(n->of.value))); }
  ASHLAR_CATCH_ALL {
    c.store.give_back(n, memory_);
    ASHLAR_RETHROW;
  }
  return n;
}

template <typename Value, typename Allocator>
template <typename Equal, typename Provide>
typename hash_table<Value, Allocator>::found hash_table<Value, Allocator>::insert_locked(std::uint32_t hash,
                                                                                         Equal const& equal, hold h,
                                                                                         Provide const& provide) {
  core& c = *get_core();
  unsigned position;
  node* n;
  {
    group_lock own(*this, c, hash);
    group_slot at;
    n = own.search(hash, equal, at);
    if (n != nullptr) return {n, false};
    at = own.free_slot(c, memory_, position);
    n = provide();
    n->hash = hash;
    n->state.publish(h);
    own.put(at, n);
  }
  if (ASHLAR_UNLIKELY(position >= check_from_)) grow_if_full(c);
  return {n, true};
}

template <typename Value, typename Allocator>
template <typename Equal, typename Provide>
typename hash_table<Value, Allocator>::found hash_table<Value, Allocator>::insert(std::uint32_t hash,
                                                                                  Equal const& equal, hold h,
                                                                                  Provide const& provide) {
  for (;;) {
    if (may_contain(hash)) {
      if (node* const n = find(hash, equal, h)) return {n, false};
    }
    found const f = insert_locked(hash, equal, h, provide);
    if (f.inserted || h == hold::nothing) return f;
    if (f.element->state.lock(h)) {
      element_hold guard{f.element, h};
      if (f.element->hash == hash && equal(f.element->value())) {
        guard.element = nullptr;
        return f;
      }
    }
  }
}

template <typename Value, typename Allocator>
template <typename Equal, typename Provide>
typename hash_table<Value, Allocator>::found hash_table<Value, Allocator>::insert_unlocked(std::uint32_t hash,
                                                                                           Equal const& equal,
                                                                                           Provide const& provide) {
  if (may_contain(hash)) {
    if (node* const n = find(hash, equal)) return {n, false};
  }
  return insert_locked(hash, equal, hold::nothing, provide);
}

template <typename Value, typename Allocator>
template <typename Equal>
bool hash_table<Value, Allocator>::erase(std::uint32_t hash, Equal const& equal) {
  core* const c = core_.load(mo::acquire);  // [HT2]
  if (!c) return false;
  node* n;
  bool unused;
  {
    group_lock own(*this, *c, hash);
    group_slot at;
    n = own.search(hash, equal, at);
    if (n == nullptr) return false;
    own.set_tag(at, 0);
    unused = n->state.kill();
  }
  if (!unused) n->state.drain();
  finish(*c, n);
  return true;
}

template <typename Value, typename Allocator>
bool hash_table<Value, Allocator>::erase(node* n, hold h) {
  core& c = *core_.load(mo::acquire);  // [HT2]
  bool const mine = take_out(c, n);
  n->state.unlock(h);
  if (!mine) return false;
  n->state.drain();
  finish(c, n);
  return true;
}

/// False if another thread has taken the node out. Nobody can lock it from now on.
template <typename Value, typename Allocator>
bool hash_table<Value, Allocator>::take_out(core& c, node* n) noexcept {
  group_lock own(*this, c, n->hash);
  group_slot place{};
  bool const in_it = own.each([&](node* other, group_slot at) {
    place = at;
    return other == n;
  }) != nullptr;
  if (!in_it) return false;
  own.set_tag(place, 0);
  n->state.kill();
  return true;
}

template <typename Value, typename Allocator>
void hash_table<Value, Allocator>::remove(node* n) noexcept {
  core& c = *core_.load(mo::relaxed);
  if (ASHLAR_UNLIKELY(c.front_is_far.load(mo::relaxed))) raise_front(c);
  take_out(c, n);
  finish(c, n);
}

/// Splits a group with its neighbours: their lines lie side by side, and so do their parents', and fetching them
/// together costs little more than fetching one. False if there was no memory to split the group: its parent stays
/// responsible.
template <typename Value, typename Allocator>
ASHLAR_NOINLINE bool hash_table<Value, Allocator>::split_around(core& c, std::uint32_t index) const noexcept {
  std::uint32_t const distance = c.directory.highest_bit(index);
  std::uint32_t const count = distance < most_neighbours ? distance : most_neighbours;
  std::uint32_t const begin = index & ~(count - 1);
  for (std::uint32_t i = begin; i < begin + count; ++i) {
    __builtin_prefetch(c.directory.at(i), 1);
    __builtin_prefetch(c.directory.at(i - distance), 1);
  }
  bool good = false;
  for (std::uint32_t i = begin; i < begin + count; ++i) {
    bool const done = make_ready(c, i - distance) && split(c, i);
    if (i == index) good = done;
  }
  return good;
}

/// The slots of a group whose elements have that bit in their hash.
template <typename Value, typename Allocator>
std::uint64_t hash_table<Value, Allocator>::having(hash_group const* g, std::uint64_t used, unsigned bit) noexcept {
  std::uint64_t set = 0;
  if (ASHLAR_LIKELY(hash_group::has_bit(bit))) {
    for (std::size_t slot = 0; slot < hash_group::slot_count; ++slot) {
      set |= hash_group::bit_of(g->nodes[slot].load(mo::relaxed), bit) << (8 * slot + 23);
    }
  } else {
    for (std::uint64_t m = used; m; m &= m - 1) {
      std::size_t const slot = hash_group::slot_of(m);
      set |= static_cast<std::uint64_t>(node_at(g, slot)->hash >> bit & 1) << (8 * slot + 23);
    }
  }
  return set & used;
}

/// The slots of a group whose elements belong to its child. Those of an older child that has not been split off yet
/// stay for that one: they have a bit in between.
template <typename Value, typename Allocator>
std::uint64_t hash_table<Value, Allocator>::moving(hash_group const* g, std::uint64_t control,
                                                   std::uint32_t child) noexcept {
  unsigned const bit = 31 - static_cast<unsigned>(__builtin_clz(child));
  std::uint64_t set = having(g, hash_group::used(control), bit);
  for (unsigned older = bit; set != 0 && older-- != 0 && (child >> older & 1) == 0;) set &= ~having(g, set, older);
  return set;
}

/// Two groups are locked in the order of falling index.
template <typename Value, typename Allocator>
bool hash_table<Value, Allocator>::split(core& c, std::uint32_t index) const noexcept {
  group_lock child(c.directory.at(index));
  if ((child.control & hash_group::ready) != 0) return true;
  group_lock parent(c.directory.at(c.directory.parent_of(index)));
  ASHLAR_TRY {
    unsigned filled = 0;
    for (hash_group* g = parent.group; g != nullptr; g = g->next.load(mo::relaxed)) {
      std::uint64_t const control = parent.tags_of(g);
      for (std::uint64_t m = moving(g, control, index); m; m &= m - 1) {
        std::size_t const slot = hash_group::slot_of(m);
        group_slot to{child.group, filled++};
        unsigned position;
        if (ASHLAR_UNLIKELY(to.slot >= hash_group::slot_count)) to = child.free_slot(c, memory_, position);
        child.put(to, g->nodes[slot].load(mo::relaxed), hash_group::tag_at(control, slot));
      }
    }
  }
  ASHLAR_CATCH_ALL {
    child.wipe();
    return false;
  }
  child.control |= hash_group::ready;
  child.group->write(child.control | hash_group::locked);
  std::uint64_t const counted = hash_group::counted(parent.control);
  parent.control = counted;
  for (hash_group* g = parent.group; g != nullptr; g = g->next.load(mo::relaxed)) {
    parent.free_slots(g, moving(g, parent.tags_of(g), index));
  }
  if (parent.group->next.load(mo::relaxed)) {
    parent.group->write(counted | hash_group::locked);
    close_gaps(c, parent);
  }
  return true;
}

/// Brings elements from the groups that continue a chain into free slots of its first group, and takes emptied groups
/// back. The caller has counted a step with the old tags.
template <typename Value, typename Allocator>
ASHLAR_NOINLINE void hash_table<Value, Allocator>::close_gaps(core& c, group_lock& chain) noexcept {
  for (hash_group* before = chain.group; hash_group* const g = before->next.load(mo::relaxed);) {
    std::uint64_t const control = chain.tags_of(g);
    std::uint64_t const used = hash_group::used(control);
    std::uint64_t moved = 0;
    for (std::uint64_t m = used; m; m &= m - 1) {
      std::uint64_t const gaps = hash_group::unused(chain.control);
      if (!gaps) break;
      std::size_t const slot = hash_group::slot_of(m);
      chain.put({chain.group, hash_group::slot_of(gaps)}, g->nodes[slot].load(mo::relaxed),
                hash_group::tag_at(control, slot));
      moved |= m & (~m + 1);
    }
    chain.control = hash_group::counted(chain.control);
    chain.group->write(chain.control | hash_group::locked);
    chain.free_slots(g, moved);
    if (moved == used) {
      before->link(g->next.load(mo::relaxed));
      c.directory.take_back(g);
    } else {
      before = g;
    }
  }
}

template <typename Value, typename Allocator>
ASHLAR_NOINLINE typename hash_table<Value, Allocator>::core* hash_table<Value, Allocator>::start() {
  core* c = nullptr;
  void* const place = line_memory<Allocator>::allocate(memory_, core_lines);
  core* const mine = ::new (place) core;
  ASHLAR_TRY { mine->directory.start(memory_); }
  ASHLAR_CATCH_ALL {
    line_memory<Allocator>::deallocate(memory_, place, core_lines);
    ASHLAR_RETHROW;
  }
  if (core_.compare_exchange(c, mine, mo::acq_rel, mo::acquire)) return mine;  // [HT1] [HT2]
  destroy_core(mine);
  return c;
}

template <typename Value, typename Allocator>
void hash_table<Value, Allocator>::destroy_core(core* c) noexcept {
  c->store.release(memory_);
  c->directory.release(memory_);
  c->~core();
  line_memory<Allocator>::deallocate(memory_, c, core_lines);
}

template <typename Value, typename Allocator>
template <typename Construct>
void hash_table<Value, Allocator>::take_all(hash_table const& other, Construct const& construct) {
  load_ = other.load_;
  check_from_ = other.check_from_;
  if (other.size() == 0) return;
  reserve_groups(static_cast<std::size_t>(static_cast<float>(other.size()) / load_));
  auto const never = [](Value const&) { return false; };
  for (node* n = other.first(); n != nullptr; n = next(n)) {
    insert_locked(n->hash, never, hold::nothing,
                  [&] { return create([&](void* place) { construct(place, n->value()); }); });
  }
}

template <typename Value, typename Allocator>
typename hash_table<Value, Allocator>::node* hash_table<Value, Allocator>::next_in(std::uint32_t group,
                                                                                   node* n) const noexcept {
  if (!core_.load(mo::relaxed)) return nullptr;
  group_lock const own(core_.load(mo::relaxed)->directory.at(group));
  return own.each([&](node* other, group_slot) {
    bool const here = n == nullptr;
    if (other == n) n = nullptr;
    return here;
  });
}

}  // namespace containers
}  // namespace v1
}  // namespace ashlar
