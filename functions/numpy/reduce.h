// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/numpy/reduce.h: reductions, statistics, running folds.
//
// The axis is none (all), one, or a list {0, 1}; options follow: {.keepdims, .dtype, .where,
// .initial}.
#pragma once
#include "weft/functions/axis.h"
#include "weft/tracer/array.h"

namespace weft {

namespace detail {
template <class T>
concept NoAxis = std::floating_point<T> || std::same_as<T, Array>;
}  // namespace detail

Array sum(const Arg& x, const AxisList& axis = none,
          const ReduceOptions& o = {});  // bools and small integers: I32, U32
Array prod(const Arg& x, const AxisList& axis = none, const ReduceOptions& o = {});
Array max(const Arg& x, const AxisList& axis = none, const ReduceOptions& o = {});  // a NaN wins
Array min(const Arg& x, const AxisList& axis = none, const ReduceOptions& o = {});
Array amax(const Arg& x, const AxisList& axis = none, const ReduceOptions& o = {});
Array amin(const Arg& x, const AxisList& axis = none, const ReduceOptions& o = {});
Array any(const Arg& x, const AxisList& axis = none, const ReduceOptions& o = {});
Array all(const Arg& x, const AxisList& axis = none, const ReduceOptions& o = {});
Array mean(const Arg& x, const AxisList& axis = none, const ReduceOptions& o = {});
// The same of all axes, with options alone: sum(x, {.keepdims = true}).
inline Array sum(const Arg& x, const ReduceOptions& o) { return sum(x, {none, x.at()}, o); }
inline Array prod(const Arg& x, const ReduceOptions& o) { return prod(x, {none, x.at()}, o); }
inline Array max(const Arg& x, const ReduceOptions& o) { return max(x, {none, x.at()}, o); }
inline Array min(const Arg& x, const ReduceOptions& o) { return min(x, {none, x.at()}, o); }
inline Array any(const Arg& x, const ReduceOptions& o) { return any(x, {none, x.at()}, o); }
inline Array all(const Arg& x, const ReduceOptions& o) { return all(x, {none, x.at()}, o); }
inline Array mean(const Arg& x, const ReduceOptions& o) { return mean(x, {none, x.at()}, o); }
// max(x, y) of two arrays or numbers does not compile: the larger of two is maximum(x, y).
template <detail::NoAxis T>
Array max(const Arg& x, const T&) {
  static_assert(!detail::NoAxis<T>, "weft: max(x, axis) is of one array; write maximum(x, y)");
  return x;
}
template <detail::NoAxis T>
Array min(const Arg& x, const T&) {
  static_assert(!detail::NoAxis<T>, "weft: min(x, axis) is of one array; write minimum(x, y)");
  return x;
}
struct VarOptions {
  int64_t ddof = 0;  // the sum of squares is divided by the number of elements less this
  bool keepdims = false;
  std::optional<DType> dtype = {};
  std::optional<Array> where = {};        // the elements that count
  std::optional<Array> mean = {};         // what the squares are about; default: the mean, keepdims
  std::optional<double> correction = {};  // ddof, which may be a fraction; not beside it
};
// The mean of |x - mean|^2, over the axes, and its root: a float of x's dtype (integers: F32,
// 64-bit ones F64); NaN where as many elements count as ddof says, or fewer. ShapeError for
// correction beside ddof. Source: jax.numpy.var, jax.numpy.std.
Array var(const Arg& x, const AxisList& axis = none, const VarOptions& o = {});
Array std(const Arg& x, const AxisList& axis = none, const VarOptions& o = {});
Array ptp(const Arg& x, const AxisList& axis = none, const ReduceOptions& o = {});  // max - min
struct AverageOptions {
  bool keepdims = false;  // the axes stay, of size 1
};
// sum(w x) / sum(w) over the axes, and (average_returned) the sum of the weights beside it. Weights
// have x's shape, or that of the axes in the order named; none: the mean. Promoted together,
// integers become floats. ShapeError for other weights. Source: jax.numpy.average, with
// returned=True.
Array average(const Arg& x, const AxisList& axis = none, const MaybeArray& weights = none,
              const AverageOptions& o = {});
std::pair<Array, Array> average_returned(const Arg& x, const AxisList& axis = none,
                                         const MaybeArray& weights = none,
                                         const AverageOptions& o = {});
Array count_nonzero(const Arg& x, const AxisList& axis = none, const ReduceOptions& o = {});
Array logsumexp(const Arg& x, const AxisList& axis = none, const ReduceOptions& o = {});

struct ArgOptions {
  bool keepdims = false;
};
// The index (I32) of the first largest; a NaN counts as largest and smallest. Default: of x
// flattened.
Array argmax(const Arg& x, const AxisList& axis = none, const ArgOptions& o = {});
Array argmin(const Arg& x, const AxisList& axis = none, const ArgOptions& o = {});

// The same without the NaNs.
Array nansum(const Arg& x, const AxisList& axis = none, const ReduceOptions& o = {});
Array nanprod(const Arg& x, const AxisList& axis = none, const ReduceOptions& o = {});
Array nanmax(const Arg& x, const AxisList& axis = none, const ReduceOptions& o = {});
Array nanmin(const Arg& x, const AxisList& axis = none, const ReduceOptions& o = {});
Array nanmean(const Arg& x, const AxisList& axis = none, const ReduceOptions& o = {});
Array nanvar(const Arg& x, const AxisList& axis = none, const VarOptions& o = {});
Array nanstd(const Arg& x, const AxisList& axis = none, const VarOptions& o = {});

// The place of the first largest (smallest) element that is no NaN, -1 where there are NaNs alone.
// Source: jax.numpy.nanargmax, jax.numpy.nanargmin.
Array nanargmax(const Arg& x, const AxisList& axis = none, const ArgOptions& o = {});
Array nanargmin(const Arg& x, const AxisList& axis = none, const ArgOptions& o = {});

struct QuantileOptions {
  // What stands between two elements: "linear", "lower", "higher", "nearest" (of two equally near
  // ones the lower), "midpoint"; "inverted_cdf": the least element up to which there is a share q.
  std::string method = "linear";
  bool keepdims = false;
  // How much each element counts, of x's shape or that of the axes; with "inverted_cdf" alone.
  std::optional<Array> weights = {};
};
// The element at place q (n - 1) of the n that the axes have in ascending order, for a q in [0, 1]
// or a vector of them, whose axis stands in front of the result; floats (integers become F32,
// 64-bit ones F64), NaN where there is one. percentile: of 100 q. median: of 1/2. ShapeError for
// another method, for weights beside it and for more axes of q, DTypeError for complex numbers.
// Source: jax.numpy.quantile, jax.numpy.percentile, jax.numpy.median.
Array quantile(const Arg& x, const Arg& q, const AxisList& axis = none,
               const QuantileOptions& o = {});
Array percentile(const Arg& x, const Arg& q, const AxisList& axis = none,
                 const QuantileOptions& o = {});
Array median(const Arg& x, const AxisList& axis = none, const ReduceOptions& o = {});
// The same of what is no NaN; NaN where there is nothing else. Source: jax.numpy.nanquantile,
// jax.numpy.nanpercentile, jax.numpy.nanmedian.
Array nanquantile(const Arg& x, const Arg& q, const AxisList& axis = none,
                  const QuantileOptions& o = {});
Array nanpercentile(const Arg& x, const Arg& q, const AxisList& axis = none,
                    const QuantileOptions& o = {});
Array nanmedian(const Arg& x, const AxisList& axis = none, const ReduceOptions& o = {});

// ---- running folds. Default: of x flattened.
struct CumulativeOptions {
  std::optional<DType> dtype = {};
  bool reverse = false;
};
Array cumsum(const Arg& x, OneAxis axis = none, const CumulativeOptions& o = {});
Array cumprod(const Arg& x, OneAxis axis = none, const CumulativeOptions& o = {});
Array cummax(const Arg& x, OneAxis axis = none, const CumulativeOptions& o = {});
Array cummin(const Arg& x, OneAxis axis = none, const CumulativeOptions& o = {});
// cumsum and cumprod with 0 and 1 for NaN. Source: jax.numpy.nancumsum, jax.numpy.nancumprod.
Array nancumsum(const Arg& x, OneAxis axis = none, const CumulativeOptions& o = {});
Array nancumprod(const Arg& x, OneAxis axis = none, const CumulativeOptions& o = {});
struct CumulativeSumOptions {
  OneAxis axis = none;  // may be left out for vectors
  std::optional<DType> dtype = {};
  bool include_initial = false;  // 0 (1) in front: one element more
};
// cumsum and cumprod in the words of the array API; integers of less than 32 bits are added as I32
// and U32. ShapeError for a scalar, and without an axis where x has several. Source:
// jax.numpy.cumulative_sum, jax.numpy.cumulative_prod.
Array cumulative_sum(const Arg& x, const CumulativeSumOptions& o = {});
Array cumulative_prod(const Arg& x, const CumulativeSumOptions& o = {});

// Differences of neighbours along an axis, n times, of bools whether they differ; first `prepend`
// and `append` are joined to x's ends: arrays, or numbers that stand for one element a row. x's
// dtype, promoted with theirs. Source: jax.numpy.diff.
Array diff(const Arg& x, int64_t n = 1, int64_t axis = -1, const MaybeArray& prepend = none,
           const MaybeArray& append = none);
// The integral of y over places x: a vector, or an array of y's shape; none: dx apart, a number or
// one a gap. Source: jax.numpy.trapezoid.
Array trapezoid(const Arg& y, const MaybeArray& x = none, const Arg& dx = 1., int64_t axis = -1);

}  // namespace weft
