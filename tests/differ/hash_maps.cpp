// SPDX-License-Identifier: Apache-2.0
// concurrent_hash_map with its accessors, beside another one.
#include "containers.h"

#include <tbb/concurrent_hash_map.h>
#include <tbb/parallel_for.h>

#include <chrono>
#include <thread>

namespace differ {

namespace {

// Where oneTBB's is left by a hash function that throws is told in docs/differences.md: comparisons alone throw here.
struct compare {
  std::size_t hash(counted const& c) const { return static_cast<std::size_t>(c.value) % 61; }
  bool equal(counted const& a, counted const& b) const { return a == b; }
};
using container = tbb::concurrent_hash_map<counted, counted, compare, memory<std::pair<counted const, counted>>>;

struct maps {
  explicit maps(step const& program)
      : x(std::make_unique<container>(container::allocator_type(allocator_number(program.a)))),
        y(std::make_unique<container>(container::allocator_type(allocator_number(program.b)))) {}
  std::unique_ptr<container> x, y;
};

std::vector<int> lines(container const& c) {
  return values_of(c, [](container::value_type const& v) { return v.first.value * 1000 + v.second.value; }, false);
}

// Does it find what it holds? oneTBB's find divides buckets, so that who looks meanwhile sees an element twice.
bool is_sound(container const& c) {
  std::vector<container::value_type const*> held;
  for (auto const& v : c) held.push_back(&v);
  for (auto const* const v : held) {
    container::const_accessor access;
    if (!c.find(access, v->first) || &*access != v) return false;
  }
  return held.size() == c.size() && c.empty() == held.empty();
}

template <typename Accessor>
bool insert_with(container& c, step const& s, int& seen) {
  counted const key(s.a % 40);
  Accessor access;
  bool made = false;
  switch (s.b % 4) {
    case 0:
      made = c.insert(access, key);
      break;
    case 1:
      made = c.insert(access, container::value_type(key, counted(s.b % 1000)));
      break;
    case 2:
      made = c.emplace(access, key, counted(s.b % 1000));
      break;
    default: {
      container::value_type const value(key, counted(s.b % 1000));
      made = c.insert(access, value);
    }
  }
  seen = access->second.value;
  return made;
}

std::unique_ptr<container> made(step const& s) {
  using value_type = container::value_type;
  container::allocator_type const from(allocator_number(s.b));
  auto const n = static_cast<std::size_t>(s.n);
  std::vector<value_type> some;
  for (int i = 0; i < s.n; ++i) some.emplace_back(counted((s.a + i) % 40), counted(i));
  switch (s.a % 6) {
    case 0:
      return std::make_unique<container>(n, from);
    case 1:
      return std::make_unique<container>(n, compare(), from);
    case 2:
      return std::make_unique<container>(some.begin(), some.end(), from);
    case 3:
      return std::make_unique<container>(compare(), from);
#if DIFFER_ONETBB
    case 4:
      return std::make_unique<container>(some.begin(), some.end(), compare(), from);
#endif
    default: {
      std::initializer_list<value_type> const list = {value_type(counted(s.a % 40), counted(1)),
                                                      value_type(counted(s.b % 40), counted(2))};
      return std::make_unique<container>(list, from);
    }
  }
}

bool put(maps& m, step const& s, std::string const& path, book& told) {
  counted const key(s.a % 40);
  int seen = -7;
  if (s.kind == "insert") {
    bool const made = s.n % 2 == 0 ? insert_with<container::accessor>(*m.x, s, seen)
                                   : insert_with<container::const_accessor>(*m.x, s, seen);
    told.tell(path + " inserted", text(made) + std::to_string(seen));
  } else if (s.kind == "make") {
    m.x = made(s);
  } else if (s.kind == "insert_plain") {
    told.tell(path + " inserted", m.x->insert(container::value_type(key, counted(s.b % 1000))));
  } else if (s.kind == "emplace") {
    told.tell(path + " inserted", m.x->emplace(key, counted(s.b % 1000)));
  } else if (s.kind == "insert_range") {
    m.x->insert(m.y->begin(), m.y->end());
  } else if (s.kind == "insert_list") {
    m.x->insert({container::value_type(key, counted(1)), container::value_type(counted(s.b % 40), counted(2))});
  } else if (s.kind == "write") {
    container::accessor access;
    if (m.x->find(access, key)) access->second = counted(s.b % 1000);
  } else if (s.kind == "parallel") {
    std::atomic<int> taken{0};
    tbb::parallel_for(0, s.n, [&](int i) {
      container::accessor access;
      taken += m.x->insert(access, counted((s.a + i * 7) % 50)) ? 1 : 0;
      if (planted("hash map loses an update") && i == 6) return;
      access->second = counted((access->second.value + 1) % 1000);
    });
    told.tell(path + " taken", taken.load());
  } else if (s.kind == "broken_insert") {
    container::value_type const value(key, counted(3));
    std::atomic<int>& left = s.n % 2 == 0 ? calls_left : copies_left;
    left = s.b % 5;
    std::string const out = thrown([&] { m.x->insert(value); });
    bool const threw = left < 0;
    left = -1;
    told.expect(threw == (out != "nothing"), path + " an exception was lost");
    m.x->erase(key);
  } else {
    return false;
  }
  return true;
}

// Who erases an element waits for the thread that holds it.
void erase_beside(container& x, counted const& key, std::string const& path, book& told) {
  std::atomic<bool> held{false}, released{false};
  std::thread holder([&] {
    container::accessor access;
    x.insert(access, key);
    held = true;
    std::this_thread::sleep_for(std::chrono::microseconds(200));
    told.tell(path + " its key while it was held", access->first.value);
    released = true;
  });
  while (!held) std::this_thread::yield();
  bool const erased = x.erase(key);
  told.tell(path + " erased after its release", text(erased) + text(released.load()));
  holder.join();
}

void ask(maps& m, step const& s, std::string const& path, book& told) {
  counted const key(s.a % 40);
  if (s.kind == "find") {
    container::const_accessor access;
    bool const found = m.x->find(access, key);
    told.tell(path + " found", text(found) + std::to_string(found ? access->second.value : 0) + text(access.empty()));
    access.release();
    told.tell(path + " count", m.x->count(key));
  } else if (s.kind == "erase") {
    told.tell(path + " erased", m.x->erase(key));
  } else if (s.kind == "erase_held") {
    container::accessor access;
    if (m.x->find(access, key)) told.tell(path + " erased", m.x->erase(access));
  } else if (s.kind == "erase_read") {
    container::const_accessor access;
    if (m.x->find(access, key)) told.tell(path + " erased", m.x->erase(access));
  } else if (s.kind == "erase_beside") {
    erase_beside(*m.x, key, path, told);
  } else if (s.kind == "rehash") {
    m.x->rehash(static_cast<std::size_t>(s.n));
  } else if (s.kind == "range") {
    std::vector<int> all;
    for (auto const& v : m.x->range()) all.push_back(v.first.value);
    std::sort(all.begin(), all.end());
    told.tell(path + " through its range", all);
  } else if (s.kind == "equal_range") {
    auto const found = m.x->equal_range(key);
    told.tell(path + " equal", std::distance(found.first, found.second));
#if DIFFER_ONETBB
  } else if (s.kind == "compare") {
    told.tell(path + " ==", text(*m.x == *m.y) + text(*m.x != *m.y));
#endif
  }
}

void hash_map(step const& program, book& told) {
  maps m(program);
  for (std::size_t i = 0; i < program.body.size(); ++i) {
    step const& s = program.body[i];
    std::string const path = std::to_string(i) + " " + s.kind;
    turn(m.x, m.y, s);
    if (s.kind == "move_assign") m.x->clear();  // oneTBB's does not drop what it held (docs/differences.md)
    if (change_whole(m.x, m.y, s, path, told)) {
      told.tell(path + " the other holds", lines(*m.y));
    } else if (!put(m, s, path, told)) {
      ask(m, s, path, told);
    }
    told.tell(path + " holds", lines(*m.x));
    told.tell(path + " size", std::to_string(m.x->size()) + text(m.x->empty()));
    told.expect(is_sound(*m.x) && is_sound(*m.y), path + ": unsound");
  }
}

}  // namespace

void add_hash_maps(subjects& table) { table["hash_map"] = hash_map; }

}  // namespace differ
