// SPDX-License-Identifier: Apache-2.0
#include "report/run_picture.h"

#include <algorithm>

namespace ashlar::sim {

namespace {

constexpr std::size_t most_stretches = 40'000, most_thefts = 10'000, all_bins = 200'000;

}  // namespace

run_picture::run_picture(trace const& t)
    : lanes(t.lanes.size()),
      end(std::max<std::uint64_t>(1, t.end_ticks)),
      ticks_per_ns(t.ticks_per_ns),
      bins(std::clamp<std::size_t>(all_bins / std::max<std::size_t>(1, lanes), 100, 1000)),
      arenas(1),
      seat_arena_(lanes, 0),
      own_ticks_(lanes, nullptr),
      bins_per_tick_(static_cast<double>(bins) / static_cast<double>(end)) {
  busy.resize(lanes * bins);
}

void run_picture::worked(std::uint32_t lane, std::uint64_t from, std::uint64_t to, std::uint32_t region) {
  arena& a = arena_of(lane);
  a.worked += to - from;
  if (own_ticks_[lane] == nullptr) own_ticks_[lane] = &a.threads[lane];
  *own_ticks_[lane] += to - from;
  auto const bin = [this](std::uint64_t ticks) {
    return std::min(bins - 1, static_cast<std::size_t>(static_cast<double>(ticks) * bins_per_tick_));
  };
  std::size_t const first = bin(from), last = bin(to);
  if (first == last) {
    busy[lane * bins + first] += static_cast<float>(to - from);
  } else {
    double const width = static_cast<double>(end) / static_cast<double>(bins);
    for (std::size_t b = first; b <= last; ++b) {
      double const low = std::max(static_cast<double>(from), width * static_cast<double>(b));
      double const high = std::min(static_cast<double>(to), width * static_cast<double>(b + 1));
      if (high > low) busy[lane * bins + b] += static_cast<float>(high - low);
    }
  }
  ++all_stretches;
  if (to - from < shortest_) return;
  stretches.push_back({lane, region, from, to});
  if (stretches.size() <= most_stretches) return;
  std::vector<std::uint64_t> lengths;
  for (stretch const& s : stretches) lengths.push_back(s.end - s.begin);
  auto const middle = lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() / 2);
  std::nth_element(lengths.begin(), middle, lengths.end());
  shortest_ = *middle + 1;
  std::erase_if(stretches, [this](stretch const& s) { return s.end - s.begin < shortest_; });
}

// A seat is told first without its arena, and then with it.
void run_picture::seated(std::uint32_t lane, std::uint64_t, std::uint64_t slot, std::uint64_t address,
                         unsigned concurrency) {
  if (slot == 0) return;
  slots_[slot] = lane;
  if (address == 0) return;
  auto found = std::find_if(arenas.begin() + 1, arenas.end(), [&](arena const& a) { return a.address == address; });
  if (found == arenas.end()) {
    arenas.emplace_back();
    arenas.back().address = address;
    arenas.back().concurrency = concurrency;
    found = arenas.end() - 1;
  }
  own_ticks_[lane] = nullptr;
  seat_arena_[lane] = static_cast<std::size_t>(found - arenas.begin());
}

void run_picture::stole(std::uint32_t lane, std::uint64_t ticks, std::uint64_t victim_slot) {
  ++arena_of(lane).steals;
  auto const victim = slots_.find(victim_slot);
  std::uint32_t const from = victim == slots_.end() ? nobody : victim->second;
  ++steals[{lane, from}];
  if (all_thefts++ % theft_step_ != 0 || from == nobody) return;
  thefts.push_back({ticks, lane, from});
  if (thefts.size() <= most_thefts) return;
  for (std::size_t i = 0; 2 * i < thefts.size(); ++i) thefts[i] = thefts[2 * i];
  thefts.resize((thefts.size() + 1) / 2);
  theft_step_ *= 2;
}

}  // namespace ashlar::sim
