#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Library: TBB 2020.0 (PyPI: tbb 2020.0.133, tbb-devel 2020.0.133)
# Expected: A task_group_context that is bound, and is used inside of a task of another context, belongs below that one:
#   if the outer context is cancelled, the inner one is, too (the reference, task_group_context). oneTBB 2023.2 does so.
# Seen: The inner contexts are never cancelled with the outer one, neither while their loops run nor afterwards, so that
#   what runs in them goes on.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip download -q --disable-pip-version-check --no-deps tbb==2020.0.133 tbb-devel==2020.0.133 || exit 77
for wheel in *.whl; do python3 -m zipfile -e "$wheel" .; done

cat >program.cpp <<'CPP'
#include <tbb/parallel_for.h>
#include <tbb/task.h>

#include <iostream>

int main() {
  tbb::task_group_context outer, inner, deeper;
  int iterations = 0;
  tbb::parallel_for(0, 1, [&](int) {
    tbb::parallel_for(0, 1, [&](int) {
      tbb::parallel_for(0, 1, [&](int) { outer.cancel_group_execution(); }, deeper);
      tbb::parallel_for(0, 10, [&](int) { ++iterations; }, tbb::simple_partitioner(), deeper);
    }, inner);
  }, outer);
  std::cout << "cancelled: outer " << outer.is_group_execution_cancelled() << ", inner " << inner.is_group_execution_cancelled() << ", deeper "
            << deeper.is_group_execution_cancelled() << "; a loop in the last one began after that: " << (iterations > 0);
}
CPP
g++ -std=c++14 -O1 -w -pthread -I tbb_devel-2020.0.133.data/data/include program.cpp -o program tbb-2020.0.133.data/data/lib/libtbb.so.2
printed=$(LD_LIBRARY_PATH=tbb-2020.0.133.data/data/lib timeout 60 ./program) || printed="$printed, exit code $?"
seen='cancelled: outer 1, inner 0, deeper 0; a loop in the last one began after that: 1'
if [[ $printed != "$seen" ]]; then
  echo "changed: '$seen' was seen, now '$printed'"
  exit 1
fi
