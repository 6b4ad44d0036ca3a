// SPDX-License-Identifier: Apache-2.0
// Flow graphs: built, run in rounds, cancelled or stopped by an exception, reset, and run again.
#include "flow_net.h"

#include <algorithm>

namespace differ {

void net::close(bool nothing_stays) {
  for (std::size_t i = 0; i < outlets.size(); ++i) {
    outlet const& o = outlets[i];
    if (o.taken || (o.holds && !nothing_stays)) continue;
    record& r = make_record("end of " + std::to_string(i));
    r.ordered = o.ordered;
    auto& sink =
        make<flow::function_node<counted>>(graph(), flow::serial, [&r](counted const& x) { r.seen.add(x.value); });
    connect(*o.from, sink);
  }
}

namespace {

void put_messages(net& n, int round, std::string const& name, book& told) {
  for (std::size_t i = 0; i < n.sources.size(); ++i) {
    int const amount = n.amounts[i] < 0 ? -n.amounts[i] : n.amounts[i];
    int const first = n.amounts[i] < 0 ? round * amount : 0;
    int taken = 0;
    for (int k = 0; k < amount; ++k) {
      // A sequencer's messages come in pairs that are swapped.
      int const value = n.amounts[i] < 0 && (k ^ 1) < amount ? k ^ 1 : k;
      if (planted("flow loses a message") && k == 5) continue;
      taken += n.sources[i]->try_put(counted(first + value)) ? 1 : 0;
    }
    // Where a body may cancel the graph meanwhile, puts are refused from then on.
    if (n.wrong.kind == fault::none) told.tell(name + " puts that were taken by source " + std::to_string(i), taken);
  }
}

void tell_held(net& n, std::string const& name, bool whole, book& told) {
  for (std::size_t i = 0; i < n.outlets.size(); ++i) {
    outlet const& o = n.outlets[i];
    if (!o.holds || o.taken) continue;
    std::vector<int> found;
    for (counted c; o.from->try_get(c);) found.push_back(c.value);
    if (!o.ordered) std::sort(found.begin(), found.end());
    if (whole) told.tell(name + " left in " + std::to_string(i), found);
  }
}

void tell_records(net& n, std::string const& name, bool whole, std::vector<int>& before, book& told) {
  before.resize(n.records.size());
  for (std::size_t i = 0; i < n.records.size(); ++i) {
    record const& r = *n.records[i];
    std::vector<int> seen = r.seen.sequence();
    seen.erase(seen.begin(), seen.begin() + before[i]);
    before[i] += static_cast<int>(seen.size());
    if (!whole) {
      told.open("messages of a node before the end", seen.size());
    } else {
      if (!r.ordered) std::sort(seen.begin(), seen.end());
      told.tell(name + " " + r.name + (r.ordered ? " saw in order" : " saw"), seen);
      if (r.calls > 0) told.tell(name + " " + r.name + " calls of its body", r.calls.load());
    }
    told.expect(!r.crowded, name + " " + r.name + " more bodies at once than its limit");
  }
}

constexpr flow::reset_flags flags[] = {flow::rf_reset_protocol, flow::rf_reset_bodies, flow::rf_clear_edges,
                                       static_cast<flow::reset_flags>(flow::rf_reset_bodies | flow::rf_clear_edges)};

// Edges that are cleared come again.
void reset(net& n, flow::reset_flags how) {
  if (!planted("flow keeps bodies")) n.graph().reset(how);
  if (planted("flow keeps bodies")) n.graph().reset(flow::rf_reset_protocol);
  if ((how & flow::rf_reset_bodies) != 0) {
    for (auto const& r : n.records) r->calls = 0;
  }
  if ((how & flow::rf_clear_edges) == 0 || planted("flow keeps bodies")) return;
  for (edge& e : n.edges) {
    e.make();
    e.there = true;
  }
}

// Some of the edges go, and those that went before come again.
void change_edges(net& n, int which) {
  for (std::size_t i = 0; i < n.edges.size(); ++i) {
    edge& e = n.edges[i];
    if (!e.may_go || (which + static_cast<int>(i) * 5) % 3 != 0) continue;
    e.there ? e.remove() : e.make();
    e.there = !e.there;
  }
}

// Of a round, whose numbers begin again with each reset: was it whole?
bool play_round(net& n, int since_reset, std::string const& name, std::vector<int>& before, book& told) {
  if (since_reset == 0) {
    for (auto const& start : n.starts) start();
  }
  put_messages(n, since_reset, name, told);
  std::string const out = planted("flow waits too short") ? "nothing" : thrown([&] { n.graph().wait_for_all(); });
  bool const whole = out == "nothing" && !n.graph().is_cancelled();
  told.tell(name + " threw", out);
  told.tell(name + " cancelled, exception", text(n.graph().is_cancelled()) + " " + text(n.graph().exception_thrown()));
  tell_records(n, name, whole, before, told);
  tell_held(n, name, whole, told);
  return whole;
}

// n: rounds; a: what happens between them; b: whose context.
void graph(step const& program, book& told) {
  net n(program.b % 2 == 1);
  for (std::size_t i = 0; i < program.body.size(); ++i) add_node(n, program.body[i], std::to_string(i));
  n.close(false);
  std::vector<int> before;
  int since_reset = 0;
  for (int round = 0; round < 1 + program.n % 4; ++round) {
    bool const whole = play_round(n, since_reset++, "round " + std::to_string(round), before, told);
    int const chance = program.a + round * 29;
    if (!whole || chance % 3 == 0) {
      reset(n, whole ? flags[chance / 3 % 4] : flow::rf_reset_bodies);
      since_reset = 0;
    }
    if (chance % 5 < 2) change_edges(n, chance);
  }
}

}  // namespace

void add_flows(subjects& table) { table["flow"] = graph; }

}  // namespace differ
