// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/solve/minimize.h: minimize: minima of functions of vectors, by BFGS.
#pragma once
#include <limits>
#include <optional>
#include <string_view>

#include "weft/tracer/callable.h"

namespace weft {

namespace typing {
// n: the number of variables.
struct OptimizeResults {
  Array x;         // [n]: where it stopped
  Array success;   // Bool: the gradient is small
  Array status;    // I32: 0 solved, 1 maxiter reached, 3 the line search failed, 5 it took too long
  Array fun;       // the value of fun at x
  Array jac;       // [n]: the gradient there; its derivative is zero
  Array hess_inv;  // [n, n]: an estimate of the inverse of the Hessian; its derivative is zero
  Array nfev;      // I32: how often fun
  Array njev;      // I32: and its gradient were computed
  Array nit;       // I32: steps
};

struct MinimizeOptions {
  // "BFGS" is the only one.
  std::string_view method = "BFGS";
  // Stands for gtol, as in SciPy; none: gtol.
  std::optional<double> tol = {};
  // Solved where this norm of the gradient is below gtol.
  double gtol = 1e-5;
  double norm = std::numeric_limits<double>::infinity();
  // Steps at most; none: 200 n.
  std::optional<int64_t> maxiter = {};
  // Lengths tried by a line search, at most.
  int64_t line_search_maxiter = 10;
};
}  // namespace typing

namespace detail {
typing::OptimizeResults run_minimize(ir::FunctionRef<Array(const Array&)> fun, const Array& x0,
                                     const typing::MinimizeOptions& o);
}

// A local minimum of fun(x), a real scalar, near x0, a vector [n] of floating-point numbers: by
// BFGS (Nocedal and Wright: Numerical Optimization, algorithm 6.1) with line searches for the
// strong Wolfe conditions, c1 = 1e-4 and c2 = 0.9 (algorithms 3.5 and 3.6). Mapped, each lane stops
// by itself. Where no minimum is found nothing is raised: `success` and `status` say so.
// Derivatives of x by what fun captured are those of a point where the gradient is zero
// (custom_root), by a system of the Hessian; x0 has none. They are right where it is solved.
// ShapeError where x0 is no vector or fun returns no scalar, DTypeError for other dtypes, Error for
// another `.method`. Source: jax.scipy.optimize.minimize.
template <class F>
typing::OptimizeResults minimize(F fun, const typing::Arg& x0,
                                 const typing::MinimizeOptions& options = {}) {
  static_assert(detail::can_call<F, Array>, "weft::minimize: fun must take an Array");
  const ir::Source source(x0.at());
  return detail::run_minimize([&](const Array& x) { return Array(fun(x)); }, x0, options);
}
// Of fun(x, args…).
template <class F, class... A>
typing::OptimizeResults minimize(F fun, const typing::Arg& x0, const std::tuple<A...>& args,
                                 const typing::MinimizeOptions& options = {}) {
  static_assert(detail::can_call<F, Array, typing::arrays_t<A>...>,
                "weft::minimize: fun must take (x, args…)");
  const ir::Source source(x0.at());
  auto rest = tree::convert<std::tuple<typing::arrays_t<A>...>>(args);
  return detail::run_minimize(
      [&](const Array& x) {
        return Array(std::apply([&](auto&... a) { return fun(x, a...); }, rest));
      },
      x0, options);
}

}  // namespace weft
