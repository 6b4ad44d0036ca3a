#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Library: oneTBB 2023.2.0 (PyPI: tbb, tbb-devel)
# Expected: cancel() cancels all tasks of the group, and wait() tells whether it was cancelled (the specification of
#   task_group). A group that is cancelled before its first task behaves alike wherever it was made.
# Seen: Outside of tasks the later task is not run and wait() tells canceled. In a task of another group the first
#   run() makes the group forget the cancellation: the task runs, and wait() tells complete.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip download -q --disable-pip-version-check --no-deps tbb==2023.2.0 tbb-devel==2023.2.0 || exit 77
for wheel in *.whl; do python3 -m zipfile -e "$wheel" .; done

cat >program.cpp <<'CPP'
#include <oneapi/tbb/task_group.h>

#include <iostream>

int main() {
  auto const cancelled_group = [](char const* where) {
    int ran = 0;
    tbb::task_group group;
    group.cancel();
    group.run([&] { ++ran; });
    bool const told = group.wait() == tbb::canceled;
    std::cout << where << ": ran " << ran << ", canceled " << told;
  };
  cancelled_group("outside of tasks");
  tbb::task_group outer;
  outer.run_and_wait([&] { cancelled_group("; in a task"); });
}
CPP
g++ -std=c++17 -O1 -w -pthread -I tbb_devel-2023.2.0.data/data/include program.cpp -o program tbb-2023.2.0.data/data/lib/libtbb.so.12
printed=$(LD_LIBRARY_PATH=tbb-2023.2.0.data/data/lib timeout 60 ./program) || printed="$printed, exit code $?"
seen='outside of tasks: ran 0, canceled 1; in a task: ran 1, canceled 0'
if [[ $printed != "$seen" ]]; then
  echo "changed: '$seen' was seen, now '$printed'"
  exit 1
fi
