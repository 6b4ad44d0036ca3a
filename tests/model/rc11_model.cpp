// SPDX-License-Identifier: Apache-2.0
// The checker against the axioms: random small programs, whose outcomes the engine explores and a brute-force
// enumeration of execution graphs computes from the definition of RC11 (Lahav et al., PLDI 2017; release sequences as
// in C++20). Both must give the same set, with and without sleep sets.
#include <doctest/doctest.h>

#include <engine/model.h>

#include <algorithm>
#include <array>
#include <optional>
#include <random>

using namespace ashlar;

namespace {

enum class kind { load, store, exchange, fence };

struct event {
  int thread;
  kind what;
  int place;
  order how;
  bool reads() const { return what == kind::load || what == kind::exchange; }
  bool writes() const { return what == kind::store || what == kind::exchange; }
  bool acquires() const { return how == mo::acquire || how == mo::acq_rel || how == mo::seq_cst; }
  bool releases() const { return how == mo::release || how == mo::acq_rel || how == mo::seq_cst; }
  bool strong_access() const { return what != kind::fence && how == mo::seq_cst; }
};

constexpr int places = 2;
using program = std::vector<event>;  // in program order within each thread; event i stores the value i + 1
using outcomes = std::set<std::uint64_t>;

program random_program(std::mt19937& random, int threads, int length) {
  auto const pick = [&](auto const& from) { return from[random() % from.size()]; };
  std::vector<order> const loads{mo::relaxed, mo::acquire, mo::seq_cst}, stores{mo::relaxed, mo::release, mo::seq_cst},
      both{mo::relaxed, mo::acquire, mo::release, mo::acq_rel, mo::seq_cst};
  std::vector<kind> const kinds{kind::load, kind::load, kind::store, kind::store, kind::exchange, kind::fence};
  program p;
  for (int t = 0; t < threads; ++t) {
    for (int i = 0; i < length; ++i) {
      kind const k = pick(kinds);
      order const o = k == kind::load    ? pick(loads)
                      : k == kind::store ? pick(stores)
                      : k == kind::fence ? mo::seq_cst
                                         : pick(both);
      p.push_back({t, k, static_cast<int>(random() % places), o});
    }
  }
  return p;
}

// --- what the engine finds -------------------------------------------------------------------------------------

outcomes explored(program const& p, bool with_sleep_sets) {
  model::options how;
  if (!with_sleep_sets) how.preemptions = 1000;
  model::result const r = model::check(how, [&p] {
    atomic<std::uint64_t> at[places];
    std::array<std::uint64_t, 16> got{};
    std::array<std::optional<model::thread>, 4> threads;
    for (int t = 0; t <= p.back().thread; ++t) {
      threads[static_cast<std::size_t>(t)].emplace("t", [&, t] {
        for (std::size_t i = 0; i < p.size(); ++i) {
          if (p[i].thread != t) continue;
          auto& place = at[p[i].place];
          switch (p[i].what) {
            case kind::load:
              got[i] = place.load(p[i].how);
              break;
            case kind::store:
              place.store(i + 1, p[i].how);
              break;
            case kind::exchange:
              got[i] = place.exchange(i + 1, p[i].how);
              break;
            case kind::fence:
              fence_seq_cst();
              break;
          }
        }
      });
    }
    for (auto& t : threads) {
      if (t) t->join();
    }
    std::uint64_t all = 0;
    for (std::uint64_t v : got) all = all * 11 + v;
    for (auto& place : at) all = all * 11 + place.load(mo::relaxed);
    model::observe(all);
  });
  INFO(r.report);
  CHECK(r.complete);
  outcomes all;
  for (auto const& [value, count] : r.outcomes) all.insert(value);
  return all;
}

// --- what the axioms allow -------------------------------------------------------------------------------------

struct relation {
  std::array<std::uint32_t, 16> row{};
  bool has(std::size_t a, std::size_t b) const { return row[a] >> b & 1; }
  void add(std::size_t a, std::size_t b) { row[a] |= 1u << b; }
};
relation operator|(relation a, relation const& b) {
  for (std::size_t i = 0; i < 16; ++i) a.row[i] |= b.row[i];
  return a;
}
relation operator*(relation const& a, relation const& b) {  // composition
  relation c;
  for (std::size_t i = 0; i < 16; ++i) {
    for (std::size_t j = 0; j < 16; ++j) {
      if (a.has(i, j)) c.row[i] |= b.row[j];
    }
  }
  return c;
}
relation closure(relation a) {
  for (std::size_t k = 0; k < 16; ++k) {
    for (std::size_t i = 0; i < 16; ++i) {
      if (a.has(i, k)) a.row[i] |= a.row[k];
    }
  }
  return a;
}
bool irreflexive(relation const& a) {
  for (std::size_t i = 0; i < 16; ++i) {
    if (a.has(i, i)) return false;
  }
  return true;
}
template <typename Keep>
relation only(Keep keep) {
  relation a;
  for (std::size_t i = 0; i < 16; ++i) {
    if (keep(i)) a.add(i, i);
  }
  return a;
}

struct graph {
  program const& p;
  std::vector<int> source;                        // of each event: the event it reads from, or -1: initial value
  std::array<std::vector<int>, places> order_of;  // modification order, without the initial value

