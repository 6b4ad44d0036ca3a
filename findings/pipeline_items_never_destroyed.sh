#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Library: oneTBB 2023.2.0 (PyPI: tbb, tbb-devel)
# Expected: Items travel between filters as objects of the types that make_filter names (the specification of
#   parallel_pipeline), and an exception in a filter ends the pipeline and reaches the caller. All items that were
#   made are destroyed by then, as in any other stack of C++ calls that an exception leaves.
# Seen: The item that a filter was working on is destroyed; the three that waited for a serial filter never are, nor
#   is what they own.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip download -q --disable-pip-version-check --no-deps tbb==2023.2.0 tbb-devel==2023.2.0 || exit 77
for wheel in *.whl; do python3 -m zipfile -e "$wheel" .; done

cat >program.cpp <<'CPP'
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_pipeline.h>
#include <oneapi/tbb/task_arena.h>

#include <atomic>
#include <chrono>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <thread>

std::atomic<int> alive{0};
struct item {
  explicit item(int n = 0) : number(n) { ++alive; }
  item(item const& other) : number(other.number), owned(other.owned) { ++alive; }
  ~item() { --alive; }
  int number;
  std::shared_ptr<int> owned;
};

int main() {
  tbb::global_control const threads(tbb::global_control::max_allowed_parallelism, 4);
  std::atomic<int> made{0}, passed{0};
  bool caught = false;
  // The first item is held until the three others wait behind it.
  auto const hold = [&](item const& i) {
    auto const end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (i.number == 0 && passed < 3 && std::chrono::steady_clock::now() < end) std::this_thread::yield();
    if (i.number == 0) std::this_thread::sleep_for(std::chrono::milliseconds(200));
    ++passed;
    return i;
  };
  auto const make = [&](tbb::flow_control& control) {
    if (made == 4) control.stop();
    return item(made == 4 ? -1 : made++);
  };
  auto const fail = [](item const&) { throw std::runtime_error("stop"); };
  tbb::task_arena(4).execute([&] {
    try {
      tbb::parallel_pipeline(4, tbb::make_filter<void, item>(tbb::filter_mode::serial_in_order, make) &
                                    tbb::make_filter<item, item>(tbb::filter_mode::parallel, hold) &
                                    tbb::make_filter<item, void>(tbb::filter_mode::serial_in_order, fail));
    } catch (std::runtime_error const&) {
      caught = true;
    }
  });
  std::cout << "caught " << caught << ", items made " << made << ", still there " << alive;
}
CPP
g++ -std=c++17 -O1 -w -pthread -I tbb_devel-2023.2.0.data/data/include program.cpp -o program tbb-2023.2.0.data/data/lib/libtbb.so.12
printed=$(LD_LIBRARY_PATH=tbb-2023.2.0.data/data/lib timeout 60 ./program) || printed="$printed, exit code $?"
seen='caught 1, items made 4, still there 3'
if [[ $printed != "$seen" ]]; then
  echo "changed: '$seen' was seen, now '$printed'"
  exit 1
fi
