// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/linalg/tridiagonal.cpp: eigenvalues of Hermitian tridiagonal matrices, found by
// counting how many are smaller than a number.
#include <fmt/format.h>

#include <limits>

#include "autodiff/autodiff.h"
#include "functions/kit.h"
#include "functions/linalg/kit.h"
#include "ops/control/control_flow.h"
#include "ops/linear/matrix.h"
#include "ops/structure/structure.h"
#include "tracer/base_ops.h"
#include "weft/error.h"
#include "weft/lax/compare.h"
#include "weft/lax/convert.h"
#include "weft/lax/elementary.h"
#include "weft/lax/elementwise.h"
#include "weft/lax/linalg/eigh.h"
#include "weft/lax/reduce.h"
#include "weft/linalg.h"

namespace weft::linalg {
namespace {

using matrix::zeros_like;

Array half_of(const Array& x) { return matrix::all(fn::number_like(x, 0.5), x.shape()); }

// The eigenvalues with indices in [first, end).
struct Chosen {
  int64_t first, end;
};

Chosen chosen(const EighTridiagonalOptions& o, int64_t n) {
  if (o.select != "a" && o.select != "i")
    throw Error(fmt::format(
        "eigh_tridiagonal: select is \"a\" or \"i\", got \"{}\"{}", o.select,
        o.select == "v" ? ": the number of eigenvalues in an interval is not known in advance"
                        : ""));
  if ((o.select == "i") != o.select_range.has_value())
    throw Error(
        "eigh_tridiagonal: select = \"i\" needs select_range, and no other select takes it");
  if (!o.select_range) return {0, n};
  const auto [first, last] = *o.select_range;
  if (first < 0 || first > last || last >= n)
    throw IndexError(
        fmt::format("eigh_tridiagonal: select_range ({}, {}) is out of range for {} "
                    "eigenvalues",
                    first, last, n));
  return {first, last + 1};
}

// Dense matrices with d on the diagonal, e above it and the conjugate of e below it.
Array dense(const Array& d, const Array& e) {
  const int rows = d.ndim() - 1;
  const Shape shape = d.shape().inserted(rows + 1, d.shape()[rows]);
  const Array i = iota(I32, shape, rows), j = iota(I32, shape, rows + 1);
  std::vector<int64_t> none(static_cast<size_t>(d.ndim()), 0), one = none;
  one.back() = 1;
  const Array zero = fn::number_like(e, 0);
  const Array upper = matrix::along(pad_with(e, zero, one, none, none), shape, rows + 1);
  const Array lower =
      matrix::along(matrix::conj(pad_with(e, zero, none, one, none)), shape, rows + 1);
  const auto after = [](const Array& k) { return lax::add(k, base::ones(k.type())); };
  const Array beside = lax::select(lax::eq(j, after(i)), upper,
                                   lax::select(lax::eq(i, after(j)), lower, zeros_like(upper)));
  return lax::select(lax::eq(i, j), matrix::along(d, shape, rows + 1), beside);
}

// The number of eigenvalues smaller than each x, for the diagonal d and the squares of the
// off-diagonal elements. It equals the number of negative pivots of the matrix minus x. Pivots of
// about 0 count as negative.
Array smaller(const Array& d, const Array& squares, const Array& x) {
  const int last = d.ndim() - 1;
  const int64_t n = d.shape()[last];
  const double tiny = real_part(d.dtype()) == F64 ? std::numeric_limits<double>::min()
                                                  : std::numeric_limits<float>::min();
  const Type number = Type(d.dtype(), d.shape().erased(last)).strong();
  const Array count = base::zeros(Type(I32, x.shape()));
  const ClosedJaxpr body = record({x.type(), count.type(), number, number}, [&](const Arrays& c) {
    const auto along = [&](const Array& v) { return matrix::along_leading(v, x.shape()); };
    const Array q = lax::sub(lax::sub(along(c[2]), x), lax::div(along(c[3]), c[0]));
    const Array least = matrix::all(fn::number_like(q, tiny), q.shape());
    const Array pivot = lax::select(lax::lt(lax::abs(q), least), lax::neg(least), q);
    const Array negative = base::convert(lax::lt(pivot, zeros_like(pivot)), I32);
    return Arrays{pivot, lax::add(c[1], negative)};
  });
  return scan_flat(body, {base::ones(x.type()), count},
                   {base::move_axis(d, last, 0), base::move_axis(squares, last, 0)}, n)[1];
}

// Requires a real d of two or more numbers. Only the absolute values of e matter.
Array by_counting(const Array& d, const Array& e, const Chosen& c) {
  const int last = d.ndim() - 1;
  const auto largest = [&](const Array& x) { return lax::reduce_max(lax::abs(x), {last}); };
  // The matrices are scaled to elements of at most 1, so that no square overflows. The eigenvalues
  // are then between -3 and 3.
  const Array whole = lax::max(largest(d), largest(e));
  const Array scale =
      lax::select(lax::gt(whole, zeros_like(whole)), whole, base::ones(whole.type().strong()));
  const auto scaled = [&](const Array& x) {
    return lax::div(x, matrix::along_leading(scale, x.shape()));
  };
  std::vector<int64_t> none(static_cast<size_t>(d.ndim()), 0), one = none;
  one.back() = 1;
  const Array squares = pad_with(lax::square(scaled(e)), fn::number_like(e, 0), one, none, none);
  const Shape shape = d.shape().with(last, c.end - c.first);
  const Array number =
      lax::add(iota(I32, shape, last), matrix::all(Array(static_cast<int32_t>(c.first)), shape));
  const Array end = matrix::all(fn::number_like(d, 4), shape);
  const Array middle = scaled(d);
  const Type bound = end.type().strong();
  const ClosedJaxpr body = record({bound, bound, Type(I32, {})}, [&](const Arrays& a) {
    const Array half = lax::mul(lax::add(a[0], a[1]), half_of(a[0]));
    const Array below = lax::le(smaller(middle, squares, half), number);
    return Arrays{lax::select(below, half, a[0]), lax::select(below, a[1], half)};
  });
  const int64_t steps = real_part(d.dtype()) == F64 ? 58 : 29;
  const Arrays r = scan_flat(body, {lax::neg(end), end}, {iota(I32, {steps}, 0)}, steps);
  const Array found =
      lax::mul(lax::mul(lax::add(r[0], r[1]), half_of(r[0])), matrix::along_leading(scale, shape));
  // Comparisons do not propagate a NaN of the operands, so it is added to the result.
  const Array lost = lax::mul(base::add(base::reduce_sum(d, {last}), base::reduce_sum(e, {last})),
                              fn::number_like(whole, 0));
  return lax::add(found, matrix::along_leading(lost, shape));
}

Array values_by_eigh(const Array& d, const Array& e, const Chosen& c) {
  const Array w = lax::eigh(dense(d, e), {.symmetrize_input = false}).second;
  return base::slice_axis(w, w.ndim() - 1, c.first, c.end);
}

}  // namespace

EighTridiagonal eigh_tridiagonal(const Arg& d, const Arg& e, const EighTridiagonalOptions& o) {
  const ApiNameScope s("eigh_tridiagonal", d.at());
  const Arrays both = fn::same_dtype({fn::inexact(d), fn::inexact(e)});
  const Array &x = both[0], &y = both[1];
  const int last = x.ndim() - 1;
  if (last < 0 || y.ndim() != x.ndim() || x.shape().erased(last) != y.shape().erased(last) ||
      y.shape()[last] != std::max<int64_t>(x.shape()[last] - 1, 0))
    fn::fail_shape(
        fmt::format("eigh_tridiagonal: takes a diagonal and an off-diagonal with one element less, "
                    "got {} and {}",
                    to_string(x.type()), to_string(y.type())));
  const int64_t n = x.shape()[last];
  const Chosen c = chosen(o, n);
  if (!o.eigvals_only) {
    const auto [v, w] = lax::eigh(dense(x, y), {.symmetrize_input = false});
    return {base::slice_axis(w, last, c.first, c.end),
            base::slice_axis(v, last + 1, c.first, c.end)};
  }
  if (n < 2) return {matrix::real_part_of(x), {}};
  return {kit::with_rule(
              "eigh_tridiagonal", {x, y},
              [&](const Arrays& v) {
                return Arrays{by_counting(matrix::real_part_of(v[0]), lax::abs(v[1]), c)};
              },
              [&](const Arrays& v) {
                Dual r =
                    jvp_flat([&](const Arrays& u) { return Arrays{values_by_eigh(u[0], u[1], c)}; },
                             {v[0], v[1]}, {v[2], v[3]});
                return Arrays{r.out[0], r.tangent[0]};
              })[0],
          {}};
}

}  // namespace weft::linalg
