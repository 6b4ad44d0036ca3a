// SPDX-License-Identifier: Apache-2.0
// What an access reads, where its store goes, and what the thread knows afterwards.
#include <tuple>

#include "engine/state.h"

namespace ashlar::model {

namespace {

struct entry {
  void const* address;
  int index;
};
constexpr std::size_t table_size = 1024;
entry table[table_size];

std::size_t slot_of(void const* address) {
  return (reinterpret_cast<std::uintptr_t>(address) * 0x9e3779b97f4a7c15u) >> 54;
}

entry* lookup(void const* address) {  // the entry of the address, or the free one for it
  std::size_t i = slot_of(address);
  while (table[i].address != nullptr && table[i].address != address) i = (i + 1) % table_size;
  return &table[i];
}

bool acquires(order o) { return o == mo::acquire || o == mo::acq_rel || o == mo::seq_cst; }
bool releases(order o) { return o == mo::release || o == mo::acq_rel || o == mo::seq_cst; }

std::uint64_t mask_of(unsigned size) { return size == 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << (8 * size)) - 1; }

std::uint64_t result_of(access const& a, std::uint64_t old) {
  switch (a.what) {
    case action::fetch_add:
      return (old + a.operand) & mask_of(a.size);
    case action::fetch_sub:
      return (old - a.operand) & mask_of(a.size);
    case action::fetch_or:
      return old | a.operand;
    case action::fetch_and:
      return old & a.operand;
    default:
      return a.operand;
  }
}

bool writes(access const& a, std::uint64_t old) {
  if (a.what == action::load || a.what == action::futex_wait) return false;
  return a.what != action::compare_exchange || old == a.expected;
}

store_event* new_store() {
  if (the.stores_used == the.stores.size()) the.stores.push_back(std::make_unique<store_event>());
  return the.stores[the.stores_used++].get();
}

place& use_place(thread_state& t, access const& a) {
  entry& e = *lookup(a.address);
  if (e.address == nullptr || e.index < 0) {
    if (the.place_count == max_places) fail("limit", "too many atomics");
    place& p = the.places[the.place_count];
    p.address = a.address;
    p.size = a.size;
    p.index = max_threads + the.place_count;
    p.dead = false;
    p.wake_floor = 0;
    std::tie(p.init_thread, p.init_clock) = birth_of(a.address);
    p.order.clear();
    p.events.clear();
    store_event* const s = new_store();
    s->at = stamp_step;
    s->value = 0;
    std::memcpy(&s->value, a.address, a.size);
    s->number = 0;
    s->thread = -1;
    s->clock = 0;
    s->claimed = false;
    s->sequenced = -1;
    s->carried.used = max_threads;
    std::memset(s->carried.at, 0, sizeof(stamp) * max_threads);
    p.order.push_back(s);
    e = {a.address, the.place_count++};
    p.dead = freed(a.address);
  }
  place& p = the.places[e.index];
  if (p.dead) fail("use after free", place_name(a.address) + " is accessed after its end");
  if (p.init_thread >= 0 && p.init_thread != t.id && t.current.get(p.init_thread) < p.init_clock) {
    fail("data race", place_name(a.address) + " is accessed by a thread that its construction is not ordered before");
  }
  return p;
}

stamp tick(thread_state& t) { return ++t.current.at[t.id]; }

std::array<stamp, max_threads> clocks(view const& v) {
  std::array<stamp, max_threads> c;
  std::memcpy(c.data(), v.at, sizeof c);
  return c;
}

}  // namespace

bool weakened(site where) {
  for (site const& w : the.how->weaken) {
    if (w.line != where.line) continue;
    std::size_t const have = std::strlen(where.file), want = std::strlen(w.file);
    if (have >= want && std::strcmp(where.file + have - want, w.file) == 0) return true;
  }
  return false;
}

void note_step(thread_state const& t, access const& a, int place, std::uint64_t before, std::uint64_t after,
               char const* note) {
  the.trace.push_back({t.id, a, place, before, after, note});
}

