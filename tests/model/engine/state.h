// SPDX-License-Identifier: Apache-2.0
// What the engine knows of one execution. Private to the engine.
//
// Memory model: RC11 (Lahav et al., PLDI 2017) in operational form. A place keeps all its stores in modification
// order, each at a stamp. A view is a vector clock over threads (what happened before) and places (which stores may
// no longer be missed). A store carries the view that an acquire load of it obtains. A new store may be put at any
// point of the order that its thread's view allows, and so may a read-modify-write, next to the store it reads.
#pragma once

#include <engine/model.h>

#include <algorithm>
#include <array>
#include <bitset>
#include <memory>
#include <utility>

#include "engine/fiber.h"

namespace ashlar::model {

using stamp = std::uint32_t;
inline constexpr int max_places = 248;
inline constexpr stamp stamp_step = 1u << 16;
inline constexpr int max_sequenced = 320;  // fences and seq_cst accesses of one execution
using sequenced_set = std::bitset<max_sequenced>;

struct view {
  static constexpr int block = max_threads;
  int used = max_threads;  // entries beyond are zero; whole blocks, which the compiler joins by vectors
  stamp at[max_threads + max_places] = {};
  static_assert((max_threads + max_places) % block == 0);

  void grow(int n) {
    for (; used < n; used += block) std::fill_n(at + used, block, 0);
  }
  // From a block's begin on.
  void join(view const& other, int from = 0) {
    grow(other.used);
    for (int begin = from; begin < other.used; begin += block) {
      for (int i = begin; i < begin + block; ++i) at[i] = at[i] < other.at[i] ? other.at[i] : at[i];
    }
  }
  void copy(view const& other) {
    used = other.used;
    std::memcpy(at, other.at, sizeof(stamp) * static_cast<std::size_t>(used));
  }
  void raise(int i, stamp s) {
    grow(i + 1);
    if (at[i] < s) at[i] = s;
  }
  stamp get(int i) const { return i < used ? at[i] : 0; }
};

struct store_event {
  stamp at;
  std::uint64_t value;
  std::uint32_t number;  // of all stores in the order of execution; 0: initial value
  int thread;            // -1: initial value
  stamp clock;
  bool claimed;   // a read-modify-write follows directly: nothing may come between
  int sequenced;  // its node in the order of seq_cst events, or -1
  view carried;
};

// Any access to a place: what later seq_cst events and the end of the place are compared with.
struct place_event {
  int thread;
  stamp clock, at;
  std::array<stamp, max_threads> before;
};

struct place {
  void* address;
  unsigned size;
  int index;  // in views
  bool dead;
  int init_thread;
  stamp init_clock, wake_floor;
  std::vector<store_event*> order;
  std::vector<place_event> events;
};

enum class status : unsigned char { unused, ready, asleep, done };

// What a round of a spin loop read, and how many stores there were then.
struct seen {
  int place;
  stamp at;
  std::uint64_t value;
  std::uint32_t number;
  bool operator==(seen const& o) const { return place == o.place && at == o.at; }
};

// Indices of stores in a place's order: those that a load may read or a store may follow, newest first.
struct choice_list {
  int count = 0, all = 0;  // all: with those left out because they have been explored
  int at[52];
  unsigned char letter[52];  // in the replay string
};

struct thread_state {
  int id;
  char const* name;
  status now;
  access pending;
  std::function<void()>* body;
  fiber context;
  view current;        // what the thread knows
  view acquired;       // what a fence would add: carried by stores read without acquire
  view fenced;         // what the thread knew at its last fence: goes with stores without release
  bool redundant;      // sleep set: the pending access has been explored from here, except that
  std::uint32_t from;  // reads of stores younger than this number are new
  void* waits_on;      // futex
  bool timed, timed_out;
  int pauses, priority;
  std::vector<seen> spin, last_spin;  // this and the previous round of a spin loop
  bool waited, told;                  // the last pause waited for a change; a compare-exchange of this round has failed
  int awaited;                        // place whose change ended the last pause, or -1
  std::array<void*, 4> own;           // values of thread-local pointers, while others run
  bool in_transaction;
  std::vector<store_event*> watched;  // what the transaction's loads have left in their places' orders

