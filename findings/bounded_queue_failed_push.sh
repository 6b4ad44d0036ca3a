#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Library: oneTBB 2023.2.0 (PyPI: tbb, tbb-devel)
# Expected: try_push adds an element where the queue holds fewer than its capacity (the specification of
#   concurrent_bounded_queue, pushing elements). A queue with size() 0 and capacity() 4 should take four, whatever
#   happened before.
# Seen: Each try_push whose copy constructor threw takes a place until later pops pass over it: after three failures
#   an empty queue of capacity 4 takes one element and refuses the second, while size() is 1.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip download -q --disable-pip-version-check --no-deps tbb==2023.2.0 tbb-devel==2023.2.0 || exit 77
for wheel in *.whl; do python3 -m zipfile -e "$wheel" .; done

cat >program.cpp <<'CPP'
#include <oneapi/tbb/concurrent_queue.h>

#include <iostream>
#include <stdexcept>

struct positive {
  explicit positive(int v = 0) : value(v) {}
  positive(positive const& other) : value(other.value) {
    if (value < 0) throw std::invalid_argument("negative");
  }
  positive& operator=(positive const&) = default;
  int value;
};

int main() {
  tbb::concurrent_bounded_queue<positive> queue;
  queue.set_capacity(4);
  positive const wrong(-1), right(1);
  for (int i = 0; i < 3; ++i) {
    try {
      queue.try_push(wrong);
    } catch (std::invalid_argument const&) {
    }
  }
  std::cout << "size " << queue.size() << " of " << queue.capacity();
  int taken = 0;
  while (taken < 10 && queue.try_push(right)) ++taken;
  std::cout << ", takes " << taken << ", then size " << queue.size();
}
CPP
g++ -std=c++17 -O1 -w -pthread -I tbb_devel-2023.2.0.data/data/include program.cpp -o program tbb-2023.2.0.data/data/lib/libtbb.so.12
printed=$(LD_LIBRARY_PATH=tbb-2023.2.0.data/data/lib timeout 60 ./program) || printed="$printed, exit code $?"
seen='size 0 of 4, takes 1, then size 1'
if [[ $printed != "$seen" ]]; then
  echo "changed: '$seen' was seen, now '$printed'"
  exit 1
fi
