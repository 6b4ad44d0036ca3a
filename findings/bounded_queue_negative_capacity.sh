#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Library: oneTBB 2023.2.0 and TBB 2020.0 (PyPI: tbb, tbb-devel)
# Expected: A concurrent_bounded_queue has a signed size_type, and with TBB 2020 a negative capacity means no bound. The
#   guide on moving from TBB to oneTBB names no change, and oneTBB's set_capacity still has a branch of its own for
#   negative numbers, which is to give its constant for an infinite capacity.
# Seen: With oneTBB the capacity becomes 0, so that try_push refuses everything (and push would wait for ever). The
#   constant is half of ~size_type(0): 2^63 - 1 as long as size_type was unsigned, and 0 since it is signed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
for version in 2023.2.0 2020.0.133; do
  python3 -m pip download -q --disable-pip-version-check --no-deps tbb==$version tbb-devel==$version || exit 77
done
for wheel in *.whl; do python3 -m zipfile -e "$wheel" .; done

cat >program.cpp <<'CPP'
#include <tbb/concurrent_queue.h>

#include <iostream>

int main() {
  tbb::concurrent_bounded_queue<int> queue;
  queue.set_capacity(-1);
  std::cout << "bounded at zero " << (queue.capacity() == 0) << ", takes an element " << queue.try_push(1);
}
CPP
build_and_run() {
  g++ -std=c++17 -w -pthread -I "tbb_devel-$1.data/data/include" program.cpp -o program "tbb-$1.data/data/lib/$2"
  LD_LIBRARY_PATH=tbb-$1.data/data/lib timeout 60 ./program || echo ", exit code $?"
}
printed="2020: $(build_and_run 2020.0.133 libtbb.so.2); 2023: $(build_and_run 2023.2.0 libtbb.so.12)"
seen='2020: bounded at zero 0, takes an element 1; 2023: bounded at zero 1, takes an element 0'
if [[ $printed != "$seen" ]]; then
  echo "changed: '$seen' was seen, now '$printed'"
  exit 1
fi
