// SPDX-License-Identifier: Apache-2.0
// Prices of a portfolio of European options by the closed solution of Black and Scholes (1973), the portfolio priced
// again and again: a parallel_for with an affinity_partitioner that lives through all repetitions.
#include "common/fixed_team.h"
#include "common/library.h"
#include "common/random.h"
#include "common/study.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>

#include <cmath>
#include <memory>
#include <vector>

namespace study {
namespace {

struct parameters {
  std::size_t options;
  int repetitions;
};
constexpr parameters sizes[] = {{1024, 10}, {4096, 100}, {16384, 100}, {65536, 100}, {1000000, 100}};

struct option {
  double spot, strike, rate, volatility, years;
  bool put;
};

double normal_distribution(double x) { return 0.5 * std::erfc(-x * std::sqrt(0.5)); }

double price(option const& o) {
  double const spread = o.volatility * std::sqrt(o.years);
  double const d1 = (std::log(o.spot / o.strike) + (o.rate + 0.5 * o.volatility * o.volatility) * o.years) / spread;
  double const d2 = d1 - spread;
  double const strike_now = o.strike * std::exp(-o.rate * o.years);
  return o.put ? strike_now * normal_distribution(-d2) - o.spot * normal_distribution(-d1)
               : o.spot * normal_distribution(d1) - strike_now * normal_distribution(d2);
}

struct portfolio {
  explicit portfolio(parameters const& p) : repetitions(p.repetitions), options(p.options), prices(p.options) {
    for (std::size_t i = 0; i < options.size(); ++i) {
      options[i] = {uniform(10, i, 50, 150),   uniform(11, i, 50, 150), uniform(12, i, 0.01, 0.1),
                    uniform(13, i, 0.05, 0.6), uniform(14, i, 0.05, 3), (random_bits(15, i) & 1) != 0};
    }
  }
  __attribute__((noinline)) void price_range(std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      prices[i] = price(options[i]);
    }
  }
  // Put-call parity: call - put = spot - strike discounted.
  bool has_parity() const {
    for (std::size_t i = 0; i < options.size(); i += 13) {
      option call = options[i], put = options[i];
      call.put = false;
      put.put = true;
      double const parity = call.spot - call.strike * std::exp(-call.rate * call.years);
      double const of_this = options[i].put ? price(call) - expected[i] : expected[i] - price(put);
      if (!(std::fabs(of_this - parity) < 1e-9 && expected[i] >= -1e-9)) {
        return false;
      }
    }
    return true;
  }

  int const repetitions;
  std::vector<option> options;
  std::vector<double> prices, expected;
};

}  // namespace

problem blackscholes(size_class s) {
  auto const f = std::make_shared<portfolio>(of(sizes, s));
  problem p;
  p.serial = [f] {
    for (int i = 0; i < f->repetitions; ++i) {
      f->price_range(0, f->options.size());
    }
    f->expected = f->prices;
  };
  p.tasks = [f] {
    f->prices.assign(f->prices.size(), 0);
    tbb::affinity_partitioner partitioner;
    for (int i = 0; i < f->repetitions; ++i) {
      tbb::parallel_for(
          tbb::blocked_range<std::size_t>(0, f->options.size()),
          [&](tbb::blocked_range<std::size_t> const& r) { f->price_range(r.begin(), r.end()); }, partitioner);
    }
  };
  p.fixed = [f](int threads) {
    f->prices.assign(f->prices.size(), 0);
    barrier repeated(threads);
    on_threads(threads, [&](int k) {
      share const mine = share_of(f->options.size(), threads, k);
      for (int i = 0; i < f->repetitions; ++i) {
        f->price_range(mine.begin, mine.end);
        repeated.wait();
      }
    });
  };
  p.right = [f] { return f->prices == f->expected; };
  p.plausible = [f] { return f->has_parity(); };
  return p;
}

}  // namespace study
