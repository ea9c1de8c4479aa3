// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// examples/gallery/curve_fit.cpp: Levenberg-Marquardt on 1,000 noisy oscillations together
#include <cmath>

#include "../expect.h"
using namespace weft;

struct Fit {
  Array params, cost, damping, steps;
  Array moved;  // the largest relative change in the last step
};

// Least squares of a vector-valued function: Gauss-Newton steps, damped while they fail. The
// function maps parameters [p] to residuals [r].
template <class Residuals>
Fit least_squares(Residuals residuals, Array start) {
  const auto cost = [&](Array p) { return 0.5 * square(residuals(p)).sum(); };
  const auto step = [&](Fit f) {
    const Array r = residuals(f.params), j = jacfwd(residuals)(f.params);
    const Array normal = dot(j.T(), j);
    // Marquardt: damp each parameter in its own units.
    const Array damped = normal + f.damping * diag(diag(normal));
    const Array change = linalg::solve(damped, -dot(j.T(), r));
    const Array next = f.params + change, value = cost(next);
    const Array better = value < f.cost;
    return Fit{where(better, next, f.params), where(better, value, f.cost),
               where(better, f.damping * 0.2, f.damping * 4.), f.steps + 1,
               where(better, abs(change / next).max(), 1.)};
  };
  const auto going = [](Fit f) { return (f.moved > 1e-8) & (f.damping < 1e12); };
  return while_loop(going, step, Fit{start, cost(start), 1e-2, 0, 1.}, {.max_trips = 200});
}
// The first-order covariance of the fit: the inverse of the normal matrix, times the noise squared.
template <class Residuals>
Array covariance(Residuals residuals, Array params) {
  const Array j = jacfwd(residuals)(params), r = residuals(params);
  const int64_t freedom = r.size() - params.size();
  return linalg::inv(dot(j.T(), j)) * square(r).sum() / freedom;
}

// A damped oscillation: amplitude, decay, angular frequency, phase.
Array oscillation(Array p, Array t) { return p[0] * exp(-p[1] * t) * cos(p[2] * t + p[3]); }

struct Result {
  Fit fit;
  Array errors;  // one standard deviation per parameter
};
// One data set. The lambda captures the times and the measurements that define the residuals.
Result fit_one(Array t, Array measured, Array start) {
  const auto residuals = [=](Array p) { return oscillation(p, t) - measured; };
  const Fit fit = least_squares(residuals, start);
  return {fit, sqrt(diag(covariance(residuals, fit.params)))};
}

int main(int argc, char** argv) {
  begin(argc, argv);
  const int sets = 1000;
  const double noise = 0.05;
  const Array t = linspace(0., 6., 60, {.dtype = F64});
  const auto [truth_key, noise_key] = random::split<2>(random::key(11));
  const Array truth = random::uniform(
      truth_key, {sets, 4},
      {.dtype = F64, .lo = array({1., 0.1, 2., -1.}, F64), .hi = array({2., 0.5, 4., 1.}, F64)});
  const Array clean = vmap(oscillation, {0, none})(truth, t);
  const Array measured = clean + noise * random::normal(noise_key, clean.shape(), {.dtype = F64});
  const Array start = truth * array({0.8, 1.3, 1.08, 1.}, F64) + 0.1;  // a rough guess

  const auto fit = jit(vmap(fit_one, {none, 0, 0}));

  // Without noise the fit is the truth.
  const Result perfect = fit(t, clean, start);
  const float worst = abs(perfect.fit.params - truth).max().item<float>();
  std::cout << "without noise: largest error of a parameter " << worst << "\n";
  expect(worst < 1e-7f, "fits of clean data should be exact");

  // With noise: errors divided by the predicted deviations have deviation 1, and the mean of
  // squared residuals matches the noise.
  const Result r = fit(t, measured, start);
  const Array steps = r.fit.steps;
  std::cout << sets << " fits: " << steps.min().item<int>() << " to " << steps.max().item<int>()
            << " steps, each lane stops by itself\n"
            << "the first: " << r.fit.params[0] << "\n  errors: " << r.errors[0]
            << "\n   truth: " << truth[0] << "\n";
  show("errors over predicted errors", ((r.fit.params - truth) / r.errors).std(0), ones({4}, F64),
       0.1);
  show("noise found", sqrt(2. * r.fit.cost.mean() / (t.size() - 4)), Array(noise).astype(F64),
       0.01);
  std::cout << "all of them: " << milliseconds([&] { return fit(t, measured, start); }) << " ms\n";
  return finish();
}
