// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/solve/minimize.cpp: minimization by the BFGS method.
#include "weft/solve/minimize.h"

#include <fmt/format.h>

#include "functions/kit.h"
#include "functions/solve/dense.h"
#include "functions/solve/line_search.h"
#include "weft/control_flow.h"
#include "weft/grad.h"
#include "weft/grad/custom_root.h"
#include "weft/linalg.h"
#include "weft/numpy/create.h"
#include "weft/numpy/math.h"
#include "weft/numpy/products.h"

namespace weft::detail {
namespace {

struct Descent {
  Array x, f, g, h;  // h: the estimate of the inverse Hessian
  Array before;      // the value one step before
  Array solved, failed;
  Array searched;  // status of the last line search
  Array k, evaluations;
};

// (1 - r s y^T) h (1 - r y s^T) + r s s^T with r = 1 / y.s, or h where r is not finite.
Array updated(const Array& h, const Array& s, const Array& y) {
  const Array r = 1. / dot(y, s);
  const Array w = eye(s.size(), {}, 0, s.dtype()) - r * outer(s, y);
  return where(isfinite(r), matmul(matmul(w, h), w.T()) + r * outer(s, s), h);
}

Arrays descended(FunctionRef<Array(const Array&)> fun, const Array& x0, const MinimizeOptions& o,
                 Arrays* aux) {
  const int64_t n = x0.size(), most = o.maxiter ? *o.maxiter : 200 * n;
  const double gtol = o.tol ? *o.tol : o.gtol;
  const auto value_at = value_and_grad([&](Array x) { return fun(x); });
  const auto small = [&](const Array& g) {
    return linalg::vector_norm(g, none, {.ord = o.norm}) < gtol;
  };
  const auto [f0, g0] = value_at(x0);
  const auto more = [&](const Descent& s) { return (!s.solved) & (!s.failed) & (s.k < most); };
  const auto step = [&](const Descent& s) {
    const Array p = -matmul(s.h, s.g);
    const LineSearch found = line_search(fun, {s.x, p, s.f, s.before, s.g}, o.line_search_maxiter);
    const Array by = found.length * p;
    return Descent{
        s.x + by,     found.f,      found.g, updated(s.h, by, found.g - s.g),  s.f, small(found.g),
        found.failed, found.status, s.k + 1, s.evaluations + found.evaluations};
  };
  const Array no = array({false}).reshape({});
  const Descent end =
      while_loop(more, step,
                 Descent{x0, f0, g0, eye(n, {}, 0, x0.dtype()), f0 + linalg::vector_norm(g0) / 2.,
                         small(g0), no, Array(0), Array(0), Array(1)});
  const Array status =
      where(end.solved, 0, where(end.k == most, 1, where(end.failed, 2 + end.searched, -1)));
  *aux = {end.solved & (!end.failed), status.astype(I32), end.g, end.h, end.evaluations, end.k};
  return {end.x};
}

}  // namespace

OptimizeResults run_minimize(FunctionRef<Array(const Array&)> given, const Array& x0,
                             const MinimizeOptions& o) {
  if (o.method != "BFGS" && o.method != "bfgs")
    throw Error(fmt::format("minimize: .method must be \"BFGS\", got \"{}\"", o.method));
  if (x0.ndim() != 1)
    fn::fail_shape(
        fmt::format("minimize: x0 must be a vector, got {}. tree::ravel makes a vector "
                    "of a tree",
                    to_string(x0.type())));
  if (!is_inexact(x0.dtype()) || is_complex(x0.dtype()))
    fn::fail_dtype(
        fmt::format("minimize: x0 must hold floating-point numbers, got {}", to_string(x0.type())));
  const auto fun = [&](const Array& x) {
    const Array y = given(x);
    if (y.ndim() != 0 || !is_inexact(y.dtype()) || is_complex(y.dtype()))
      fn::fail_shape(
          fmt::format("minimize: fun must return a real scalar, got {}. Reduce it, as by "
                      "sum()",
                      to_string(y.type())));
    return y;
  };
  const auto slope = [&](const Arrays& x) {
    return Arrays{grad([&](Array v) { return fun(v); })(x[0])};
  };
  const auto solve = [&](FlatFunction, const Arrays& x, Arrays* aux) {
    return descended(fun, x[0], o, aux);
  };
  const auto by_matrix = [](FlatFunction g, const Arrays& b, Arrays* aux) {
    return dense_tangent_solve(g, b, aux);
  };
  const Arrays r = run_custom_root("minimize", slope, solve, by_matrix, {x0},
                                   [&] { return tree::detail::skeleton(x0); });
  // The value is computed from x again, so that it has a derivative in the arrays that fun
  // captured.
  return {r[0], r[1], r[2], fun(r[0]), r[3], r[4], r[5], r[5], r[6]};
}

}  // namespace weft::detail
