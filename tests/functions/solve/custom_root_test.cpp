// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/functions/solve/custom_root_test.cpp: differentiates roots that a loop finds by their
// equation.
#include "functions/solve/problems.h"

using namespace weft;
using namespace weft::test;

namespace {

// Newton's steps, without a custom derivative.
constexpr auto steps = [](auto f, Array y) {
  return fori_loop(0, 30, [f](Array, Array x) { return x - linalg::solve(jacfwd(f)(x), f(x)); }, y);
};
constexpr auto by_matrix = [](auto g, Array y) { return linalg::solve(jacfwd(g)(y), y); };

Array circle(Array p) {
  const auto f = [p](Array y) {
    return stack({square(y[0]) + square(y[1]) - p[0], y[0] - p[1] * sin(y[1])});
  };
  return custom_root(f, array({1., 1.5}).astype(F64), steps, by_matrix);
}

// Returns the square root of a, found by bisection.
Array halved_root(Array a) {
  const auto solve = [](auto f, Array y) {
    return fori_loop(
               0, 60,
               [f](Array, std::pair<Array, Array> s) {
                 const Array m = (s.first + s.second) / 2.;
                 const Array low = f(m) < 0.;
                 return std::pair{where(low, m, s.first), where(low, s.second, m)};
               },
               std::pair{y, y + 10.})
        .first;
  };
  return custom_root([a](Array y) { return square(y) - a; }, zeros({}, F64), solve,
                     [](auto g, Array y) { return y / g(Array(1.).astype(F64)); });
}

}  // namespace

TEST_CASE("a root that a loop finds has the derivatives of its equation", "[custom_root]") {
  const Array p = array({3., 1.25}).astype(F64);
  p.block_until_ready();
  check_golden("root", circle(p));
  check_golden("root", jit(circle)(p));
  check_golden("root.jacobian", jacfwd(circle)(p));
  check_golden("root.jacobian", jit(jacrev(circle))(p));
  const auto cubes = [](Array q) { return sum(pow(circle(q), 3)); };
  check_golden("root.hessian", hessian(cubes)(p), 1e-8);
  check_golden("root.hessian", jit(jacrev(jacrev(cubes)))(p), 1e-8);
  const Array many = stack({p, p + 0.25, p - 0.125}, 0);
  CHECK(close(vmap(jacrev(circle))(many)[1], jacfwd(circle)(p + 0.25)));
  CHECK(close(jit(vmap(circle))(many)[2], circle(p - 0.125)));
}

TEST_CASE("higher derivatives of a root are roots' too", "[custom_root]") {
  const Array a = Array(2.).astype(F64);
  CHECK(close(halved_root(a), sqrt(a)));
  CHECK(close(grad(halved_root)(a), grad([](Array x) { return sqrt(x); })(a)));
  CHECK(close(grad(grad(grad(halved_root)))(a),
              grad(grad(grad([](Array x) { return sqrt(x); })))(a)));
  const Array as = array({2., 5., 9.}).astype(F64);
  CHECK(close(jit(vmap(grad(halved_root)))(as), 0.5 / sqrt(as)));
  const auto f = [](Array x) { return halved_root(x); };
  CHECK(close(jvp(f, std::tuple{as[1]}, std::tuple{a}).second, 1. / sqrt(as[1])));
}

TEST_CASE("roots are trees, and solve says more than the root", "[custom_root]") {
  struct Two {
    Array x, y;
  };
  // Solves x^2 = a, x y = 1.
  const auto solved = [](Array a) {
    const auto f = [a](Two v) { return Two{square(v.x) - a, v.x * v.y - 1.}; };
    const auto solve = [a](auto, Two) {
      return std::pair{Two{sqrt(a), 1. / sqrt(a)}, std::pair{Array(7), a * 0. + 3.}};
    };
    const auto tangent = [](auto g, Two b) {
      const auto [vector, back] = tree::ravel(b);
      const auto flat = [g, back = back](Array v) { return tree::ravel(g(back(v))).first; };
      return back(linalg::solve(jacfwd(flat)(vector), vector));
    };
    return custom_root_with_aux(f, Two{ones({}, F64), ones({}, F64)}, solve, tangent);
  };
  const Array a = Array(4.).astype(F64);
  const auto [root, aux] = jit(solved)(a);
  CHECK(root.y.item<double>() == 0.5);
  CHECK(aux.first.item<int>() == 7);
  const auto y_of = [&](Array b) { return solved(b).first.y; };
  CHECK(close(grad(y_of)(a), Array(-1. / 16).astype(F64)));
  const auto aux_of = [&](Array b) { return solved(b).second.second; };
  CHECK(grad(aux_of)(a).item<double>() == 0);
  // A number gets the dtype of f's result.
  const auto scalar = [](Array b) {
    return custom_root([b](Array y) { return y - b; }, 1., [b](auto, Array) { return b; },
                       [](auto, Array y) { return y; });
  };
  CHECK(scalar(a).dtype() == F64);
}

TEST_CASE("root finding refuses invalid equations", "[custom_root]") {
  const Array g = ones({2}, F64);
  const auto same = [](auto, Array y) { return y; };
  const auto f = [](Array y) { return y - 1.; };
  check_error<ShapeError>([&] { (void)custom_root([](Array y) { return sum(y); }, g, same, same); },
                          "custom_root: f must return what is like initial_guess: expected f64[2]");
  check_error<ShapeError>(
      [&] { (void)custom_root(f, g, [](auto, Array y) { return y[0]; }, same); },
      "solve must return what is like initial_guess");
  check_error<ShapeError>(
      [&] { (void)custom_root(f, g, same, [](auto, Array y) { return y[0]; }); },
      "tangent_solve must return what is like initial_guess");
  check_error<DTypeError>([&] { (void)custom_root(f, arange(2), same, same); },
                          "takes floating-point and complex initial_guess, got i32[2]");
  check_error<ShapeError>([&] { (void)custom_root([](Array y) { return sum(y); }, g, same, same); },
                          "custom_root_test.cpp");
}
