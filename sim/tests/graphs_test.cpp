// SPDX-License-Identifier: Apache-2.0
// The graphs' counts against what is known of the programs: closed forms and published sizes.
#include "graphs/catalogue.h"
#include "program/analysis.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>

using namespace ashlar::sim;

namespace {

analysis of(char const* specification) { return analyse(*make_graph(specification)); }

}  // namespace

TEST_CASE("recursive graphs have the tasks of their programs") {
  // A depth-first search places 2056 queens on an 8 x 8 board.
  CHECK(of("nqueens:n=8,cutoff=18").tasks == 2057);
  CHECK(of("nqueens:n=8,cutoff=18,node_ns=7").work == of("nqueens:n=8,cutoff=3,node_ns=7").work);
  CHECK(of("treeadd:depth=9,cutoff=40").tasks == 1023);
  CHECK(of("treeadd:depth=9,cutoff=4").tasks == 31);
  CHECK(of("treeadd:depth=9,cutoff=4").work == of("treeadd:depth=9,cutoff=40").work);
  // 1 + 8 + 64 products, the last ones of one block.
  CHECK(of("matmultrec:n=64,block=16").tasks == 73);
  CHECK(of("matmultrec:n=64,block=16,product_ps=500").work == 64 * 64 * 64 * 500);
}

TEST_CASE("unbalanced trees have the nodes of the published ones") {
  // `ashlar-sim graphs utsT1:depth=10` finds the 4 130 071 nodes of T1; this is its upper part.
  CHECK(of("utsT1:depth=5").tasks == 3987);
  CHECK(of("utsT3:q_millionths=0").tasks == 2001);
}

TEST_CASE("loops do the work of their items, whatever the grain") {
  CHECK(of("bitcounter:grain=1").work == of("bitcounter:grain=1000").work);
  CHECK(of("lu:n=50,element_ns=1").work == (50 * 51 * 101 / 6 - 50 * 51 / 2 + 50 - 1 - 0) * nanosecond);
  CHECK(of("imbalanced:items=100,step_ns=2,grain=7").work == 9900 * nanosecond);
  CHECK(of("streamcluster:loops=10").waits == 10);
  CHECK(of("bodytrack:frames=2,layers=3").waits == 10);
}

TEST_CASE("a nested wait is for its own children only") {
  // All swaptions are independent: the span is that of one.
  analysis const one = of("swaptions:swaptions=1,batches=9,least_steps=5,most_steps=5"),
                 many = of("swaptions:swaptions=32,batches=9,least_steps=5,most_steps=5");
  CHECK(many.span == one.span);
  CHECK(many.work == 32 * one.work);
  CHECK(one.work == 9 * (16 * 5 * 1000 + 100) * nanosecond);
  CHECK(one.waits == 9);
  CHECK(of("pipeline:tokens=100,in_flight=10").waits == 10);
  CHECK(of("pipeline:tokens=101,in_flight=10,in_ns=1,out_ns=2,filter_ns=3").work == 606 * nanosecond);
  CHECK(of("bag:tasks=77").tasks == 78);
}
