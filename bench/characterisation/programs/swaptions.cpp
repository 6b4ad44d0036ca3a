// SPDX-License-Identifier: Apache-2.0
// Prices payer swaptions by Monte Carlo simulation of the forward rates in the framework of Heath, Jarrow and Morton
// (1992), three factors: a parallel_for over the swaptions, in each a serial loop over batches of paths, each batch a
// parallel_for. Paths are simulated and discretised without arbitrage as in Glasserman, "Monte Carlo Methods in
// Financial Engineering" (2003), section 3.6. Each path has its own random numbers, so any order gives the same price.
#include "common/fixed_team.h"
#include "common/library.h"
#include "common/random.h"
#include "common/study.h"

#include <tbb/blocked_range.h>
#include <tbb/cache_aligned_allocator.h>
#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

namespace study {
namespace {

struct parameters {
  std::size_t swaptions, paths, batch, chunk;  // paths of a batch, and of a task
};
constexpr parameters sizes[] = {
    {8, 2048, 64, 4}, {16, 8192, 64, 4}, {32, 16384, 64, 4}, {64, 32768, 64, 4}, {128, 1048576, 64, 4}};

constexpr int steps = 11;  // times of the forward curve
constexpr int factors = 3;
constexpr double step = 0.5;  // years

template <typename T>
using shared_vector = std::vector<T, tbb::cache_aligned_allocator<T>>;

struct swaption {
  int expiry;  // step at which the option is exercised; the swap runs until the last step
  double strike;
  double curve[steps];  // today's forward rates
};

struct outcome {
  double payoff, bond;  // discounted to today: what the option pays, and what the longest bond is worth at expiry
};

// Volatility by time to maturity, and the drift that the absence of arbitrage demands.
class volatility {
 public:
  volatility() {
    double total[factors] = {};
    for (int l = 0; l < steps; ++l) {
      double const years = step * (l + 1);
      double const v[factors] = {0.020, 0.024 * std::exp(-0.4 * years), 0.012 * (1 - 0.3 * years)};
      drift[l] = 0;
      for (int k = 0; k < factors; ++k) {
        factor[k][l] = v[k] * std::sqrt(step);
        double const before = total[k];
        total[k] += v[k] * step;
        drift[l] += 0.5 * (total[k] * total[k] - before * before);
      }
    }
  }
  double factor[factors][steps];
  double drift[steps];
};

__attribute__((noinline)) outcome simulate(swaption const& s, volatility const& v, std::uint64_t seed,
                                           std::uint64_t path) {
  double rates[steps];
  std::copy(s.curve, s.curve + steps, rates);
  double discounted = rates[0];
  for (int i = 1; i <= s.expiry; ++i) {
    double z[factors];
    for (int k = 0; k < factors; ++k) {
      z[k] = normal(seed, (path * steps + static_cast<std::uint64_t>(i)) * factors + static_cast<std::uint64_t>(k));
    }
    for (int j = i; j < steps; ++j) {
      int const l = j - i;
      rates[j] += v.drift[l] + v.factor[0][l] * z[0] + v.factor[1][l] * z[1] + v.factor[2][l] * z[2];
    }
    if (i < s.expiry) {
      discounted += rates[i];
    }
  }
  double const today = std::exp(-discounted * step);
  double sum = 0, coupons = 0, bond = 1;
  for (int j = s.expiry; j < steps; ++j) {
    sum += rates[j];
    bond = std::exp(-sum * step);
    coupons += step * bond;
  }
  return {today * std::max(0.0, 1 - bond - s.strike * coupons), today * bond};
}

class book {
 public:
  explicit book(parameters const& p) : size(p), swaptions_(p.swaptions), prices(p.swaptions), bonds(p.swaptions) {
    for (std::size_t i = 0; i < p.swaptions; ++i) {
      swaption& s = swaptions_[i];
      s.expiry = 2 + static_cast<int>(random_bits(20, i) % (steps - 3));
      s.strike = uniform(21, i, 0.03, 0.06);
      for (int j = 0; j < steps; ++j) {
        s.curve[j] = 0.04 + 0.001 * j;
      }
    }
  }
  // `batch_of(paths, simulate_range)` simulates the paths of one batch, serially or not.
  template <typename Batch>
  void price(std::size_t i, Batch const& batch_of) {
    shared_vector<outcome> found(size.batch);
    double sum = 0, bond_sum = 0;
    for (std::size_t first = 0; first < size.paths; first += size.batch) {
      batch_of(size.batch, [&, first](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k) {
          found[k] = simulate(swaptions_[i], volatility_, 100 + i, first + k);
        }
      });
      for (outcome const& o : found) {
        sum += o.payoff;
        bond_sum += o.bond;
      }
    }
    prices[i] = sum / static_cast<double>(size.paths);
    bonds[i] = bond_sum / static_cast<double>(size.paths);
  }
  void price_serially(std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      price(i, [](std::size_t paths, auto const& simulate_range) { simulate_range(std::size_t{0}, paths); });
    }
  }
  void clear() { prices.assign(prices.size(), -1); }
  // Without arbitrage the discounted bond is worth on average what it is worth today (0.78; the simulated ones scatter
  // by about 0.13). Without the drift it would be 0.009 more.
  bool has_no_arbitrage() const {
    double today = 0, mean = 0;
    for (double rate : swaptions_[0].curve) {
      today += rate * step;
    }
    for (double b : bonds) {
      mean += b / static_cast<double>(size.swaptions);
    }
    double const paths = static_cast<double>(size.swaptions * size.paths);
    return std::fabs(mean - std::exp(-today)) < 4 * 0.13 / std::sqrt(paths) &&
           *std::min_element(prices.begin(), prices.end()) > 0;
  }

  parameters const size;

 private:
  shared_vector<swaption> swaptions_;
  volatility const volatility_;

 public:
  shared_vector<double> prices, bonds, expected;
};

}  // namespace

problem swaptions(size_class s) {
  auto const b = std::make_shared<book>(of(sizes, s));
  problem p;
  p.serial = [b] {
    b->price_serially(0, b->size.swaptions);
    b->expected = b->prices;
  };
  p.tasks = [b] {
    using range = tbb::blocked_range<std::size_t>;
    b->clear();
    auto const parallel_batch = [&](std::size_t paths, auto const& simulate_range) {
      tbb::parallel_for(
          range(0, paths, b->size.chunk), [&](range const& r) { simulate_range(r.begin(), r.end()); },
          tbb::simple_partitioner());
    };
    tbb::parallel_for(
        range(0, b->size.swaptions, 1),
        [&](range const& r) {
          for (std::size_t i = r.begin(); i != r.end(); ++i) {
            b->price(i, parallel_batch);
          }
        },
        tbb::simple_partitioner());
  };
  p.fixed = [b](int threads) {
    b->clear();
    on_threads(threads, [&](int k) {
      share const mine = share_of(b->size.swaptions, threads, k);
      b->price_serially(mine.begin, mine.end);
    });
  };
  p.right = [b] { return b->prices == b->expected; };
  p.plausible = [b] { return b->has_no_arbitrage(); };
  return p;
}

}  // namespace study