  void forget_rounds() {
    spin.clear();
    last_spin.clear();
    waited = told = false;
  }
};

struct step {
  int thread;
  access what;
  int place;  // index, or -1
  std::uint64_t before, after;
  char const* note;
};

// The order psc of RC11 over fences and seq_cst accesses, kept transitively closed.
struct sequenced_order {
  struct node {
    int thread, place;  // place -1: a fence
    stamp clock, at;
    std::array<stamp, max_threads> known;
    sequenced_set before;
  };
  std::vector<node> nodes;
  int accesses = 0;

  void clear() {
    nodes.clear();
    accesses = 0;
  }
  // An access by a thread that knows `known`, placed at index i of the place's order (reading or following store i).
  bool allows(place const& p, std::size_t i, bool writes, bool seq_cst, view const& known) const;
  // Returns its node, or -1 if it isn't seq_cst.
  int add_access(int thread, stamp clock, place const& p, std::size_t i, bool writes, bool seq_cst, view const& known);
  void add_fence(int thread, stamp clock, view const& known);

 private:
  sequenced_set sources(place const& p, stamp at, bool writes, bool seq_cst, view const& known) const;
  sequenced_set targets(place const& p, std::size_t i) const;
  int add(node const& n);
};

struct engine {
  options const* how = nullptr;
  result* found = nullptr;
  std::function<void()> const* body = nullptr;
  bool active = false, user = false;  // an execution runs; it is in the model's code
  fiber outside;
  thread_state threads[max_threads];
  int thread_count = 0, current = 0;
  int switches = 0, steps = 0, spurious = 0, timeouts = 0;

  place places[max_places];
  int place_count = 0;
  std::vector<std::unique_ptr<store_event>> stores;  // pool
  std::size_t stores_used = 0;
  std::uint32_t store_number = 0;
  view fences;  // what fences before know of places
  sequenced_order sequenced;

  struct decision {
    int taken, of;
  };
  std::vector<decision> path;
  std::size_t depth = 0;
  std::string taken;  // replay string of this execution
  std::size_t replayed = 0;
  std::uint64_t random = 0;
  std::vector<int> change_points;

  std::function<bool()>* rest = nullptr;
  std::vector<void**> own_pointers;
  std::vector<std::pair<char const*, char const*>> beside;  // begin and end

  std::vector<step> trace;
  std::vector<std::uint64_t> observed;
  struct name {
    char const *begin, *end, *text;
  };
  std::vector<name> names;
  enum class ending : unsigned char { complete, at_rest, pruned, failed } how_ended = ending::complete;

  thread_state& self() { return threads[current]; }
};
extern engine the;

// The model's code is left at construction and entered again at destruction.
struct inside {
  inside() { the.user = false; }
  ~inside() { the.user = true; }
};

// scheduler.cpp
void schedule(access const& pending);    // returns when the calling thread's turn has come
int decide(choice_list const& allowed);  // one of allowed.at
int decide(int n);                       // one of 0 .. n-1
bool sleep_sets();
std::uint64_t next_random();
[[noreturn]] void leave(engine::ending how);
void record_failure(char const* kind, std::string const& what);
[[noreturn]] void fail(char const* kind, std::string const& what);
// memory.cpp
place* find_place(void const* address);
void kill_places(void const* begin, void const* end, char const* what);
void reset_memory();
choice_list candidates(thread_state& t, access const& a, place& p, bool only_new);
bool reads(action a);
bool weakened(site where);
answer execute(thread_state& t, access a);
void apply_fence(thread_state& t);
void note_step(thread_state const& t, access const& a, int place, std::uint64_t before, std::uint64_t after,
               char const* note);
void wake_dependent(thread_state const& by, access const& done);  // takes from the sleep set
// heap.cpp
void reset_heap();
void check_leaks();
char* stack_of(int thread);
inline constexpr std::size_t stack_size = 1u << 18;
void note_birth(void const* address, int thread, stamp clock);
std::pair<int, stamp> birth_of(void const* address);  // of an atomic; thread -1: unknown
bool freed(void const* address);
std::string block_name(void const* address);  // empty if it isn't on the heap
// report.cpp
std::string interleaving();
std::string place_name(void const* address);

}  // namespace ashlar::model
