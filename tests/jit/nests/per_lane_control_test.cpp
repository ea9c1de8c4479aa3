// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/jit/nests/per_lane_control_test.cpp: whole programs with per-lane control flow become one
// kernel, and are right for any number of lanes.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "runtime/thread_stack.h"
#include "support/assembler.h"
#include "support/check.h"
#include "tracer/eval_trace.h"

using namespace weft;
using namespace weft::test;

namespace {
using std::get;
using Trio = std::tuple<Array, Array, Array>;

void one_kernel(const std::string& report) {
  INFO(report);
  CHECK(report.find("steps: 1\n") != std::string::npos);
  CHECK(report.find("loop in the lane") != std::string::npos);
  CHECK(report.find("equations interpreted: 0") != std::string::npos);
}
Array line(float a, float b, int64_t n) {
  std::vector<float> x;
  for (int64_t i = 0; i < n; ++i)
    x.push_back(n == 1 ? a : a + (b - a) * static_cast<float>(i) / static_cast<float>(n - 1));
  return array(x);
}
constexpr int64_t lane_counts[] = {1, 15, 16, 17, 509};

Array mandelbrot(Array re, Array im) {
  return get<2>(while_loop(
      [](Trio s) {
        return (get<0>(s) * get<0>(s) + get<1>(s) * get<1>(s) < 4.f) & (get<2>(s) < 200);
      },
      [&](Trio s) {
        const auto [a, b, i] = s;
        return Trio(a * a - b * b + re, 2.f * a * b + im, i + 1);
      },
      Trio(Array(0.f), Array(0.f), Array(0))));
}

using State = std::tuple<Array, Array, Array, Array>;
Array rk45(Array mu, Array y0) {
  const auto f = [&](Array y) { return stack({y[1], mu * (1.f - y[0] * y[0]) * y[1] - y[0]}); };
  const auto body = [&](State s) {
    auto [t, y, h, n] = s;
    h = minimum(h, 2.f - t);
    const auto k1 = f(y), k2 = f(y + h * (.2f * k1)),
               k3 = f(y + h * (3 / 40.f * k1 + 9 / 40.f * k2));
    const auto yn = y + h * (2 / 9.f * k1 + 3 / 9.f * k2 + 4 / 9.f * k3);
    const auto e = h * (5 / 72.f * k1 - 6 / 72.f * k2 - 8 / 72.f * k3 + 9 / 72.f * f(yn));
    const auto q = e / (1e-4f + 1e-4f * maximum(abs(y), abs(yn)));
    const auto err = sqrt((q * q).mean());
    const auto ok = err <= 1.f;
    return State(where(ok, t + h, t), where(ok, yn, y),
                 h * clip(.9f * pow(err + 1e-10f, -.3f), .2f, 5.f), n + 1);
  };
  return get<1>(while_loop([](State s) { return (get<0>(s) < 2.f) & (get<3>(s) < 2000); }, body,
                           State(Array(0.f), y0, Array(.01f), Array(0))));
}

// Each step counts the trips of a loop, and writes the count into a row that the lane selects.
Array count_in_bins(Array start) {
  const auto step = [](std::pair<Array, Array> c, Array grow) {
    const auto [x, counts] = c;
    const auto r = while_loop(
        [](std::pair<Array, Array> s) { return s.first < 10.f; },
        [&](std::pair<Array, Array> s) { return std::pair{s.first * grow + .5f, s.second + 1}; },
        std::pair{x, Array(0)});
    const Array to = r.second % 4;
    return std::pair{std::pair{x * .5f + .1f, counts.at(to).set(r.first)}, r.second};
  };
  const auto c =
      scan(step, std::pair{start, zeros({4})}, array(std::vector<float>{1.1f, 1.3f, 1.7f})).first;
  return concatenate({c.second, c.first.reshape({1})}, 0);
}

Array guarded(Array x) {
  return cond(
      x > 0.f,
      [](Array v) {
        return while_loop([](Array q) { return q != 0.f; },
                          [](Array q) { return where(q > 0.f, maximum(q - 1.f, 0.f), q); }, v) +
               5.f;
      },
      [](Array v) { return -v; }, x);
}

// Compares g(x…) on all lanes with f on each lane.
template <class F, class... X>
void check_lanes(F f, double tolerance, const X&... x) {
  const auto g = jit(vmap(f));
  one_kernel(g.lower(x...).report());
  const auto got = g(x...).template to_vector<double>();
  const ReferenceMode reference;
  const int64_t n = std::get<0>(std::tie(x...)).shape()[0];
  size_t at = 0;
  int64_t wrong = 0;
  for (int64_t l = 0; l < n; l += 1)
    if (const auto want = f(x[l]...).template to_vector<double>(); true)
      for (double w : want) wrong += !(std::abs(got[at++] - w) <= tolerance * (1 + std::abs(w)));
  CHECK(wrong == 0);
}
}  // namespace

