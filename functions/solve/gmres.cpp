// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/solve/gmres.cpp: generalized minimal residuals. The tree is raveled to one vector.
#include <fmt/format.h>

#include "functions/kit.h"
#include "functions/solve/kit.h"
#include "functions/solve/vectors.h"
#include "weft/control_flow.h"
#include "weft/linalg.h"
#include "weft/numpy/create.h"
#include "weft/numpy/index.h"
#include "weft/numpy/math.h"
#include "weft/numpy/products.h"
#include "weft/numpy/shape.h"

namespace weft::detail {
namespace {

using VectorMap = FunctionRef<Array(const Array&)>;

Array norm(const Array& x) { return sqrt(fn::squared_norm({x})); }
Array conjugate(const Array& x) { return is_complex(x.dtype()) ? conj(x) : x; }

struct Unit {
  Array x, norm;
};
// x scaled to length 1, and its original length. Both are 0 if the length is at most `least`.
Unit normalized(const Array& x, const Array& least) {
  const Array n = norm(x), none = n <= least;
  return {where(none, 0., x / fn::as_dtype(n, x.dtype())), where(none, 0., n)};
}
Unit normalized(const Array& x) { return normalized(x, Array(fn::epsilon(x.dtype()))); }

// A Krylov space. The rows of v are orthonormal, and h holds the coefficients of M A v[k] = sum_j
// h[k, j] v[j].
struct Krylov {
  Array v, h;
  Array broken;  // the space contains the solution
};
Krylov extended(VectorMap step, const Krylov& s, const Array& k) {
  const Array next = step(s.v[k]);
  const Array least = fn::epsilon(next.dtype()) * normalized(next).norm;
  // Gram-Schmidt orthogonalization runs twice, which is sufficient (Giraud and others, 2005).
  const Array once = matmul(conjugate(s.v), next), rest = next - matmul(once, s.v);
  const Array twice = matmul(conjugate(s.v), rest);
  const Unit unit = normalized(rest - matmul(twice, s.v), least);
  const Array row = (once + twice).at(k + 1).set(fn::as_dtype(unit.norm, next.dtype()));
  return {s.v.at(k + 1).set(unit.x), s.h.at(k).set(row), unit.norm == 0};
}
Krylov begun(const Unit& residual, int64_t restart) {
  const Array v = zeros({restart + 1, residual.x.size()}, residual.x.dtype()).at(0).set(residual.x);
  return {v, eye(restart, restart + 1, 0, residual.x.dtype()), array({false}).reshape({})};
}
Array first_axis(const Array& length, int64_t n, DType d) {
  return zeros({n}, d).at(0).set(fn::as_dtype(length, d));
}

// Builds the whole space, and returns the correction of x.
Array batched(VectorMap step, const Unit& residual, const Array&, int64_t restart) {
  using S = std::pair<Krylov, Array>;
  const Krylov s =
      while_loop([&](const S& s) { return (s.second < restart) & !s.first.broken; },
                 [&](const S& s) { return S(extended(step, s.first, s.second), s.second + 1); },
                 S(begun(residual, restart), Array(0)))
          .first;
  const Array a = s.h.T(), beta = first_axis(residual.norm, restart + 1, a.dtype());
  const Array normal = matmul(conjugate(s.h), a), right = matmul(conjugate(s.h), beta);
  const Array y = linalg::cho_solve(linalg::cho_factor(normal), right);
  return matmul(y, s.v[Slice(0, restart)]);
}

// The rotation (cs, sn) that maps (a, b) to (r, 0).
struct Rotation {
  Array cs, sn;
};
Rotation rotation(const Array& a, const Array& b) {
  const Array small = abs(a) < abs(b), t = -(where(small, a, b) / where(small, b, a));
  const Array r = fn::as_dtype(1. / sqrt(1. + square(abs(t))), t.dtype());
  const Array none = abs(b) == 0;
  return {where(none, 1., where(small, r * t, r)), where(none, 0., where(small, r, r * t))};
}
Array rotated(const Array& x, const Array& i, const Rotation& g) {
  const Array a = x[i], b = x[i + 1];
  return x.at(i).set(conjugate(g.cs) * a - conjugate(g.sn) * b).at(i + 1).set(g.sn * a + g.cs * b);
}

struct Incremental {
  Krylov space;
  Array r, beta, givens;  // rows of the triangle, its right-hand side, the rotations [restart, 2]
  Array k, left;
};
// The same, but stops when the residual norm is at most `enough`.
Array incremental(VectorMap step, const Unit& residual, const Array& enough, int64_t restart) {
  const auto more = [&](const Incremental& s) { return (s.k < restart) & (s.left > enough); };
  const auto rotate = [&](const Incremental& s) {
    const Krylov space = extended(step, s.space, s.k);
    const Array row = fori_loop(
        0, s.k,
        [&](const Array& i, const Array& x) {
          return rotated(x, i, {s.givens[{i, 0}], s.givens[{i, 1}]});
        },
        space.h[s.k]);
    const Rotation g = rotation(row[s.k], row[s.k + 1]);
    const Array beta = rotated(s.beta, s.k, g);
    return Incremental{space,   s.r.at(s.k).set(rotated(row, s.k, g)),
                       beta,    s.givens.at(s.k).set(stack({g.cs, g.sn})),
                       s.k + 1, abs(beta[s.k + 1])};
  };
  const Krylov space = begun(residual, restart);
  const DType d = space.v.dtype();
  const Incremental end =
      while_loop(more, rotate,
                 Incremental{space, space.h, first_axis(residual.norm, restart + 1, d),
                             zeros({restart, 2}, d), Array(0), residual.norm});
  const Array y = linalg::solve_triangular(end.r[{Slice(), Slice(0, restart)}].T(),
                                           end.beta[Slice(0, restart)]);
  return matmul(y, end.space.v[Slice(0, restart)]);
}

struct Restarts {
  Array x, unit, norm, k;
};

Array restarted(VectorMap product, VectorMap near, const Array& b, const Array& x0, int64_t maxiter,
                const FlatIterative& o, const Arrays& norms, Arrays* aux) {
  const auto space = o.solve_method == "batched" ? batched : incremental;
  const Array &enough = norms[0], &inside = norms[1];
  const int64_t restart = std::min(o.restart, b.size());
  const auto residual = [&](const Array& x) { return normalized(near(b - product(x))); };
  const auto more = [&](const Restarts& s) { return (s.k < maxiter) & (s.norm > enough); };
  const auto step = [&](const Array& v) { return near(product(v)); };
  const auto again = [&](const Restarts& s) {
    const Array x = s.x + space(step, {s.unit, s.norm}, inside, restart);
    const Unit r = residual(x);
    return Restarts{x, r.x, r.norm, s.k + 1};
  };
  const Unit r = residual(x0);
  const Restarts end = while_loop(more, again, Restarts{x0, r.x, r.norm, Array(0)});
  aux->push_back(info_of(end.norm <= enough, end.norm, maximum(end.k, 1)));
  return end.x;
}

void check_options(const FlatIterative& o) {
  if (o.solve_method != "batched" && o.solve_method != "incremental")
    throw Error(fmt::format(
        "gmres: .solve_method must be \"batched\" or \"incremental\", got \"{}\"", o.solve_method));
  if (o.restart < 1)
    fn::fail_shape(fmt::format("gmres: .restart must be at least 1, got {}", o.restart));
}

}  // namespace

Arrays run_gmres(FlatFunction product, const Arrays& b, const FlatIterative& given, TreeOf tree) {
  check_options(given);
  const Iterative o("gmres", b, given, tree);
  const auto solve = [&](FlatFunction matvec, const Arrays& right, Arrays* aux) {
    const auto raveled = tree::detail::ravel_leaves(right);
    const auto as_vectors = [&](FlatFunction f) {
      return [&raveled, f](const Array& x) {
        return tree::detail::ravel_leaves(f(tree::detail::unravel_leaves(x, raveled.types))).vector;
      };
    };
    const auto identity = [](const Arrays& x) { return x; };
    const auto of_vectors = as_vectors(matvec);
    const auto near_inverse = as_vectors(o.M ? *o.M : FlatFunction(identity));
    // Both bounds are relative to the norm of the right-hand side.
    const Array& v = raveled.vector;
    const Array length = norm(v), enough = maximum(given.tol * length, given.atol);
    const Array inside = norm(near_inverse(v)) * minimum(1., enough / length);
    const Array x = restarted(of_vectors, near_inverse, v, tree::detail::ravel_leaves(o.x0).vector,
                              o.maxiter, given, {enough, inside}, aux);
    return tree::detail::unravel_leaves(x, raveled.types);
  };
  const FlatSolve transposed(solve);
  return run_linear_solve("gmres", product, solve, &transposed, {}, b, tree);
}

}  // namespace weft::detail
