#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Library: oneTBB 2023.2.0 (PyPI: tbb, tbb-devel)
# Expected: local() constructs a new element if there is none for the current thread, local(exists) tells so, and
#   size() equals the number of distinct threads that called local() (the specification of enumerable_thread_specific,
#   safe modifiers, size and capacity). Fifty threads, one after the other, have fifty elements of value 1.
# Seen: Threads are told apart by std::thread::id, which the C library gives out again when a thread was joined. A new
#   thread finds the dead one's element, value and all, with exists true: one element of value 50.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip download -q --disable-pip-version-check --no-deps tbb==2023.2.0 tbb-devel==2023.2.0 || exit 77
for wheel in *.whl; do python3 -m zipfile -e "$wheel" .; done

cat >program.cpp <<'CPP'
#include <oneapi/tbb/enumerable_thread_specific.h>

#include <iostream>
#include <thread>

int main() {
  tbb::enumerable_thread_specific<int> calls(0);
  int existed = 0;
  for (int i = 0; i < 50; ++i) {
    std::thread([&] {
      bool exists = false;
      ++calls.local(exists);
      existed += exists;
    }).join();
  }
  std::cout << "elements " << calls.size() << ", existed " << existed << ", first value " << *calls.begin();
}
CPP
g++ -std=c++17 -O1 -w -pthread -I tbb_devel-2023.2.0.data/data/include program.cpp -o program tbb-2023.2.0.data/data/lib/libtbb.so.12
printed=$(LD_LIBRARY_PATH=tbb-2023.2.0.data/data/lib timeout 60 ./program) || printed="$printed, exit code $?"
seen='elements 1, existed 49, first value 50'
if [[ $printed != "$seen" ]]; then
  echo "changed: '$seen' was seen, now '$printed'"
  exit 1
fi
