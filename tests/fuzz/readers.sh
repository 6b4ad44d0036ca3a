#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# By hand, because it compiles for some minutes: builds what ashlar-sim reads with its fuzz target and runs it, after the
# preset release was built: readers.sh <source folder> <work folder> [libFuzzer's options, e.g. -max_total_time=3600].
# ASHLAR_FUZZ_TRACES: files of ASHLAR_TRACE to begin with. Exit code 77 without clang's libFuzzer.
set -u
source=$(realpath "$1"); work=$2; shift 2
compiler=$(command -v clang++-19 || command -v clang++) || { echo "skipped: no clang++"; exit 77; }
mkdir -p "$work/corpus" && cd "$work" || exit 1
echo 'extern "C" int LLVMFuzzerTestOneInput(unsigned char const*, unsigned long) { return 0; }' >probe.cpp
"$compiler" -fsanitize=fuzzer probe.cpp -o probe 2>/dev/null || { echo "skipped: $compiler has no libFuzzer"; exit 77; }
printf '%s\n' "$source"/sim/{trace,machine,program}/*.cpp "$source/tests/fuzz/readers_fuzz.cpp" |
  xargs -P"$(nproc)" -I{} sh -c '"$0" -std=c++20 -O1 -g1 -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined \
    -DASHLAR_HAVE_LIBDW=0 "-DASHLAR_SIM_FOLDER=\"$1/sim\"" -I"$1/include" -I"$1/src" -I"$1/sim" -c "$2" -o "$(basename "$2" .cpp).o"' \
    "$compiler" "$source" {} || exit 1
"$compiler" -fsanitize=fuzzer,address,undefined ./*.o -L"$source/build/release" -ltbb -lfmt -pthread -ldl -o readers_fuzz || exit 1
for m in "$source"/sim/machines/*.json; do { printf '\0'; cat "$m"; } >"corpus/$(basename "$m")"; done
for t in ${ASHLAR_FUZZ_TRACES:-}; do { printf '\1'; head -c 300000 "$t"; } >"corpus/$(basename "$t")"; done
LD_LIBRARY_PATH="$source/build/release" exec ./readers_fuzz -rss_limit_mb=1500 -max_len=400000 "$@" corpus
