#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Library: mimalloc 2.0.9 (Debian 12: libmimalloc2.0 2.0.9+ds-2)
# Expected: mi_good_size(n) is the size that mi_malloc(n) will really have, in general the same as mi_usable_size of
#   the block, so that a program can ask for a buffer without waste (mimalloc's manual, extended functions).
# Seen: That holds up to 128 KiB. Above, mi_good_size rounds to pages of 4 KiB, while the block is a quarter larger or
#   more: 135,168 against 196,608 bytes for 131,073. A program that asks for the good size wastes up to a third.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -qq libmimalloc2.0=2.0.9+ds-2 2>/dev/null || exit 77
dpkg -x ./*.deb .
library=$(echo "$folder"/usr/lib/*/libmimalloc.so.2.0)

cat >program.cpp <<'CPP'
#include <cstddef>
#include <iostream>

extern "C" void* mi_malloc(std::size_t size);
extern "C" void mi_free(void* p);
extern "C" std::size_t mi_good_size(std::size_t size);
extern "C" std::size_t mi_usable_size(void const* p);

int main() {
  for (std::size_t const size : {100, 5000, 131072, 131073, 200000}) {
    void* const p = mi_malloc(size);
    std::cout << size << ": " << mi_good_size(size) << ' ' << mi_usable_size(p) << (size < 200000 ? ", " : "");
    mi_free(p);
  }
}
CPP
g++ -std=c++17 -O1 -fno-builtin program.cpp -o program "$library"
printed=$(LD_LIBRARY_PATH=$(dirname "$library") timeout 60 ./program) || printed="$printed, exit code $?"
seen='100: 112 112, 5000: 5120 5120, 131072: 131072 131072, 131073: 135168 196608, 200000: 200704 262144'
if [[ $printed != "$seen" ]]; then
  echo "changed: '$seen' was seen, now '$printed'"
  exit 1
fi