namespace {

// The store of an access that follows store i of the place.
store_event& put(thread_state& t, access const& a, place& p, std::size_t i, std::uint64_t value, bool read) {
  store_event* const after = p.order[i];
  stamp at = after->at + stamp_step;
  if (i + 1 < p.order.size()) {
    at = after->at + (p.order[i + 1]->at - after->at) / 2;
    if (at == after->at) fail("limit", "too many stores between two others");
  }
  store_event* const s = new_store();
  s->at = at;
  s->value = value;
  s->number = ++the.store_number;
  s->thread = t.id;
  s->clock = t.current.at[t.id];
  s->claimed = false;
  s->sequenced = -1;
  t.current.raise(p.index, at);
  s->carried.copy(releases(a.success) ? t.current : t.fenced);
  s->carried.raise(p.index, at);
  if (read) {
    s->carried.join(after->carried);  // the release sequence goes on
    after->claimed = true;
  }
  p.order.insert(p.order.begin() + static_cast<std::ptrdiff_t>(i) + 1, s);
  return *s;
}

// Rounds of a spin loop: what they read, while they change nothing.
void note_round(thread_state& t, place const& p, store_event const& s, bool changed) {
  if (changed) return t.forget_rounds();
  int const index = p.index - max_threads;
  seen now{index, s.at, s.value, the.store_number};
  // What the last round has written back unchanged is what it read.
  for (seen const& before : t.last_spin) {
    if (before.place == index && before.value == s.value && s.thread == t.id) now.at = before.at;
  }
  for (seen& known : t.spin) {
    if (known.place != index) continue;
    known = now;
    return;
  }
  t.spin.push_back(now);
}

}  // namespace

answer execute(thread_state& t, access a) {
  place& p = use_place(t, a);
  stamp const clock = tick(t);
  std::size_t const i = static_cast<std::size_t>(decide(candidates(t, a, p, t.redundant)));
  t.redundant = false;
  store_event& from = *p.order[i];
  bool const read = reads(a.what), write = writes(a, from.value);
  std::uint64_t const old = from.value, value = write ? result_of(a, old) : old;
  if (!write) a.success = a.failure;
  bool const seq_cst = a.success == mo::seq_cst;
  stamp at = from.at;
  if (read) {
    t.current.raise(p.index, at);
    t.acquired.join(from.carried);
    if (acquires(a.success)) t.current.join(from.carried);
  }
  // Before the store is inserted: i is its predecessor.
  int const node = the.sequenced.add_access(t.id, clock, p, i, write, seq_cst, t.current);
  if (write) {
    store_event& s = put(t, a, p, i, value, read);
    s.sequenced = node;
    at = s.at;
    if (node >= 0) the.sequenced.nodes[static_cast<std::size_t>(node)].at = at;
  }
  note_round(t, p, from, write && (!read || value != old));
  t.told = t.told || (a.what == action::compare_exchange && !write);
  place_event& e = p.events.emplace_back();
  e.thread = t.id, e.clock = clock, e.at = at, e.before = clocks(t.current);
  note_step(t, a, p.index - max_threads, old, value, write ? (read ? "->" : "=") : "is");
  wake_dependent(t, a);
  return {old, write};
}

namespace {

answer outside_of_executions(access const& a) {
  std::uint64_t old = 0;
  std::memcpy(&old, a.address, a.size);
  bool const write = writes(a, old);
  std::uint64_t const value = result_of(a, old);
  if (write) std::memcpy(a.address, &value, a.size);
  return {old, write};
}

bool is_beside(void const* address) {
  auto const* const at = static_cast<char const*>(address);
  return std::any_of(the.beside.begin(), the.beside.end(), [at](auto& b) { return at >= b.first && at < b.second; });
}

bool is_fence(action a) { return a == action::fence || a == action::remote_fence; }
bool is_futex(action a) { return a == action::futex_wait || a == action::futex_wake; }

bool fully_dependent(thread_state const& by, access const& done, thread_state const& other) {
  access const& p = other.pending;
  if (is_fence(done.what) && is_fence(p.what)) return true;
  if (done.what == action::remote_fence && done.target == other.id) return true;
  if (p.what == action::remote_fence && p.target == by.id) return true;
  return is_futex(done.what) && is_futex(p.what) && done.address == p.address;
}

}  // namespace

bool reads(action a) {
  return a != action::store && (a < action::fence || a == action::futex_wait || a == action::lock);
}

place* find_place(void const* address) {
  entry const& e = *lookup(address);
  return e.address == nullptr || e.index < 0 ? nullptr : &the.places[e.index];
}

