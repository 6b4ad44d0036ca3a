#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Library: oneTBB 2023.2.0 (PyPI: tbb, tbb-devel)
# Expected: An async_node is a sender of its output (its specification: class async_node derives from sender<Output>),
#   and make_edge takes any sender and any receiver. An edge made through the reference hands on the messages of the
#   gateway.
# Seen: make_edge returns as usual, but the edge does not exist: nothing arrives. The edge from the node itself works,
#   and so does a function_node that is passed as a sender.
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
  using waiter = async_node<int, int>;
  graph g;
  waiter asynchronous(g, unlimited, [](int value, waiter::gateway_type& gateway) { gateway.try_put(value); });
  function_node<int, int> function(g, serial, [](int value) { return value; });
  queue_node<int> by_sender(g), by_node(g), of_function(g);
  make_edge(static_cast<sender<int>&>(asynchronous), by_sender);
  make_edge(asynchronous, by_node);
  make_edge(static_cast<sender<int>&>(function), of_function);
  asynchronous.try_put(5);
  function.try_put(5);
  g.wait_for_all();
  int value = 0;
  std::cout << "as a sender " << by_sender.try_get(value) << ", as a node " << by_node.try_get(value);
  std::cout << ", a function_node as a sender " << of_function.try_get(value);
}
CPP
g++ -std=c++17 -O1 -w -pthread -I tbb_devel-2023.2.0.data/data/include program.cpp -o program tbb-2023.2.0.data/data/lib/libtbb.so.12
printed=$(LD_LIBRARY_PATH=tbb-2023.2.0.data/data/lib timeout 60 ./program) || printed="$printed, exit code $?"
seen='as a sender 0, as a node 1, a function_node as a sender 1'
if [[ $printed != "$seen" ]]; then
  echo "changed: '$seen' was seen, now '$printed'"
  exit 1
fi
