// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/solve/minimize.h: minimize: minimization of functions of vectors by BFGS.
#pragma once
#include <limits>
#include <optional>
#include <string_view>

#include "weft/detail/callable.h"

namespace weft {

namespace typing {
// n: the number of variables.
struct OptimizeResults {
  Array x;        // [n]: the point where the search stopped
  Array success;  // Bool: the gradient is small enough
  // I32: 0 solved, 1 maxiter reached, 3 the line search failed, 5 the line search took too long
  Array status;
  Array fun;       // the value of fun at x
  Array jac;       // [n]: the gradient at x; its derivative is zero
  Array hess_inv;  // [n, n]: an estimate of the inverse of the Hessian; its derivative is zero
  Array nfev;      // I32: the number of evaluations of fun
  Array njev;      // I32: the number of evaluations of its gradient
  Array nit;       // I32: the number of steps
};

struct MinimizeOptions {
  // The method; only "BFGS" is available.
  std::string_view method = "BFGS";
  // Replaces gtol, as in SciPy; none: gtol.
  std::optional<double> tol = {};
  // The problem counts as solved if this norm of the gradient is below gtol.
  double gtol = 1e-5;
  double norm = std::numeric_limits<double>::infinity();
  // The largest number of steps; none: 200 n.
  std::optional<int64_t> maxiter = {};
  // The largest number of lengths that one line search tries.
  int64_t line_search_maxiter = 10;
};
}  // namespace typing

namespace detail {
typing::OptimizeResults run_minimize(ir::FunctionRef<Array(const Array&)> fun, const Array& x0,
                                     const typing::MinimizeOptions& o);
}

// Finds a local minimum of fun(x), a real scalar, near x0, a floating-point vector [n]. It uses
// BFGS (Nocedal and Wright: Numerical Optimization, algorithm 6.1). Its line searches meet the
// strong Wolfe conditions with c1 = 1e-4 and c2 = 0.9 (algorithms 3.5 and 3.6). Under vmap each
// lane stops on its own. If no minimum is found, no error is raised; `success` and `status` report
// it.
//
// The derivatives of x with respect to the captures of fun are those of a point with zero gradient
// (custom_root). They solve a system with the Hessian and are correct if the problem is solved. x0
// has no derivative. Raises ShapeError unless x0 is a vector and fun returns a scalar, DTypeError
// for other dtypes, and Error for another `.method`. Source: jax.scipy.optimize.minimize.
template <class F>
typing::OptimizeResults minimize(F fun, const typing::Arg& x0,
                                 const typing::MinimizeOptions& options = {}) {
  static_assert(detail::can_call<F, Array>, "weft::minimize: fun must take an Array");
  const ir::SourceScope source(x0.at());
  return detail::run_minimize([&](const Array& x) { return Array(fun(x)); }, x0, options);
}
// Minimizes fun(x, args…) over x.
template <class F, class... A>
typing::OptimizeResults minimize(F fun, const typing::Arg& x0, const std::tuple<A...>& args,
                                 const typing::MinimizeOptions& options = {}) {
  static_assert(detail::can_call<F, Array, typing::arrays_t<A>...>,
                "weft::minimize: fun must take (x, args…)");
  const ir::SourceScope source(x0.at());
  auto rest = tree::detail::convert<std::tuple<typing::arrays_t<A>...>>(args);
  return detail::run_minimize(
      [&](const Array& x) {
        return Array(std::apply([&](auto&... a) { return fun(x, a...); }, rest));
      },
      x0, options);
}

}  // namespace weft
