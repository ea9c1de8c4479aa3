// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// benchmarks/programs.h: programs of one lane that are measured (spine.cpp) and whose code is
// inspected (tools/gpu_kernels.cpp).
#pragma once
#include <weft/weft.h>

#include <tuple>
#include <utility>
#include <vector>

namespace weft::programs {

using Point = std::tuple<Array, Array, Array>;
// The number of trips until c + z^2 has left the circle.
inline Array mandelbrot(Array cr, Array ci) {
  const auto test = [](Point s) {
    auto& [a, b, i] = s;
    return (a * a + b * b < 4.f) & (i < 1000);
  };
  const auto body = [&](Point s) {
    auto& [a, b, i] = s;
    return Point(a * a - b * b + cr, 2.f * a * b + ci, i + 1);
  };
  return std::get<2>(while_loop(test, body, Point(Array(0.f), Array(0.f), Array(0))));
}

using Solver = std::tuple<Array, Array, Array, Array>;  // time, state, step, count
// y after ten seconds by Dormand and Prince, with steps as long as the error tolerance allows.
inline Array van_der_pol(Array mu, Array y0) {
  const auto f = [&](Array y) { return stack({y[1], mu * (1.f - y[0] * y[0]) * y[1] - y[0]}); };
  const auto test = [](Solver s) { return (std::get<0>(s) < 10.f) & (std::get<3>(s) < 20000); };
  const auto body = [&](Solver s) {
    auto [t, y, h, n] = s;
    h = minimum(h, 10.f - t);
    const Array k1 = f(y), k2 = f(y + h * (.2f * k1)),
                k3 = f(y + h * (3 / 40.f * k1 + 9 / 40.f * k2));
    const Array k4 = f(y + h * (44 / 45.f * k1 - 56 / 15.f * k2 + 32 / 9.f * k3));
    const Array k5 = f(y + h * (19372 / 6561.f * k1 - 25360 / 2187.f * k2 + 64448 / 6561.f * k3 -
                                212 / 729.f * k4));
    const Array k6 = f(y + h * (9017 / 3168.f * k1 - 355 / 33.f * k2 + 46732 / 5247.f * k3 +
                                49 / 176.f * k4 - 5103 / 18656.f * k5));
    const Array yn = y + h * (35 / 384.f * k1 + 500 / 1113.f * k3 + 125 / 192.f * k4 -
                              2187 / 6784.f * k5 + 11 / 84.f * k6);
    const Array k7 = f(yn);
    const Array e = h * (71 / 57600.f * k1 - 71 / 16695.f * k3 + 71 / 1920.f * k4 -
                         17253 / 339200.f * k5 + 22 / 525.f * k6 - 1 / 40.f * k7);
    const Array scaled = e / (1e-5f + 1e-5f * maximum(abs(y), abs(yn)));
    const Array err = sqrt((scaled * scaled).mean()), ok = err <= 1.f;
    const Array hn = h * clip(.9f * pow(err + 1e-10f, -.2f), .2f, 5.f);
    return Solver(where(ok, t + h, t), where(ok, yn, y), hn, n + 1);
  };
  return std::get<1>(while_loop(test, body, Solver(Array(0.f), y0, Array(.01f), Array(0))));
}

struct Layer {
  Array w, b;
};
using Net = std::vector<Layer>;
inline Array logits(const Net& net, Array x) {
  for (size_t i = 0; i + 1 < net.size(); ++i) x = tanh(dot(x, net[i].w) + net[i].b);
  return dot(x, net.back().w) + net.back().b;
}
inline Array loss(Net net, Array x, Array y) {
  const auto one = [](Net n, Array xi, Array yi) {
    return -(nn::log_softmax(logits(n, xi)) * nn::one_hot(yi, 10)).sum();
  };
  return vmap(one, {none, 0, 0})(net, x, y).mean();
}
inline Net step(Net net, Array x, Array y) {
  const Net g = grad(loss)(net, x, y);
  Net r;
  for (size_t i = 0; i < net.size(); ++i)
    r.push_back({net[i].w - .1f * g[i].w, net[i].b - .1f * g[i].b});
  return r;
}

// A Kalman filter of positions and speeds in a plane, from measured positions.
struct Belief {
  Array mean, cov;
};
struct Motion {
  Array f = eye(4) + .1f * eye(4, 4, 2), h = eye(4)[slice(0, 2)];
  Array q = .01f * eye(4), r = .1f * eye(2);
  Belief step(Belief b, Array z) const {
    const Array m = matmul(f, b.mean), p = matmul(matmul(f, b.cov), f.T()) + q;
    const Array s = matmul(matmul(h, p), h.T()) + r;
    const Array gain = linalg::solve(s, matmul(h, p)).T();
    return {m + matmul(gain, z - matmul(h, m)), matmul(eye(4) - matmul(gain, h), p)};
  }
};
inline Belief kalman_step(Belief b, Array z) { return Motion().step(b, z); }
inline Array kalman(Array zs) {
  const Motion motion;
  const auto step = [&](Belief b, Array z) {
    const Belief next = motion.step(b, z);
    return std::pair{next, next.mean};
  };
  return scan(step, Belief{zeros({4}), eye(4)}, zs).second;
}

inline Array wave(Array x) { return exp(-x * x) * sin(x) + sqrt(abs(x)); }

}  // namespace weft::programs
