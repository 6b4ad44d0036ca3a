// SPDX-License-Identifier: Apache-2.0
// The parallel_scheduler with stdexec's own backend.
#define STDEXEC_PARALLEL_SCHEDULER_HEADER_ONLY
#include "senders.h"

int main(int argc, char** argv) { return bench::measure(bench::parse(argc, argv), stdexec::get_parallel_scheduler()); }
