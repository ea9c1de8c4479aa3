// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// benchmarks/first_call.cpp: the cost of the first call of a small function, that is of tracing and
// compiling, in a warm process. Each round uses another program, so that no cache helps.
#include <weft/weft.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

using namespace weft;

namespace {
template <class F>
void first(const char* name, F f, Array x) {
  double best = 1e9;
  for (int i = 0; i < 7; ++i) {
    const double c = 1. + i * .001;
    auto t0 = std::chrono::steady_clock::now();
    jit([&](Array x) { return f(x, c); })(x).block_until_ready();
    best = std::min(best,
                    std::chrono::duration<double>(std::chrono::steady_clock::now() - t0).count());
  }
  std::printf("%-34s %.2f ms\n", name, best * 1e3);
}
}  // namespace

int main() {
  Array x = linspace(0., 1., 1000), d = x.astype(F64);
  jit([](Array x) { return x + 1.; })(x);
  for (auto& v : {x, d}) {
    first(
        "exp(-x*x)*sin(s*x)+sqrt(abs(x))",
        [](Array x, double s) { return exp(-x * x) * sin(s * x) + sqrt(abs(x)); }, v);
    first(
        "sin(s*x)*cos(x)+tan(x)-x*x+1",
        [](Array x, double s) { return sin(s * x) * cos(x) + tan(x) - x * x + 1.; }, v);
    first(
        "tanh(s*x)*log1p(|x|)+exp(x)-x*x",
        [](Array x, double s) { return tanh(s * x) * log1p(abs(x)) + exp(x) - x * x; }, v);
    first(
        "pow(|x|+s,x)*x+sqrt(|x|)-1",
        [](Array x, double s) { return pow(abs(x) + s, x) * x + sqrt(abs(x)) - 1.; }, v);
    first("softmax(s*x)", [](Array x, double s) { return nn::softmax(x * s); }, v);
  }
}