TEST_CASE("Mandelbrot under two maps is one kernel", "[slice]") {
  for (int64_t n : lane_counts) {
    const Array re = line(-2.f, .6f, n), im = line(-1.2f, 1.2f, 7);
    const auto g = jit(vmap(vmap(mandelbrot, {0, none}), {none, 0}));
    one_kernel(g.lower(re, im).report());
    const auto got = g(re, im).to_vector<int>();
    const auto rs = floats(re), is = floats(im);
    int64_t wrong = 0;
    for (size_t r = 0; r < is.size(); ++r)
      for (size_t c = 0; c < rs.size(); ++c) {
        float a = 0, b = 0;
        int i = 0;
        for (; a * a + b * b < 4.f && i < 200; ++i) {
          const float t = a * a - b * b + rs[c];
          b = 2.f * a * b + is[r];
          a = t;
        }
        wrong += std::abs(got[r * rs.size() + c] - i) > 0;
      }
    // Contraction rounds once where the plain loop rounds twice, so that points at the border may
    // differ.
    INFO(n << " columns, " << wrong << " differ");
    CHECK(wrong <= n * 7 / 50);
  }
}

TEST_CASE("rk45 with a vector state is one kernel", "[slice]") {
  for (int64_t n : lane_counts)
    check_lanes(rk45, 2e-3, line(.1f, 4.f, n), stack({line(1.f, 2.f, n), line(-1.f, .5f, n)}, 1));
}

TEST_CASE("a loop in a scan that writes rows of the lane's choice is one kernel", "[slice]") {
  for (int64_t n : lane_counts) check_lanes(count_in_bins, 1e-5, line(.1f, 12.f, n));
}

TEST_CASE("a branch that would never end for other lanes is one kernel", "[slice]") {
  for (int64_t n : lane_counts) check_lanes(guarded, 0, line(-3.f, 9.f, n));
}

TEST_CASE("the PTX of a program of several kernels is one module", "[slice][ptx]") {
  const auto f = [](const Array& x) { return cumsum(sort(x)) / x.sum(); };
  const std::string text = jit(f).lower(zeros({64})).ptx();
  const auto count = [&](const std::string& what) {
    size_t n = 0;
    for (size_t at = text.find(what); at != text.npos; at = text.find(what, at + 1)) ++n;
    return n;
  };
  CHECK(count(".version") == 1);
  CHECK(count(".target") == 1);
  CHECK(count(".entry") > 1);
  for (size_t i = 0; i < count(".entry"); ++i)
    CHECK(count(".entry weft_kernel_" + std::to_string(i) + "(") == 1);
}

TEST_CASE("kernels of the slice pass ptxas", "[slice][ptx]") {
  if (!has_assembler()) return;
  const Array x = zeros({9, 5});
  const std::string texts[] = {jit(vmap(vmap(mandelbrot))).lower(x, x).ptx(),
                               jit(vmap(rk45)).lower(zeros({9}), zeros({9, 2})).ptx(),
                               jit(vmap(count_in_bins)).lower(zeros({9})).ptx(),
                               jit(vmap(guarded)).lower(zeros({9})).ptx()};
  for (const std::string& text : texts) {
    CHECK(text.find(".entry") != std::string::npos);
    CHECK(assembled(text, "sm_80").error == "");
  }
}

