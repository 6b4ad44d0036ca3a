// SPDX-License-Identifier: Apache-2.0
// The skip list's insertions beside each other and beside searches and walks: every element is linked once and in
// order, and whoever follows a link sees the whole element behind it. The checker chooses the heights of the nodes.
#include <scenes.h>

#include <ashlar/containers/skip_list.h>

#include <functional>
#include <memory>

using namespace ashlar;

namespace ashlar::inline v1::containers {
unsigned random_height(unsigned) noexcept { return 1 + static_cast<unsigned>(model::choose(2)); }
}  // namespace ashlar::inline v1::containers

namespace {

struct item {
  int key;
  model::var<int> content;
  explicit item(int k) : key(k), content(10 * k) {}
};
struct contents {
  using value_type = item;
  static int const& key(item const& i) { return i.key; }
};

template <bool Multi>
struct list_scene {
  containers::skip_list<contents, std::less<int>, std::allocator<item>, Multi> list{std::less<int>(),
                                                                                    std::allocator<item>()};

  bool insert(int key) {
    auto const f = list.insert(key, [&] { return list.create([&](void* place) { ::new (place) item(key); }); });
    model::require(f.at->value().content.get() == 10 * key, "the element is whole");
    return f.inserted;
  }
  bool has(int key) {
    auto const p = list.find(key);
    if (p) model::require(p->value().content.get() == 10 * key, "the element is whole");
    return p != nullptr;
  }
  // The keys in order, and their number.
  int walk() {
    int n = 0;
    int last = -1;
    for (auto p = list.first(); p; p = list.next(p), ++n) {
      model::require(Multi ? p->value().key >= last : p->value().key > last, "a walk is in order");
      last = p->value().key;
      p->value().content.get();
    }
    return n;
  }
};

void neighbours() {
  list_scene<false> s;
  s.insert(1);
  model::thread a("inserts", [&] { s.insert(2); });
  s.insert(3);
  a.join();
  model::require(s.has(1) && s.has(2) && s.has(3) && s.walk() == 3 && s.list.size() == 3, "all are there");
}

void same_key() {
  list_scene<false> s;
  int first = 0;
  model::thread a("inserts", [&] { first = s.insert(1); });
  bool const second = s.insert(1);
  a.join();
  model::require(first + second == 1 && s.walk() == 1 && s.list.size() == 1, "inserted once");
}

void equal_keys() {
  list_scene<true> s;
  model::thread a("inserts", [&] { s.insert(1); });
  s.insert(1);
  a.join();
  model::require(s.walk() == 2 && s.list.size() == 2, "both are there");
  auto at = s.list.first();
  s.list.cut(1, [&](auto higher) {
    while (at && at != higher) at = s.list.next(at);
    model::require(at == higher, "equal elements have one order on all levels");
  });
}

void search_beside_insert() {
  list_scene<false> s;
  s.insert(2);
  model::thread a("inserts", [&] {
    s.insert(1);
    s.insert(3);
  });
  bool const late = s.has(3);
  model::require(s.has(2) && (!late || s.has(1)), "what was inserted before is found");
  a.join();
}

void walk_beside_insert() {
  list_scene<false> s;
  s.insert(2);
  model::thread a("inserts", [&] { s.insert(1); });
  model::require(s.walk() >= 1, "what is there all the time is met");
  a.join();
  model::require(s.walk() == 2, "both are there");
}

model::scene const scenes[] = {{"neighbours", neighbours, 1},
                               {"same key", same_key, 2},
                               {"equal keys", equal_keys, 2},
                               {"search beside insert", search_beside_insert, 1},
                               {"walk beside insert", walk_beside_insert, 2}};

}  // namespace

TEST_CASE("elements are linked once, in order and whole") { model::check_all(scenes); }
TEST_CASE("random search goes on where the exhaustive one stops") { model::check_randomly(scenes, 3'000); }
TEST_CASE("each order is needed") { model::check_each_order(scenes, {"include/ashlar/containers/skip_list.h"}); }