choice_list candidates(thread_state& t, access const& a, place& p, bool only_new) {
  choice_list list;
  bool const read = reads(a.what);
  stamp floor = t.current.get(p.index);
  if (a.what == action::futex_wait && floor < p.wake_floor) floor = p.wake_floor;
  std::size_t const newest = p.order.size() - 1;
  for (std::size_t i = newest + 1; i-- > 0;) {
    store_event const& s = *p.order[i];
    if (s.at < floor) break;
    if (a.what == action::lock && i != newest) break;
    bool const write = writes(a, s.value);
    if (write && s.claimed) continue;
    order const o = write ? a.success : a.failure;
    if (i != newest && the.sequenced.accesses + (o == mo::seq_cst) > 0) {
      view known;
      known.copy(t.current);
      if (read && acquires(o)) known.join(s.carried);
      if (!the.sequenced.allows(p, i, write, o == mo::seq_cst, known)) continue;
    }
    if (list.all == 52) fail("limit", "too many values for one load");
    int const letter = list.all++;
    if (only_new && s.number <= t.from) continue;
    list.letter[list.count] = static_cast<unsigned char>(letter);
    list.at[list.count++] = static_cast<int>(i);
  }
  return list;
}

void wake_dependent(thread_state const& by, access const& done) {
  for (int i = 0; i < the.thread_count; ++i) {
    thread_state& other = the.threads[i];
    if (other.redundant && other.id != by.id && fully_dependent(by, done, other)) other.redundant = false;
  }
}

void apply_fence(thread_state& t) {
  stamp const clock = tick(t);
  t.current.join(t.acquired);
  the.sequenced.add_fence(t.id, clock, t.current);
  t.current.join(the.fences, max_threads);
  the.fences.join(t.current, max_threads);
  t.fenced.copy(t.current);
}

void kill_places(void const* begin, void const* end, char const* what) {
  thread_state const& me = the.self();
  for (int i = 0; i < the.place_count; ++i) {
    place& p = the.places[i];
    if (p.dead || p.address < begin || p.address >= end) continue;
    for (place_event const& e : p.events) {
      if (e.thread == me.id || me.current.get(e.thread) >= e.clock) continue;
      fail("data race", place_name(p.address) + " is " + what + " by " + me.name + ", not ordered after its use by " +
                            the.threads[e.thread].name);
    }
    p.dead = true;
  }
}

void reset_memory() {
  std::memset(table, 0, sizeof table);
  the.place_count = 0;
  the.stores_used = 0;
  the.store_number = 0;
  the.fences.used = max_threads;
  the.sequenced.clear();
}

answer perform(access const& asked) noexcept {
  if (!the.active || is_beside(asked.address)) return outside_of_executions(asked);
  inside const in;
  access a = asked;
  if (weakened(a.where)) a.success = a.failure = mo::relaxed;
  thread_state& me = the.self();
  if (!me.in_transaction) {
    schedule(a);
    return execute(me, a);
  }
  if (a.what == action::load) a = {action::fetch_add, mo::acq_rel, mo::acq_rel, a.size, a.address, 0, 0, a.where, 0};
  schedule(a);
  answer const was = execute(me, a);
  if (was.written) me.watched.push_back(the.stores[the.stores_used - 1].get());
  return was;
}

std::uint64_t read_own(access const& a) noexcept {
  if (!the.active) return outside_of_executions(a).value;
  inside const in;
  thread_state const& me = the.self();
  place const& p = use_place(the.self(), a);
  if (p.order.size() > 1 && me.current.get(p.index) < p.order.back()->at) {
    fail("data race", place_name(a.address) + " is read as one's own, but another thread has written it");
  }
  return p.order.back()->value;
}

void constructed(void const* address, std::size_t size) noexcept {
  if (!the.active || !the.user) return;
  inside const in;
  entry& e = *lookup(address);
  if (e.address != nullptr && e.index >= 0) {
    kill_places(address, static_cast<char const*>(address) + size, "constructed again");
    e.index = -1;
  }
  note_birth(address, the.current, the.self().current.at[the.current] + 1);
}

void destroyed(void const* address, site) noexcept {
  if (!the.active || !the.user || find_place(address) == nullptr) return;
  inside const in;
  kill_places(address, static_cast<char const*>(address) + 1, "destroyed");
}

}  // namespace ashlar::model
