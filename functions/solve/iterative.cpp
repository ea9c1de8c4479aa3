// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/solve/iterative.cpp: the methods of conjugate gradients and stabilized biconjugate
// gradients.
#include "weft/solve/iterative.h"

#include <fmt/format.h>

#include "functions/kit.h"
#include "functions/solve/kit.h"
#include "functions/solve/vectors.h"
#include "tracer/initialized.h"
#include "weft/control_flow.h"
#include "weft/numpy/create.h"
#include "weft/numpy/math.h"
#include "weft/numpy/products.h"

namespace weft::detail {

void need_square(const char* who, const Array& matrix) {
  if (matrix.ndim() != 2 || matrix.shape()[0] != matrix.shape()[1])
    fn::fail_shape(
        fmt::format("{}: a linear operator must be a square matrix or a function, got {}", who,
                    to_string(matrix.type())));
}
Array matrix_product(const Array& matrix, const Array& x) { return dot(matrix, x); }

Iterative::Iterative(const char* who, const Arrays& b, const FlatIterative& o, TreeOf tree)
    : x0(o.x0), M(o.M) {
  if (b.empty()) fn::fail_shape(fmt::format("{}: b holds no arrays", who));
  require_initialized(who, b, tree, "b");
  require_initialized(who, x0, tree, "x0");
  maxiter = o.maxiter ? *o.maxiter : 10 * fn::elements(b);
  if (x0.empty())
    for (const Array& each : b) x0.push_back(zeros_like(each));
  fn::need_shapes(who, "x0", x0, "b", b);
  for (size_t k = 0; k < b.size(); ++k) x0[k] = fn::as_dtype(x0[k], b[k].dtype());
}

Array info_of(const Array& solved, const Array& rest, const Array& told) {
  return where(solved, 0, where(isnan(rest), -1, told)).astype(I32);
}

namespace {

Array tolerance(const Arrays& b, const FlatIterative& o) {
  return maximum(o.tol * o.tol * fn::squared_norm(b), o.atol * o.atol);
}

struct Conjugate {
  Arrays x, r;
  Array gamma;  // r.z
  Arrays p;
  Array k;
};

Arrays conjugate_gradients(FlatFunction product, const Arrays& b, const Iterative& o,
                           const Array& enough, Arrays* aux) {
  const auto rest = [&](const Conjugate& s) { return o.M ? fn::squared_norm(s.r) : s.gamma; };
  const auto more = [&](const Conjugate& s) { return (rest(s) > enough) & (s.k < o.maxiter); };
  const auto step = [&](const Conjugate& s) {
    const Arrays ap = product(s.p);
    const Array alpha = s.gamma / fn::real_dot(s.p, ap);
    const Arrays r = fn::add_scaled(s.r, -alpha, ap), z = o.preconditioned(r);
    const Array gamma = fn::real_dot(r, z);
    return Conjugate{fn::add_scaled(s.x, alpha, s.p), r, gamma,
                     fn::add_scaled(z, gamma / s.gamma, s.p), s.k + 1};
  };
  const Arrays r = fn::subtract(b, product(o.x0)), z = o.preconditioned(r);
  const Conjugate end = while_loop(more, step, Conjugate{o.x0, r, fn::real_dot(r, z), z, Array(0)});
  aux->push_back(info_of(rest(end) <= enough, rest(end), maximum(end.k, 1)));
  return end.x;
}

struct Biconjugate {
  Arrays x, r;
  Array alpha, omega, rho;
  Arrays p, q;
  Array k;  // number of steps; -10 and -11 report a breakdown
};

Arrays biconjugate_gradients(FlatFunction product, const Arrays& b, const Iterative& o,
                             const Array& enough, Arrays* aux) {
  const Arrays r0 = fn::subtract(b, product(o.x0));
  const auto more = [&](const Biconjugate& s) {
    return (fn::squared_norm(s.r) > enough) & (s.k < o.maxiter) & (s.k >= 0);
  };
  const auto step = [&](const Biconjugate& s) {
    const Array rho = fn::conj_dot(r0, s.r), beta = rho / s.rho * s.alpha / s.omega;
    const Arrays p = fn::add_scaled(s.r, beta, fn::add_scaled(s.p, -s.omega, s.q));
    const Arrays near_p = o.preconditioned(p), q = product(near_p);
    const Array alpha = rho / fn::conj_dot(r0, q);
    const Arrays half = fn::add_scaled(s.r, -alpha, q);
    const Array early = fn::squared_norm(half) < enough;
    const Arrays near_half = o.preconditioned(half), t = product(near_half);
    const Array omega = fn::conj_dot(t, half) / fn::conj_dot(t, t);
    const Arrays to_half = fn::add_scaled(s.x, alpha, near_p);
    const Array k = where(early, s.k + 1, where((omega == 0) | (alpha == 0), -11, s.k + 1));
    return Biconjugate{fn::select(early, to_half, fn::add_scaled(to_half, omega, near_half)),
                       fn::select(early, half, fn::add_scaled(half, -omega, t)),
                       alpha,
                       omega,
                       rho,
                       p,
                       q,
                       where(rho == 0, -10, k)};
  };
  const Array one = ones({}, fn::common_dtype(b));
  const Biconjugate end =
      while_loop(more, step, Biconjugate{o.x0, r0, one, one, one, r0, r0, Array(0)});
  const Array rest = fn::squared_norm(end.r);
  aux->push_back(info_of(rest <= enough, rest, where(end.k == 0, 1, end.k)));
  return end.x;
}

bool all_real(const Arrays& b) {
  for (const Array& x : b)
    if (is_complex(x.dtype())) return false;
  return true;
}

}  // namespace

Arrays run_cg(FlatFunction product, const Arrays& b, const FlatIterative& given, TreeOf tree) {
  const Iterative o("cg", b, given, tree);
  const auto solve = [&](FlatFunction matvec, const Arrays& right, Arrays* aux) {
    return conjugate_gradients(matvec, right, o, tolerance(right, given), aux);
  };
  const FlatSolve transposed(solve);
  return run_linear_solve("cg", product, solve, &transposed, {.symmetric = all_real(b)}, b, tree);
}

Arrays run_bicgstab(FlatFunction product, const Arrays& b, const FlatIterative& given,
                    TreeOf tree) {
  const Iterative o("bicgstab", b, given, tree);
  const auto solve = [&](FlatFunction matvec, const Arrays& right, Arrays* aux) {
    return biconjugate_gradients(matvec, right, o, tolerance(right, given), aux);
  };
  const FlatSolve transposed(solve);
  return run_linear_solve("bicgstab", product, solve, &transposed, {}, b, tree);
}

}  // namespace weft::detail
