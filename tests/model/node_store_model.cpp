// SPDX-License-Identifier: Apache-2.0
// The nodes of a hash table beside threads that take and give them back, each in a stripe that the scene chooses:
// nobody gets a node that another one has, none is lost, every wait ends, and no memory is added while a list is worth
// the way. The scenes say which list that is, so that short ones are.
#include <scenes.h>
#include <without_pages.h>

#include <ashlar/containers/node_store.h>

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <new>
#include <optional>
#include <utility>

using namespace ashlar;

namespace {

std::size_t* stripe_of_thread;

// A list is worth the way if it has a node, and one more for each `Used` in use.
template <std::size_t Count, std::size_t Used = 1000>
struct chosen_stripes {
  static constexpr std::size_t count = Count;
  static std::size_t mine() noexcept { return *stripe_of_thread; }
  static void change_to(std::size_t) noexcept {}
  static std::ptrdiff_t surplus(std::size_t used) noexcept { return 1 + static_cast<std::ptrdiff_t>(used / Used); }
};

struct memory_record {
  std::array<int, 4> chunks{};  // by stripe
  std::array<bool, 4> fails{};
  std::function<void()> meanwhile;  // done during the next allocation
};
template <typename T>
struct recording : std::allocator<T> {
  template <typename U>
  struct rebind {
    using other = recording<U>;
  };
  memory_record* record;
  explicit recording(memory_record& r) noexcept : record(&r) {}
  template <typename U>
  recording(recording<U> const& other) noexcept : record(other.record) {}
  T* allocate(std::size_t n) {
    if (record->fails[*stripe_of_thread]) throw std::bad_alloc();
    ++record->chunks[*stripe_of_thread];
    if (auto const f = std::exchange(record->meanwhile, nullptr)) {
      std::size_t* const mine = stripe_of_thread;
      f();
      stripe_of_thread = mine;
    }
    return std::allocator<T>::allocate(n);
  }
};

template <typename Stripes>
struct store_scene {
  using store_type = containers::node_store<long, recording<long>, Stripes>;
  using node = typename store_type::node;

  memory_record memory;
  recording<long> allocator{memory};
  store_type store;
  std::map<node*, bool> in_use;

  store_scene() { model::own(stripe_of_thread); }
  // The bodies have ended. All nodes can be taken, each once.
  ~store_scene() {
    memory.fails.fill(true);
    for (std::size_t i = 0; i != Stripes::count; ++i) {
      while (take(i) != nullptr) {
      }
    }
    std::size_t count = 0;
    for (auto const& n : in_use) count += n.second;
    model::require(count == typename store_type::span(store).nodes(), "no node is lost");
    model::require(count == store.size(), "nodes are counted");
    store.release(allocator);
  }

