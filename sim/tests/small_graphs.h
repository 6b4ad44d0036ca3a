// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

// Each graph of the table, small enough for a test.
inline std::vector<std::string> const small_graphs{
    "fib:n=12",
    "fibcut:n=16,cutoff=6",
    "nqueens:n=6,cutoff=4",
    "utsT1:depth=4",
    "utsT3:roots=100,q_millionths=100000",
    "treeadd:depth=7",
    "lu:n=20",
    "matmult:items=40",
    "matmultrec:n=64",
    "bitcounter:records=900",
    "blackscholes:loops=2",
    "bodytrack:frames=1,layers=2,particles=100",
    "fluidanimate:loops=3",
    "streamcluster:loops=10",
    "swaptions:swaptions=5,batches=6",
    "imbalanced:items=300",
    "bag:tasks=200",
    "pipeline:tokens=100,in_flight=16",
};
