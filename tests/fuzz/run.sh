#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Builds the allocator with its fuzz target and runs it: run.sh <source folder> <work folder> [libFuzzer's options, e.g.
# -max_total_time=3600]. What it finds stays in the work folder. Exit code 77 without clang's libFuzzer.
set -u
source=$1; work=$2; shift 2
compiler=$(command -v clang++-19 || command -v clang++) || { echo "skipped: no clang++"; exit 77; }
mkdir -p "$work/corpus" && cd "$work" || exit 1
echo 'extern "C" int LLVMFuzzerTestOneInput(unsigned char const*, unsigned long) { return 0; }' >probe.cpp
"$compiler" -fsanitize=fuzzer probe.cpp -o probe 2>/dev/null || { echo "skipped: $compiler has no libFuzzer"; exit 77; }
sources=("$source"/src/alloc/*.cpp "$source/tests/fuzz/alloc_fuzz.cpp")
"$compiler" -std=c++20 -O1 -g1 -fsanitize=fuzzer,undefined -fno-sanitize-recover=undefined -I"$source/include" -I"$source/src" \
  -DASHLAR_VERSION='"fuzz"' "${sources[@]}" $(ls "$source"/src/base/throw.cpp) -o alloc_fuzz -pthread -ldl || exit 1
exec ./alloc_fuzz -timeout=200 -rss_limit_mb=1000 "$@" corpus
