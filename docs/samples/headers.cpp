// SPDX-License-Identifier: Apache-2.0
// The code in the comments of the public headers (include/tbb).
#include <tbb/blocked_nd_range.h>
#include <tbb/blocked_range.h>
#include <tbb/concurrent_hash_map.h>
#include <tbb/concurrent_lru_cache.h>
#include <tbb/concurrent_unordered_map.h>
#include <tbb/parallel_for.h>
#include <tbb/spin_mutex.h>
#include <tbb/spin_rw_mutex.h>
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <string>

namespace {

bool ranges() {
  std::size_t const n = 1000;
  std::atomic<std::size_t> sum{0};
  auto const work = [&](std::size_t i) { sum += i; };
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, n), [&](tbb::blocked_range<std::size_t> const& r) {
    for (std::size_t i = r.begin(); i != r.end(); ++i) work(i);
  });

  tbb::blocked_nd_range<int, 4> a({0, 10}, {0, 20, 5}, {-3, 3}, {0, 7});
  int const sizes[] = {10, 20, 30};
  tbb::blocked_nd_range b(sizes);  // [0, 10) x [0, 20) x [0, 30)
  return sum == n * (n - 1) / 2 && a.dim(1).grainsize() == 5 && b.dim(2).size() == 30;
}

struct image {
  int key;
};
image load(int key) { return {key}; }

bool maps() {
  std::string const word = "task";
  tbb::concurrent_hash_map<std::string, int> counts;
  {
    decltype(counts)::accessor a;
    counts.insert(a, word);  // finds or makes the element, and locks it
    ++a->second;
  }  // the accessor's end unlocks it

  int const line = 3;
  tbb::concurrent_unordered_map<std::string, int> first_line;
  first_line.insert({word, line});  // any number of threads

  int drawn = 0;
  auto const draw = [&](image const& what) { drawn = what.key; };
  tbb::concurrent_lru_cache<int, image> images(&load, 100);
  auto h = images[7];  // calls load(7), or waits for the thread that does, or finds the image
  draw(h.value());
  return counts.count(word) == 1 && first_line.at(word) == 3 && drawn == 7;
}

bool locks() {
  int count = 0;
  tbb::spin_mutex m;
  {
    tbb::spin_mutex::scoped_lock guard(m);
    ++count;
  }
  return count == 1;
}

bool reader_and_writer() {
  int count = 1;
  auto const look_again = [&] { count = 0; };
  tbb::spin_rw_mutex m;
  {
    tbb::spin_rw_mutex::scoped_lock guard(m, false);  // false: read
    if (!guard.upgrade_to_writer()) look_again();     // another thread may have written
  }
  return count == 1;  // no other thread was there
}

}  // namespace

int main() {
  bool const right = ranges() && maps() && locks() && reader_and_writer();
  std::printf("%s\n", right ? "right" : "wrong");
  return right ? 0 : 1;
}
