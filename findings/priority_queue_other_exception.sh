#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Library: oneTBB 2023.2.0 (PyPI: tbb, tbb-devel)
# Expected: Push copies its argument into the container (the specification of concurrent_priority_queue, pushing
#   elements). A copy constructor that throws std::invalid_argument should be met by the caller as that, as with every
#   other container of the library.
# Seen: The caller gets std::bad_alloc, though memory is not short; what was thrown is lost. concurrent_queue and
#   concurrent_vector hand on the exception itself.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip download -q --disable-pip-version-check --no-deps tbb==2023.2.0 tbb-devel==2023.2.0 || exit 77
for wheel in *.whl; do python3 -m zipfile -e "$wheel" .; done

cat >program.cpp <<'CPP'
#include <oneapi/tbb/concurrent_priority_queue.h>
#include <oneapi/tbb/concurrent_queue.h>
#include <oneapi/tbb/concurrent_vector.h>

#include <iostream>
#include <new>
#include <stdexcept>

struct positive {
  explicit positive(int v = 0) : value(v) {}
  positive(positive const& other) : value(other.value) {
    if (value < 0) throw std::invalid_argument("negative");
  }
  positive& operator=(positive const&) = default;
  bool operator<(positive const& other) const { return value < other.value; }
  int value;
};

template <typename Push>
char const* thrown_by(Push const& push) {
  try {
    push();
  } catch (std::invalid_argument const&) {
    return "invalid_argument";
  } catch (std::bad_alloc const&) {
    return "bad_alloc";
  }
  return "nothing";
}

int main() {
  positive const wrong(-1);
  tbb::concurrent_priority_queue<positive> priorities;
  tbb::concurrent_queue<positive> queue;
  tbb::concurrent_vector<positive> vector;
  std::cout << "priority queue: " << thrown_by([&] { priorities.push(wrong); });
  std::cout << ", queue: " << thrown_by([&] { queue.push(wrong); });
  std::cout << ", vector: " << thrown_by([&] { vector.push_back(wrong); });
}
CPP
g++ -std=c++17 -O1 -w -pthread -I tbb_devel-2023.2.0.data/data/include program.cpp -o program tbb-2023.2.0.data/data/lib/libtbb.so.12
printed=$(LD_LIBRARY_PATH=tbb-2023.2.0.data/data/lib timeout 60 ./program) || printed="$printed, exit code $?"
seen='priority queue: bad_alloc, queue: invalid_argument, vector: invalid_argument'
if [[ $printed != "$seen" ]]; then
  echo "changed: '$seen' was seen, now '$printed'"
  exit 1
fi
