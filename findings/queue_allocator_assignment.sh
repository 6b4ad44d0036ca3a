#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Library: oneTBB 2023.2.0 (PyPI: tbb, tbb-devel)
# Expected: Assignment copy-assigns or move-assigns the allocator if propagate_on_container_copy_assignment or
#   ..._move_assignment is true (the specification of concurrent_queue and of concurrent_bounded_queue, assignment
#   operators); where both are false the target keeps its own, as concurrent_vector and concurrent_priority_queue do.
# Seen: Both queues take the other's allocator. A program that gives each queue a memory of its own finds the target
#   in the source's.
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

#include <functional>
#include <iostream>
#include <memory>
#include <type_traits>
#include <utility>

template <typename T>
struct numbered {
  using value_type = T;
  using propagate_on_container_copy_assignment = std::false_type;
  using propagate_on_container_move_assignment = std::false_type;
  explicit numbered(int n) : number(n) {}
  template <typename U>
  numbered(numbered<U> const& other) : number(other.number) {}
  T* allocate(std::size_t n) { return std::allocator<T>().allocate(n); }
  void deallocate(T* p, std::size_t n) { std::allocator<T>().deallocate(p, n); }
  template <typename U>
  bool operator==(numbered<U> const& other) const {
    return number == other.number;
  }
  template <typename U>
  bool operator!=(numbered<U> const& other) const {
    return number != other.number;
  }
  int number;
};

template <typename Container>
void print(char const* name) {
  Container source(numbered<int>(1)), target(numbered<int>(2)), moved(numbered<int>(2));
  target = source;
  moved = std::move(source);
  std::cout << name << ' ' << target.get_allocator().number << ' ' << moved.get_allocator().number;
}

int main() {
  using memory = numbered<int>;
  print<tbb::concurrent_queue<int, memory>>("queue");
  print<tbb::concurrent_bounded_queue<int, memory>>(", bounded queue");
  print<tbb::concurrent_priority_queue<int, std::less<int>, memory>>(", priority queue");
  print<tbb::concurrent_vector<int, memory>>(", vector");
}
CPP
g++ -std=c++17 -O1 -w -pthread -I tbb_devel-2023.2.0.data/data/include program.cpp -o program tbb-2023.2.0.data/data/lib/libtbb.so.12
printed=$(LD_LIBRARY_PATH=tbb-2023.2.0.data/data/lib timeout 60 ./program) || printed="$printed, exit code $?"
seen='queue 1 1, bounded queue 1 1, priority queue 2 2, vector 2 2'
if [[ $printed != "$seen" ]]; then
  echo "changed: '$seen' was seen, now '$printed'"
  exit 1
fi
