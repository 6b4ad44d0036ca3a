// SPDX-License-Identifier: Apache-2.0
// The hash table's growth beside readers without locks, insertions, erasures and walks: nobody misses an element that
// is there all the time, nobody touches one that is being destroyed. In the checker a new table has two groups and
// groups are split one at a time.
#define TBB_USE_ASSERT 1  // a reader that goes wrong fails an assertion, which the checker reports, instead of crashing

#include <scenes.h>
#include <without_pages.h>

#include <ashlar/containers/hash_table.h>

#include <memory>
#include <string>

using namespace ashlar;
using containers::hold;

namespace {

struct item {
  int key;
  model::var<int> content;
  explicit item(int k) : key(k), content(10 * k) {}
};

// Keys are their own hashes: bit 0 tells a new table's groups apart, bit 1 the first split's.
struct table_scene {
  containers::hash_table<item, std::allocator<item>> table{std::allocator<item>()};

  static auto is(int key) {
    return [key](item const& i) { return i.key == key; };
  }
  bool insert(int key, hold h = hold::nothing) {
    auto const f = table.insert(static_cast<std::uint32_t>(key), is(key), h,
                                [&] { return table.create([&](void* place) { ::new (place) item(key); }); });
    if (h != hold::nothing) f.element->state.unlock(h);
    return f.inserted;
  }
  // As insert() for tables from which nobody erases.
  bool insert_unlocked(int key) {
    return table
        .insert_unlocked(static_cast<std::uint32_t>(key), is(key),
                         [&] { return table.create([&](void* place) { ::new (place) item(key); }); })
        .inserted;
  }
  bool has(int key) {
    auto* const n = table.find(static_cast<std::uint32_t>(key), is(key), hold::read);
    if (n == nullptr) return false;
    model::require(n->value().key == key && n->value().content.get() % 10 == 0, "the element is whole");
    n->state.unlock(hold::read);
    return true;
  }
  bool has_unlocked(int key) {
    auto* const n = table.find(static_cast<std::uint32_t>(key), is(key));
    if (n == nullptr) return false;
    model::require(n->value().content.get() == 10 * key, "the element is whole");
    return true;
  }
  bool add(int key, int more) {
    auto* const n = table.find(static_cast<std::uint32_t>(key), is(key), hold::write);
    if (n == nullptr) return false;
    n->value().content.set(n->value().content.get() + more);
    n->state.unlock(hold::write);
    return true;
  }
  bool erase(int key) { return table.erase(static_cast<std::uint32_t>(key), is(key)); }
  // Doubles the table with the next insertion; its new groups wait for their elements.
  void grow_by(int key) {
    table.set_load(0.01f);
    insert(key);
    table.set_load(100);
  }
};

void find_during_split() {
  table_scene s;
  s.insert(0);
  s.insert(2);
  s.grow_by(1);
  model::thread a("splits", [&] { model::require(s.insert(6), "a new key"); });
  model::require(s.has_unlocked(2) && s.has(0), "elements are found");
  a.join();
  model::require(s.has(6) && s.has(2) && s.has(0) && s.table.size() == 4, "all are there");
}

void find_during_growth() {
  table_scene s;
  s.insert(2);
  s.table.set_load(0.01f);
  model::thread a("grows", [&] {
    s.insert(4);
    s.insert(6);
  });
  model::require(s.has(2), "an element is found while the table grows");
  a.join();
  model::require(s.has(2) && s.has(4) && s.has(6), "all are there");
}

// The seventh element continues the chain; when the first one moves away, it takes its slot.
void closed_gap() {
  table_scene s;
  for (int const key : {2, 0, 4, 8, 12, 16, 20}) s.insert(key);
  s.grow_by(1);
  model::thread a("splits", [&] { s.insert(6); });
  int const key = model::choose(2) == 0 ? 20 : 2;
  model::require(s.has_unlocked(key), "an element is found while a gap is closed");
  a.join();
}

// The group that leaves a chain continues another one while a reader may be in it.
void recycled_group() {
  table_scene s;
  for (int const key : {2, 0, 4, 8, 12, 16, 20, 1, 3, 5, 7, 9, 11}) s.insert(key);
  s.grow_by(13);
  model::thread a("splits", [&] {
    s.insert(6);
    s.insert(15);
  });
  model::require(s.has_unlocked(20), "an element is found while its group is recycled");
  a.join();
}

// The table has grown by two levels while groups 2, 4 and 6 wait for elements of group 0: what belongs to 6 reaches it
// by way of 2, also if 4 is split off first.
void split_over_two_levels() {
  table_scene s;
  s.insert(0);
  s.insert(6);
  s.grow_by(1);
  s.grow_by(3);
  model::thread a("splits the younger child", [&] { s.insert(4); });
  model::require(s.has_unlocked(6), "an element of an unsplit child is found");
  a.join();
  model::require(!s.insert(6) && s.has(0) && s.has(4) && s.table.size() == 5, "no key twice");
}

void splits_of_both_levels() {
  table_scene s;
  for (int const key : {2, 6}) s.insert(key);
  s.grow_by(1);
  s.grow_by(3);
  model::thread a("splits the younger child", [&] { s.insert(4); });
  model::require(s.insert(14) && !s.insert(6), "a split of the older child brings what belongs to it");
  a.join();
  model::require(s.has(2) && s.has(6) && s.has(4) && s.has(14) && s.table.size() == 6, "all are there");
}

// In an empty table, whose parts are made by whoever comes first.
void same_key() {
  table_scene s;
  bool first = false;
  model::thread a("inserts", [&] { first = s.insert_unlocked(3); });
  bool const second = s.insert_unlocked(3);
  model::require(second || s.has_unlocked(3), "what was not inserted is there");
  a.join();
  model::require(first != second && s.table.size() == 1, "inserted once");
}

void same_key_held() {
  table_scene s;
  s.insert(1);
  int inserted = 0;
  model::thread a("inserts", [&] { inserted = s.insert(3, hold::write); });
  bool const mine = s.insert(3, hold::read);
  a.join();
  model::require(inserted + mine == 1 && s.table.size() == 2, "inserted once");
}

void insert_beside_growth() {
  table_scene s;
  s.table.set_load(0.01f);
  s.insert(2);
  model::thread a("inserts", [&] { s.insert(6); });
  s.insert(4);
  a.join();
  model::require(s.has(2) && s.has(4) && s.has(6), "all are there");
}

void two_chains() {
  table_scene s;
  for (int key = 0; key != 12; ++key) s.insert(key);
  model::thread a("continues a chain", [&] { s.insert(12); });
  s.insert(13);
  model::require(s.has(13), "an element of the continued chain is found");
  a.join();
  model::require(s.has(12) && s.has(13), "both are there");
}

void found_in_continued_chain() {
  table_scene s;
  for (int key = 0; key != 12; key += 2) s.insert_unlocked(key);
  model::thread a("continues a chain", [&] { s.insert_unlocked(14); });
  s.has_unlocked(14);
  a.join();
  model::require(s.has_unlocked(14), "it is there");
}

void erase_beside_reader() {
  table_scene s;
  s.insert(1);
  bool erased = false;
  model::thread a("erases", [&] { erased = s.erase(1); });
  s.has(1);
  a.join();
  model::require(erased && !s.has(1) && s.table.size() == 0, "it is gone");
}

void erase_beside_writer() {
  table_scene s;
  s.insert(1);
  model::thread a("erases", [&] { s.erase(1); });
  s.add(1, 10);
  a.join();
  model::require(!s.has(1), "it is gone");
}

void erased_once() {
  table_scene s;
  s.insert(1);
  int times = 0;
  model::thread a("erases", [&] { times = s.erase(1); });
  auto* const n = s.table.find(1, table_scene::is(1), hold::write);
  bool const mine = n != nullptr && s.table.erase(n, hold::write);
  a.join();
  model::require(times + mine == 1 && s.table.size() == 0, "erased once");
}

void reused_node() {
  table_scene s;
  s.insert(1);
  model::thread a("erases and inserts", [&] {
    s.erase(1);
    s.insert(5);
  });
  s.has(1);
  s.has(5);
  a.join();
  model::require(!s.has(1) && s.has(5), "the other one is there");
}

void two_writers() {
  table_scene s;
  s.insert(1);
  model::thread a("writes", [&] { s.add(1, 10); });
  s.add(1, 10);
  a.join();
  s.table.find(1, table_scene::is(1))->value().content.get();
  model::require(s.table.find(1, table_scene::is(1))->value().content.get() == 30, "both have written");
}

// The first chunk has four nodes.
void walk() {
  table_scene s;
  for (int key = 1; key != 5; ++key) s.insert(key);
  model::thread a("inserts", [&] { s.insert(5); });
  int seen = 0;
  auto const look = [&](item const& i) { seen += i.content.get() != 50; };
  s.table.visit_all(hold::read, look);
  a.join();
  model::require(seen == 4, "a walk meets what stays once");
}

void walk_without_locks() {
  table_scene s;
  for (int key = 1; key != 4; ++key) s.insert(key);
  model::thread a("inserts", [&] {
    s.insert_unlocked(4);
    s.insert_unlocked(5);
  });
  int seen = 0;
  for (auto* n = s.table.first(); n != nullptr; n = s.table.next(n)) seen += n->value().content.get() < 40;
  a.join();
  model::require(seen == 3, "a walk meets what is there once");
}

model::scene const scenes[] = {{"find during a split", find_during_split, 1},
                               {"find during growth", find_during_growth, 1},
                               {"closed gap", closed_gap, 1},
                               {"recycled group", recycled_group, 1},
                               {"split over two levels", split_over_two_levels, 1},
                               {"splits of both levels", splits_of_both_levels, 1},
                               {"same key", same_key, 2},
                               {"same key, held", same_key_held, 1},
                               {"insert beside growth", insert_beside_growth, 1},
                               {"two chains", two_chains, 1},
                               {"found in a continued chain", found_in_continued_chain, 1},
                               {"erase beside a reader", erase_beside_reader, 3},
                               {"erase beside a writer", erase_beside_writer, 3},
                               {"erased once", erased_once, 2},
                               {"reused node", reused_node, 1},
                               {"two writers", two_writers, 3},
                               {"walk", walk, 1},
                               {"walk without locks", walk_without_locks, 2}};

}  // namespace

TEST_CASE("nobody misses an element or touches a dead one while the table grows") { model::check_all(scenes); }
TEST_CASE("random search goes on where the exhaustive one stops") { model::check_randomly(scenes, 2'000); }

TEST_CASE("the orders of tags, links and slots are needed") {
  for (char const* tag : {"H7", "H8", "H9", "H10", "H11", "H12"}) {
    std::vector<model::site> lines = model::tagged("include/ashlar/containers/hash_group.h", tag);
    for (char const* file : {"include/ashlar/containers/hash_table.h", "include/ashlar/containers/hash_table_impl.h"}) {
      for (model::site const& s : model::tagged(file, tag)) lines.push_back(s);
    }
    CAPTURE(tag);
    CHECK(model::caught_by(scenes, lines) != "");
  }
}
