#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Library: mimalloc 2.0.9 (Debian 12: libmimalloc2.0 2.0.9+ds-2)
# Expected: mi_recalloc makes a block larger or smaller with the extra memory set to zero, for blocks that came from
#   mi_calloc and its like (mimalloc's manual, the module on zero initialized re-allocation). After 100 bytes from
#   mi_calloc became 60 and then 100 again, the last 40 are zero.
# Seen: They hold what the block held before, as a block does not know how many bytes were asked for last. Where the
#   size is far beyond the block's, the new bytes are zero.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -qq libmimalloc2.0=2.0.9+ds-2 2>/dev/null || exit 77
dpkg -x ./*.deb .
library=$(echo "$folder"/usr/lib/*/libmimalloc.so.2.0)

cat >program.cpp <<'CPP'
#include <cstddef>
#include <cstring>
#include <iostream>

extern "C" void* mi_calloc(std::size_t count, std::size_t size);
extern "C" void* mi_recalloc(void* p, std::size_t count, std::size_t size);
extern "C" void mi_free(void* p);

int set_after(char const* p, int from, int to) {
  int set = 0;
  for (int i = from; i < to; ++i) set += p[i] != 0;
  return set;
}

int main() {
  auto* p = static_cast<char*>(mi_calloc(100, 1));
  std::memset(p, 1, 100);
  p = static_cast<char*>(mi_recalloc(p, 60, 1));
  p = static_cast<char*>(mi_recalloc(p, 100, 1));
  std::cout << "not zero behind 60 of 100: " << set_after(p, 60, 100);
  p = static_cast<char*>(mi_recalloc(p, 5000, 1));
  std::cout << ", behind 100 of 5000: " << set_after(p, 100, 5000);
  mi_free(p);
}
CPP
g++ -std=c++17 -O1 -fno-builtin program.cpp -o program "$library"
printed=$(LD_LIBRARY_PATH=$(dirname "$library") timeout 60 ./program) || printed="$printed, exit code $?"
seen='not zero behind 60 of 100: 40, behind 100 of 5000: 0'
if [[ $printed != "$seen" ]]; then
  echo "changed: '$seen' was seen, now '$printed'"
  exit 1
fi
