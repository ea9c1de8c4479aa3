// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/stats/summary.cpp: the mode, ranks, and the standard error of the mean.
#include <fmt/format.h>

#include <cmath>

#include "functions/stats/kit.h"
#include "ops/structure/structure.h"
#include "weft/numpy/create.h"
#include "weft/numpy/index.h"
#include "weft/numpy/reduce.h"
#include "weft/numpy/shape.h"
#include "weft/numpy/sort.h"
#include "weft/scipy/stats.h"

namespace weft::scipy::stats {

namespace {

// x with the axis moved to the end, or flattened.
Array in_rows(const char* name, const Array& x, const OneAxis& axis) {
  if (!axis) return ravel(x);
  return moveaxis(x, fn::axis_of(name, *axis, static_cast<int>(x.ndim())), -1);
}
// Positions 0, 1, … along the last axis.
Array places(const Array& rows) {
  return iota(I32, rows.shape(), static_cast<int>(rows.ndim()) - 1);
}
// True if an element of sorted rows differs from the previous one.
Array begins(const Array& rows) {
  const int last = static_cast<int>(rows.ndim()) - 1;
  const int64_t n = rows.shape()[last];
  const Array a = fn::sliced(rows, last, 0, n - 1), b = fn::sliced(rows, last, 1, n);
  const Array other = is_inexact(rows.dtype()) ? (a != b) & !(isnan(a) & isnan(b)) : a != b;
  return concatenate({ones(rows.shape().with(last, 1), Bool), other}, last);
}
// For each element of sorted rows, the first position of the elements that are equal to it.
Array first_place(const Array& rows, const Array& begin) {
  return cummax(where(begin, places(rows), 0), -1);
}

}  // namespace

ModeResult mode(const Arg& a, OneAxis axis, const ModeOptions& options) {
  const SourceScope at(a.at());
  const Array x = atleast_1d(a), rows = in_rows("mode", x, axis);
  const Shape out = rows.shape().erased(rows.ndim() - 1);
  Shape kept = axis ? x.shape().with(fn::axis_of("mode", *axis, x.ndim()), 1)
                    : Shape(std::vector<int64_t>(static_cast<size_t>(x.ndim()), 1));
  const auto shaped = [&](const Array& v) { return options.keepdims ? reshape(v, kept) : v; };
  if (rows.shape()[-1] == 0) return {shaped(full(out, nan)), shaped(zeros(out))};
  const Array sorted = sort(rows, -1);
  const Array length = places(sorted) - first_place(sorted, begins(sorted)) + 1;
  const Array most = argmax(length, -1, {.keepdims = true});
  const auto chosen = [&](const Array& v) { return squeeze(take_along_axis(v, most, -1), -1); };
  return {shaped(chosen(sorted)), shaped(chosen(length))};
}

Array rankdata(const Arg& a, std::string_view method, const RankOptions& options) {
  const SourceScope at(a.at());
  fn::need_real("rankdata", a);
  const bool ordinal = method == "ordinal", dense = method == "dense", first = method == "min",
             last = method == "max", mean = method == "average";
  if (!ordinal && !dense && !first && !last && !mean)
    fn::fail_index(
        fmt::format("rankdata: method must be \"average\", \"min\", \"max\", \"dense\" or "
                    "\"ordinal\", not \"{}\"",
                    method));
  const Array rows = in_rows("rankdata", a, options.axis);
  const DType d = itemsize(a->dtype()) == 8 ? F64 : F32;
  if (rows.size() == 0) return zeros(rows.shape(), d);
  const Array order = argsort(rows, -1), sorted = take_along_axis(rows, order, -1);
  Array rank = places(sorted) + 1;
  if (!ordinal) {
    const Array begin = begins(sorted);
    const int axis = static_cast<int>(rows.ndim()) - 1;
    const int64_t n = rows.shape()[axis];
    const Array ends =
        concatenate({fn::sliced(begin, axis, 1, n), ones(rows.shape().with(axis, 1), Bool)}, axis);
    const Array lo = first_place(sorted, begin) + 1;
    const Array hi = cummin(where(ends, rank, static_cast<int32_t>(n)), -1, {.reverse = true});
    rank = dense   ? cumsum(fn::as_dtype(begin, I32), -1)
           : first ? lo
           : last  ? hi
                   : 0.5 * fn::as_dtype(lo + hi, d);
  }
  // Restores the original order of the elements.
  Array out = take_along_axis(fn::as_dtype(rank, d), argsort(order, -1), -1);
  if (is_inexact(rows.dtype())) out = where(any(isnan(rows), -1, {.keepdims = true}), nan, out);
  return options.axis ? moveaxis(out, -1, *options.axis) : out;
}

Array sem(const Arg& a, OneAxis axis, int64_t ddof, const SemOptions& options) {
  const SourceScope at(a.at());
  const Array x = fn::inexact(a);
  const AxisList axes = axis ? AxisList(std::vector<int64_t>{*axis}) : AxisList(none);
  fn::axes_of("sem", x, axes);
  const bool keep = options.keepdims;
  if (options.nan_policy == "propagate") {
    const int64_t n = axis ? x.shape()[static_cast<int>(*axis)] : x.size();
    return std(x, axes, {.ddof = ddof, .keepdims = keep}) /
           fn::number_like(x, std::sqrt(static_cast<double>(n)));
  }
  if (options.nan_policy != "omit")
    fn::fail_index(fmt::format("sem: nan_policy must be \"propagate\" or \"omit\", not \"{}\"",
                               options.nan_policy));
  const Array count = fn::as_dtype(sum(!isnan(x), axes, {.keepdims = keep}), real(x).dtype());
  return nanstd(x, axes, {.ddof = ddof, .keepdims = keep}) / sqrt(count);
}

}  // namespace weft::scipy::stats
