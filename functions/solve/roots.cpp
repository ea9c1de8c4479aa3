// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/solve/roots.cpp: iterations for roots and fixed points, and the linear systems of their
// tangents.
#include "weft/solve/roots.h"

#include <fmt/format.h>

#include "autodiff/autodiff.h"
#include "functions/kit.h"
#include "functions/solve/dense.h"
#include "functions/solve/vectors.h"
#include "tracer/types_of.h"
#include "weft/control_flow.h"
#include "weft/linalg.h"
#include "weft/numpy/create.h"
#include "weft/numpy/index.h"
#include "weft/numpy/math.h"
#include "weft/numpy/products.h"
#include "weft/numpy/reduce.h"
#include "weft/numpy/shape.h"
#include "weft/solve/iterative.h"
#include "weft/vmap.h"

namespace weft::detail {

using fn::as_dtype;
using VectorMap = FunctionRef<Array(const Array&)>;

Array matrix_of(FunctionRef<Array(const Array&)> g, int64_t n, DType d) {
  // Row i of the vmap's result is g of the i-th unit vector.
  return vmap([&](Array v) { return g(v); })(eye(n, {}, 0, d)).T();
}
Array solve_dense(FunctionRef<Array(const Array&)> g, const Array& b) {
  const Array m = matrix_of(g, b.size(), b.dtype());
  if (b.size() == 1) return b / m.reshape({1});
  return linalg::solve(m, b);
}

Arrays dense_tangent_solve(FlatFunction g, const Arrays& b, Arrays*) {
  const auto raveled = tree::detail::ravel_leaves(b);
  const auto map = [&](const Array& v) {
    return tree::detail::ravel_leaves(g(tree::detail::unravel_leaves(v, raveled.types))).vector;
  };
  return tree::detail::unravel_leaves(solve_dense(map, raveled.vector), raveled.types);
}

namespace {

Array norm(const Array& x) { return sqrt(fn::squared_norm({x})); }

// Solves with the dense matrix if it is small, and with GMRES otherwise.
Arrays tangent_solve(FlatFunction g, const Arrays& b, Arrays* aux) {
  constexpr int64_t largest_matrix = 64;
  if (fn::elements(b) <= largest_matrix) return dense_tangent_solve(g, b, aux);
  FlatIterative o;
  o.tol = 8 * fn::epsilon(fn::common_dtype(b));
  o.maxiter = 50;
  o.restart = 20;
  o.solve_method = "incremental";
  Arrays x = run_gmres(g, b, o, [&] { return tree::detail::skeleton(b); });
  x.pop_back();
  return x;
}

// Wraps a function of trees as a function of vectors.
struct Vectors {
  FlatFunction f;
  Types types;
  Array operator()(const Array& x) const {
    return tree::detail::ravel_leaves(f(tree::detail::unravel_leaves(x, types))).vector;
  }
};

struct Point {
  Array x, residual;  // the residual is f(x), or f(x) - x
  Array k;
};
// Steps until the residual is small.
Arrays iterated(const Array& x0, VectorMap residual_at, FunctionRef<Array(const Point&)> next,
                double tol, int64_t max_steps, Arrays* aux) {
  const auto more = [&](const Point& p) { return (norm(p.residual) > tol) & (p.k < max_steps); };
  const auto step = [&](const Point& p) {
    const Array x = next(p);
    return Point{x, residual_at(x), p.k + 1};
  };
  const Point end = while_loop(more, step, Point{x0, residual_at(x0), Array(0)});
  const Array rest = norm(end.residual);
  *aux = {rest <= tol, end.k, rest};
  return {end.x};
}

Arrays newton_steps(FlatFunction f, const Arrays& x0, const RootOptions& o, Arrays* aux) {
  const auto raveled = tree::detail::ravel_leaves(x0);
  const Vectors at{f, raveled.types};
  const auto next = [&](const Point& p) {
    const Linearized l =
        linearize_flat([&](const Arrays& x) { return Arrays{at(x[0])}; }, {p.x}, {true});
    const auto slope = [&](const Array& v) {
      return instantiate(l.linear.apply({v})[0], p.x.type());
    };
    return p.x - solve_dense(slope, p.residual);
  };
  const Arrays x = iterated(raveled.vector, at, next, o.tol, o.max_steps, aux);
  return tree::detail::unravel_leaves(x[0], raveled.types);
}

// The last points and their residuals f(x) - x, in a cyclic buffer.
struct History {
  Array x, rest;  // one row for each point
};
// Weights of the valid rows, with a sum of 1, that minimize the norm of the weighted sum of
// residuals.
Array weights(const Array& rest, const Array& there, double ridge) {
  const int64_t m = rest.shape()[0];
  const DType d = rest.dtype();
  const Array gram = matmul(rest, is_complex(d) ? conj(rest).T() : rest.T());
  const Array on = as_dtype(there, d), scale = trace(gram) / sum(on);
  const Array safe = where(scale == 0, 1., scale);
  // The equations of unused rows set their weights to zero.
  const Array whole = gram / safe + diag(where(there, as_dtype(Array(ridge), d), 1.));
  const Array border = concatenate({zeros({1}, d), on}, 0);
  const Array matrix =
      concatenate({expand_dims(border, 0), concatenate({expand_dims(on, 1), whole}, 1)}, 0);
  const Array right = zeros({m + 1}, d).at(0).set(1.);
  return linalg::solve(matrix, right)[Slice(1, none)];
}

Arrays anderson_steps(FlatFunction f, const Arrays& x0, const AndersonOptions& o, Arrays* aux) {
  const auto raveled = tree::detail::ravel_leaves(x0);
  const Vectors at{f, raveled.types};
  const Array& start = raveled.vector;
  const int64_t m = o.history;
  struct S {
    Point now;
    History last;
  };
  const auto residual = [&](const Array& x) { return at(x) - x; };
  const auto more = [&](const S& s) {
    return (norm(s.now.residual) > o.tol) & (s.now.k < o.max_steps);
  };
  const auto step = [&](const S& s) {
    const Array k = s.now.k % m;
    const History h{s.last.x.at(k).set(s.now.x), s.last.rest.at(k).set(s.now.residual)};
    const Array w = weights(h.rest, arange(m) <= s.now.k, o.ridge);
    const Array x = matmul(w, h.x + o.beta * h.rest);
    return S{{x, residual(x), s.now.k + 1}, h};
  };
  const Array empty = zeros({m, start.size()}, start.dtype());
  const S end = while_loop(more, step, S{{start, residual(start), Array(0)}, {empty, empty}});
  const Array rest = norm(end.now.residual);
  *aux = {rest <= o.tol, end.now.k, rest};
  return tree::detail::unravel_leaves(end.now.x, raveled.types);
}

// Returns f(x) - x. Checks the shapes, because the subtraction would broadcast results that are not
// like x.
Arrays rest_of(const char* who, FlatFunction f, const Arrays& x) {
  const Arrays y = f(x);
  fn::need_shapes(who, "f(x0)", y, "x0", x);
  return fn::subtract(y, x);
}

struct Interval {
  Array lo, hi, x, fx, k;
};

Arrays bisection_steps(FlatFunction flat, const Array& lo, const Array& hi, const RootOptions& o,
                       Arrays* aux) {
  const auto f = [&](const Array& x) { return flat({x})[0]; };
  const Array at_lo = f(lo), at_hi = f(hi), rising = at_hi >= at_lo;
  const Array bracketed = sign(at_lo) * sign(at_hi) <= 0;
  const auto middle = [](const Array& a, const Array& b) { return a + 0.5 * (b - a); };
  const auto divisible = [](const Interval& s) { return (s.x != s.lo) & (s.x != s.hi); };
  const auto more = [&](const Interval& s) {
    return bracketed & (abs(s.fx) > o.tol) & divisible(s) & (s.k < o.max_steps);
  };
  const auto half = [&](const Interval& s) {
    const Array below = (s.fx < 0) == rising;
    const Array a = where(below, s.x, s.lo), b = where(below, s.hi, s.x), x = middle(a, b);
    return Interval{a, b, x, f(x), s.k + 1};
  };
  // An end of the interval may be the root.
  const Array x0 = where(at_lo == 0, lo, where(at_hi == 0, hi, middle(lo, hi)));
  const Interval end = while_loop(more, half, Interval{lo, hi, x0, f(x0), Array(0)});
  const Array rest = abs(end.fx);
  *aux = {bracketed & ((rest <= o.tol) | !divisible(end)), end.k, rest};
  return {end.x};
}

constexpr auto by_matrix = [](FlatFunction g, const Arrays& b, Arrays* aux) {
  return dense_tangent_solve(g, b, aux);
};
constexpr auto by_size = [](FlatFunction g, const Arrays& b, Arrays* aux) {
  return tangent_solve(g, b, aux);
};

void check_steps(const char* who, int64_t max_steps) {
  if (max_steps < 0)
    fn::fail_shape(fmt::format("{}: .max_steps must not be negative, got {}", who, max_steps));
}
void need_some(const char* who, const Arrays& x0) {
  if (x0.empty()) fn::fail_shape(fmt::format("{}: x0 holds no arrays", who));
}

}  // namespace

Arrays run_newton(FlatFunction f, const Arrays& x0, const RootOptions& o, TreeOf tree) {
  need_some("newton", x0);
  check_steps("newton", o.max_steps);
  const auto solve = [&](FlatFunction g, const Arrays& x, Arrays* aux) {
    return newton_steps(g, x, o, aux);
  };
  return run_custom_root("newton", f, solve, by_matrix, x0, tree);
}

Arrays run_bisection(FlatFunction f, const Arrays& given, const RootOptions& o) {
  check_steps("bisection", o.max_steps);
  const auto [lo, hi] = fn::promoted_inexact("bisection", given[0], given[1]);
  for (const Array& x : {lo, hi})
    if (x.ndim() != 0 || is_complex(x.dtype()))
      fn::fail_shape(fmt::format(
          "bisection: lo and hi must be real scalars, got {} and {}. Map it for more (vmap)",
          to_string(lo.type()), to_string(hi.type())));
  // The guess passes only the number lo. The interval is captured instead.
  const auto solve = [&, a = lo, b = hi](FlatFunction g, const Arrays& x, Arrays* aux) {
    return bisection_steps(g, as_dtype(a, x[0].dtype()), as_dtype(b, x[0].dtype()), o, aux);
  };
  const Array guess = lo;
  return run_custom_root("bisection", f, solve, by_matrix, {guess},
                         [&] { return tree::detail::skeleton(guess); });
}

Arrays run_fixed_point(FlatFunction f, const Arrays& x0, const RootOptions& o, TreeOf tree) {
  need_some("fixed_point", x0);
  check_steps("fixed_point", o.max_steps);
  const auto equation = [&](const Arrays& x) { return rest_of("fixed_point", f, x); };
  const auto solve = [&](FlatFunction g, const Arrays& x, Arrays* aux) {
    const auto raveled = tree::detail::ravel_leaves(x);
    const Vectors rest{g, raveled.types};
    const auto next = [](const Point& p) { return p.x + p.residual; };
    const Arrays end = iterated(raveled.vector, rest, next, o.tol, o.max_steps, aux);
    return tree::detail::unravel_leaves(end[0], raveled.types);
  };
  return run_custom_root("fixed_point", equation, solve, by_size, x0, tree);
}

Arrays run_anderson(FlatFunction f, const Arrays& x0, const AndersonOptions& o, TreeOf tree) {
  need_some("anderson", x0);
  check_steps("anderson", o.max_steps);
  if (o.history < 1)
    fn::fail_shape(fmt::format("anderson: .history must be at least 1, got {}", o.history));
  const auto equation = [&](const Arrays& x) { return rest_of("anderson", f, x); };
  const auto solve = [&](FlatFunction, const Arrays& x, Arrays* aux) {
    return anderson_steps(f, x, o, aux);
  };
  return run_custom_root("anderson", equation, solve, by_size, x0, tree);
}

}  // namespace weft::detail
