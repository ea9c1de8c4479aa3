// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// examples/gallery/particles.cpp: A particle filter, and inference without a likelihood (ABC)
#include <cmath>

#include "../expect.h"
using namespace weft;

// ---- a random walk measured with noise, for which the exact answer is known

struct Model {
  Array walk, noise;  // standard deviations
};
struct Filtered {
  // the estimates after each measurement; the log likelihood of the series
  Array means, likelihood;
};

Array log_normal(Array x, Array mean, Array sd) { return scipy::stats::norm::logpdf(x, mean, sd); }

// The exact answer, by a Kalman filter.
Filtered kalman(Model m, Array series) {
  const auto step = [&](std::pair<Array, Array> belief, Array y) {
    const auto [mean, var] = belief;
    const Array ahead = var + square(m.walk), spread = ahead + square(m.noise);
    const Array gain = ahead / spread, next = mean + gain * (y - mean);
    return std::pair{std::pair{next, (1. - gain) * ahead},
                     std::pair{next, log_normal(y, mean, sqrt(spread))}};
  };
  const auto [means, terms] = scan(step, std::pair{Array(0.), Array(1.)}, series).second;
  return {means, terms.sum()};
}

// The same by n particles, which work for any model. Particles move like the random walk, are
// weighted by the likelihood of the measurement, and are resampled by their weights.
Filtered particle_filter(Model m, Array series, Array key, int n) {
  const auto step = [&](std::pair<Array, Array> state, Array y) {
    const auto [old, cloud] = state;
    const auto [next, move, draw] = random::split<3>(old);
    const Array moved = cloud + m.walk * random::normal(move, {n});
    const Array weights = log_normal(y, moved, m.noise), p = nn::softmax(weights);
    // n equidistant points in the cumulative sum of the weights, with one random offset: low noise.
    const Array places = (random::uniform(draw) + arange(n)) / n;
    const Array chosen = minimum(searchsorted(cumsum(p), places), n - 1);
    return std::pair{std::pair{next, moved[chosen]},
                     std::pair{dot(p, moved), logsumexp(weights) - std::log(n)}};
  };
  const auto [first, rest] = random::split<2>(key);
  const auto [means, terms] =
      scan(step, std::pair{rest, random::normal(first, {n})}, series).second;
  return {means, terms.sum()};
}

// ---- colonies of dividing cells: a simulator with an unknown number of steps

// The number of cells after one day, from `cells` that each divide at a rate: event after event.
Array colony(Array rate, Array key, int cells) {
  struct State {
    Array key, time, n;
  };
  const auto divide = [&](State s) {
    auto [next, use] = random::split(s.key);
    const Array time = s.time + random::exponential(use) / (rate * s.n);
    return State{next, time, where(time < 1., s.n + 1, s.n)};
  };
  return while_loop([](State s) { return s.time < 1.; }, divide, State{key, 0., cells}).n;
}

int main(int argc, char** argv) {
  begin(argc, argv);
  const auto [walk_key, noise_key, filter_key, abc_key] = random::split<4>(random::key(3));
  const Model model{0.3, 0.5};
  const Array level = cumsum(model.walk * random::normal(walk_key, {100}));
  const Array series = level + model.noise * random::normal(noise_key, {100});

  const Filtered right = jit(kalman)(model, series);
  std::cout << "Kalman: log likelihood " << right.likelihood.item<float>() << "\n";
  float last = 1e9f;
  for (const int n : {64, 1024, 16384}) {
    // Eight filters together, each with its own key.
    const auto filters = jit(vmap(particle_filter, {none, none, 0, none}));
    const Filtered found = filters(model, series, random::split(filter_key, 8), n);
    const float off = sqrt(square(found.means - right.means).mean()).item<float>();
    std::cout << n << " particles: log likelihood " << found.likelihood.mean().item<float>()
              << " +- " << found.likelihood.std().item<float>() << ", means off by " << off << "\n";
    expect(off < 0.5f * last, "sixteen times the particles: a quarter of the error, about");
    last = off;
    if (n == 16384) show("likelihood", found.likelihood.mean(), right.likelihood, 2e-3);
  }

  // ABC: ten colonies of one cell each had 35 cells after a day. Rates are drawn from the prior and
  // a colony of ten is simulated for each. The rates that reproduce the observed number are kept.
  const int tries = 100000, cells = 10, seen = 35;
  const auto [prior_key, run_key] = random::split<2>(abc_key);
  const Array rates = random::uniform(prior_key, {tries}, 0.2, 2.5);
  const Array ends = jit(vmap(colony, {0, 0, none}))(rates, random::split(run_key, tries), cells);
  const Array kept = (ends == seen).astype(F32);
  const float n = kept.sum().item<float>(), mean = (kept * rates).sum().item<float>() / n;
  const float var = (kept * square(rates - mean)).sum().item<float>() / n;

  // These numbers have a negative binomial distribution, so the posterior is known.
  const Array grid = linspace(0.2, 2.5, 2001), p = exp(-grid);
  const Array density = pow(p, cells) * pow(1. - p, seen - cells);
  const Array exact_mean = average(grid, none, density);
  const Array exact_sd = sqrt(average(square(grid - exact_mean), none, density));
  std::cout << n << " of " << tries << " rates kept\n";
  show("posterior mean", Array(mean), exact_mean, 0.02);
  show("posterior deviation", Array(std::sqrt(var)), exact_sd, 0.05);
  return finish();
}
