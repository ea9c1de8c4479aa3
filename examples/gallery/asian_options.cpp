// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// examples/gallery/asian_options.cpp: A strip of Asian options and their Greeks by Monte-Carlo
#include <cmath>

#include "../expect.h"
using namespace weft;

struct Market {
  Array spot, vol, rate;
};
// A price and its derivatives: delta, vega and rho by spot, volatility and rate; gamma is delta's.
struct Greeks {
  Array price, delta, vega, rho, gamma;
};

constexpr double years = 1;
constexpr int months = 12;  // the option pays on the mean of the prices at their ends

// Prices at the ends of the months, one path per row, from standard normal numbers.
Array paths(Market m, Array normal) {
  const double dt = years / months;
  const Array drift = (m.rate - 0.5 * square(m.vol)) * dt;
  return m.spot * exp(cumsum(drift + m.vol * std::sqrt(dt) * normal, 1));
}
// max(mean - strike, 0) with its corner rounded over a few cents. Derivatives are taken path by
// path, and a sharp corner has no second derivative for gamma.
Array payoff(Array mean, Array strike) {
  const double width = 0.25;
  return width * nn::softplus((mean - strike) / width);
}
Array discount(Market m) { return exp(-m.rate * years); }

// The option on the geometric mean, which is lognormal: in closed form, and simulated.
Array geometric_exact(Market m, Array strike) {
  const double n = months, time = years * (n + 1) / (2 * n);
  const Array sd = m.vol * std::sqrt(years * (n + 1) * (2 * n + 1) / (6 * n * n));
  const Array mean = log(m.spot) + (m.rate - 0.5 * square(m.vol)) * time;
  const Array d = (mean - log(strike)) / sd;
  return discount(m) * (exp(mean + 0.5 * square(sd)) * scipy::stats::norm::cdf(d + sd) -
                        strike * scipy::stats::norm::cdf(d));
}
Array geometric_samples(Market m, Array strike, Array normal) {
  return discount(m) * payoff(exp(log(paths(m, normal)).mean(1)), strike);
}
// The option on the arithmetic mean, which has no closed form. Only its difference to the geometric
// option is simulated, because the difference varies far less from path to path (control variate).
Array arithmetic_samples(Market m, Array strike, Array normal) {
  return discount(m) * payoff(paths(m, normal).mean(1), strike);
}
Array beyond_geometric(Market m, Array strike, Array normal) {
  return arithmetic_samples(m, strike, normal) - geometric_samples(m, strike, normal);
}

// The Greeks for one strike; vmap computes those of a strip.
template <class Price>
Greeks greeks(Price price, Market m) {
  const auto [value, slope] = value_and_grad(price)(m);
  const auto delta = [&](Array spot) { return grad(price)(Market{spot, m.vol, m.rate}).spot; };
  return {value, slope.spot, slope.vol, slope.rate, grad(delta)(m.spot)};
}
Greeks exact(Market m, Array strike) {
  return greeks([=](Market at) { return geometric_exact(at, strike); }, m);
}
Greeks geometric(Market m, Array strike, Array normal) {
  return greeks([=](Market at) { return geometric_samples(at, strike, normal).mean(); }, m);
}
Greeks arithmetic(Market m, Array strike, Array normal) {
  return greeks(
      [=](Market at) {
        return geometric_exact(at, strike) + beyond_geometric(at, strike, normal).mean();
      },
      m);
}

int main(int argc, char** argv) {
  begin(argc, argv);
  const Market market{100., 0.2, 0.05};
  const Array strikes = array({80., 90., 100., 110., 120.});
  const Array half = random::normal(random::key(2024), {25000, months});
  // Antithetic paths have mean 0. A transform makes months uncorrelated with unit variance, so the
  // second moments are exact, too.
  const Array factor = linalg::cholesky(dot(half.T(), half) / half.shape()[0]);
  const Array turned = linalg::solve_triangular(factor, half.T(), {.lower = true}).T();
  const Array normal = concatenate({turned, -turned});

  // The strip: mapped over strikes only, so all of them share the paths.
  const Greeks strip = jit(vmap(arithmetic, {none, 0, none}))(market, strikes, normal);
  std::cout << "arithmetic mean, strikes " << strikes << "\nprice " << strip.price << "\ndelta "
            << strip.delta << "\nvega  " << strip.vega << "\nrho   " << strip.rho << "\ngamma "
            << strip.gamma << "\n";

  // The same code on the geometric mean must reproduce the Greeks of the closed form.
  const Greeks found = jit(vmap(geometric, {none, 0, none}))(market, strikes, normal);
  const Greeks want = vmap(exact, {none, 0})(market, strikes);
  std::cout << "geometric mean, simulated beside the closed form\n";
  show("price", found.price, want.price, 0.02);
  show("delta", found.delta, want.delta, 0.01);
  show("vega ", found.vega, want.vega, 0.08);
  show("rho  ", found.rho, want.rho, 0.02);
  show("gamma", found.gamma, want.gamma, 0.06);

  const auto error = [&](auto samples) {
    const Array x = vmap(samples, {none, 0, none})(market, strikes, normal);
    return x.std(1) / std::sqrt(x.shape()[1]);
  };
  const Array plain = error(arithmetic_samples), controlled = error(beyond_geometric);
  std::cout << "standard errors, plain:      " << plain
            << "\nwith the control variate:    " << controlled << "\n";
  expect(bool((strip.price > found.price - 0.01).all()), "arithmetic means are the larger ones");
  expect(bool((strip.price[slice(0, -1)] > strip.price[slice(1, none)]).all()),
         "calls are worth less the higher the strike");
  expect(bool((strip.delta > 0.).all()) && bool((strip.delta < 1.).all()), "0 < delta < 1");
  expect(bool((controlled < 0.12 * plain).all()), "the control variate should help");
  return finish();
}
