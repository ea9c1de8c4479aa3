// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/functions/solve/roots_test.cpp: Newton's method, bisection, fixed points and their
// acceleration.
#include "functions/solve/problems.h"

using namespace weft;
using namespace weft::test;

namespace {

Array f64(double x) { return Array(x).astype(F64); }
// Kepler's equation: e - k sin(e) = m.
constexpr auto kepler = [](Array e, Array k, Array m) { return e - k * sin(e) - m; };

}  // namespace

TEST_CASE("newton finds roots and differentiates their equation", "[roots]") {
  const auto circle = [](Array p) {
    const auto f = [p](Array y) {
      return stack({square(y[0]) + square(y[1]) - p[0], y[0] - p[1] * sin(y[1])});
    };
    return newton(f, array({1., 1.5}).astype(F64), {.tol = 1e-13});
  };
  const auto x_of = [circle](Array p) { return circle(p).x; };
  const Array p = array({3., 1.25}).astype(F64);
  const auto r = jit(circle)(p);
  check_golden("root", r.x);
  CHECK(r.success.item<bool>());
  CHECK(r.nit.item<int>() > 2);
  CHECK(r.nit.item<int>() < 10);
  CHECK(r.residual.item<double>() < 1e-13);
  check_golden("root.jacobian", jit(jacrev(x_of))(p));
  check_golden("root.hessian", hessian([x_of](Array q) { return sum(pow(x_of(q), 3)); })(p), 1e-8);

  const auto anomaly = [](Array k, Array m) {
    return newton([k, m](Array e) { return kepler(e, k, m); }, m, {.tol = 1e-12});
  };
  const Array ks = array({0., 0.3, 0.9}).astype(F64), ms = array({1., 2., 0.1}).astype(F64);
  const auto all = jit(vmap(anomaly))(ks, ms);
  CHECK(close(kepler(all.x, ks, ms), 0. * ms));
  // A lane stops by itself: the equation of the first one is solved at the start.
  CHECK(all.nit[0].item<int>() == 0);
  CHECK(all.nit[2].item<int>() > 2);
  const auto slope = vmap(grad([anomaly](Array k, Array m) { return anomaly(k, m).x; }))(ks, ms);
  CHECK(close(slope, sin(all.x) / (1. - ks * cos(all.x))));

  // The result says if the method did not converge.
  const auto none = newton([](Array x) { return square(x) + 1.; }, f64(0.5), {.max_steps = 7});
  CHECK(!none.success.item<bool>());
  CHECK(none.nit.item<int>() == 7);
  const auto loose = newton([](Array x) { return square(x) - 2.; }, f64(1.), {.tol = 0.5});
  CHECK(loose.nit.item<int>() == 1);

  // The unknown may be a tree. A number gets its dtype from f.
  struct Two {
    Array a, b;
  };
  const Two t = newton([](Two v) { return Two{v.a * v.a - v.b, v.b - 9.}; }, Two{f64(1.), f64(1.)},
                       {.tol = 1e-12})
                    .x;
  CHECK(close(t.a, f64(3.)));
  CHECK(newton([](Array x) { return x - f64(3.); }, 1.).x.dtype() == F64);
}

TEST_CASE("bisection, alone and mapped", "[roots]") {
  const auto root = [](Array a) {
    return bisection([a](Array x) { return a - x * x * x; }, 0., 10., {.tol = 1e-12});
  };
  const Array as = array({8., 1., 343., 0.001}).astype(F64);
  const auto r = jit(vmap(root))(as);
  CHECK(close(r.x, cbrt(as)));
  CHECK(r.success.all().item<bool>());
  CHECK(close(vmap(grad([root](Array a) { return root(a).x; }))(as), 1. / (3. * square(cbrt(as)))));
  // The root is at the lower or the upper end, or both ends have equal signs. There are too few
  // steps, or the interval shrinks to neighboring floats.
  const auto line = [](double lo, double hi, RootOptions o) {
    return bisection([](Array x) { return x - 1.; }, f64(lo), f64(hi), o);
  };
  CHECK(line(1., 5., {}).x.item<double>() == 1);
  CHECK(line(-3., 1., {}).nit.item<int>() == 0);
  CHECK(!line(2., 5., {}).success.item<bool>());
  CHECK(!line(0., 2.7, {.tol = 1e-12, .max_steps = 4}).success.item<bool>());
  CHECK(line(0., 2.7, {.tol = 1e-12, .max_steps = 4}).nit.item<int>() == 4);
  const auto steep =
      bisection([](Array x) { return 1e30 * (x - 1. / 3); }, f64(0.), f64(1.), {.tol = 1e-12});
  CHECK(steep.success.item<bool>());
  check_error<ShapeError>([] { (void)bisection([](Array x) { return x; }, zeros({2}), ones({2})); },
                          "bisection: lo and hi must be real scalars, got f32[2] and f32[2]");
}

