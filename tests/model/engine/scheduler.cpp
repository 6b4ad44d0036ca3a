// SPDX-License-Identifier: Apache-2.0
// The search: who runs next, which choices of the last execution change in the next one.
//
// Exhaustive search is depth first over the choices, with sleep sets (Godefroid): an access that has been explored
// from a state is not tried again until something dependent has happened. Two accesses are dependent only if one
// reads what the other stores (then only the reading of younger stores is new), or both are fences: the stale reads
// and the places in modification order that a late access may choose cover everything else.
#include <algorithm>
#include <utility>

#include "engine/state.h"

namespace ashlar::model {

engine the;

std::uint64_t next_random() {  // splitmix64
  std::uint64_t z = the.random += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

bool sleep_sets() {
  return the.how->how == search::exhaustive && (the.how->preemptions < 0 || the.how->trim) && the.how->replay.empty();
}

namespace {

void go_on_with(thread_state& next) {
  thread_state& me = the.self();
  for (std::size_t i = 0; i < the.own_pointers.size(); ++i) {
    me.own[i] = std::exchange(*the.own_pointers[i], next.own[i]);
  }
  the.current = next.id;
  fiber::go(me.context, next.context);
}

}  // namespace

void leave(engine::ending how) {
  the.how_ended = how;
  for (void** p : the.own_pointers) *p = nullptr;
  fiber::go(the.self().context, the.outside);
  __builtin_unreachable();
}

void record_failure(char const* kind, std::string const& what) {
  result& r = *the.found;
  r.failed = true;
  r.kind = kind;
  r.replay = the.taken;
  r.report = the.how->name + ": " + kind + ": " + what + "\n" + interleaving() + "replay: " + the.taken + "\n";
}

void fail(char const* kind, std::string const& what) {
  record_failure(kind, what);
  leave(engine::ending::failed);
}

namespace {

int branch(int n) {
  if (n == 1) return 0;
  if (the.how->how != search::exhaustive) return static_cast<int>(next_random() % static_cast<unsigned>(n));
  if (the.depth == the.path.size()) the.path.push_back({0, n});
  engine::decision const d = the.path[the.depth++];
  if (d.of != n) fail("limit", "the body is not deterministic: another number of choices than in the last execution");
  return d.taken;
}

int next_replayed(char from, int what) {
  if (the.replayed >= the.how->replay.size()) fail("limit", "the replay string ends before the execution");
  int const c = the.how->replay[the.replayed++];
  if (from == '0') return c - '0';
  int const index = c >= 'a' ? c - 'a' : c - 'A' + 26;
  if (index < 0 || index >= what) fail("limit", "the replay string does not fit this model");
  return index;
}

// A waiting spinner may go on once a store that it has not read would end its loop.
bool change_visible(thread_state const& t, bool only_young) {
  if (t.spin.empty()) return true;
  for (seen const& s : t.spin) {
    place const& p = the.places[s.place];
    if (p.dead) return true;
    for (store_event const* e : p.order) {
      if (e->at > s.at && e->value != s.value && (!only_young || e->number > s.number)) return true;
    }
  }
  return false;
}

bool is_local(action a) { return a == action::resume || a == action::join || a == action::pause; }

// Waits for nobody. Local steps meet no other thread's and so need no alternatives.
bool can_go_locally(thread_state const& t) {
  switch (t.pending.what) {
    case action::resume:
      return true;
    case action::join:
      return the.threads[t.pending.target].now == status::done;
    case action::pause:
      return change_visible(t, sleep_sets() && t.spin.size() == 1);
    default:
      return false;
  }
}

bool can_go(thread_state& t) {
  if (t.pending.what != action::lock) return true;
  place const* p = find_place(t.pending.address);
  return p == nullptr || p->order.back()->value == 0;
}

bool worth_trying(thread_state& t) {
  if (!t.redundant) return true;
  if (!reads(t.pending.what)) return false;
  place* p = find_place(t.pending.address);
  return p != nullptr && candidates(t, t.pending, *p, true).count > 0;
}

[[noreturn]] void nobody_can_go() {
  std::string who;
  for (int i = 0; i < the.thread_count; ++i) {
    thread_state const& t = the.threads[i];
    if (t.now == status::done) continue;
    bool const spins = t.now == status::ready && t.pending.what == action::pause;
    // It reads a stale value for ever only because reading the new one is explored elsewhere.
    if (spins && change_visible(t, false)) leave(engine::ending::pruned);
    who += std::string("\n  ") + t.name + (spins ? " spins on what nobody will change" : "") +
           (t.now == status::asleep ? " sleeps on " + place_name(t.waits_on) : "") +
           (t.now == status::ready && !spins ? " waits for a thread or a lock" : "");
  }
  if (who.empty()) leave(engine::ending::complete);
  if (the.rest != nullptr && (*the.rest)()) leave(engine::ending::at_rest);
  fail("deadlock", "nobody can go on" + who);
}

bool end_timed_waits() {
  bool any = false;
  for (int i = 0; i < the.thread_count; ++i) {
    thread_state& t = the.threads[i];
    if (t.now != status::asleep || !t.timed) continue;
    t.now = status::ready;
    t.timed_out = any = true;
  }
  return any;
}

thread_state* highest_priority(thread_state* const* options, int n) {
  if (std::count(the.change_points.begin(), the.change_points.end(), the.steps) != 0) {
    the.self().priority = -the.steps;
  }
  return *std::max_element(options, options + n, [](auto* a, auto* b) { return a->priority < b->priority; });
}

thread_state* select(thread_state* const* options, int n) {
  if (!the.how->replay.empty()) {
    int const id = next_replayed('0', 0);
    for (int i = 0; i < n; ++i) {
      if (options[i]->id == id) return options[i];
    }
    fail("limit", "the replay string does not fit this model");
  }
  if (the.how->how == search::pct) return highest_priority(options, n);
  int const k = branch(n);
  for (int i = 0; i < k && sleep_sets(); ++i) {
    options[i]->redundant = true;
    options[i]->from = the.store_number;
  }
  return options[k];
}

thread_state& pick() {
  if (++the.steps > the.how->steps) fail("livelock", "more than options::steps steps");
  thread_state* options[max_threads];
  for (;;) {
    for (int i = 0; i < the.thread_count; ++i) {
      thread_state& t = the.threads[i];
      if (t.now == status::ready && can_go_locally(t)) return t;
    }
    int n = 0, able = 0;
    for (int i = 0; i < the.thread_count; ++i) {  // the running thread first: few switches
      int const turn = the.current + i;
      thread_state& t = the.threads[turn < the.thread_count ? turn : turn - the.thread_count];
      if (t.now != status::ready || is_local(t.pending.what) || !can_go(t)) continue;
      ++able;
      if (worth_trying(t)) options[n++] = &t;
    }
    if (able == 0 && end_timed_waits()) continue;
    if (able == 0) nobody_can_go();
    if (n == 0) leave(engine::ending::pruned);
    bool const held = options[0]->id == the.current && the.how->preemptions >= 0 &&
                      the.switches >= the.how->preemptions && the.how->replay.empty();
    thread_state* const next = select(options, held ? 1 : n);
    if (options[0]->id == the.current && next != options[0]) ++the.switches;
    the.taken += static_cast<char>('0' + next->id);
    return *next;
  }
}

void finish() {
  thread_state& me = the.self();
  ++me.current.at[me.id];
  me.now = status::done;
  go_on_with(pick());
  __builtin_unreachable();
}

void thread_main() {
  fiber_started();
  thread_state& me = the.self();
  the.user = true;
  try {
    (*me.body)();
  } catch (...) {
    the.user = false;
    fail("assertion", "an exception left a thread");
  }
  if (me.id != 0) delete me.body;
  if (me.id == 0) delete std::exchange(the.rest, nullptr);  // what it looks at is gone
  the.user = false;
  finish();
}

thread_state& new_thread(char const* name, std::function<void()>* body) {
  if (the.thread_count == max_threads) fail("limit", "too many threads");
  thread_state& t = the.threads[the.thread_count];
  t.id = the.thread_count++;
  t.name = name;
  t.now = status::ready;
  t.pending = {};
  t.body = body;
  for (view* v : {&t.current, &t.acquired, &t.fenced}) *v = view{};
  t.redundant = t.timed = t.timed_out = false;
  t.pauses = 0;
  t.awaited = -1;
  t.own.fill(nullptr);
  t.in_transaction = false;
  t.watched.clear();
  t.priority = static_cast<int>(next_random() >> 34);
  t.forget_rounds();
  t.context.prepare(stack_of(t.id), stack_size, thread_main);
  return t;
}

void run_once() {
  reset_memory();
  reset_heap();
  the.thread_count = the.current = the.switches = the.spurious = the.timeouts = 0;
  int const length = std::max(the.steps, 1);
  the.steps = 0;
  the.depth = the.replayed = 0;
  the.taken.clear();
  the.trace.clear();
  the.observed.clear();
  the.names.clear();
  the.rest = nullptr;
  the.own_pointers.clear();
  the.beside.clear();
  the.change_points.clear();
  for (int i = 1; the.how->how == search::pct && i < the.how->pct_depth; ++i) {
    the.change_points.push_back(static_cast<int>(next_random() % static_cast<unsigned>(length)));
  }
  the.active = true;
  thread_state& first = new_thread("main", const_cast<std::function<void()>*>(the.body));
  fiber::go(the.outside, first.context);
  if (the.how_ended == engine::ending::complete && the.how->leaks) check_leaks();
  the.active = the.user = false;
}

bool next_path() {
  while (!the.path.empty() && the.path.back().taken + 1 == the.path.back().of) the.path.pop_back();
  if (the.path.empty()) return false;
  ++the.path.back().taken;
  return true;
}

}  // namespace

void schedule(access const& pending) {
  thread_state& me = the.self();
  if (!me.watched.empty()) return;  // in a transaction that has begun
  me.pending = pending;
  if (me.awaited >= 0) {  // this round of a spin loop reads what it has waited for
    place const* p = reads(pending.what) ? find_place(pending.address) : nullptr;
    if (p != nullptr && p->index == me.awaited) me.redundant = true;
    me.awaited = -1;
  }
  thread_state& next = pick();
  if (&next != &me) go_on_with(next);
}

int decide(choice_list const& allowed) {
  if (allowed.all == 1) return allowed.at[0];
  int const k = the.how->replay.empty() ? branch(allowed.count) : next_replayed('a', allowed.count);
  int const letter = allowed.letter[k];
  the.taken += static_cast<char>(letter < 26 ? 'a' + letter : 'A' + letter - 26);
  return allowed.at[k];
}

int decide(int n) {
  choice_list list;
  for (; list.count < n; ++list.count) {
    list.at[list.count] = list.count;
    list.letter[list.count] = static_cast<unsigned char>(list.count);
  }
  list.all = n;
  return decide(list);
}

result check(options const& how, std::function<void()> const& body) {
  result r;
  the.how = &how;
  the.found = &r;
  the.body = &body;
  the.path.clear();
  the.random = how.seed;
  the.steps = 0;
  bool const search_all = how.how == search::exhaustive && how.replay.empty();
  for (;;) {
    run_once();
    r.steps += static_cast<std::uint64_t>(the.steps);
    if (r.failed) break;
    bool const pruned = the.how_ended == engine::ending::pruned;
    (pruned ? r.pruned : r.executions) += 1;
    if (!pruned) {
      for (std::uint64_t o : the.observed) ++r.outcomes[o];
    }
    if (!how.replay.empty()) break;
    if (search_all && !next_path()) {
      r.complete = true;
      break;
    }
    if (r.executions + r.pruned >= how.executions) break;
  }
  return r;
}

thread::thread(char const* name, std::function<void()> body) {
  auto* const own = new std::function<void()>(std::move(body));
  inside const in;
  thread_state& t = new_thread(name, own);
  thread_state& me = the.self();
  ++me.current.at[me.id];  // a start and an end are events: what plain accesses precede
  t.current.copy(me.current);
  id_ = t.id;
}

void thread::join() {
  inside const in;
  schedule({action::join, mo::relaxed, mo::relaxed, 0, nullptr, 0, 0, {"join", 0}, id_});
  the.self().current.join(the.threads[id_].current);
}

void require(bool condition, char const* what) {
  if (condition) return;
  inside const in;
  fail("assertion", what);
}

int choose(int n) {
  inside const in;
  return decide(n);
}

void begin_transaction() { the.self().in_transaction = true; }

void commit_transaction() {
  thread_state& me = the.self();
  ++me.current.at[me.id];
  for (store_event* const s : me.watched) s->carried.join(me.current);
  me.watched.clear();
  me.in_transaction = false;
}

void abort_transaction() {
  inside const in;
  leave(engine::ending::pruned);
}

void may_rest(std::function<bool()> fine) { the.rest = new std::function<bool()>(std::move(fine)); }

void own_pointer(void** pointer) {
  inside const in;
  if (the.own_pointers.size() == the.self().own.size()) fail("limit", "too many thread-local pointers");
  the.own_pointers.push_back(pointer);
}

void beside(void const* object, std::size_t size) {
  inside const in;
  auto* const begin = static_cast<char const*>(object);
  the.beside.emplace_back(begin, begin + size);
}

void observe(std::uint64_t outcome) {
  inside const in;
  the.observed.push_back(outcome);
}

}  // namespace ashlar::model
