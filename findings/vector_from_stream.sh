#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Library: oneTBB 2023.2.0 (PyPI: tbb, tbb-devel)
# Expected: The specification of concurrent_vector (construction from a sequence, assign, grow_by) asks for an input
#   iterator, no more. A vector made from two std::istream_iterator<int> therefore holds the numbers of the stream, as
#   a std::vector does.
# Seen: The distance of the iterators is taken first, which reads the stream to its end. The vector has the right
#   size, and every element is the first number. concurrent_set reads the same stream rightly. Nothing is said.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip download -q --disable-pip-version-check --no-deps tbb==2023.2.0 tbb-devel==2023.2.0 || exit 77
for wheel in *.whl; do python3 -m zipfile -e "$wheel" .; done

cat >program.cpp <<'CPP'
#include <oneapi/tbb/concurrent_set.h>
#include <oneapi/tbb/concurrent_vector.h>

#include <iostream>
#include <iterator>
#include <sstream>

using input = std::istream_iterator<int>;

template <typename Container>
void print(char const* name, Container const& values) {
  std::cout << name;
  for (auto i = values.begin(); i != values.end(); ++i) std::cout << ' ' << *i;
}

int main() {
  char const* const numbers = "5 6 7 8";
  std::istringstream first(numbers), second(numbers), third(numbers), fourth(numbers);
  tbb::concurrent_vector<int> made{input(first), input()};
  print("constructed", made);
  tbb::concurrent_vector<int> assigned;
  assigned.assign(input(second), input());
  print("; assigned", assigned);
  tbb::concurrent_vector<int> grown;
  grown.grow_by(input(third), input());
  print("; grown", grown);
  print("; set", tbb::concurrent_set<int>(input(fourth), input()));
}
CPP
g++ -std=c++17 -O1 -w -pthread -I tbb_devel-2023.2.0.data/data/include program.cpp -o program tbb-2023.2.0.data/data/lib/libtbb.so.12
printed=$(LD_LIBRARY_PATH=tbb-2023.2.0.data/data/lib timeout 60 ./program) || printed="$printed, exit code $?"
seen='constructed 5 5 5 5; assigned 5 5 5 5; grown 5 5 5 5; set 5 6 7 8'
if [[ $printed != "$seen" ]]; then
  echo "changed: '$seen' was seen, now '$printed'"
  exit 1
fi
