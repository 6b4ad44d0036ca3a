// SPDX-License-Identifier: Apache-2.0
// The lists of equal elements in an unordered multi container: nothing that is pushed is lost, and whoever reads a list
// sees each element whole. The hash table below has its own model.
#define TBB_USE_ASSERT 1  // a reader that goes wrong fails an assertion, which the checker reports, instead of crashing

#include <scenes.h>
#include <without_pages.h>

#include <ashlar/containers/unordered_engines.h>

#include <memory>

using namespace ashlar;

namespace {

struct item {
  int key;
  model::var<int> content;
  explicit item(int k) : key(k), content(10 * k) {}
};

struct multi_scene {
  containers::multi_engine<item, std::allocator<item>> engine{std::allocator<item>()};

  static auto is(int key) {
    return [key](item const& i) { return i.key == key; };
  }
  void insert(int key) {
    auto const f = engine.insert(static_cast<std::uint32_t>(key), is(key),
                                 [&] { return engine.create([&](void* place) { ::new (place) item(key); }); });
    model::require(f.inserted && engine.value(f.at).content.get() == 10 * key, "the element is whole");
  }
  // How many elements with the key the thread sees, by way of the list and by its length.
  int count(int key) {
    auto const first = engine.find(static_cast<std::uint32_t>(key), is(key));
    if (!first) return 0;
    int n = 0;
    for (auto p = first; p && engine.value(p).key == key; p = engine.next(p), ++n) {
      model::require(engine.value(p).content.get() == 10 * key, "the element is whole");
    }
    model::require(engine.run_length(first) == static_cast<std::size_t>(n),
                   "a list does not change behind its first element");
    return n;
  }
};

void equal_elements() {
  multi_scene s;
  s.insert(2);
  model::thread a("inserts", [&] { s.insert(2); });
  s.insert(2);
  model::require(s.count(2) >= 2, "what this thread inserted is there");
  a.join();
  model::require(s.count(2) == 3 && s.engine.size() == 3, "all are there");
}

void reader() {
  multi_scene s;
  s.insert(2);
  model::thread a("inserts", [&] { s.insert(2); });
  int const seen = s.count(2);
  model::require(seen >= s.count(4) + 1, "the first element is there");
  a.join();
  model::require(s.count(2) == 2, "both are there");
}

void first_of_a_key() {
  multi_scene s;
  model::thread a("inserts", [&] { s.insert(2); });
  s.insert(2);
  a.join();
  model::require(s.count(2) == 2 && s.engine.size() == 2, "both are there");
}

void walk() {
  multi_scene s;
  s.insert(2);
  s.insert(4);
  model::thread a("inserts", [&] {
    s.insert(2);
    s.insert(4);
  });
  int n = 0;
  for (auto p = s.engine.first(); p; p = s.engine.next(p), ++n) {
    model::require(s.engine.value(p).content.get() == 10 * s.engine.value(p).key, "the element is whole");
  }
  model::require(n >= 2, "a walk meets what was there");
  a.join();
  model::require(s.count(2) == 2 && s.count(4) == 2, "all are there");
}

model::scene const scenes[] = {{"equal elements", equal_elements, 3},
                               {"reader", reader, 4},
                               {"first of a key", first_of_a_key, 3},
                               {"walk", walk, 2}};

}  // namespace

TEST_CASE("equal elements stay together and whole") { model::check_all(scenes); }

TEST_CASE("each order is needed") {
  model::check_each_order(scenes, {"include/ashlar/containers/unordered_engines.h"});
}
