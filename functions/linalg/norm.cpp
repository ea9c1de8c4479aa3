// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/linalg/norm.cpp: norms of vectors and matrices, and condition numbers and ranks.
#include <fmt/format.h>

#include <limits>

#include "functions/kit.h"
#include "functions/lax/sums.h"
#include "functions/linalg/kit.h"
#include "ops/linear/matrix.h"
#include "ops/structure/structure.h"
#include "tracer/base_ops.h"
#include "weft/error.h"
#include "weft/lax/compare.h"
#include "weft/lax/convert.h"
#include "weft/lax/elementary.h"
#include "weft/lax/elementwise.h"
#include "weft/lax/linalg/svd.h"
#include "weft/linalg.h"
#include "weft/numpy/math.h"
#include "weft/numpy/reduce.h"
#include "weft/numpy/shape.h"

namespace weft::linalg {
namespace {

constexpr double inf = std::numeric_limits<double>::infinity();

// (sum |x|^ord)^(1/ord). Narrow floats are computed in F32 and rounded once.
Array norm_of_vectors(const Array& given, const AxisList& axis, double ord, bool keepdims) {
  const ReduceOptions keep{.keepdims = keepdims};
  const Array x = fn::for_sums(given);
  if (x.dtype() != given.dtype())
    return fn::as_dtype(norm_of_vectors(x, axis, ord, keepdims), given.dtype(), x.weak_type());
  if (ord == 2) return weft::sqrt(weft::sum(matrix::squares(x), axis, keep));
  const Array size = lax::abs(x);
  if (ord == inf) return weft::max(size, axis, keep);
  if (ord == -inf) return weft::min(size, axis, keep);
  if (ord == 0)
    return weft::sum(base::convert(lax::ne(x, base::zeros(x.type().strong())), size.dtype()), axis,
                     keep);
  if (ord == 1) return weft::sum(size, axis, keep);
  return weft::power(weft::sum(weft::power(size, ord), axis, keep), 1 / ord);
}

// Norms of matrices. Axis `rows` numbers the rows and axis `columns` the columns.
Array norm_of_matrices(const char* name, const Array& x, int rows, int columns,
                       const NormOrder& ord, bool keepdims) {
  const AxisList both({rows, columns});
  if (!ord.number && (ord.name.empty() || ord.name == "fro" || ord.name == "f"))
    return norm_of_vectors(x, both, 2, keepdims);
  const double n = ord.number.value_or(0);
  if (n == 1 || n == -1 || n == inf || n == -inf) {
    const bool by_columns = n == 1 || n == -1;
    const Array sums = weft::sum(lax::abs(x), by_columns ? rows : columns, {.keepdims = true});
    const int other = by_columns ? columns : rows;
    const Array kept = n > 0 ? weft::max(sums, other, {.keepdims = true, .initial = Array(0)})
                             : weft::min(sums, other, {.keepdims = true});
    return keepdims ? kept : squeeze(kept, both);
  }
  const bool nuclear = !ord.number && ord.name == "nuc";
  if (!nuclear && n != 2 && n != -2)
    throw Error(fmt::format(
        "{}: the order of a matrix norm is \"fro\", \"nuc\", 1, -1, 2, -2, inf or -inf, got {}",
        name, ord.number ? fmt::format("{}", n) : fmt::format("\"{}\"", ord.name)));
  const Array s = lax::svdvals(moveaxis(x, both, {-2, -1}));
  const Array norm = nuclear  ? weft::sum(s, -1)
                     : n == 2 ? weft::max(s, -1, {.initial = Array(0)})
                              : weft::min(s, -1);
  return keepdims ? expand_dims(norm, both) : norm;
}

}  // namespace

Array vector_norm(const Arg& a, const AxisList& axis, const VectorNormOptions& o) {
  const ApiNameScope s("vector_norm", a.at());
  fn::axes_of("vector_norm", a, axis);
  return norm_of_vectors(fn::inexact(a), axis, o.ord, o.keepdims);
}

Array matrix_norm(const Arg& a, const NormOptions& o) {
  const ApiNameScope s("matrix_norm", a.at());
  const Array x = fn::inexact(a);
  kit::require_matrices("matrix_norm", x);
  return norm_of_matrices("matrix_norm", x, x.ndim() - 2, x.ndim() - 1, o.ord, o.keepdims);
}

Array norm(const Arg& a, const AxisList& axis, const NormOptions& o) {
  const ApiNameScope s("norm", a.at());
  const Array x = fn::inexact(a);
  const bool no_order = !o.ord.number && o.ord.name.empty();
  if (axis.all && no_order) return norm_of_vectors(x, none, 2, o.keepdims);
  std::vector<int64_t> axes = fn::axes_of("norm", x, axis);
  if (axes.size() == 2) {
    // The axes in the order in which the user named them.
    if (!axis.all) axes = axis.axes;
    return norm_of_matrices("norm", x, fn::axis_of("norm", axes[0], x.ndim()),
                            fn::axis_of("norm", axes[1], x.ndim()), o.ord, o.keepdims);
  }
  if (axes.size() != 1)
    fn::fail_shape(fmt::format("norm: takes one axis for vectors or two for matrices, got {} of {}",
                               axes.size(), to_string(x.type())));
  if (!no_order && !o.ord.number)
    throw Error(
        fmt::format("norm: the order of a vector norm is a number, got \"{}\"", o.ord.name));
  return norm_of_vectors(x, axes, o.ord.number.value_or(2), o.keepdims);
}

Array cond(const Arg& a, const NormOrder& p) {
  const ApiNameScope s("cond", a.at());
  const Array x = fn::inexact(a);
  kit::require_matrices("cond", x);
  const int last = x.ndim() - 1;
  const int64_t m = x.shape()[last - 1], n = x.shape()[last], k = std::min(m, n);
  if (k == 0)
    fn::fail_shape(fmt::format("cond: takes matrices with elements, got {}", to_string(x.type())));
  const bool spectral = p.number ? *p.number == 2 || *p.number == -2 : p.name.empty();
  Array ratio;
  if (spectral) {
    const Array values = lax::svdvals(x);
    const Array largest = squeeze_axes(base::slice_axis(values, last - 1, 0, 1), {last - 1});
    const Array smallest = squeeze_axes(base::slice_axis(values, last - 1, k - 1, k), {last - 1});
    if (p.number.value_or(2) == 2) return lax::div(largest, smallest);
    ratio = lax::div(smallest, largest);
  } else {
    kit::require_square("cond", x);
    const auto size = [&](const Array& y) {
      return norm_of_matrices("cond", y, last - 1, last, p, false);
    };
    ratio = lax::mul(size(x), size(inv(x)));
  }
  const Array unknown = weft::any(isnan(x), {last - 1, last});
  return where(lax::bitwise_and(isnan(ratio), lax::bitwise_not(unknown)), inf, ratio);
}

Array matrix_rank(const Arg& a, const RankOptions& o) {
  const ApiNameScope s("matrix_rank", a.at());
  const Array x = fn::inexact(a);
  if (x.ndim() < 2) return fn::as_dtype(weft::any(lax::ne(x, base::zeros(x.type().strong()))), I32);
  const int last = x.ndim() - 1;
  if (o.hermitian) kit::require_square("matrix_rank", x);
  const Array values = o.hermitian ? std::get<1>(kit::hermitian_values(x)) : lax::svdvals(x);
  const double longer = static_cast<double>(std::max(x.shape()[last], x.shape()[last - 1]));
  const double relative = longer * kit::epsilon(x.dtype());
  if (o.rtol) {
    const Array least = kit::tolerances("matrix_rank", *o.rtol, values.dtype(), kit::batch_of(x));
    return weft::sum(greater(values, matrix::along_leading(least, values.shape())), -1);
  }
  const Array least = lax::mul(weft::max(values, -1, {.keepdims = true, .initial = Array(0)}),
                               fn::number_like(values, relative));
  return weft::sum(greater(values, least), -1);
}

}  // namespace weft::linalg