TEST_CASE("A lane may hold arrays of any dtype that the planner lets it hold") {
  const auto f = [](auto dtype) {
    return [dtype](Array x) {
      std::vector<Array> init;
      for (int k = 0; k < 8; ++k)
        init.push_back((broadcast_to(x, {1000}) + arange(1000.) + k).astype(dtype));
      return while_loop([](std::vector<Array> s) { return real(s[0][0]).astype(F32) < 20.f; },
                        [](std::vector<Array> s) {
                          std::rotate(s.begin(), s.begin() + 1, s.end());
                          for (Array& a : s) a = a + a[slice(none, none, -1)];
                          return s;
                        },
                        init)[3]
          .sum();
    };
  };
  for (const DType d : {I8, I64, F32, F64, C64, C128}) {
    INFO(short_name(d));
    const Array lanes = arange(37.) % 7.;
    const Array got = jit(vmap(f(d)))(lanes);
    for (const int64_t l : {0, 5, 36}) {
      const Array want = jit(f(d))(lanes[l]);
      CHECK(abs(got[l] - want).astype(F64).item<double>() <=
            1e-5 * abs(want).astype(F64).item<double>());
    }
  }
}

TEST_CASE("Per-lane arrays are not on the caller's stack") {
  const auto f = [](Array x) {
    return while_loop([](Array v) { return v.sum() < 1e4f; },
                      [](Array v) { return v * 1.5 + roll(v, 1); }, arange(900.) + x)
        .sum();
  };
  const Array lanes = arange(64.);
  const auto code = jit(vmap(f)).lower(lanes).compile();
  const Array want = code(lanes);
  Array got;
  run_on_large_stack(128 << 10, [&] { got = code(lanes); });
  CHECK(array_equal(got, want));
}

TEST_CASE("A kernel may have more values at a time than the caller's stack takes") {
  constexpr int n = 500;
  const auto f = [](Array x) {
    Arrays c;
    for (int i = 0; i < n; ++i) c.push_back(x + i);
    c = while_loop([](Arrays v) { return v[0] < 60.f; },
                   [](Arrays v) {
                     Arrays r;
                     for (size_t i = 0; i < n; ++i) r.push_back(v[(i + 1) % n] + 1);
                     return r;
                   },
                   c);
    Array s = c[0];
    for (int i = 1; i < n; ++i) s = s - c[static_cast<size_t>(i)];
    return s;
  };
  const Array lanes = arange(16.);
  const auto code = jit(vmap(f)).lower(lanes).compile();
  Array got;
  run_on_large_stack(128 << 10, [&] { got = code(lanes); });
  const ReferenceMode reference;
  CHECK(array_equal(got, vmap(f)(lanes)));
}

TEST_CASE("lanes are refilled in a loop that has short loops around it", "[jit][lanes]") {
  // A sum of `terms` numbers before the loop, and one behind it.
  const auto lane_of = [](int terms) {
    return [terms](Array x) {
      const auto sum = [terms](Array v) {
        return fori_loop(0, terms, [](Array k, Array s) { return sin(s) + k.astype(F32); }, v);
      };
      const auto halve = [&](std::pair<Array, Array> r) {
        const Array middle = (r.first + r.second) / 2.f, high = middle * exp(middle) > sum(x);
        return std::pair(where(high, r.first, middle), where(high, middle, r.second));
      };
      const auto going = [&](std::pair<Array, Array> r) { return r.second - r.first > 1e-3f * x; };
      const Array root = while_loop(going, halve, std::pair(zeros({}), x + 3.f)).first;
      return sum(root) * x;
    };
  };
  for (const auto& [terms, refilled] : {std::pair(2, true), std::pair(500, false)}) {
    const auto f = vmap(lane_of(terms));
    for (const int64_t n : lane_counts) {
      const Array x = line(.01f, 90.f, n);
      const Array got = jit(f)(x);
      const ReferenceMode reference;
      CHECK(array_equal(got, f(x)).item<bool>());
    }
    const std::string report = jit(f).lower(line(.01f, 90.f, 509)).report();
    one_kernel(report);
    CHECK((report.find("mode refill") != std::string::npos) == refilled);
  }
}
