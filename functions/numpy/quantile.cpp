// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/numpy/quantile.cpp: quantiles, with and without NaNs, from sorted rows.
#include <fmt/format.h>

#include <limits>

#include "functions/kit.h"
#include "ops/index/sort.h"
#include "ops/structure/structure.h"
#include "tracer/concrete.h"
#include "weft/lax/compare.h"
#include "weft/lax/cumulative.h"
#include "weft/lax/elementwise.h"
#include "weft/lax/rounding.h"
#include "weft/numpy/index.h"
#include "weft/numpy/math.h"
#include "weft/numpy/reduce.h"
#include "weft/numpy/shape.h"

namespace weft {
namespace {

using fn::number_like;
using Sizes = std::vector<int64_t>;

// Merges the axes into one last axis.
Array as_rows(const Array& x, const Sizes& axes) {
  Sizes to;
  for (size_t i = 0; i < axes.size(); ++i)
    to.push_back(static_cast<int64_t>(i) - static_cast<int64_t>(axes.size()));
  const Array row = moveaxis(x, axes, to);
  Sizes shape(row.shape().begin(), row.shape().end() - static_cast<std::ptrdiff_t>(axes.size()));
  shape.push_back(checked_mul(1, Shape(extents_of(x.shape(), axes)).elements()));
  return reshape_to(row, Shape(shape));
}
// Rows in ascending order, and the data needed to compute their quantiles.
struct Rows {
  Array sorted;   // (…, n)
  Array weights;  // the same shape, or an empty handle
  Array count;    // number of valid elements of each row: (…), or a scalar; in the dtype of places
  Array lost;     // (…): true where the result is NaN
  int64_t batch() const { return sorted.ndim() - 1; }
};

// Picks elements of each row. `at` has either common positions, () or (q), or one for each row, (…)
// or (q, …). The axis q of the result is leading.
Array pick(const Rows& r, const Array& at, bool many) {
  const int64_t n = r.sorted.shape()[-1];
  const Array place = fn::as_dtype(at, fn::index_dtype(n));
  if (place.ndim() == (many ? 1 : 0)) {
    const Array e = take(r.sorted, place, -1, {.mode = "clip"});
    return many ? moveaxis(e, -1, 0) : e;
  }
  const Array e = take_along_axis(r.sorted, many ? moveaxis(place, 0, -1) : expand_dims(place, -1),
                                  -1, {.mode = "clip"});
  return many ? moveaxis(e, -1, 0) : squeeze(e, -1);
}
// Appends `batch` axes of size 1 to a vector. A scalar is unchanged.
Array beside(const Array& q, int64_t batch) {
  if (q.ndim() == 0) return q;
  Sizes shape(static_cast<size_t>(batch) + 1, 1);
  shape[0] = q.size();
  return reshape_to(q, Shape(shape));
}

Array by_weight(const Rows& r, const Array& q) {
  const Array &w = r.weights, zero = number_like(w, 0);
  const int64_t last = r.batch(), n = w.shape()[-1];
  const Array bad = logical_or(lax::lt(w, zero), lax::ne(w, w));
  const Array share = lax::cumsum(where(logical_or(bad, isnan(r.sorted)), zero, w), last);
  const Array total = squeeze(fn::sliced(share, last, n - 1, n), -1);
  const Array wanted = expand_dims(multiply(beside(q, last), total), -1);
  const Array before = sum(less(share, wanted), -1);
  const Array most = maximum(fn::as_dtype(subtract(r.count, 1), before.dtype()), 0);
  const Array e = pick(r, minimum(before, most), q.ndim() > 0);
  return where(any(bad, -1), number_like(e, std::numeric_limits<double>::quiet_NaN()), e);
}
Array by_place(const Rows& r, const Array& q, const std::string& method) {
  const bool many = q.ndim() > 0;
  const Array last = subtract(r.count, 1);
  const Array at = multiply(r.count.ndim() ? beside(q, r.batch()) : q, last);
  // The weight is computed by rem, which is exact even if a compiler contracts the product and a
  // difference to one operation.
  const Array low = floor(at), high = ceil(at), weight = lax::rem(at, number_like(at, 1));
  const auto element = [&](const Array& i) { return pick(r, clip(i, 0, maximum(last, 0)), many); };
  if (method == "lower") return element(low);
  if (method == "higher") return element(high);
  // Narrow floats are interpolated in F32 and rounded once.
  const Array a = fn::as_dtype(element(low), at.dtype()),
              b = fn::as_dtype(element(high), at.dtype());
  if (method == "midpoint") return multiply(add(a, b), number_like(a, 0.5));
  const Array up = r.count.ndim() ? weight : beside(weight, r.batch());
  if (method == "nearest") return where(lax::le(up, number_like(up, 0.5)), a, b);
  // Exactly at an element, an infinite element times a weight of 0 would be NaN.
  const Array there = lax::eq(up, number_like(up, 0));
  const auto unless = [&](const Array& v) { return where(there, number_like(v, 0), v); };
  return where(there, a, add(multiply(unless(a), subtract(1, up)), multiply(unless(b), up)));
}

// The dtype of positions in rows of n elements. Whole numbers up to n are exact in it.
DType place_type(DType d, int64_t n) { return d == F64 || n > int64_t{1} << 24 ? F64 : F32; }

Array quantiles(const char* name, const Arg& x, const Arg& q, const AxisList& axis,
                const QuantileOptions& o, bool without_nan) {
  const ApiNameScope s(name, x.at());
  const std::string& m = o.method;
  const bool inverted = m == "inverted_cdf";
  if (m != "linear" && m != "lower" && m != "higher" && m != "nearest" && m != "midpoint" &&
      !inverted)
    fn::fail_shape(
        fmt::format("{}: method is \"linear\", \"lower\", \"higher\", \"nearest\", "
                    "\"midpoint\" or \"inverted_cdf\", not \"{}\"",
                    name, m));
  if (o.weights && !inverted)
    fn::fail_shape(fmt::format("{}: weights go with method \"inverted_cdf\" alone", name));
  if (q->ndim() > 1)
    fn::fail_shape(
        fmt::format("{}: q must be a number or a vector, got {}", name, to_string(q->type())));
  if (is_complex(x->dtype()))
    fn::fail_dtype(fmt::format("{}: complex numbers have no order", name));
  Array v = fn::inexact(x), w;
  if (o.weights && is_complex(o.weights->dtype()))
    fn::fail_dtype(fmt::format("{}: weights must be real", name));
  if (inverted) {
    w = o.weights ? fn::axis_weights(name, *o.weights, v, axis)
                  : fn::broadcast(number_like(v, 1), v.shape());
    const Arrays same = fn::same_dtype({v, w});
    v = same[0], w = fn::inexact(same[1]);
  }
  const Sizes axes = fn::axes_of(name, v, axis);
  Rows r{as_rows(v, axes), {}, {}, {}};
  const int last = static_cast<int>(r.sorted.ndim()) - 1;
  const int64_t n = r.sorted.shape()[last];
  if (n == 0) fn::fail_shape(fmt::format("{}: of nothing: {}", name, to_string(x->type())));
  const Array nan = isnan(r.sorted);
  const DType places = place_type(v.dtype(), n);
  r.count = without_nan ? fn::as_dtype(sum(logical_not(nan), -1), places)
                        : fn::as_dtype(scalar_of(F64, static_cast<double>(n)), places);
  r.lost = without_nan ? lax::eq(r.count, number_like(r.count, 0)) : any(nan, -1);
  if (w.empty_handle()) {
    r.sorted = sort_arrays({r.sorted}, last)[0];
  } else {
    const Arrays both = sort_arrays({r.sorted, fn::as_dtype(as_rows(w, axes), places)}, last);
    r.sorted = both[0], r.weights = both[1];
  }
  const Array share = fn::as_dtype(q, places);
  Array out = inverted ? by_weight(r, share) : by_place(r, clip(share, 0, 1), m);
  out = fn::as_dtype(out, v.dtype(), out.weak_type());
  out = where(r.lost, number_like(out, std::numeric_limits<double>::quiet_NaN()), out);
  if (!o.keepdims || axes.empty()) return out;
  Sizes back;
  for (int64_t i : axes) back.push_back(i + q->ndim());
  return expand_dims(out, back);
}

// "midpoint" of two equal infinities is that infinity, while "linear" would multiply 0 by infinity.
Array halved(const char* name, const Arg& x, const AxisList& axis, const ReduceOptions& o,
             bool without_nan) {
  const ApiNameScope s(name, x.at());
  for (const auto& [option, given] : {std::pair{"dtype", o.dtype.has_value()},
                                      {"where", o.where.has_value()},
                                      {"initial", o.initial.has_value()}})
    if (given) fn::fail_shape(fmt::format("{}: there is no option .{} here", name, option));
  return quantiles(name, x, 0.5, axis, {.method = "midpoint", .keepdims = o.keepdims}, without_nan);
}
}  // namespace

Array quantile(const Arg& x, const Arg& q, const AxisList& axis, const QuantileOptions& o) {
  return quantiles("quantile", x, q, axis, o, false);
}
Array nanquantile(const Arg& x, const Arg& q, const AxisList& axis, const QuantileOptions& o) {
  return quantiles("nanquantile", x, q, axis, o, true);
}
Array percentile(const Arg& x, const Arg& q, const AxisList& axis, const QuantileOptions& o) {
  const ApiNameScope s("percentile", x.at());
  return quantiles("percentile", x, divide(q, 100), axis, o, false);
}
Array nanpercentile(const Arg& x, const Arg& q, const AxisList& axis, const QuantileOptions& o) {
  const ApiNameScope s("nanpercentile", x.at());
  return quantiles("nanpercentile", x, divide(q, 100), axis, o, true);
}
Array median(const Arg& x, const AxisList& axis, const ReduceOptions& o) {
  return halved("median", x, axis, o, false);
}
Array nanmedian(const Arg& x, const AxisList& axis, const ReduceOptions& o) {
  return halved("nanmedian", x, axis, o, true);
}

}  // namespace weft
