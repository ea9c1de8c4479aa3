// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// benchmarks/odeint.cpp: gradients of solutions of differential equations, as defined in
// benchmarks/odeint_jax.py. Arguments: parts of the names to run. Prints milliseconds: best,
// median, first call; and a sum of the gradient. WEFT_ODE_REPORT=1 prints reports instead.
#include <weft/weft.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <string>
#include <vector>

using namespace weft;

namespace {

std::vector<std::string> only;

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

template <class T>
double total(const T& x) {
  double r = 0;
  for (const Array& a : tree::leaves(x))
    for (float v : a.to_vector<float>()) r += std::fabs(v);
  return r;
}

// Times calls for at most two seconds, and prints the times.
template <class F, class... A>
void measure(const std::string& name, F f, const A&... args) {
  bool wanted = only.empty();
  for (const std::string& o : only) wanted = wanted || name.find(o) != std::string::npos;
  if (!wanted) return;
  const auto compiled = jit(f);
  if (std::getenv("WEFT_ODE_REPORT")) {
    std::cout << name << "\n" << compiled.lower(args...).report() << std::endl;
    return;
  }
  double t = now();
  const auto result = compiled(args...);
  const double first = now() - t, begin = now();
  std::vector<double> times;
  while (times.size() < 3 || (times.size() < 20000 && now() - begin < 2)) {
    t = now();
    compiled(args...);
    times.push_back(now() - t);
  }
  std::sort(times.begin(), times.end());
  std::printf("%-34s min %10.4f ms  med %10.4f ms  first %8.1f ms  sum %.6g\n", name.c_str(),
              times[0] * 1e3, times[times.size() / 2] * 1e3, first * 1e3, total(result));
  std::fflush(stdout);
}

constexpr typing::OdeintOptions with(const char* gradient) {
  typing::OdeintOptions o;
  o.rtol = o.atol = 1e-5;
  o.gradient = gradient;
  return o;
}

Array lotka_volterra(Array y, Array, Array p) {
  return stack({p[0] * y[0] - p[1] * y[0] * y[1], p[2] * y[0] * y[1] - p[3] * y[1]});
}
Array van_der_pol(Array y, Array, Array mu) {
  return stack({y[1], mu * (1.f - y[0] * y[0]) * y[1] - y[0]});
}
struct Net {
  Array w1, b1, w2, b2;
};
Array neural(Array y, Array, Net n) { return dot(n.w2, tanh(dot(n.w1, y) + n.b1)) + n.b2; }

// The sum of the squares of all states, as a function of y0 and of parameters.
template <class F>
auto loss(F f, const char* gradient, const Array& t) {
  return [=](auto p, Array y0) { return square(odeint(f, y0, t, p, with(gradient))).sum(); };
}
// The same for many lanes that share their parameters.
template <class F>
auto shared_loss(F f, const char* gradient, const Array& t) {
  const auto one = loss(f, gradient, t);
  return [=](auto p, Array y0) { return vmap(one, {none, 0})(p, y0).sum(); };
}

Array numbers(const Shape& s, double scale, int m) {
  std::vector<float> v(s.elements());
  for (size_t i = 0; i < v.size(); ++i)
    v[i] =
        static_cast<float>(scale * std::sin(static_cast<double>(m) * static_cast<double>(i + 1)));
  return array(v, s);
}

void run(const char* gradient) {
  const std::string end = std::string("_") + gradient;
  constexpr int64_t lanes = 1000;
  const Array t = linspace(0., 10., 11), p = array({1.5f, 1.f, 1.f, 3.f}), y0 = array({1.f, 1.f});
  const Array ps = p + numbers({lanes, 4}, .2, 3), ys = y0 + numbers({lanes, 2}, .5, 5);
  const auto lv = grad<0, 1>(loss(lotka_volterra, gradient, t));
  measure("lotka_volterra" + end, lv, p, y0);
  measure("lotka_volterra_1000" + end, vmap(lv), ps, ys);

  const Array mu = array({3.f}).reshape({}), mus = 2.f + numbers({lanes}, 1., 3);
  const auto vdp = grad<0, 1>(loss(van_der_pol, gradient, t));
  measure("van_der_pol" + end, vdp, mu, y0);
  measure("van_der_pol_1000" + end, vmap(vdp), mus, ys);

  const Net net{numbers({64, 2}, .7, 7), numbers({64}, .3, 11), numbers({2, 64}, .3, 13),
                numbers({2}, .1, 17)};
  const Array short_t = linspace(0., 2., 5);
  measure("neural_64" + end, grad(loss(neural, gradient, short_t)), net, y0);
  measure("neural_64_1000" + end, grad(shared_loss(neural, gradient, short_t)), net, ys);
}

}  // namespace

int main(int argc, char** argv) {
  only.assign(argv + 1, argv + argc);
  try {
    run("adjoint");
    run("checkpoint");
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
