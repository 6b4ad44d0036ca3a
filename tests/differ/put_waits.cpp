// SPDX-License-Identifier: Apache-2.0
// try_put_and_wait into flow graphs: when it returns, all that the message caused is over, also beside other messages,
// from many tasks at once, with exceptions and cancellation.
#include "flow_net.h"

#if DIFFER_ONETBB
#include <tbb/parallel_for.h>

#include <algorithm>

namespace differ {

namespace {

// The values that each node has seen since the last call.
class new_values {
 public:
  explicit new_values(net const& n) : net_(n), before_(n.records.size()) {}
  std::vector<std::vector<int>> take() {
    std::vector<std::vector<int>> all;
    for (std::size_t i = 0; i < before_.size(); ++i) {
      std::vector<int> seen = net_.records[i]->seen.snapshot();
      seen.erase(seen.begin(), seen.begin() + before_[i]);
      before_[i] += static_cast<int>(seen.size());
      std::sort(seen.begin(), seen.end());
      all.push_back(std::move(seen));
    }
    return all;
  }
  void tell(std::string const& name, book& told) {
    auto const all = take();
    for (std::size_t i = 0; i < all.size(); ++i) told.tell(name + " " + net_.records[i]->name + " saw", all[i]);
  }

 private:
  net const& net_;
  std::vector<int> before_;
};

bool put(flow::receiver<counted>& to, int value) {
  return planted("put waits too short") ? to.try_put(counted(value)) : to.try_put_and_wait(counted(value));
}

// Each message by itself. What the first one caused is kept. Returns whether the graph still runs.
bool one_by_one(net& n, new_values& values, std::vector<std::vector<std::vector<int>>>& footprints, book& told) {
  for (std::size_t i = 0; i < n.sources.size(); ++i) {
    int const amount = n.amounts[i] < 0 ? -n.amounts[i] : n.amounts[i];
    for (int k = 0; k < amount; ++k) {
      std::string const name = "source " + std::to_string(i) + " message " + std::to_string(k);
      bool taken = false;
      std::string const out = thrown([&] { taken = put(*n.sources[i], k); });
      bool const stopped = out != "nothing" || (n.wrong.kind != fault::none && n.wrong.left <= 0);
      if (!stopped) told.tell(name + " taken", taken);
      told.tell(name + " threw", out);
      told.tell(name + " cancelled", n.graph().is_cancelled());
      if (stopped) return false;
      auto const seen = values.take();
      for (std::size_t r = 0; r < seen.size(); ++r) told.tell(name + " " + n.records[r]->name + " saw", seen[r]);
      if (k == 0) footprints.push_back(seen);
    }
    if (amount == 0) footprints.emplace_back();
  }
  return true;
}

// The message 0 waits for itself, whatever comes before it and is still on its way.
void beside_others(net& n, new_values& values, std::vector<std::vector<std::vector<int>>> const& footprints,
                   book& told) {
  for (std::size_t i = 0; i < n.sources.size(); ++i) {
    if (n.amounts[i] <= 0) continue;
    for (int k = 1; k < n.amounts[i]; ++k) n.sources[i]->try_put(counted(k));
    bool const taken = put(*n.sources[i], 0);
    auto seen = values.take();
    bool all = true;
    for (std::size_t r = 0; r < seen.size(); ++r) {
      all = all && std::includes(seen[r].begin(), seen[r].end(), footprints[i][r].begin(), footprints[i][r].end());
    }
    n.graph().wait_for_all();
    auto const rest = values.take();
    std::string const name = "source " + std::to_string(i) + " beside others ";
    told.tell(name + "taken", taken);
    told.tell(name + "all that it caused is there", all);
    std::size_t later = 0;
    for (std::size_t r = 0; r < seen.size(); ++r) {
      later += rest[r].size();
      seen[r].insert(seen[r].end(), rest[r].begin(), rest[r].end());
      std::sort(seen[r].begin(), seen[r].end());
      told.tell(name + n.records[r]->name + " saw", seen[r]);
    }
    told.open("what came after a wait for one of several messages", later);
  }
}

void at_once(net& n, new_values& values, book& told) {
  for (std::size_t i = 0; i < n.sources.size(); ++i) {
    if (n.amounts[i] <= 0) continue;
    std::atomic<int> taken{0};
    auto const body = [&](int k) { taken += put(*n.sources[i], k) ? 1 : 0; };
    tbb::parallel_for(0, n.amounts[i], body);
    std::string const name = "source " + std::to_string(i) + " at once";
    told.tell(name + " taken", taken.load());
    values.tell(name, told);
  }
}

// b: whose context.
void put_waits(step const& program, book& told) {
  net n(program.b % 2 == 1);
  for (std::size_t i = 0; i < program.body.size(); ++i) add_node(n, program.body[i], std::to_string(i));
  n.close(true);
  for (int& amount : n.amounts) amount %= 9;
  new_values values(n);
  std::vector<std::vector<std::vector<int>>> footprints;
  if (one_by_one(n, values, footprints, told)) {
    if (n.wrong.kind != fault::none) return;  // it may still come
    beside_others(n, values, footprints, told);
    at_once(n, values, told);
  }
  std::string const out = thrown([&] { n.graph().wait_for_all(); });
  if (n.wrong.kind == fault::exception) {
    told.known("thrown again", "the graph's wait threw", out);
  } else {
    told.tell("the graph's wait threw", out);
  }
}

}  // namespace

void add_put_waits(subjects& table) { table["put_wait"] = put_waits; }

}  // namespace differ
#endif
