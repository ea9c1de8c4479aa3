// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// benchmarks/spine.cpp: cases that use all of the library, as benchmarks/peer_jax.py defines them.
// Arguments: parts of the names to run. Prints milliseconds: best, median, first call.
#include <weft/weft.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <random>
#include <string>
#include <vector>

using namespace weft;

namespace {

std::vector<std::string> only;

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// At most two seconds of calls, and their times.
template <class F>
void measure(const char* name, F call) {
  bool wanted = only.empty();
  for (const std::string& o : only) wanted = wanted || std::strstr(name, o.c_str());
  if (!wanted) return;
  double t = now();
  call();
  const double first = now() - t, begin = now();
  std::vector<double> times;
  while (times.size() < 3 || (times.size() < 20000 && now() - begin < 2)) {
    t = now();
    call();
    times.push_back(now() - t);
  }
  std::sort(times.begin(), times.end());
  std::printf("%-34s min %10.4f ms  med %10.4f ms  first %8.1f ms\n", name, times[0] * 1e3,
              times[times.size() / 2] * 1e3, first * 1e3);
  std::fflush(stdout);
}

std::mt19937 generator(1);
Array normal(const Shape& s) {
  std::normal_distribution<float> d;
  std::vector<float> v(static_cast<size_t>(s.elements()));
  for (float& x : v) x = d(generator);
  return array(v, s);
}

using Point = std::tuple<Array, Array, Array>;
Array mandelbrot(Array cr, Array ci) {
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
Array van_der_pol(Array mu, Array y0) {
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
Array logits(const Net& net, Array x) {
  for (size_t i = 0; i + 1 < net.size(); ++i) x = tanh(dot(x, net[i].w) + net[i].b);
  return dot(x, net.back().w) + net.back().b;
}
Array loss(Net net, Array x, Array y) {
  const auto one = [](Net n, Array xi, Array yi) {
    return -(nn::log_softmax(logits(n, xi)) * nn::one_hot(yi, 10)).sum();
  };
  return vmap(one, {none, 0, 0})(net, x, y).mean();
}
Net step(Net net, Array x, Array y) {
  const Net g = grad(loss)(net, x, y);
  Net r;
  for (size_t i = 0; i < net.size(); ++i)
    r.push_back({net[i].w - .1f * g[i].w, net[i].b - .1f * g[i].b});
  return r;
}

// Positions and speeds in a plane, from positions that are measured.
Array kalman(Array zs) {
  const Array f = eye(4) + .1f * eye(4, 4, 2), h = eye(4)[Slice(0, 2)];
  const Array q = .01f * eye(4), r = .1f * eye(2);
  const auto step = [&](std::pair<Array, Array> c, Array z) {
    auto [m, p] = c;
    m = matmul(f, m);
    p = matmul(matmul(f, p), f.T()) + q;
    const Array s = matmul(matmul(h, p), h.T()) + r;
    const Array gain = linalg::solve(s, matmul(h, p)).T();
    m = m + matmul(gain, z - matmul(h, m));
    p = matmul(eye(4) - matmul(gain, h), p);
    return std::pair{std::pair{m, p}, m};
  };
  return scan(step, std::pair{zeros({4}), eye(4)}, zs).second;
}

void run_linear_algebra() {
  const auto solve = jit(vmap([](Array a, Array b) { return linalg::solve(a, b); }));
  for (int64_t n : {3, 4, 8}) {
    const int64_t batch = 400000 / n;
    const Array a = normal({batch, n, n}) + 2.f * static_cast<float>(n) * eye(n),
                b = normal({batch, n});
    measure(("vmap_solve_" + std::to_string(n)).c_str(), [&] { solve(a, b); });
  }
  const auto filter = jit(vmap(kalman));
  for (int64_t n : {2048, 2051, 128}) {
    const Array zs = normal({n, 100, 2});
    measure(("vmap_kalman_" + std::to_string(n)).c_str(), [&] { filter(zs); });
  }
}

void run() {
  const auto dispatch = jit([](Array x) { return x + 1.f; });
  const Array one = array({1.f}).reshape({});
  measure("dispatch_scalar", [&] { dispatch(one); });
  const auto chain = jit([](Array x) { return exp(-x * x) * sin(x) + sqrt(abs(x)); });
  for (int64_t n : {int64_t{16} << 20, (int64_t{16} << 20) + 3, int64_t{2} << 20}) {
    const Array x = normal({n});
    measure(("eltwise_exp_sin_sqrt_" + std::to_string(n)).c_str(), [&] { chain(x); });
  }
  const auto mand = jit(vmap(vmap(mandelbrot)));
  for (int64_t n : {512, 515, 181}) {
    const Array cr = broadcast_to(linspace(-2., .6, n), {n, n}) + 0.f,
                ci = broadcast_to(linspace(-1.2, 1.2, n).reshape({n, 1}), {n, n}) + 0.f;
    measure(("vmap_while_mandelbrot_" + std::to_string(n)).c_str(), [&] { mand(cr, ci); });
  }
  const auto rk45 = jit(vmap(van_der_pol));
  for (int64_t n : {16384, 16387, 2048}) {
    std::uniform_real_distribution<float> u(.1f, 20.f);
    std::vector<float> m(static_cast<size_t>(n));
    for (float& x : m) x = u(generator);
    const Array mu = array(m, {n}), y0 = normal({n, 2});
    measure(("vmap_while_rk45_vdp_" + std::to_string(n)).c_str(), [&] { rk45(mu, y0); });
  }
  const auto train = jit(step);
  for (int64_t n : {256, 259, 32}) {
    Net net;
    const int64_t sizes[] = {784, 512, 512, 10};
    for (int i = 0; i < 3; ++i)
      net.push_back({normal({sizes[i], sizes[i + 1]}) * .1f, normal({sizes[i + 1]})});
    const Array x = normal({n, 784}), y = arange(static_cast<int>(n)) % 10;
    measure(("mlp_train_" + std::to_string(n)).c_str(), [&] { train(net, x, y); });
  }
  run_linear_algebra();
}

}  // namespace

int main(int argc, char** argv) {
  only.assign(argv + 1, argv + argc);
  try {
    run();
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
