// SPDX-License-Identifier: Apache-2.0
// stdexec's static_thread_pool.
#include "senders.h"

#include <exec/static_thread_pool.hpp>

int main(int argc, char** argv) {
  bench::options const o = bench::parse(argc, argv);
  exec::static_thread_pool pool(static_cast<std::uint32_t>(o.threads));
  return bench::measure(o, pool.get_scheduler());
}
