#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Library: oneTBB 2023.2.0 (PyPI: tbb, tbb-devel)
# Expected: A try_put that returns false did not take the message. With key_matching a port keeps a message by its key
#   until all ports have one (the specification of join_node policies); when a second message with that key is
#   refused, the pair is made of the first.
# Seen: try_put returns false, and the pair holds the refused message: the first one, which was accepted, is gone.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip download -q --disable-pip-version-check --no-deps tbb==2023.2.0 tbb-devel==2023.2.0 || exit 77
for wheel in *.whl; do python3 -m zipfile -e "$wheel" .; done

cat >program.cpp <<'CPP'
#include <oneapi/tbb/flow_graph.h>

#include <iostream>
#include <tuple>

using namespace tbb::flow;

int main() {
  graph g;
  auto const key = [](int value) { return value % 10; };
  join_node<std::tuple<int, int>, key_matching<int>> join(g, key, key);
  queue_node<std::tuple<int, int>> pairs(g);
  make_edge(join, pairs);
  bool const first = input_port<0>(join).try_put(11);
  bool const second = input_port<0>(join).try_put(21);
  input_port<1>(join).try_put(31);
  g.wait_for_all();
  std::tuple<int, int> pair;
  std::cout << "11 accepted " << first << ", 21 accepted " << second;
  while (pairs.try_get(pair)) std::cout << ", pair " << std::get<0>(pair) << ' ' << std::get<1>(pair);
}
CPP
g++ -std=c++17 -O1 -w -pthread -I tbb_devel-2023.2.0.data/data/include program.cpp -o program tbb-2023.2.0.data/data/lib/libtbb.so.12
printed=$(LD_LIBRARY_PATH=tbb-2023.2.0.data/data/lib timeout 60 ./program) || printed="$printed, exit code $?"
seen='11 accepted 1, 21 accepted 0, pair 21 31'
if [[ $printed != "$seen" ]]; then
  echo "changed: '$seen' was seen, now '$printed'"
  exit 1
fi
