// SPDX-License-Identifier: Apache-2.0
// The parallel_scheduler with our backend.
#include "senders.h"

#include "execution/parallel_scheduler.cpp"

int main(int argc, char** argv) { return bench::measure(bench::parse(argc, argv), stdexec::get_parallel_scheduler()); }
