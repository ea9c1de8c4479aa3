// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// examples/12_stiff_solver.cpp: An adaptive Runge-Kutta solver for 10,000 stiffnesses together
#include <cmath>

#include "expect.h"
using namespace weft;

struct State {
  Array t, y, h, steps;
};

// Solves y' = -k (y - cos t), y(0) = 0, from 0 to 1, by Bogacki and Shampine's pair of orders 3 and
// 2.
State solve(Array k) {
  auto f = [=](Array t, Array y) { return -k * (y - cos(t)); };
  auto before_end = [](State s) { return s.t < 1.; };
  auto step = [=](State s) {
    const Array h = minimum(s.h, 1. - s.t);
    const Array k1 = f(s.t, s.y);
    const Array k2 = f(s.t + h / 2., s.y + h * k1 / 2.);
    const Array k3 = f(s.t + 0.75 * h, s.y + 0.75 * h * k2);
    const Array y = s.y + h * (2. * k1 + 3. * k2 + 4. * k3) / 9.;
    const Array k4 = f(s.t + h, y);
    // The pair's difference estimates the error, which determines the next step length.
    const Array error = abs(h * (-5. * k1 / 72. + k2 / 12. + k3 / 9. - k4 / 8.)) / 1e-6 + 1e-12;
    const Array good = error <= 1.;
    const Array factor = clip(0.9 * exp(log(error) / -3.), 0.2, 5.);
    return State{where(good, where(h < s.h, 1., s.t + h), s.t), where(good, y, s.y),
                 where(good & (h < s.h), s.h, h * factor), s.steps + 1};
  };
  const Array zero = zeros({}, F64);
  return while_loop(before_end, step, State{zero, zero, zero + 1e-3, Array(0)},
                    {.max_trips = 10000});
}

// The solution in closed form.
double exact(double k) {
  const double a = k * k / (1 + k * k), b = k / (1 + k * k);
  return a * std::cos(1.) + b * std::sin(1.) - a * std::exp(-k);
}

int main(int argc, char** argv) {
  begin(argc, argv);
  const int n = 10000;
  const Array k = logspace(0., 3., n, 10, {.dtype = F64});  // from 1 to 1000
  auto one = jit(solve);
  auto all = jit(vmap(solve));

  const State s = all(k);
  const std::vector<double> ks = k.to_vector<double>(), y = s.y.to_vector<double>();
  double worst = 0;
  for (size_t i = 0; i < ks.size(); ++i) worst = std::max(worst, std::fabs(y[i] - exact(ks[i])));
  const int least = s.steps.min().item<int>(), most = s.steps.max().item<int>();
  std::cout << "10,000 equations, k from 1 to 1000: each lane stops by itself\n"
            << "steps: " << least << " at the least, " << most << " at the most\n"
            << "largest error at t = 1: " << worst << "\n";
  expect(worst < 1e-4, "the solutions should be near the closed form");
  expect(most > 3 * least, "stiff lanes should take more steps");
  // A lane gives the same result as a single solve.
  for (int i : {0, 5000, n - 1}) {
    const State alone = one(k[i]);
    show("y(1) for k = " + std::to_string(ks[static_cast<size_t>(i)]), alone.y,
         Array(exact(ks[static_cast<size_t>(i)])), 1e-4);
    expect(bool(allclose(alone.y, s.y[i], 1e-9, 1e-9)), "alone and mapped should agree");
    expect(alone.steps.item<int>() == s.steps[i].item<int>(),
           "alone and mapped should take the same steps");
  }
  std::cout << "all of them: " << milliseconds([&] { return all(k); }) << " ms\n";
  return finish();
}
