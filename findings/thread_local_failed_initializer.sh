#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Library: oneTBB 2023.2.0 (PyPI: tbb, tbb-devel)
# Expected: size() of an enumerable_thread_specific is the number of its elements (its specification, size and
#   capacity); iteration visits those. Where the initializer threw there is no element, so a second local() of the
#   thread starts anew and size() stays at one for one thread.
# Seen: Every failed local() leaves one more element that was never constructed. One thread whose initializer threw
#   three times has size 3, a loop visits three, and the call that succeeds at last makes it 4.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip download -q --disable-pip-version-check --no-deps tbb==2023.2.0 tbb-devel==2023.2.0 || exit 77
for wheel in *.whl; do python3 -m zipfile -e "$wheel" .; done

cat >program.cpp <<'CPP'
#include <oneapi/tbb/enumerable_thread_specific.h>

#include <iostream>
#include <stdexcept>

int main() {
  bool fails = true;
  tbb::enumerable_thread_specific<int> values([&]() -> int {
    if (fails) throw std::runtime_error("not yet");
    return 7;
  });
  for (int i = 0; i < 3; ++i) {
    try {
      values.local();
    } catch (std::runtime_error const&) {
    }
  }
  int visited = 0;
  for (auto i = values.begin(); i != values.end(); ++i) ++visited;
  std::cout << "size " << values.size() << ", visited " << visited;
  fails = false;
  bool existed = true;
  std::cout << "; then " << values.local(existed) << ", existed " << existed << ", size " << values.size();
}
CPP
g++ -std=c++17 -O1 -w -pthread -I tbb_devel-2023.2.0.data/data/include program.cpp -o program tbb-2023.2.0.data/data/lib/libtbb.so.12
printed=$(LD_LIBRARY_PATH=tbb-2023.2.0.data/data/lib timeout 60 ./program) || printed="$printed, exit code $?"
seen='size 3, visited 3; then 7, existed 0, size 4'
if [[ $printed != "$seen" ]]; then
  echo "changed: '$seen' was seen, now '$printed'"
  exit 1
fi