  bool is(std::size_t i, bool (event::*what)() const) const { return i < p.size() && (p[i].*what)(); }
  bool fence(std::size_t i) const { return i < p.size() && p[i].what == kind::fence; }

  bool consistent() const {
    relation sb, rf, mo_, fr;
    for (std::size_t i = 0; i < p.size(); ++i) {
      for (std::size_t j = i + 1; j < p.size(); ++j) {
        if (p[i].thread == p[j].thread) sb.add(i, j);
      }
      if (!p[i].reads()) continue;
      if (source[i] >= 0) rf.add(static_cast<std::size_t>(source[i]), i);
    }
    for (auto const& writes : order_of) {
      for (std::size_t a = 0; a < writes.size(); ++a) {
        for (std::size_t b = a + 1; b < writes.size(); ++b) {
          mo_.add(static_cast<std::size_t>(writes[a]), static_cast<std::size_t>(writes[b]));
        }
      }
    }
    for (std::size_t i = 0; i < p.size(); ++i) {
      if (!p[i].reads()) continue;
      auto const& writes = order_of[static_cast<std::size_t>(p[i].place)];
      auto const from = std::find(writes.begin(), writes.end(), source[i]);
      for (auto w = source[i] < 0 ? writes.begin() : from + 1; w != writes.end(); ++w) {
        if (static_cast<std::size_t>(*w) != i) fr.add(i, static_cast<std::size_t>(*w));
      }
      // Atomicity: nothing between what an exchange reads and what it writes.
      if (p[i].writes() && !irreflexive(fr * mo_ * only([i](std::size_t j) { return j == i; }))) return false;
    }
    if (!irreflexive(closure(sb | rf))) return false;
    relation const id = only([](std::size_t) { return true; });
    relation const eco = closure(rf | mo_ | fr);
    relation const fences = only([this](std::size_t i) { return fence(i); });
    relation const chain =
        closure(rf * only([this](std::size_t i) { return is(i, &event::reads) && is(i, &event::writes); }));
    relation const sw = only([this](std::size_t i) { return is(i, &event::releases); }) * (id | fences * sb) *
                        only([this](std::size_t i) { return is(i, &event::writes); }) * (id | chain) * rf *
                        (id | sb * fences) * only([this](std::size_t i) { return is(i, &event::acquires); });
    relation const hb = closure(sb | sw);
    if (!irreflexive(hb) || !irreflexive(eco) || !irreflexive(hb * eco)) return false;
    relation const strong = only([this](std::size_t i) { return is(i, &event::strong_access); });
    relation const psc = (strong | fences * (id | hb)) * (hb | mo_ | fr) * (strong | (id | hb) * fences) |
                         fences * (hb | hb * eco * hb) * fences;
    return irreflexive(closure(psc));
  }
  std::uint64_t outcome() const {
    std::uint64_t all = 0;
    for (std::size_t i = 0; i < 16; ++i) {
      all = all * 11 + static_cast<std::uint64_t>(i < p.size() && p[i].reads() ? source[i] + 1 : 0);
    }
    for (auto const& writes : order_of) {
      all = all * 11 + static_cast<std::uint64_t>(writes.empty() ? 0 : writes.back() + 1);
    }
    return all;
  }
};

void each_source(graph& g, std::size_t i, outcomes& found) {
  while (i < g.p.size() && !g.p[i].reads()) ++i;
  if (i == g.p.size()) {
    if (g.consistent()) found.insert(g.outcome());
    return;
  }
  g.source[i] = -1;
  each_source(g, i + 1, found);
  for (int w : g.order_of[static_cast<std::size_t>(g.p[i].place)]) {
    if (static_cast<std::size_t>(w) == i) continue;
    g.source[i] = w;
    each_source(g, i + 1, found);
  }
}

outcomes allowed(program const& p) {
  graph g{p, std::vector<int>(p.size(), -1), {}};
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (p[i].writes()) g.order_of[static_cast<std::size_t>(p[i].place)].push_back(static_cast<int>(i));
  }
  outcomes found;
  do {
    do {
      each_source(g, 0, found);
    } while (std::next_permutation(g.order_of[1].begin(), g.order_of[1].end()));
  } while (std::next_permutation(g.order_of[0].begin(), g.order_of[0].end()));
  return found;
}

std::string text(program const& p) {
  char const* const names[] = {"load", "store", "exchange", "fence"};
  std::string all;
  for (event const& e : p) {
    all += "t" + std::to_string(e.thread) + " " + names[static_cast<int>(e.what)] + " " + (e.place == 0 ? "x" : "y") +
           " " + std::to_string(static_cast<int>(e.how)) + "\n";
  }
  return all;
}

void compare(int threads, int length, int programs, unsigned seed) {
  std::mt19937 random(seed);
  for (int i = 0; i < programs; ++i) {
    program const p = random_program(random, threads, length);
    INFO(text(p));
    outcomes const right = allowed(p);
    REQUIRE(explored(p, true) == right);
    REQUIRE(explored(p, false) == right);
  }
}

}  // namespace

TEST_CASE("the engine finds what RC11 allows") {
  compare(2, 3, 600, 1);
  compare(2, 4, 150, 2);
  compare(3, 2, 400, 3);
  compare(4, 2, 20, 4);
}
