// SPDX-License-Identifier: Apache-2.0
// Reads programs, one a line, from the standard input, runs each in arenas of 1, 2, 4 and 8 threads, and answers with
// what each run told. Compiled once for each library; differ.py writes the programs and compares the answers.
#include "blocks.h"
#include "subjects.h"

#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <memory>
#include <thread>

namespace differ {

bool planted(char const* name) {
  static char const* const chosen = std::getenv("DIFFER_PLANT");
  return chosen != nullptr && std::strcmp(chosen, name) == 0;
}

namespace {
std::atomic<int> delays_left{0};
std::atomic<unsigned> bodies{0};
}  // namespace

void linger() {
  if (delays_left.load(std::memory_order_relaxed) <= 0 || bodies++ % 4 != 0 || delays_left-- <= 0) return;
  std::this_thread::sleep_for(std::chrono::microseconds(60));
}

std::vector<int> tally::sorted() const {
  std::vector<int> all = seen_;
  std::sort(all.begin(), all.end());
  return all;
}

namespace {

subjects const& all_subjects() {
  static subjects const all = [] {
    subjects table;
    add_arenas(table);
    add_buffers(table);
    add_caches(table);
    add_crowds(table);
    add_edges(table);
    add_flows(table);
    add_forms(table);
    add_groups(table);
    add_hash_maps(table);
    add_items(table);
    add_locals(table);
    add_loops(table);
    add_mallocs(table);
    add_mutexes(table);
    add_nests(table);
    add_pipelines(table);
    add_pools(table);
    add_ports(table);
    add_priorities(table);
    add_sorts(table);
    add_splits(table);
#if DIFFER_ONETBB
    add_entries(table);
    add_observers(table);
    add_onces(table);
    add_orders(table);
    add_put_waits(table);
    add_queues(table);
    add_suspensions(table);
    add_tables(table);
#endif
#if DIFFER_TASKS
    add_filters(table);
    add_tasks(table);
#endif
    add_vectors(table);
    return table;
  }();
  return all;
}

// Workers may still hold what they ran for an instant after a wait.
bool settles(std::atomic<long> const& count, long to) {
  auto const end = std::chrono::steady_clock::now() + std::chrono::milliseconds(100);
  while (count != to && std::chrono::steady_clock::now() < end) std::this_thread::yield();
  return count == to;
}

nlohmann::json run(step const& program, std::string const& line, tbb::task_arena& arena, int threads) {
  book told;
  delays_left = std::hash<std::string>()(line) % 6 == 0 ? 12 : 0;
  long const objects = living;
  long const held = blocks;
  std::string const out = thrown([&] { arena.execute([&] { all_subjects().at(program.kind)(program, told); }); });
  delays_left = 0;
  copies_left = -1;
  calls_left = -1;
  allocations_left = -1;
  if (out != "nothing") told.tell("an exception left the program", out);
  if (!settles(living, objects)) told.tell("objects that live on", living - objects);
  if (!settles(blocks, held)) told.tell("blocks that stay", blocks - held);
  return {{"threads", threads}, {"told", told.lines()}, {"open", told.opens()}};
}

}  // namespace

}  // namespace differ

int main() {
#if DIFFER_ONETBB
  constexpr int sizes[] = {1, 2, 4, 8};
#else
  constexpr int sizes[] = {2, 4, 8};  // an arena of one slot may have two in TBB 2020
#endif
  tbb::global_control const threads(tbb::global_control::max_allowed_parallelism, 8);
  std::vector<std::unique_ptr<tbb::task_arena>> arenas;
  for (int const size : sizes) arenas.push_back(std::make_unique<tbb::task_arena>(size));
  for (std::string line; std::getline(std::cin, line);) {
    nlohmann::json runs;
    try {
      differ::step const program = soak::read_step(line);
      if (differ::all_subjects().count(program.kind) == 0) {
        throw std::invalid_argument("no program is a " + program.kind);
      }
      for (std::size_t i = 0; i < arenas.size(); ++i) runs.push_back(differ::run(program, line, *arenas[i], sizes[i]));
    } catch (std::exception const& e) {
      std::cerr << "differ: no program: " << e.what() << std::endl;
      return 2;
    }
    std::cout << nlohmann::json{{"runs", runs}}.dump() << std::endl;
  }
}
