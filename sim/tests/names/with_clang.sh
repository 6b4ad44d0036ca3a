#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The names of kinds.cpp as clang compiles it, with lines and without: with_clang.sh PYTHON INCLUDE LIBTBB ASHLAR_SIM.
# Skipped (77) where no clang++ has the standard library's headers and coroutines.
set -eu
here=$(dirname "$0"); python=$1; include=$2; library=$3; sim=$4
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
echo '#include <coroutine>' >"$work/try.cpp"
for name in clang++-19 clang++-18 clang++-17 clang++-16 clang++-15 clang++-14 clang++; do
  command -v $name >/dev/null && $name -std=c++20 -fsyntax-only "$work/try.cpp" 2>/dev/null && clang=$name && break
done
[ -n "${clang:-}" ] || { echo "skipped: no clang++ that can"; exit 77; }
for kind in lines names; do
  debug=-g; [ $kind = lines ] || debug=-g0
  $clang -std=c++20 -O2 $debug "-I$include" "$here/kinds.cpp" -o "$work/$kind" "$library" "-Wl,-rpath,$(dirname "$library")" -pthread
  "$python" "$here/check.py" "$work/$kind" "$here/kinds.cpp" "$sim" $kind
done
