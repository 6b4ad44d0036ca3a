#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Library: TBB 2020.0 (PyPI: tbb, tbb-devel)
# Expected: What is enqueued into an arena runs in the end on a worker thread, though no thread of the program joins
#   the arena or waits (TBB's guide, design patterns, GUI thread; comment on task_arena::enqueue). An exception that
#   nobody catches ends the program, as from a std::thread; at the least it is the matter of the function that threw
#   alone.
# Seen: The exception is dropped in silence, and the functions that are enqueued into the same arena from then on
#   never run. Another arena works on.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip download -q --disable-pip-version-check --no-deps tbb==2020.0.133 tbb-devel==2020.0.133 || exit 77
for wheel in *.whl; do python3 -m zipfile -e "$wheel" .; done

cat >program.cpp <<'CPP'
#include <tbb/task_arena.h>

#include <atomic>
#include <chrono>
#include <iostream>
#include <stdexcept>
#include <thread>

void wait_for(std::atomic<bool> const& done, int seconds) {
  auto const end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  while (!done && std::chrono::steady_clock::now() < end) std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

int main() {
  static std::atomic<bool> thrown{false}, next{false}, elsewhere{false};
  tbb::task_arena arena(2), other(2);
  arena.enqueue([] {
    thrown = true;
    throw std::runtime_error("lost");
  });
  wait_for(thrown, 30);
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  other.enqueue([] { elsewhere = true; });
  wait_for(elsewhere, 30);
  arena.enqueue([] { next = true; });
  wait_for(next, 3);
  std::cout << "thrown " << thrown << ", run in another arena " << elsewhere << ", run in the same " << next;
}
CPP
g++ -std=c++17 -O1 -w -pthread -I tbb_devel-2020.0.133.data/data/include program.cpp -o program tbb-2020.0.133.data/data/lib/libtbb.so.2
printed=$(LD_LIBRARY_PATH=tbb-2020.0.133.data/data/lib timeout 60 ./program) || printed="$printed, exit code $?"
seen='thrown 1, run in another arena 1, run in the same 0'
if [[ $printed != "$seen" ]]; then
  echo "changed: '$seen' was seen, now '$printed'"
  exit 1
fi
