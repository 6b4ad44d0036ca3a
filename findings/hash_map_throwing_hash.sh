#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Library: oneTBB 2023.2.0 (PyPI: tbb, tbb-devel)
# Expected: Nothing in the requirements of HashCompare or in the pages of concurrent_hash_map (lookup, modifiers)
#   forbids that hash() throws. A lookup that fails with an exception should change no contents, and a map never holds
#   two equal keys.
# Seen: count() divides a bucket first, and when the hash function throws there the elements that belonged into the
#   new bucket can never be found again: 100 of 400. They are still met by iteration, and insert() of an equal key
#   succeeds, so that the map holds two.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip download -q --disable-pip-version-check --no-deps tbb==2023.2.0 tbb-devel==2023.2.0 || exit 77
for wheel in *.whl; do python3 -m zipfile -e "$wheel" .; done

cat >program.cpp <<'CPP'
#include <oneapi/tbb/concurrent_hash_map.h>

#include <iostream>
#include <stdexcept>

int calls_that_succeed = -1;
struct hash_of_key {
  std::size_t hash(int key) const {
    if (calls_that_succeed == 0) throw std::runtime_error("no hash");
    if (calls_that_succeed > 0) --calls_that_succeed;
    return std::size_t(key);
  }
  bool equal(int a, int b) const { return a == b; }
};
using map = tbb::concurrent_hash_map<int, int, hash_of_key>;

int main() {
  map values;
  for (int i = 0; i < 200; ++i) values.insert({i + 256 * (i % 2), 0});
  for (int i = 0; i < 200; ++i) values.insert({1024 + 2 * i, 0});
  int thrown = 0;
  for (int i = 1; i < 200; i += 2) {
    calls_that_succeed = 1;
    try {
      values.count(i + 256);
    } catch (std::runtime_error const&) {
      ++thrown;
    }
  }
  calls_that_succeed = -1;
  int found = 0, equal = 0;
  for (auto const& element : values) found += int(values.count(element.first));
  std::cout << thrown << " lookups threw; size " << values.size() << ", found " << found;
  bool const inserted = values.insert({257, 0});
  for (auto const& element : values) equal += element.first == 257;
  std::cout << "; inserted again " << inserted << ", elements with that key " << equal;
}
CPP
g++ -std=c++17 -O1 -w -pthread -I tbb_devel-2023.2.0.data/data/include program.cpp -o program tbb-2023.2.0.data/data/lib/libtbb.so.12
printed=$(LD_LIBRARY_PATH=tbb-2023.2.0.data/data/lib timeout 60 ./program) || printed="$printed, exit code $?"
seen='100 lookups threw; size 400, found 300; inserted again 1, elements with that key 2'
if [[ $printed != "$seen" ]]; then
  echo "changed: '$seen' was seen, now '$printed'"
  exit 1
fi
