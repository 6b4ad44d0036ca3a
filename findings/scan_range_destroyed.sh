#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Library: oneTBB 2023.2 (PyPI: tbb-devel 2023.2.0)
# Expected: Each range that parallel_scan makes by a copy or a split is destroyed once (oneAPI specification, Range
#   requirements: a range has a destructor, which pairs with its constructors, as of each C++ object).
# Seen: More ranges are destroyed than were made, where a part of the scan is stolen: a destructor runs on memory in
#   which no range was ever constructed. A range that owns memory would free a pointer that nobody wrote.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip download -q --disable-pip-version-check --no-deps tbb==2023.2.0 tbb-devel==2023.2.0 || exit 77
for wheel in *.whl; do python3 -m zipfile -e "$wheel" .; done

cat >program.cpp <<'CPP'
#include <tbb/parallel_scan.h>
#include <tbb/task_arena.h>

#include <atomic>
#include <chrono>
#include <iostream>
#include <thread>

std::atomic<long> living{0};

struct counting_range {
  counting_range(int b, int e) : begin(b), end(e) { ++living; }
  counting_range(counting_range const& other) : begin(other.begin), end(other.end) { ++living; }
  counting_range(counting_range& other, tbb::split) : begin((other.begin + other.end) / 2), end(other.end) {
    other.end = begin;
    ++living;
  }
  ~counting_range() { --living; }
  bool empty() const { return begin >= end; }
  bool is_divisible() const { return end - begin > 4; }
  int begin, end;
};

int main() {
  tbb::task_arena arena(4);
  for (int attempt = 0; attempt < 200 && living >= 0; ++attempt) {
    arena.execute([] {
      counting_range const all(0, 100);
      tbb::parallel_scan(
          all, 0,
          [](counting_range const& r, int sum, bool) {
            std::this_thread::sleep_for(std::chrono::microseconds(50));
            return sum + r.end - r.begin;
          },
          [](int a, int b) { return a + b; });
    });
  }
  std::cout << (living < 0 ? "more ranges destroyed than made" : "as many ranges destroyed as made") << "\n";
}
CPP
g++ -std=c++17 -w -pthread -I tbb_devel-2023.2.0.data/data/include program.cpp -o program tbb-2023.2.0.data/data/lib/libtbb.so.12
printed=$(LD_LIBRARY_PATH=tbb-2023.2.0.data/data/lib timeout 100 ./program || echo "exit code $?")
seen='more ranges destroyed than made'
if [[ $printed != "$seen" ]]; then
  echo "changed: '$seen' was seen, now '$printed'"
  exit 1
fi
