// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/solve/roots.h: newton, bisection, fixed_point, anderson: roots and fixed points,
// differentiated by the equation that they solve.
#pragma once
#include "weft/transforms/custom_root.h"

namespace weft {

namespace typing {
// What newton, bisection, fixed_point and anderson give: x, and how it was found.
template <class X>
struct RootResult {
  X x;
  Array success;   // Bool: the tolerance is met
  Array nit;       // I32: the steps that were taken
  Array residual;  // the norm of f(x), of fixed points that of f(x) - x; its derivative is zero
};

struct RootOptions {
  // Solved where the norm of all elements of f(x), of fixed points of f(x) - x, is at most this.
  double tol = 1e-5;
  // Steps at most.
  int64_t max_steps = 100;
};
struct AndersonOptions {
  // Solved where the norm of all elements of f(x) - x is at most this.
  double tol = 1e-5;
  // Steps at most.
  int64_t max_steps = 100;
  // How many of the last points are combined.
  int64_t history = 5;
  // How far to go from their combination to that of their images: 1 all the way.
  double beta = 1;
  // What is added to the diagonal of the least squares' matrix, as a part of its mean.
  double ridge = 1e-5;
};
}  // namespace typing

namespace detail {

// x…, success, nit, residual.
Arrays run_newton(FlatFunction f, const Arrays& x0, const typing::RootOptions& o, TreeOf tree);
Arrays run_bisection(FlatFunction f, const Arrays& ends, const typing::RootOptions& o);
Arrays run_fixed_point(FlatFunction f, const Arrays& x0, const typing::RootOptions& o, TreeOf tree);
Arrays run_anderson(FlatFunction f, const Arrays& x0, const typing::AndersonOptions& o,
                    TreeOf tree);

template <class T, class F, class Options, class Run>
typing::RootResult<T> find_root(F& f, const T& x0, const Options& o, Run run) {
  static_assert(can_call<F, T>, "weft: f must take what is like x0, with Arrays for numbers");
  const Arrays out = run(FlatFunction(flat_matvec(f, x0)), tree::leaves(x0), o,
                         TreeOf(tree::detail::skeleton_of(x0)));
  const Array* told = out.data() + tree::count(x0);
  return {tree::rebuild(x0, out.data()), told[0], told[1], told[2]};
}

}  // namespace detail

// The x with f(x) = 0 near x0, by Newton's method: x - solve(J, f(x)), J being the Jacobian of f
// at x as a dense matrix. x0 and what f returns are trees of n floating-point or complex numbers in
// all. Mapped, each lane stops by itself. Where it does not converge nothing is raised: `success`
// is false, x where it stopped.
// Derivatives of x by what f captured are those of the root (custom_root), by one system of J; x0
// has none. ShapeError where f returns what is not like x0, DTypeError for integers.
// Source: optimistix.Newton, the solution of optimistix.root_find.
template <class F, class X>
typing::RootResult<typing::arrays_t<X>> newton(F f, const X& x0,
                                               const typing::RootOptions& options = {},
                                               typing::Location at = typing::Location::here()) {
  const ir::Source source(at);
  return detail::find_root(f, tree::convert<typing::arrays_t<X>>(x0), options, detail::run_newton);
}

// The x between lo and hi with f(x) = 0, where f(lo) and f(hi) differ in sign: half of the interval
// at a time, until |f(x)| is at most tol or no number lies between its ends. lo, hi and what f
// returns are floating-point scalars of one dtype; of more than one, map it. Where the signs are
// the same `success` is false. Derivatives are those of the root, as with newton; ShapeError for
// what is no scalar. Source: jaxopt.Bisection, optimistix.Bisection.
template <class F>
typing::RootResult<Array> bisection(F f, const typing::Arg& lo, const typing::Arg& hi,
                                    const typing::RootOptions& options = {}) {
  const ir::Source source(lo.at());
  static_assert(detail::can_call<F, Array>, "weft::bisection: f must take an Array");
  const Array& like = lo.value();
  const Arrays out = detail::run_bisection(detail::flat_matvec(f, like), {lo, hi}, options);
  return {out[0], out[1], out[2], out[3]};
}

// The x with f(x) = x, by x = f(x) again and again from x0, trees of floating-point or complex
// numbers. Derivatives are those of the fixed point, by the system of 1 - f' at x: of up to 64
// numbers by its matrix, else by gmres. Convergence and errors as with newton.
// Source: jaxopt.FixedPointIteration, optimistix.FixedPointIteration.
template <class F, class X>
typing::RootResult<typing::arrays_t<X>> fixed_point(
    F f, const X& x0, const typing::RootOptions& options = {},
    typing::Location at = typing::Location::here()) {
  const ir::Source source(at);
  return detail::find_root(f, tree::convert<typing::arrays_t<X>>(x0), options,
                           detail::run_fixed_point);
}

// The same by Anderson's acceleration (Walker and Ni, 2011): the next point is the combination
//   sum_i a_i (x_i + beta (f(x_i) - x_i)),   sum_i a_i = 1,   |sum_i a_i (f(x_i) - x_i)| least,
// of the last points. ShapeError for a `.history` below 1. Source: jaxopt.AndersonAcceleration.
template <class F, class X>
typing::RootResult<typing::arrays_t<X>> anderson(F f, const X& x0,
                                                 const typing::AndersonOptions& options = {},
                                                 typing::Location at = typing::Location::here()) {
  const ir::Source source(at);
  return detail::find_root(f, tree::convert<typing::arrays_t<X>>(x0), options,
                           detail::run_anderson);
}

}  // namespace weft