TEST_CASE("fixed points and their acceleration", "[roots]") {
  const Array m = 0.5 * quarters({5, 5}, 3, 7) / 3., b = quarters({5}, 3, 11);
  const auto map = [m](Array b) { return [m, b](Array x) { return tanh(matmul(m, x)) + b; }; };
  const auto plain = [map](Array b) {
    return fixed_point(map(b), 0. * b, {.tol = 1e-12, .max_steps = 500});
  };
  const auto fast = [map](Array b) { return anderson(map(b), 0. * b, {.tol = 1e-12}); };
  const auto p = jit(plain)(b);
  const auto a = jit(fast)(b);
  CHECK(p.success.item<bool>());
  CHECK(a.success.item<bool>());
  CHECK(close(p.x, map(b)(p.x)));
  CHECK(close(a.x, p.x));
  CHECK(a.nit.item<int>() < p.nit.item<int>());
  const auto want = jacfwd([&](Array b) {
    return newton([map, b](Array x) { return map(b)(x) - x; }, 0. * b, {.tol = 1e-12}).x;
  })(b);
  CHECK(close(jacrev([plain](Array b) { return plain(b).x; })(b), want));
  CHECK(close(jacfwd([fast](Array b) { return fast(b).x; })(b), want));
  const Array many = stack({b, 0. * b, 2. * b}, 0);
  const auto lanes = jit(vmap(fast))(many);
  CHECK(close(lanes.x[0], a.x));
  CHECK(lanes.nit[1].item<int>() == 0);

  // With many unknowns, matrix-vector products alone give the tangents.
  const Array wide = linspace(0.2, 0.9, 100).astype(F64);
  const auto cosines = [](Array k) {
    return fixed_point([k](Array x) { return k * cos(x) + 0.1 * roll(x, 1); }, 0. * k,
                       {.tol = 1e-13, .max_steps = 500})
        .x;
  };
  const auto dense = [](Array k) {
    return newton([k](Array x) { return k * cos(x) + 0.1 * roll(x, 1) - x; }, 0. * k,
                  {.tol = 1e-13})
        .x;
  };
  CHECK(close(grad([&](Array k) { return sum(sin(cosines(k))); })(wide),
              grad([&](Array k) { return sum(sin(dense(k))); })(wide)));

  // The options take effect.
  CHECK(fixed_point(map(b), 0. * b, {.tol = 1e-12, .max_steps = 3}).nit.item<int>() == 3);
  const auto steps = [&](const AndersonOptions& o) {
    return anderson(map(b), 0. * b, o).nit.item<int>();
  };
  CHECK(steps({.tol = 1e-12, .max_steps = 2}) == 2);
  CHECK(steps({.tol = 1e-12, .history = 1}) > steps({.tol = 1e-12}));
  CHECK(steps({.tol = 1e-12, .beta = 0.3}) != steps({.tol = 1e-12}));
  CHECK(steps({.tol = 1e-12, .ridge = 0.1}) > steps({.tol = 1e-12}));
  check_error<ShapeError>([&] { (void)anderson(map(b), b, {.history = 0}); },
                          "anderson: .history must be at least 1, got 0");
  check_error<ShapeError>([&] { (void)fixed_point([](Array x) { return sum(x); }, b); },
                          "roots_test.cpp");
  check_error<DTypeError>([&] { (void)newton([](Array x) { return x; }, arange(3)); },
                          "newton: takes floating-point and complex initial_guess");
}
