// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// benchmarks/spine.cpp: cases that use the whole library, as defined in benchmarks/peer_jax.py.
// Arguments: parts of the names to run. Prints milliseconds: best, median, first call.
#include <weft/weft.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "programs.h"

using namespace weft;
using namespace weft::programs;

namespace {

std::vector<std::string> only;

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Times calls for at most two seconds, and prints the times.
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
  std::vector<float> v(s.elements());
  for (float& x : v) x = d(generator);
  return array(v, s);
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
  const auto chain = jit(wave);
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
    std::vector<float> m(n);
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
