#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Library: oneTBB 2023.2.0 (PyPI: tbb, tbb-devel)
# Expected: try_put of a limiter_node returns false because the threshold has been reached, and the node is a
#   discarding one with broadcast-push (its specification), as broadcast_node is: what no successor takes is discarded
#   (forwarding and buffering). The first message to a limiter of threshold 2 is accepted, whether or not there is an
#   edge yet.
# Seen: Without a successor every message is refused, however high the threshold is, and does not count;
#   broadcast_node accepts and discards. A program that takes false for a full limiter, and waits for the decrementer,
#   waits for what never comes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip download -q --disable-pip-version-check --no-deps tbb==2023.2.0 tbb-devel==2023.2.0 || exit 77
for wheel in *.whl; do python3 -m zipfile -e "$wheel" .; done

cat >program.cpp <<'CPP'
#include <oneapi/tbb/flow_graph.h>

#include <iostream>

using namespace tbb::flow;

int main() {
  graph g;
  limiter_node<int> limiter(g, 2);
  broadcast_node<int> broadcast(g);
  std::cout << "no successor: limiter " << limiter.try_put(1) << limiter.try_put(2) << limiter.try_put(3);
  std::cout << ", broadcast " << broadcast.try_put(1);
  queue_node<int> queue(g);
  make_edge(limiter, queue);
  std::cout << "; with a successor: limiter " << limiter.try_put(1);
  std::cout << limiter.try_put(2) << limiter.try_put(3);
  g.wait_for_all();
}
CPP
g++ -std=c++17 -O1 -w -pthread -I tbb_devel-2023.2.0.data/data/include program.cpp -o program tbb-2023.2.0.data/data/lib/libtbb.so.12
printed=$(LD_LIBRARY_PATH=tbb-2023.2.0.data/data/lib timeout 60 ./program) || printed="$printed, exit code $?"
seen='no successor: limiter 000, broadcast 1; with a successor: limiter 110'
if [[ $printed != "$seen" ]]; then
  echo "changed: '$seen' was seen, now '$printed'"
  exit 1
fi
