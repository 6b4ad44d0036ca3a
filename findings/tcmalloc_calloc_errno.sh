#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Library: gperftools 2.10, tcmalloc (Debian 12: libtcmalloc-minimal4 2.10-1)
# Expected: calloc returns null and sets errno to ENOMEM when it can't give memory (POSIX, calloc, return value), a
#   product that is too large among the reasons; tcmalloc stands in for the C library's functions.
# Seen: malloc of too many bytes sets ENOMEM, and so does calloc(1, n); but where the product of calloc's arguments
#   overflows, null comes without errno, so that perror says that all went well. The C library sets it in all three
#   cases.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -qq libtcmalloc-minimal4=2.10-1 2>/dev/null || exit 77
dpkg -x ./*.deb .
library=$(echo "$folder"/usr/lib/*/libtcmalloc_minimal.so.4)

cat >program.cpp <<'CPP'
#include <cerrno>
#include <cstdlib>
#include <iostream>

int main() {
  std::size_t volatile const half = std::size_t(-1) / 2;
  auto const print = [](char const* name, void* p) {
    std::cout << name << (p != nullptr ? " a block" : " null") << (errno == ENOMEM ? " ENOMEM" : errno == 0 ? " 0" : " other");
    errno = 0;
  };
  errno = 0;
  print("malloc", std::malloc(half));
  print(", calloc of one", std::calloc(1, half));
  print(", calloc of four", std::calloc(4, half));
}
CPP
g++ -std=c++17 -O1 -fno-builtin program.cpp -o program "$library"
printed=$(LD_LIBRARY_PATH=$(dirname "$library") timeout 60 ./program) || printed="$printed, exit code $?"
seen='malloc null ENOMEM, calloc of one null ENOMEM, calloc of four null 0'
if [[ $printed != "$seen" ]]; then
  echo "changed: '$seen' was seen, now '$printed'"
  exit 1
fi
