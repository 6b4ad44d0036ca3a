#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# How many instructions a pair of scalable_malloc(64) and scalable_free takes, with the check for second frees and without it.
# usage: tools/malloc_check_cost.sh    (needs g++ and valgrind; half a minute)
set -eu
cd "$(dirname "$0")/.."
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
cat >"$work/pairs.cpp" <<'CPP'
#include <tbb/scalable_allocator.h>
#include <cstdlib>
int main(int, char** v) {
  for (long i = std::atol(v[1]); i > 0; --i) {
    void* p = scalable_malloc(64);
    asm volatile("" : : "r"(p) : "memory");
    scalable_free(p);
  }
}
CPP
count() { valgrind --tool=callgrind --callgrind-out-file=/dev/null "$1" "$2" 2>&1 | sed -n 's/.*Collected : //p'; }
for define in CHECKED UNCHECKED; do
  mkdir "$work/$define"
  find src/alloc -name '*.cpp' | xargs -P "$(nproc)" -I{} sh -c \
    "g++ -std=c++20 -O3 -DNDEBUG -Iinclude -Isrc -fvisibility=hidden -DASHLAR_MALLOC_$define '-DASHLAR_VERSION=\"x\"' -c {} \
      -o '$work/$define'/\$(basename {}).o"
  g++ -std=c++17 -O2 -Iinclude "$work/pairs.cpp" "$work/$define"/*.o -o "$work/$define/pairs" -lpthread -ldl
  few=$(count "$work/$define/pairs" 100000); many=$(count "$work/$define/pairs" 200000)
  echo "$define: $(((many - few) / 100000)) instructions a pair"
done
