// SPDX-License-Identifier: Apache-2.0
// parallel_sort of sequences that are in order but for a place: by iterators, pointers and containers, with comparisons
// of the program's, of as many elements as a serial sort takes, and more.
#include "subjects.h"

#include <tbb/parallel_sort.h>

#include <algorithm>
#include <deque>

namespace differ {

namespace {

// What is in order, and what is not.
std::vector<int> sequence(step const& s) {
  std::vector<int> all;
  unsigned random = static_cast<unsigned>(s.a);
  for (int i = 0; i < s.n; ++i) {
    random = random * 1664525 + 1013904223;
    int const few = static_cast<int>(random >> 29);
    int const many = static_cast<int>(random >> 8);
    int const by_pattern[] = {i, -i, i / 7, few, many, std::min(i, s.n - i), 5, i < s.n / 2 ? i : many};
    all.push_back(by_pattern[static_cast<std::size_t>(s.b) % std::size(by_pattern)]);
  }
  if (s.n == 0) return all;
  // One element out of its place: the first, the last, the one in the middle, any.
  std::size_t const places[] = {0, all.size() - 1, all.size() / 2, random % all.size()};
  int const values[] = {-1000000, 1000000, s.a - 500};
  if (s.b / 8 % 3 != 0) all[places[s.b / 24 % 4]] = values[s.b / 96 % 3];
  return all;
}

struct by_remainder {
  int of;
  bool operator()(counted const& a, counted const& b) const {
    return a.value % of != b.value % of ? a.value % of < b.value % of : a.value < b.value;
  }
};

template <typename Container>
void sort_container(Container& all, int how) {
  switch (how) {
    case 0:
      return tbb::parallel_sort(all.begin(), all.end());
    case 1:
      return tbb::parallel_sort(all.begin(), all.end(), std::greater<>());
    case 2:
      return tbb::parallel_sort(all.begin(), all.end(), by_remainder{7});
    case 3:
      return tbb::parallel_sort(all);
    case 4:
      return tbb::parallel_sort(all, [](counted const& a, counted const& b) { return b.value < a.value; });
    default:
      if (!all.empty()) tbb::parallel_sort(&all.front(), &all.front() + 1);
      return tbb::parallel_sort(all.rbegin(), all.rend());
  }
}

std::vector<int> in_order(std::vector<int> all, int how) {
  std::vector<counted> copy(all.begin(), all.end());
  if (how == 2) {
    std::sort(copy.begin(), copy.end(), by_remainder{7});
  } else if (how == 0 || how == 3) {
    std::sort(copy.begin(), copy.end());
  } else {
    std::sort(copy.begin(), copy.end(), std::greater<>());
  }
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = copy[i].value;
  return all;
}

template <typename Container>
void sort_one(std::vector<int> const& values, step const& s, std::string const& path, book& told) {
  int const how = s.a % 6;
  Container all(values.begin(), values.end());
  bool const fails = s.wrong == fault::exception && how != 2 && how != 4;
  if (fails) calls_left = s.b % (1 + s.n);
  std::string const out = thrown([&] { sort_container(all, how); });
  bool const threw = fails && calls_left < 0;
  calls_left = -1;
  // How many comparisons there are is open.
  if (fails) told.expect(threw == (out != "nothing"), path + " an exception was lost");
  if (fails) return;
  std::vector<int> sorted;
  for (counted const& c : all) sorted.push_back(c.value);
  if (planted("sort forgets an element") && sorted.size() > 2) std::swap(sorted.front(), sorted.back());
  std::vector<int> const right = in_order(values, how);
  auto const apart = std::mismatch(sorted.begin(), sorted.end(), right.begin());
  told.tell(path + " threw", out);
  told.tell(path + " in order up to", apart.first - sorted.begin());
}

void sorts(step const& program, book& told) {
  for (std::size_t i = 0; i < program.body.size(); ++i) {
    step const& s = program.body[i];
    std::string const path = std::to_string(i) + " sort";
    std::vector<int> const values = sequence(s);
    s.kind == "vector" ? sort_one<std::vector<counted>>(values, s, path, told)
                       : sort_one<std::deque<counted>>(values, s, path, told);
  }
}

}  // namespace

void add_sorts(subjects& table) { table["sort"] = sorts; }

}  // namespace differ
