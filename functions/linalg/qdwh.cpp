// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/linalg/qdwh.cpp: polar factors by dynamically weighted steps of Halley's method (Y.
// Nakatsukasa, Z. Bai and F. Gygi, "Optimizing Halley's iteration for computing the matrix polar
// decomposition", SIAM J. Matrix Anal. Appl. 31 (2010)).
#include <cmath>

#include "functions/kit.h"
#include "functions/linalg/kit.h"
#include "ops/control/control_flow.h"
#include "ops/kit/kit.h"
#include "ops/linear/matrix.h"
#include "ops/structure/structure.h"
#include "tracer/base_ops.h"
#include "weft/error.h"
#include "weft/lax/linalg.h"

namespace weft::lax::linalg {
namespace {

// The weights of the step u (a + b u^H u) (1 + c u^H u)^-1. Among all weights, these bring singular
// values of at least l nearest to 1.
struct Weights {
  double a, b, c;
};
Weights weights(double l) {
  const double square = l * l, d = std::pow(4 * (1 / square - 1) / square, 1. / 3);
  const double root = std::sqrt(1 + d);
  const double a = root + std::sqrt(2 - d + 2 * (2 - square) / (square * root));
  const double b = (a - 1) * (a - 1) / 4;
  return {a, b, a + b - 1};
}

Array times(const Array& x, const Array& number) {
  return mul(x, matrix::all(base::convert(number, x.dtype()), x.shape()));
}

// A step is u (b / c) + u (a - b / c) (1 + c u^H u)^-1. While c is large, it uses the orthonormal
// columns q of (sqrt(c) u; 1). The product of the two parts of q is sqrt(c) u (1 + c u^H u)^-1.
Array by_qr(const Array& u, const Array& rest, const Array& root, const Array& quotient) {
  const int64_t m = u.shape()[0], n = u.shape()[1];
  const Array one = fn::as_dtype(
      eq(base::iota(Type(I32, {n, n}), 0), base::iota(Type(I32, {n, n}), 1)), u.dtype());
  const Array q = qr(base::concatenate({times(u, root), one}, 0), {.full_matrices = false}).first;
  const Array above = base::slice_axis(q, 0, 0, m), below = base::slice_axis(q, 0, m, m + n);
  const Array product = matrix::product(above, matrix::transposed(below, true));
  return base::add(times(u, quotient), times(product, rest));
}
Array by_cholesky(const Array& u, const Array& rest, const Array& c, const Array& quotient) {
  const Array square = times(matrix::product(matrix::transposed(u, true), u), c);
  const Array on_diagonal =
      eq(base::iota(Type(I32, square.shape()), 0), base::iota(Type(I32, square.shape()), 1));
  const Array one = base::ones(square.type().strong());
  const Array l = cholesky(select(on_diagonal, add(square, one), square), false);
  const Array half = triangular_solve(
      l, u, {.left_side = false, .lower = true, .transpose_a = true, .conjugate_a = true});
  const Array whole = triangular_solve(l, half, {.left_side = false, .lower = true});
  return base::add(times(u, quotient), times(whole, rest));
}

struct Steps {
  std::vector<double> rest, weight, quotient;
  int64_t size() const { return static_cast<int64_t>(rest.size()); }
  Arrays arrays(DType real) const {
    Arrays out;
    for (const std::vector<double>* v : {&rest, &weight, &quotient}) {
      Arrays numbers;
      for (const double e : *v)
        numbers.push_back(base::insert_axis(fn::as_dtype(Array(e), real), 0, 1));
      out.push_back(fn::joined(numbers, 0));
    }
    return out;
  }
};

// The steps that bring singular values from eps to 1. The steps by QR are first.
struct Plan {
  Steps by_qr, by_cholesky;
  Plan(double eps, int64_t most) {
    constexpr double largest_for_cholesky = 100;
    double l = eps;
    for (int64_t k = 0; l + 5 * eps < 1 && k < most; ++k) {
      const Weights w = weights(l);
      l = l * (w.a + w.b * l * l) / (1 + w.c * l * l);
      const bool large = w.c > largest_for_cholesky;
      const double quotient = w.b / w.c, root = std::sqrt(w.c);
      Steps& s = large ? by_qr : by_cholesky;
      s.rest.push_back(large ? (w.a - quotient) / root : w.a - quotient);
      s.weight.push_back(large ? root : w.c);
      s.quotient.push_back(quotient);
    }
  }
};

Array changed(const Array& u, const Array& before, double tolerance) {
  const Array squares = matrix::squares(sub(u, before));
  const Array size = sqrt(reduce_sum(squares, {0, 1}));
  return gt(size, fn::number_like(size, tolerance));
}

}  // namespace

Qdwh qdwh(const Arg& x, const QdwhOptions& o) {
  const ApiNameScope s("qdwh", x.at());
  matrix::require_matrices("qdwh", {x->type()});
  if (x->ndim() != 2 || x->shape()[0] < x->shape()[1])
    reject_shape("qdwh", "takes a matrix of no fewer rows than columns", {x->type()});
  if (o.max_iterations < 0) throw Error("qdwh: max_iterations is negative");
  const Array a = base::convert(x, x->dtype());
  if (a.type().elements() == 0)
    return {a, base::zeros(Type(a.dtype(), {a.shape()[1], a.shape()[1]})),
            base::zeros(Type(I32, {})), base::ones(Type(Bool, {}))};
  const DType real = real_part(a.dtype());
  const double eps = o.eps.value_or(weft::linalg::kit::epsilon(a.dtype()));
  const double tolerance = std::pow(5 * eps, 1. / 3);
  const Array size = abs(a), columns = reduce_max(base::reduce_sum(size, {0}), {0}),
              rows = reduce_max(base::reduce_sum(size, {1}), {0});
  const Array one = base::ones(columns.type().strong());
  const Array scale =
      select(eq(columns, matrix::zeros_like(columns)), one, mul(rsqrt(columns), rsqrt(rows)));
  Array u = times(a, scale);
  const Plan plan(eps, o.max_iterations);
  const Type number(real, {}), flag(Bool, {});
  if (plan.by_qr.size() > 0) {
    const ClosedJaxpr body = record({u.type(), number, number, number}, [](const Arrays& c) {
      return Arrays{by_qr(c[0], c[1], c[2], c[3])};
    });
    u = scan_flat(body, {u}, plan.by_qr.arrays(real), plan.by_qr.size())[0];
  }
  Array open = base::ones(flag);
  if (plan.by_cholesky.size() > 0) {
    const ClosedJaxpr body = record({u.type(), flag, number, number, number}, [&](const Arrays& c) {
      const Array next = by_cholesky(c[0], c[2], c[3], c[4]);
      return Arrays{next, changed(next, c[0], tolerance)};
    });
    const Arrays r =
        scan_flat(body, {u, open}, plan.by_cholesky.arrays(real), plan.by_cholesky.size());
    u = r[0];
    open = r[1];
  }
  const int64_t done = plan.by_qr.size() + plan.by_cholesky.size();
  const Array first(static_cast<int32_t>(done)), most(static_cast<int32_t>(o.max_iterations));
  const Type index(I32, {});
  const ClosedJaxpr test = record({index, u.type(), flag}, [&](const Arrays& c) {
    return Arrays{bitwise_and(c[2], lt(c[0], fn::as_dtype(most, I32)))};
  });
  const ClosedJaxpr body = record({index, u.type(), flag}, [&](const Arrays& c) {
    const auto n = [&](double v) { return fn::as_dtype(Array(v), real); };
    const Array next = by_cholesky(c[1], n(8. / 3), n(3), n(1. / 3));
    return Arrays{add(c[0], base::ones(index)), next, changed(next, c[1], tolerance)};
  });
  const Arrays r = while_flat(test, body, {fn::as_dtype(first, I32), u, open},
                              std::max<int64_t>(o.max_iterations - done, 0));
  u = r[1];
  const auto n = [&](double v) { return fn::as_dtype(Array(v), real); };
  const Array square = matrix::product(matrix::transposed(u, true), u);
  u = sub(times(u, n(1.5)), times(matrix::product(u, square), n(0.5)));
  const Array h = matrix::product(matrix::transposed(u, true), a);
  return {u, times(add(h, matrix::transposed(h, true)), n(0.5)), r[0], bitwise_not(r[2])};
}

}  // namespace weft::lax::linalg
