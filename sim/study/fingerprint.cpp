// SPDX-License-Identifier: Apache-2.0
#include "study/fingerprint.h"

#include "graphs/catalogue.h"
#include "machine/machine_file.h"
#include "study/outcome.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <string_view>
#include <vector>

namespace ashlar::sim {

namespace {

// FNV-1a, of texts and of numbers' bytes.
class digest {
 public:
  void add(std::string_view text) noexcept {
    for (char const c : text) add_byte(static_cast<unsigned char>(c));
    add_byte(0);
  }
  void add(std::uint64_t number) noexcept {
    for (int shift = 0; shift < 64; shift += 8) add_byte(number >> shift & 0xFF);
  }
  std::uint64_t value() const noexcept { return value_; }

 private:
  void add_byte(std::uint64_t byte) noexcept { value_ = (value_ ^ byte) * 0x100000001B3u; }
  std::uint64_t value_ = 0xCBF29CE484222325u;
};

// An entry that is 0 counts as none: what a new one adds to the model is not there yet. Nor do the texts count that say
// where the numbers come from.
std::uint64_t of_machine(std::string const& name) {
  machine_file m = load_machine(name);
  m.source.clear();
  auto const entries = nlohmann::json::parse(to_json(m)).flatten();
  digest d;
  for (auto const& [entry, value] : entries.items()) {
    if (value == 0) continue;
    d.add(entry);
    d.add(value.dump());
  }
  return d.value();
}

// All parameters, and the first steps in the serial order.
std::uint64_t of_graph(std::string const& specification) {
  constexpr int most_steps = 100'000;
  digest d;
  d.add(specification);
  for (graph const& g : all_graphs()) {
    if (g.name != std::string_view(specification).substr(0, specification.find(':'))) continue;
    for (parameter const& p : g.defaults) {
      d.add(p.name);
      d.add(static_cast<std::uint64_t>(p.value));
    }
  }
  auto const p = make_graph(specification);
  std::vector<task_state> open{p->root()};
  for (int i = 0; i < most_steps && !open.empty(); ++i) {
    task_state child;
    step const s = p->next(open.back(), child);
    d.add(static_cast<std::uint64_t>(s.kind));
    d.add(s.work);
    if (s.kind == step_kind::spawn) open.push_back(child);
    if (s.kind == step_kind::end) open.pop_back();
  }
  return d.value();
}

// The outcomes of small runs in the cell's way: nested and flat waits, irregular tasks, phases between which workers
// sleep, on few workers and on more than a socket has.
std::uint64_t of_engine(study_cell c) {
  digest d;
  for (char const* graph :
       {"swaptions:swaptions=6,batches=4", "bodytrack:frames=1,layers=2,particles=100", "utsT1:depth=4", "fib:n=11"}) {
    for (unsigned const workers : {1u, 5u, 16u, 70u}) {
      c.graph = graph;
      c.workers = workers;
      c.seed = 1;
      d.add(text_of(run_cell(c)));
    }
  }
  return d.value();
}

}  // namespace

std::uint64_t fingerprints::of(study_cell const& c) {
  auto const part = [&](std::string const& name, auto const& find) {
    auto const at = known_.find(name);
    return at != known_.end() ? at->second : known_[name] = find();
  };
  digest d;
  d.add(part(c.machine, [&] { return of_machine(c.machine); }));
  d.add(part(c.graph, [&] { return of_graph(c.graph); }));
  d.add(part(fmt::format("{} {} {} {}", c.machine, c.policy, c.wait, c.idle), [&] { return of_engine(c); }));
  return d.value();
}

}  // namespace ashlar::sim
