#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Library: oneTBB 2023.2.0 (PyPI: tbb, tbb-devel)
# Expected: A queue that was moved from is valid, though its contents are unspecified (the specification of
#   concurrent_priority_queue, moving constructors). Where no other thread is at work, size() is the number of
#   elements and empty() tells whether there are any (size and capacity), so try_pop gives as many as size() says.
# Seen: size() says 3 and empty() says no, but try_pop finds nothing. After one push size() says 4, and one element
#   can be popped: the count is wrong by 3 for ever.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip download -q --disable-pip-version-check --no-deps tbb==2023.2.0 tbb-devel==2023.2.0 || exit 77
for wheel in *.whl; do python3 -m zipfile -e "$wheel" .; done

cat >program.cpp <<'CPP'
#include <oneapi/tbb/concurrent_priority_queue.h>

#include <iostream>
#include <utility>

int main() {
  tbb::concurrent_priority_queue<int> from;
  for (int i = 1; i <= 3; ++i) from.push(i);
  tbb::concurrent_priority_queue<int> to(std::move(from));
  int value = 0, popped = 0;
  std::cout << "empty " << from.empty() << ", size " << from.size() << ", pop " << from.try_pop(value);
  from.push(7);
  std::cout << "; one more: size " << from.size();
  while (from.try_pop(value)) ++popped;
  std::cout << ", popped " << popped << ", then size " << from.size();
}
CPP
g++ -std=c++17 -O1 -w -pthread -I tbb_devel-2023.2.0.data/data/include program.cpp -o program tbb-2023.2.0.data/data/lib/libtbb.so.12
printed=$(LD_LIBRARY_PATH=tbb-2023.2.0.data/data/lib timeout 60 ./program) || printed="$printed, exit code $?"
seen='empty 0, size 3, pop 0; one more: size 4, popped 1, then size 3'
if [[ $printed != "$seen" ]]; then
  echo "changed: '$seen' was seen, now '$printed'"
  exit 1
fi
