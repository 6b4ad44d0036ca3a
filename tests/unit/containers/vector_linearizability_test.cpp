// SPDX-License-Identifier: Apache-2.0
// Short recorded histories of concurrent_vector, checked against a sequential vector by exhaustive search: which places
// growth returns, which sizes are seen, and that what an operation has put into its places is found there. The memory
// is reserved: without it size() leaves out what lies above another thread's segment under allocation.
#include <tbb/concurrent_vector.h>

#include <doctest/doctest.h>
#include <support/linearizability.h>

#include <cstddef>
#include <vector>

namespace {

enum class action { push, grow, grow_to, count, read };

struct operation {
  action what;
  int argument;  // what is put in; grow_to: the size; read: the place
  int result;    // push, grow, grow_to: the first place; count: the size; read: what is there
};
constexpr int grown_at_once = 3;

struct sequential_vector {
  using operation = ::operation;
  std::vector<int> elements;

  bool apply(operation const& op) {
    auto const size = static_cast<int>(elements.size());
    switch (op.what) {
      case action::push:
        elements.push_back(op.argument);
        return op.result == size;
      case action::grow:
        elements.insert(elements.end(), grown_at_once, op.argument);
        return op.result == size;
      case action::grow_to:
        if (size < op.argument) elements.resize(static_cast<std::size_t>(op.argument), 0);
        return op.result == (size < op.argument ? size : op.argument);
      case action::count:
        return op.result == size;
      case action::read:
        return op.argument < size && elements[static_cast<std::size_t>(op.argument)] == op.result;
    }
    return false;
  }
  friend bool operator<(sequential_vector const& a, sequential_vector const& b) { return a.elements < b.elements; }
};

using vector = tbb::concurrent_vector<int>;

int place(vector& v, vector::iterator at) { return static_cast<int>(at - v.begin()); }

// `mine`: a place that the thread has filled itself, or -1.
operation perform(vector& v, action what, int argument, int& mine) {
  switch (what) {
    case action::push:
      return {what, argument, mine = place(v, v.push_back(argument))};
    case action::grow:
      return {what, argument, mine = place(v, v.grow_by(grown_at_once, argument))};
    case action::grow_to:
      return {what, argument % 24, place(v, v.grow_to_at_least(static_cast<std::size_t>(argument % 24), 0))};
    case action::read:
      if (mine >= 0) return {what, mine, v[static_cast<std::size_t>(mine)]};
      break;
    case action::count:
      break;
  }
  return {action::count, 0, static_cast<int>(v.size())};
}

}  // namespace

TEST_CASE("concurrent_vector histories are linearizable") {
  for (int round = 0; round < 300; ++round) {
    vector v;
    v.reserve(128);
    auto const history = test::record_history<sequential_vector>(3, [&](unsigned thread, auto& record) {
      unsigned dice = thread * 7919u + static_cast<unsigned>(round) * 104729u + 1;
      int mine = -1;
      for (int i = 0; i < 8; ++i) {
        dice = dice * 1664525u + 1013904223u;
        auto const what = static_cast<action>((dice >> 16) % 5);
        int const argument = static_cast<int>(thread) * 100 + i + 1;
        record([&] { return perform(v, what, argument, mine); });
      }
    });
    REQUIRE_UNARY(test::linearizable<sequential_vector>(history));
  }
}

TEST_CASE("the check notices a vector that gives a place twice or shrinks") {
  using history = std::vector<test::timed_operation<operation>>;
  CHECK(test::linearizable<sequential_vector>(
      history{{{action::push, 5, 1}, 0, 3}, {{action::grow, 6, 2}, 1, 4}, {{action::push, 7, 0}, 2, 5}}));
  CHECK_FALSE(
      test::linearizable<sequential_vector>(history{{{action::push, 5, 0}, 0, 3}, {{action::push, 6, 0}, 1, 2}}));
  CHECK_FALSE(
      test::linearizable<sequential_vector>(history{{{action::push, 5, 0}, 0, 1}, {{action::count, 0, 0}, 2, 3}}));
  CHECK_FALSE(
      test::linearizable<sequential_vector>(history{{{action::push, 5, 0}, 0, 1}, {{action::read, 0, 6}, 2, 3}}));
}
