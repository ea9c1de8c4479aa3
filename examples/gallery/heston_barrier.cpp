// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// examples/gallery/heston_barrier.cpp: A barrier option under Heston's stochastic volatility
#include <cmath>
#include <complex>
#include <numbers>

#include "../expect.h"
using namespace weft;

// dv = kappa (theta - v) dt + xi sqrt(v) dW,  dS = rate S dt + sqrt(v) S dZ,  dW dZ = rho dt.
struct Heston {
  Array spot, v, kappa, theta, xi, rho, rate;
};
constexpr double years = 1;
constexpr int steps = 64;

struct State {
  Array x, v, alive;  // log price, variance, the probability that the barrier was not touched
};

// The payoff of one path: that of a call, unless the price touched the barrier below.
Array one_path(Heston h, Array strike, Array barrier, Array key) {
  const double dt = years / steps;
  const Array b = log(barrier);
  const auto step = [&](State s, Array i) {
    const Array n = random::normal(random::fold_in(key, i), {2});
    const Array v = maximum(s.v, 1e-6), dw = n[0] * std::sqrt(dt);
    const Array dz = h.rho * dw + sqrt(1. - square(h.rho)) * n[1] * std::sqrt(dt);
    const Array x = s.x + (h.rate - 0.5 * v) * dt + sqrt(v) * dz;
    const Array next = s.v + h.kappa * (h.theta - v) * dt + h.xi * sqrt(v) * dw;
    // Between its two ends a step is a Brownian bridge, whose probability of touching a line is
    // known. Therefore no path needs finer steps near the barrier.
    const Array above = maximum(s.x - b, 0.) * maximum(x - b, 0.);
    return std::pair{State{x, next, s.alive * -expm1(-2. * above / (v * dt))}, none};
  };
  const State start{log(h.spot), h.v, 1.};
  const State end = scan(step, start, arange(steps)).first;
  return exp(-h.rate * years) * end.alive * maximum(exp(end.x) - strike, 0.);
}

// Sums over paths for each barrier, until the largest standard error is small enough. The number of
// batches is not known in advance, and the loop is part of the compiled program.
struct Tally {
  Array key, paths, sum, squares;
};
Array standard_error(Tally t) {
  const Array mean = t.sum / t.paths;
  return sqrt((t.squares / t.paths - square(mean)) / t.paths);
}
Tally price(Heston h, Array strike, Array barriers, Array key, Array tolerance) {
  const int batch = 4096;
  // All barriers use the same paths, so prices are monotone in the barrier without noise.
  const auto ladder = vmap(vmap(one_path, {none, none, 0, none}), {none, none, none, 0});
  const auto more = [&](Tally t) {
    auto [next, use] = random::split(t.key);
    const Array pays = ladder(h, strike, barriers, random::split(use, batch));
    return Tally{next, t.paths + batch, t.sum + pays.sum(0), t.squares + square(pays).sum(0)};
  };
  const auto rough = [&](Tally t) {
    return (t.paths == 0.) | (standard_error(t).max() > tolerance);
  };
  const Array zero = zeros(barriers.shape());
  return while_loop(rough, more, Tally{key, 0., zero, zero}, {.max_trips = 64});
}

// The call without a barrier, by Lewis' integral of the characteristic function.
Array vanilla(Heston h, Array strike) {
  const Array u = arange(0.005, 100., 0.01, F64);
  const std::complex<double> i(0, 1);
  const Array w = u - 0.5 * i;  // the line of integration
  const Array beta = h.kappa - i * h.rho * h.xi * w;
  const Array d = sqrt(square(beta) + square(h.xi) * (i * w + square(w)));
  const Array g = (beta - d) / (beta + d), decay = exp(-d * years);
  const Array last = log((1. - g * decay) / (1. - g));
  const Array slow = h.kappa * h.theta / square(h.xi) * ((beta - d) * years - 2. * last);
  const Array fast = h.v / square(h.xi) * (beta - d) * (1. - decay) / (1. - g * decay);
  const Array k = log(h.spot / strike) + h.rate * years;
  const Array f = real(exp(i * u * k + slow + fast)) / (square(u) + 0.25);
  const Array factor = sqrt(h.spot * strike) * exp(-0.5 * h.rate * years) / std::numbers::pi;
  return h.spot - factor * f.sum() * 0.01;
}
// Without volatility of volatility this is the Black-Scholes model, where the barrier option has a
// closed form (Merton, 1973) for barriers below the strike.
Array black_scholes(Heston h, Array strike, Array barrier) {
  const Array sd = sqrt(h.v * years), mu = (h.rate / h.v) - 0.5;
  const auto leg = [&](Array level) {
    const Array d = log(level) / sd + (mu + 1.) * sd;
    return std::pair{scipy::stats::norm::cdf(d), scipy::stats::norm::cdf(d - sd)};
  };
  const Array pay = strike * exp(-h.rate * years), r = barrier / h.spot;
  const auto [a, b] = leg(h.spot / strike);
  const auto [c, d] = leg(square(barrier) / (h.spot * strike));
  return h.spot * a - pay * b - pow(r, 2. * mu) * (h.spot * square(r) * c - pay * d);
}

int main(int argc, char** argv) {
  begin(argc, argv);
  const Array barriers = array({1e-3, 70., 80., 90., 95.});  // the first has no effect
  const Array strike = 100., key = random::key(7);
  const auto run = jit(price);

  const Heston h{100., 0.04, 2., 0.06, 0.5, -0.7, 0.03};
  const Tally t = run(h, strike, barriers, key, 0.05);
  const Array prices = t.sum / t.paths;
  std::cout << t.paths.item<int>() << " paths until the error was "
            << standard_error(t).max().item<float>() << "\nprices for barriers at " << barriers
            << "\n"
            << prices << "\n";
  show("without a barrier, by the integral", vanilla(h, strike).astype(F32), prices[0], 0.02);
  expect(bool((prices[slice(1, none)] <= prices[slice(0, -1)]).all()), "higher barriers cost less");

  // Each program here runs for any model: the same one, now without volatility of volatility.
  const Heston calm{100., 0.04, 2., 0.04, 1e-4, 0., 0.03};
  const Tally c = run(calm, strike, barriers, key, 0.05);
  show("constant volatility, simulated", c.sum / c.paths,
       vmap(black_scholes, {none, none, 0})(calm, strike, barriers), 0.02);
  return finish();
}
