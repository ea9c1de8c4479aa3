// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// examples/13_kalman.cpp: A Kalman filter on 1,000 series, and the gradient of its likelihood
#include <cmath>
#include <random>

#include "expect.h"
using namespace weft;

struct Belief {
  Array mean, cov;  // of position and velocity
};
struct Noise {
  Array process, sensor;  // standard deviations
};

// One series of measured positions: the state after each, and the log likelihood of the series.
std::pair<Array, Array> filter(Noise noise, Array series) {
  const Array move = array({{1., 1.}, {0., 1.}});
  const Array q = square(noise.process) * array({{0.25, 0.5}, {0.5, 1.}}), r = square(noise.sensor);
  auto step = [&](Belief b, Array measured) {
    const Array mean = dot(move, b.mean), cov = dot(dot(move, b.cov), move.T()) + q;
    const Array surprise = measured - mean[0], spread = cov[{0, 0}] + r;
    const Array gain = cov[{slice(), 0}] / spread;
    const Belief next{mean + gain * surprise, cov - outer(gain, cov[0])};
    const Array likelihood = -0.5 * (square(surprise) / spread + log(6.2831853 * spread));
    return std::pair{next, std::pair{next.mean, likelihood}};
  };
  auto [last, history] = scan(step, Belief{zeros({2}), eye(2) * 10.}, series);
  return {history.first, history.second.sum()};
}

int main(int argc, char** argv) {
  begin(argc, argv);
  const int n = 1000, length = 100;
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  std::vector<float> measured, truth;
  for (int k = 0; k < n; ++k) {
    double position = 0, velocity = normal(random);
    for (int t = 0; t < length; ++t) {
      const double push = 0.1 * normal(random);
      position += velocity + push / 2, velocity += push;
      truth.push_back(static_cast<float>(position));
      measured.push_back(static_cast<float>(position + 2 * normal(random)));
    }
  }
  const Array z = array(measured, {n, length}), x = array(truth, {n, length});

  const Noise right{0.1, 2.};
  auto all = jit(vmap(filter, {none, 0}));
  auto rms = [](Array error) { return std::sqrt(square(error).mean().item<float>()); };
  auto [means, likelihood] = all(right, z);
  show_shape("beliefs", means, {n, length, 2});
  const Array filtered = means[{slice(), slice(), 0}];
  std::cout << "error of the measurements: " << rms(z - x)
            << "\nerror of the filter:       " << rms(filtered - x) << "\n";
  expect(rms(z - x) > 1.9 && rms(filtered - x) < 0.6 * rms(z - x),
         "the filter should nearly halve the error");
  const Array alone = filter(right, z[17]).first;
  expect(bool(allclose(alone, means[17], 1e-3, 1e-3)), "alone and mapped should agree");

  // The gradient of the likelihood of all series goes through scan and vmap. Gradient ascent on the
  // logarithms of both deviations finds the true values from a wrong guess.
  auto score = [](Noise log_noise, Array series) {
    const Noise noise{exp(log_noise.process), exp(log_noise.sensor)};
    return vmap(filter, {none, 0})(noise, series).second.mean();
  };
  auto climb = jit(value_and_grad(score));
  Noise at{std::log(1.), std::log(0.5)};
  for (int k = 0; k <= 120; ++k) {
    const auto [value, g] = climb(at, z);
    if (k % 40 == 0)
      std::cout << "step " << k << ": log likelihood " << value.item<float>() << ", deviations "
                << exp(at.process).item<float>() << ", " << exp(at.sensor).item<float>() << "\n";
    at = tree::map([](Array p, Array d) { return p + clip(0.004 * d, -0.1, 0.1); }, at, g);
  }
  show("deviations found", exp(stack({at.process, at.sensor})), array({0.1, 2.}), 0.05);
  return finish();
}
