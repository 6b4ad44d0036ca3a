// SPDX-License-Identifier: Apache-2.0
// Cases whose verdict is known: one that loses memory, and one that has much of it and loses none.
#include "cases.h"

namespace growth {

namespace {

constexpr long live = 4096;
constexpr std::size_t size = 200;

// So that the compiler does not leave out what nobody uses.
char* volatile newest;

char* make(long i) {
  char* const p = new char[size];
  p[0] = static_cast<char>(i);
  newest = p;
  return p;
}

void steady(run& r) {
  exchange(
      r, live, [](long i) { return reinterpret_cast<item>(make(i)); },
      [](item x) { delete[] reinterpret_cast<char*>(x); });
}

// One of four is never freed: enough to be seen in a second on a busy machine.
void leaking(run& r) {
  exchange(
      r, live, [](long i) { return i % 4 == 0 ? (make(i), item{0}) : reinterpret_cast<item>(make(i)); },
      [](item x) { delete[] reinterpret_cast<char*>(x); });
}

// It needs a while to come to its full size, and stays there.
void warming_up(run& r) {
  std::vector<char*> kept(20'000);
  std::atomic<std::size_t> at{0};
  exchange(
      r, live, [](long i) { return reinterpret_cast<item>(make(i)); },
      [&](item x) {
        std::size_t const here = at.fetch_add(1);
        if (here < kept.size() * 10) {
          if (here % 10 == 0) kept[here / 10] = make(0);
        }
        delete[] reinterpret_cast<char*>(x);
      });
  for (char const* p : kept) delete[] p;
}

}  // namespace

void add_leaks(table& t) {
  t.push_back({"steady", 1'000'000, steady});
  t.push_back({"leaking", 1'000'000, leaking});
  t.push_back({"warming_up", 300'000, warming_up});
}

}  // namespace growth
