// SPDX-License-Identifier: Apache-2.0
// rw_mutex and spin_rw_mutex: writers are alone, nobody sleeps for ever, an upgrade that reports success let nobody
// write in between.
#include <doctest/doctest.h>

#include <rw_scenes.h>

#include <ashlar/sync/rw_mutex.h>
#include <ashlar/sync/spin_rw_mutex.h>

#include "sync/parker.cpp"
#include "sync/rw_mutex.cpp"
#include "sync/wait_on.cpp"

using namespace ashlar;

namespace {

std::vector<model::scene> const rw_scenes = model::rw_scenes<tbb::rw_mutex>(4);

// unlock() ends either kind, also beside a writer that waits.
void classic_names() {
  model::rw_stage<tbb::spin_rw_mutex> s;
  model::thread a("reader", [&] {
    s.mutex.lock_read();
    s.value.get();
    s.mutex.unlock();
  });
  s.mutex.lock();
  s.value.set(1);
  s.mutex.unlock();
  a.join();
}
std::vector<model::scene> spin_scenes() {
  std::vector<model::scene> scenes = model::rw_scenes<tbb::spin_rw_mutex>(4);
  scenes.push_back({"classic names", classic_names, 4});
  return scenes;
}

}  // namespace

TEST_CASE("writers are alone and nobody waits for ever") {
  for (auto const& scenes : {rw_scenes, spin_scenes()}) {
    model::check_all(scenes);
    model::check_randomly(scenes, 3'000, {model::search::random, model::search::pct});
  }
}

TEST_CASE("each order is needed") {
  model::check_each_order(rw_scenes, {"include/ashlar/sync/rw_mutex.h", "src/sync/rw_mutex.cpp"});
  model::check_each_order(spin_scenes(), {"include/ashlar/sync/spin_rw_mutex.h"});
}
