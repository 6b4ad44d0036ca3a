#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Library: oneTBB 2023.2.0 (PyPI: tbb, tbb-devel)
# Expected: Move assignment replaces all elements of the map, and the destructor destroys the stored elements (the
#   specification of concurrent_hash_map, assignment operators and destructor). When both maps are gone no element is
#   left.
# Seen: The three elements that the target held are never destroyed: neither by the assignment, nor by clear() of
#   either map, nor by the destructors. They can't be found, either. Copy assignment destroys them.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip download -q --disable-pip-version-check --no-deps tbb==2023.2.0 tbb-devel==2023.2.0 || exit 77
for wheel in *.whl; do python3 -m zipfile -e "$wheel" .; done

cat >program.cpp <<'CPP'
#include <oneapi/tbb/concurrent_hash_map.h>

#include <iostream>
#include <utility>

int alive = 0;
struct counted {
  counted() { ++alive; }
  counted(counted const&) { ++alive; }
  ~counted() { --alive; }
};
using map = tbb::concurrent_hash_map<int, counted>;

void fill(map& values, int from, int to) {
  for (int i = from; i < to; ++i) values.insert(map::value_type(i, counted()));
}

int main() {
  {
    map source, target;
    fill(source, 0, 10);
    fill(target, 100, 103);
    target = source;
    std::cout << "copied: " << alive << " for " << source.size() + target.size();
  }
  std::cout << ", at the end " << alive;
  {
    map source, target;
    fill(source, 0, 10);
    fill(target, 100, 103);
    target = std::move(source);
    source.clear();
    std::cout << "; moved: " << alive << " for " << source.size() + target.size() << ", the old one is found " << target.count(100);
  }
  std::cout << ", at the end " << alive;
}
CPP
g++ -std=c++17 -O1 -w -pthread -I tbb_devel-2023.2.0.data/data/include program.cpp -o program tbb-2023.2.0.data/data/lib/libtbb.so.12
printed=$(LD_LIBRARY_PATH=tbb-2023.2.0.data/data/lib timeout 60 ./program) || printed="$printed, exit code $?"
seen='copied: 20 for 20, at the end 0; moved: 13 for 10, the old one is found 0, at the end 3'
if [[ $printed != "$seen" ]]; then
  echo "changed: '$seen' was seen, now '$printed'"
  exit 1
fi
