// SPDX-License-Identifier: Apache-2.0
// The division of workers among arenas, by itself: no worker ever comes to these arenas.
#include "sched/market/allotment.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <tuple>
#include <vector>

namespace {

namespace sched = ashlar::sched;

struct releaser {
  void operator()(sched::arena* a) const noexcept { a->release(); }
};
using owned_arena = std::unique_ptr<sched::arena, releaser>;

owned_arena arena_of(int priority) {
  sched::arena_settings settings;
  settings.priority = priority;
  return owned_arena(&sched::arena::create(64, settings));
}

unsigned active(owned_arena const& a) { return a->active.load(ashlar::mo::relaxed); }
unsigned allotted(owned_arena const& a) { return a->allotted.load(ashlar::mo::relaxed); }

// Lets workers come as long as there are places, as free workers do. Returns how many came.
unsigned fill(sched::allotment& all) {
  unsigned came = 0;
  while (sched::arena* const next = all.neediest()) {
    all.arrive(*next);
    ++came;
  }
  return came;
}

// Recalled workers leave.
void obey(sched::allotment& all, std::vector<owned_arena> const& arenas) {
  for (auto const& a : arenas) {
    while (active(a) > allotted(a)) all.depart(*a);
  }
}

void forget(sched::allotment& all, std::vector<owned_arena> const& arenas) {
  for (auto const& a : arenas) all.forget(*a);
}

}  // namespace

TEST_CASE("allotment: the higher priority comes first, and what it leaves goes to the lower one") {
  sched::allotment all;
  std::vector<owned_arena> arenas;
  for (int const priority : {0, 2}) arenas.push_back(arena_of(priority));
  auto const& [low, high] = std::tie(arenas[0], arenas[1]);
  all.want(*low, 3, false);
  all.divide(3);
  CHECK(fill(all) == 3);
  CHECK(active(low) == 3);
  all.want(*high, 2, false);
  all.divide(3);
  CHECK(allotted(low) == 1);
  obey(all, arenas);
  CHECK(fill(all) == 2);
  CHECK(active(low) == 1);
  CHECK(active(high) == 2);
  forget(all, arenas);
}

TEST_CASE("allotment: arenas whose jobs only workers run get one each first, the longest waiting before others") {
  sched::allotment all;
  std::vector<owned_arena> arenas;
  for (int i = 0; i < 4; ++i) arenas.push_back(arena_of(1));
  all.want(*arenas[0], 8, false);
  for (int i = 1; i < 4; ++i) all.want(*arenas[static_cast<std::size_t>(i)], 4, true);
  all.divide(2);
  CHECK(fill(all) == 2);
  CHECK(active(arenas[0]) == 0);
  CHECK(active(arenas[1]) == 1);
  CHECK(active(arenas[2]) == 1);
  CHECK(active(arenas[3]) == 0);
  all.want(*arenas[1], 1, true);
  all.depart(*arenas[1]);
  all.want(*arenas[1], 0, false);
  all.divide(2);
  CHECK(all.neediest() == arenas[3].get());
  forget(all, arenas);
}

TEST_CASE("allotment: without any place one worker comes for jobs that only workers run") {
  sched::allotment all;
  std::vector<owned_arena> arenas;
  for (int i = 0; i < 3; ++i) arenas.push_back(arena_of(1));
  all.want(*arenas[0], 5, false);
  all.divide(0);
  CHECK(all.neediest() == nullptr);
  all.want(*arenas[1], 5, true);
  all.want(*arenas[2], 5, true);
  all.divide(0);
  CHECK(fill(all) == 1);
  CHECK(active(arenas[1]) == 1);
  CHECK(allotted(arenas[1]) == 1);
  forget(all, arenas);
}

TEST_CASE("allotment: a limit that falls calls workers back") {
  sched::allotment all;
  std::vector<owned_arena> arenas;
  for (int i = 0; i < 4; ++i) arenas.push_back(arena_of(1));
  for (auto const& a : arenas) all.want(*a, 2, false);
  all.divide(8);
  CHECK(fill(all) == 8);
  all.divide(2);
  unsigned granted = 0;
  for (auto const& a : arenas) granted += allotted(a);
  CHECK(granted == 2);
  forget(all, arenas);
}

TEST_CASE("allotment: whatever the arenas want, all places are used, none twice, and nobody is called back at once") {
  std::mt19937 random(1);
  auto const below = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
  for (int history = 0; history < 200; ++history) {
    sched::allotment all;
    std::vector<owned_arena> arenas;
    for (unsigned i = 0, n = 1 + below(12); i < n; ++i) arenas.push_back(arena_of(static_cast<int>(below(3))));
    for (int step = 0; step < 100; ++step) {
      auto const& a = arenas[below(static_cast<unsigned>(arenas.size()))];
      unsigned const places = below(3) == 0 ? below(3) : 1 + below(40);
      if (active(a) != 0 && below(3) == 0) all.depart(*a);
      all.want(*a, below(2) != 0 ? below(20) : active(a), below(2) == 0);
      all.divide(places);
      obey(all, arenas);
      if (places != 0) CHECK(all.active() <= places);
      CHECK((all.neediest() != nullptr) == (all.vacancies() != 0));
      while (sched::arena* const next = all.neediest()) {
        all.arrive(*next);
        REQUIRE(next->allotted.load(ashlar::mo::relaxed) >= next->active.load(ashlar::mo::relaxed));
      }
      unsigned wanted = 0, there = 0;
      for (auto const& each : arenas) {
        wanted += each->market_state.wanted;
        there += active(each);
      }
      CHECK(there == all.active());
      if (places != 0) CHECK(there == std::min(wanted, places));
    }
    forget(all, arenas);
  }
}
