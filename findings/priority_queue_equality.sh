#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Library: oneTBB 2023.2.0 (PyPI: tbb, tbb-devel)
# Expected: Two queues are equal if they have the same number of elements and one contains all elements of the other
#   with the same priority (the specification of concurrent_priority_queue, non-member binary comparisons). {1, 2, 3}
#   equals {2, 3, 1}.
# Seen: They are unequal. The places of the elements in the two heaps are compared, which depend on the order in which
#   elements came, though both queues give 3, 2, 1. Queues that are filled by push may be equal or not, for the same
#   reason.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip download -q --disable-pip-version-check --no-deps tbb==2023.2.0 tbb-devel==2023.2.0 || exit 77
for wheel in *.whl; do python3 -m zipfile -e "$wheel" .; done

cat >program.cpp <<'CPP'
#include <oneapi/tbb/concurrent_priority_queue.h>

#include <iostream>

void print_all(tbb::concurrent_priority_queue<int>& queue) {
  for (int value = 0; queue.try_pop(value);) std::cout << ' ' << value;
}

int main() {
  tbb::concurrent_priority_queue<int> first{1, 2, 3}, second{2, 3, 1}, third{1, 2, 3};
  std::cout << "other order: equal " << (first == second) << ", same order: equal " << (first == third) << "; popped";
  print_all(first);
  std::cout << " and";
  print_all(second);
}
CPP
g++ -std=c++17 -O1 -w -pthread -I tbb_devel-2023.2.0.data/data/include program.cpp -o program tbb-2023.2.0.data/data/lib/libtbb.so.12
printed=$(LD_LIBRARY_PATH=tbb-2023.2.0.data/data/lib timeout 60 ./program) || printed="$printed, exit code $?"
seen='other order: equal 0, same order: equal 1; popped 3 2 1 and 3 2 1'
if [[ $printed != "$seen" ]]; then
  echo "changed: '$seen' was seen, now '$printed'"
  exit 1
fi
