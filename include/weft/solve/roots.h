// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/solve/roots.h: newton, bisection, fixed_point and anderson: roots and fixed points,
// differentiated implicitly through the equation that they solve.
#pragma once
#include "weft/grad/custom_root.h"

namespace weft {

namespace typing {
// The result of newton, bisection, fixed_point and anderson: x and how it was found.
template <class X>
struct RootResult {
  X x;
  Array success;   // Bool: the tolerance is met
  Array nit;       // I32: the number of steps
  Array residual;  // the norm of f(x), or of f(x) - x for fixed points; its derivative is zero
};

struct RootOptions {
  // The tolerance of the norm of f(x), or of f(x) - x for fixed points, over all elements.
  double tol = 1e-5;
  // The largest number of steps.
  int64_t max_steps = 100;
};
struct AndersonOptions {
  // The problem counts as solved if the norm of all elements of f(x) - x is at most tol.
  double tol = 1e-5;
  // The largest number of steps.
  int64_t max_steps = 100;
  // The number of latest points that are combined.
  int64_t history = 5;
  // The damping: the step from the combination of the points to that of their images; 1 is the full
  // step.
  double beta = 1;
  // The regularization of the least squares, added to the diagonal of their matrix as a fraction of
  // its mean.
  double ridge = 1e-5;
};
}  // namespace typing

namespace detail {

// Returns x…, success, nit, residual.
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
  return {tree::detail::rebuild(x0, out.data()), told[0], told[1], told[2]};
}

}  // namespace detail

// Finds the x with f(x) = 0 near x0 by Newton's method. A step gives x - solve(J, f(x)), where J is
// the dense Jacobian of f at x. x0 and the result of f are trees of n floating-point or complex
// numbers in all. Under vmap each lane stops on its own. If it does not converge, no error is
// raised: `success` is false, and x is the last point.
//
// The derivatives of x with respect to the captures of f are those of the root (custom_root), from
// one system with J. x0 has no derivative. Raises ShapeError if the result of f does not have the
// structure of x0, and DTypeError for integers. Source: optimistix.Newton, the solution of
// optimistix.root_find.
template <class F, class X>
typing::RootResult<typing::arrays_t<X>> newton(F f, const X& x0,
                                               const typing::RootOptions& options = {},
                                               typing::Location at = typing::Location::here()) {
  const ir::SourceScope source(at);
  return detail::find_root(f, tree::detail::convert<typing::arrays_t<X>>(x0), options,
                           detail::run_newton);
}

// Finds the x between lo and hi with f(x) = 0, where f(lo) and f(hi) differ in sign. It halves the
// interval until |f(x)| is at most tol or no number is between its ends. lo, hi and the result of f
// are floating-point scalars of one dtype; map it for several. If the signs are equal, `success` is
// false. The derivatives are those of the root, as in newton. Raises ShapeError for operands that
// are not scalars. Source: jaxopt.Bisection, optimistix.Bisection.
template <class F>
typing::RootResult<Array> bisection(F f, const typing::Arg& lo, const typing::Arg& hi,
                                    const typing::RootOptions& options = {}) {
  const ir::SourceScope source(lo.at());
  static_assert(detail::can_call<F, Array>, "weft::bisection: f must take an Array");
  const Array& like = lo.value();
  const Arrays out = detail::run_bisection(detail::flat_matvec(f, like), {lo, hi}, options);
  return {out[0], out[1], out[2], out[3]};
}

// Finds the x with f(x) = x by repeating x = f(x) from x0, trees of floating-point or complex
// numbers. The derivatives are those of the fixed point, from the system with 1 - f' at x. The
// system is solved with its matrix for up to 64 numbers, else with gmres. Convergence and errors
// are as in newton. Source: jaxopt.FixedPointIteration, optimistix.FixedPointIteration.
template <class F, class X>
typing::RootResult<typing::arrays_t<X>> fixed_point(
    F f, const X& x0, const typing::RootOptions& options = {},
    typing::Location at = typing::Location::here()) {
  const ir::SourceScope source(at);
  return detail::find_root(f, tree::detail::convert<typing::arrays_t<X>>(x0), options,
                           detail::run_fixed_point);
}

// Finds the x with f(x) = x by Anderson acceleration (Walker and Ni, 2011). The next point is the
// combination
//     sum_i a_i (x_i + beta (f(x_i) - x_i)),   sum_i a_i = 1,   |sum_i a_i (f(x_i) - x_i)| least,
// of the last points. Raises ShapeError for a `.history` below 1. Source:
// jaxopt.AndersonAcceleration.
template <class F, class X>
typing::RootResult<typing::arrays_t<X>> anderson(F f, const X& x0,
                                                 const typing::AndersonOptions& options = {},
                                                 typing::Location at = typing::Location::here()) {
  const ir::SourceScope source(at);
  return detail::find_root(f, tree::detail::convert<typing::arrays_t<X>>(x0), options,
                           detail::run_anderson);
}

}  // namespace weft