  // Null if there is no memory.
  node* take(std::size_t stripe) {
    stripe_of_thread = &stripe;
    try {
      node* const n = store.take(allocator);
      model::require(!in_use[n], "nobody else has the node");
      in_use[n] = true;
      return n;
    } catch (std::bad_alloc const&) {
      return nullptr;
    }
  }
  void give_back(std::size_t stripe, node* n) {
    stripe_of_thread = &stripe;
    in_use[n] = false;
    store.give_back(n, allocator);
  }
};

// The threads share two nodes, and each of them may meet the other one in its stripe.
void one_stripe() {
  store_scene<chosen_stripes<1>> s;
  auto* const n = s.take(0);
  model::thread a("gives back and takes", [&] {
    s.give_back(0, n);
    s.take(0);
  });
  s.give_back(0, s.take(0));
  a.join();
  model::require(s.memory.chunks[0] == 1, "no chunk too many");
}

void met_in_a_stripe() {
  store_scene<chosen_stripes<2>> s;
  auto* const n = s.take(0);
  model::thread a("gives back", [&] { s.give_back(0, n); });
  s.take(0);
  a.join();
  model::require(s.memory.chunks[0] == 1, "no chunk too many");
}

// In an empty store.
void both_hungry() {
  store_scene<chosen_stripes<2>> s;
  model::thread a("takes", [&] { s.take(0); });
  s.take(1);
  a.join();
  model::require(s.memory.chunks[0] <= 1 && s.memory.chunks[1] <= 1, "no chunk too many");
}

void all_hungry() {
  store_scene<chosen_stripes<3>> s;
  model::thread a("takes", [&] { s.take(0); });
  model::thread b("takes", [&] { s.take(1); });
  s.take(2);
  a.join();
  b.join();
}

void given_back_elsewhere() {
  store_scene<chosen_stripes<2>> s;
  auto* const n = s.take(0);
  for (int i = 0; i != 3; ++i) s.take(0);
  model::thread a("gives back", [&] { s.give_back(1, n); });
  s.take(0);
  a.join();
}

// Two stripes without nodes, and a third one's list, which is in use for a moment and then goes to another stripe.
void list_that_moves() {
  store_scene<chosen_stripes<3>> s;
  auto* const first = s.take(2);
  auto* const second = s.take(2);
  auto* const third = s.take(2);
  for (auto* const n : {first, second, third}) s.give_back(2, n);
  model::thread a("takes", [&] { s.take(0); });
  s.take(2);
  s.take(1);
  a.join();
  model::require(s.memory.chunks[0] + s.memory.chunks[1] == 0, "a list is found wherever it goes");
}

// While stripe 1 waits for memory stripe 2 gets a list and stripe 0 looks for one. From then on there is a list all the
// time, first in stripe 2 and then in stripe 1.
void list_behind_a_hungry_stripe() {
  store_scene<chosen_stripes<3>> s;
  auto* const first = s.take(2);
  auto* const second = s.take(2);
  std::optional<model::thread> a;
  s.memory.meanwhile = [&] {
    s.give_back(2, first);
    s.give_back(2, second);
    a.emplace("takes", [&] { s.take(0); });
  };
  s.give_back(1, s.take(1));
  s.take(2);  // of three free nodes in lists
  s.take(2);
  a->join();
  model::require(s.memory.chunks[0] == 0, "a list is found that a hungry stripe gets");
}

void no_memory() {
  store_scene<chosen_stripes<2>> s;
  s.memory.fails[0] = true;
  bool taken = false;
  model::thread a("takes in vain", [&] { s.take(0); });
  taken = s.take(1) != nullptr;
  a.join();
  model::require(taken, "who finds no memory keeps nobody from it");
  model::require(s.memory.chunks[1] == 1, "no chunk too many");
}

// What stripe 1 gives back stripe 2 takes; then both are hungry. Who saw only the taking would believe that four nodes
// are in use, and that the list of one is not worth the way.
void count_of_a_hungry_stripe() {
  using scene = store_scene<chosen_stripes<4, 4>>;
  scene s;
  std::array<scene::node*, 4> n;
  for (scene::node*& each : n) each = s.take(1);
  s.memory.fails[1] = s.memory.fails[2] = true;
  model::thread b("gives back and takes", [&] {
    s.give_back(1, n[0]);
    s.take(2);
    model::thread c("takes", [&] { s.take(2); });
    s.take(1);
    c.join();
  });
  model::thread a("takes", [&] {
    s.give_back(3, n[1]);
    s.take(0);
  });
  a.join();
  b.join();
  model::require(s.memory.chunks[0] == 0 || s.in_use[n[1]], "a list is found that is worth the way");
}

model::scene const scenes[] = {{"one stripe", one_stripe, 3},
                               {"met in a stripe", met_in_a_stripe, 3},
                               {"both hungry", both_hungry, 2},
                               {"given back elsewhere", given_back_elsewhere, 3},
                               {"list that moves", list_that_moves, 2},
                               {"list behind a hungry stripe", list_behind_a_hungry_stripe, 2},
                               {"no memory", no_memory, 2}};
// Three threads that all read what the others have counted.
model::scene const large_scenes[] = {{"all hungry", all_hungry},
                                     {"count of a hungry stripe", count_of_a_hungry_stripe}};

bool noticed(std::span<model::scene const> of, char const* tag, model::options const& how) {
  return model::caught_by(of, model::tagged("include/ashlar/containers/node_store.h", tag), how) != "";
}

}  // namespace

TEST_CASE("a node has one owner, and memory is added only where no list is worth the way") {
  model::check_all(scenes, model::trimmed(), 3);
}
TEST_CASE("random search goes on where the exhaustive one stops") {
  model::check_randomly(scenes, 10'000);
  model::check_randomly(large_scenes, 20'000);
}
TEST_CASE("the orders of the locks and of hunger are needed") {
  CHECK(noticed(scenes, "ND1", model::trimmed()));
  CHECK(noticed(scenes, "ND2", model::trimmed()));
  model::options random;
  random.how = model::search::random;
  random.executions = 200'000;
  random.seed = 3;
  CHECK(noticed(large_scenes, "ND5", random));
  CHECK(noticed(large_scenes, "ND6", random));
}
