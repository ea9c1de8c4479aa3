// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/numpy/reduce.h: reductions, statistics and cumulative functions.
//
// The axis may be `none` (all axes), one axis, or a list {0, 1}. Options follow: {.keepdims,
// .dtype, .where, .initial}.
#pragma once
#include "weft/array.h"
#include "weft/axis.h"

namespace weft {

namespace detail {
template <class T>
concept NoAxis = std::floating_point<T> || std::same_as<T, Array>;
}  // namespace detail

// Functions that also take only their options are templates in the overload that takes axes. GCC 12
// considers both overloads viable for var(x, {.ddof = 1}). It then prefers the one that is not a
// template, as for sum(x, {}).

// Returns the sum over the axes (default: all); an empty sum is 0. Bools and integers of less than
// 32 bits are summed as I32 or U32. BF16 and F16 are summed in F32 and rounded once. Like all
// reductions, it raises IndexError for an axis that x does not have, and ShapeError for an axis
// named twice. Source: jax.numpy.sum.
//
//     sum(array({{1, 2}, {3, 4}}), 0)  // array([4, 6], dtype=int32)
template <class = void>
Array sum(const typing::Arg& x, const typing::AxisList& axis = none,
          const typing::ReduceOptions& o = {});
Array sum(const typing::Arg& x, const typing::ReduceOptions& o);
template <detail::PlainDType D>
Array sum(const typing::Arg& x, const typing::AxisList& axis, D dtype);
template <detail::PlainDType D>
Array sum(const typing::Arg& x, D dtype);
// Returns the product over the axes (default: all); an empty product is 1. Bools and integers of
// less than 32 bits are multiplied as I32 or U32, BF16 and F16 in F32. Source: jax.numpy.prod.
//
//     prod(array({2, 3, 4}))  // array(24, dtype=int32)
template <class = void>
Array prod(const typing::Arg& x, const typing::AxisList& axis = none,
           const typing::ReduceOptions& o = {});
Array prod(const typing::Arg& x, const typing::ReduceOptions& o);
template <detail::PlainDType D>
Array prod(const typing::Arg& x, const typing::AxisList& axis, D dtype);
template <detail::PlainDType D>
Array prod(const typing::Arg& x, D dtype);
// Returns the largest element over the axes (default: all). A NaN gives NaN, and equal maxima share
// the derivative. Complex numbers are compared by their real parts, then by their imaginary parts.
// Raises ShapeError for an empty axis or .where without .initial. Source: jax.numpy.max.
//
//     max(array({{1, 5}, {3, 4}}), 1)  // array([5, 4], dtype=int32)
template <class = void>
Array max(const typing::Arg& x, const typing::AxisList& axis = none,
          const typing::ReduceOptions& o = {});
Array max(const typing::Arg& x, const typing::ReduceOptions& o);
// Returns the smallest element over the axes (default: all), otherwise like max. Source:
// jax.numpy.min.
template <class = void>
Array min(const typing::Arg& x, const typing::AxisList& axis = none,
          const typing::ReduceOptions& o = {});
Array min(const typing::Arg& x, const typing::ReduceOptions& o);
// The same as max. Source: jax.numpy.amax.
Array amax(const typing::Arg& x, const typing::AxisList& axis = none,
           const typing::ReduceOptions& o = {});
// The same as min. Source: jax.numpy.amin.
Array amin(const typing::Arg& x, const typing::AxisList& axis = none,
           const typing::ReduceOptions& o = {});
// Returns true where any element over the axes (default: all) is nonzero; false for no elements.
// NaN counts as nonzero. The result is Bool. Raises ShapeError for .dtype, and DTypeError for keys.
// Source: jax.numpy.any.
//
//     any(array({{0, 1}, {0, 0}}), 1)  // array([ True, False])
template <class = void>
Array any(const typing::Arg& x, const typing::AxisList& axis = none,
          const typing::ReduceOptions& o = {});
Array any(const typing::Arg& x, const typing::ReduceOptions& o);
// Returns true where all elements over the axes (default: all) are nonzero; true for no elements.
// NaN counts as nonzero. The result is Bool. Raises ShapeError for .dtype, and DTypeError for keys.
// Source: jax.numpy.all.
//
//     all(array({{1, 1}, {0, 1}}), 1)  // array([ True, False])
template <class = void>
Array all(const typing::Arg& x, const typing::AxisList& axis = none,
          const typing::ReduceOptions& o = {});
Array all(const typing::Arg& x, const typing::ReduceOptions& o);
// Returns the mean over the axes (default: all); NaN for no elements. The result has x's dtype (F32
// for integers, F64 for 64-bit integers). BF16 and F16 are summed in F32. Raises ShapeError for
// .initial. Source: jax.numpy.mean.
//
//     mean(array({{1, 2}, {3, 4}}), 0)  // array([2., 3.], dtype=float32)
template <class = void>
Array mean(const typing::Arg& x, const typing::AxisList& axis = none,
           const typing::ReduceOptions& o = {});
Array mean(const typing::Arg& x, const typing::ReduceOptions& o);
template <detail::PlainDType D>
Array mean(const typing::Arg& x, const typing::AxisList& axis, D dtype);
template <detail::PlainDType D>
Array mean(const typing::Arg& x, D dtype);
// Rejects max(x, y) of two arrays or numbers at compile time: the larger of two is maximum(x, y).
template <detail::NoAxis T>
Array max(const typing::Arg& x, const T&) {
  static_assert(!detail::NoAxis<T>, "weft: max(x, axis) is of one array; write maximum(x, y)");
  return x;
}
template <detail::NoAxis T>
Array min(const typing::Arg& x, const T&) {
  static_assert(!detail::NoAxis<T>, "weft: min(x, axis) is of one array; write minimum(x, y)");
  return x;
}
namespace typing {
struct VarOptions {
  detail::Designated by_name{detail::ByName::tag};
  int64_t ddof = 0;  // The sum of squares is divided by the number of elements minus ddof.
  // True: the reduced axes stay in the result, with size 1.
  bool keepdims = false;
  // The dtype of the computation and of the result.
  std::optional<DType> dtype = {};
  std::optional<Array> where = {};  // the elements to include
  // the value to subtract before squaring; default: the mean, keepdims
  std::optional<Array> mean = {};
  // ddof as a number that may be a fraction; not together with ddof
  std::optional<double> correction = {};
};
}  // namespace typing
// Returns the variance, the mean of |x - mean|^2 over the axes (default: all). The result is a real
// float of x's dtype (F32 for integers, F64 for 64-bit integers). It is NaN where at most ddof
// elements are included. As in all statistics, F16 and BF16 are computed in F32 and rounded once;
// JAX's std of {-300, 300} in F16 is inf. Raises ShapeError for .correction together with .ddof,
// and DTypeError for a real .dtype of complex numbers. Source: jax.numpy.var.
//
//     var(array({1., 3.}))  // array(1., dtype=float32)
template <class = void>
Array var(const typing::Arg& x, const typing::AxisList& axis = none,
          const typing::VarOptions& o = {});
Array var(const typing::Arg& x, const typing::VarOptions& o);
template <detail::PlainDType D>
Array var(const typing::Arg& x, const typing::AxisList& axis, D dtype);
template <detail::PlainDType D>
Array var(const typing::Arg& x, D dtype);
// Returns the standard deviation, the square root of var, with the same options. Raises DTypeError
// for an integer .dtype. Source: jax.numpy.std.
template <class = void>
Array std(const typing::Arg& x, const typing::AxisList& axis = none,
          const typing::VarOptions& o = {});
Array std(const typing::Arg& x, const typing::VarOptions& o);
template <detail::PlainDType D>
Array std(const typing::Arg& x, const typing::AxisList& axis, D dtype);
template <detail::PlainDType D>
Array std(const typing::Arg& x, D dtype);
// Returns max(x) - min(x), with the same options. Raises DTypeError for bools. Source:
// jax.numpy.ptp.
//
//     ptp(array({3, 7, 1}))  // array(6, dtype=int32)
Array ptp(const typing::Arg& x, const typing::AxisList& axis = none,
          const typing::ReduceOptions& o = {});
namespace typing {
struct AverageOptions {
  bool keepdims = false;  // True: the reduced axes stay in the result, with size 1.
};
}  // namespace typing
// Returns the weighted mean sum(w x) / sum(w) over the axes; without weights, the mean. The weights
// have the shape of x, or that of the axes in the given order. x and the weights are promoted
// together; integers are converted to floats. Raises ShapeError for other weights. Source:
// jax.numpy.average.
//
//     average(array({1., 4.}), 0, array({3., 1.}))  // array(1.75, dtype=float32)
Array average(const typing::Arg& x, const typing::AxisList& axis = none,
              const typing::MaybeArray& weights = none, const typing::AverageOptions& o = {});
// Returns the average and the sum of the weights, both of the same shape. Without weights the sum
// is the number of elements. Source: jax.numpy.average.
std::pair<Array, Array> average_returned(const typing::Arg& x, const typing::AxisList& axis = none,
                                         const typing::MaybeArray& weights = none,
                                         const typing::AverageOptions& o = {});
// Counts the nonzero elements over the axes (default: all): I32. NaN counts as nonzero. Source:
// jax.numpy.count_nonzero.
//
//     count_nonzero(array({3, 0, -1}))  // array(2, dtype=int32)
Array count_nonzero(const typing::Arg& x, const typing::AxisList& axis = none,
                    const typing::ReduceOptions& o = {});
// Returns log(sum(e^x)) over the axes (default: all) without overflow; -inf for no elements.
// Integers are converted to floats. Where the largest elements are infinite they share the
// derivative; JAX's is NaN there. Raises ShapeError for .dtype and .initial. Source:
// jax.scipy.special.logsumexp.
Array logsumexp(const typing::Arg& x, const typing::AxisList& axis = none,
                const typing::ReduceOptions& o = {});

namespace typing {
struct ArgOptions {
  // True: the reduced axis stays in the result, with size 1; without an axis all of them stay.
  bool keepdims = false;
};
}  // namespace typing
// Returns the index (I32) of the first largest element of an axis, or of x flattened; with NaNs,
// that of the first NaN. Raises ShapeError for an empty or several axes, and DTypeError for complex
// numbers. Source: jax.numpy.argmax.
//
//     argmax(array({1, 3, 3}))  // array(1, dtype=int32)
Array argmax(const typing::Arg& x, const typing::AxisList& axis = none,
             const typing::ArgOptions& o = {});
// Returns the index (I32) of the first smallest element; with NaNs, that of the first NaN.
// Otherwise it is like argmax. Source: jax.numpy.argmin.
Array argmin(const typing::Arg& x, const typing::AxisList& axis = none,
             const typing::ArgOptions& o = {});

// Returns the sum over the axes (default: all) with NaN replaced by 0. Source: jax.numpy.nansum.
template <class = void>
Array nansum(const typing::Arg& x, const typing::AxisList& axis = none,
             const typing::ReduceOptions& o = {});
Array nansum(const typing::Arg& x, const typing::ReduceOptions& o);
template <detail::PlainDType D>
Array nansum(const typing::Arg& x, const typing::AxisList& axis, D dtype);
template <detail::PlainDType D>
Array nansum(const typing::Arg& x, D dtype);
// Returns the product over the axes (default: all) with NaN replaced by 1. Source:
// jax.numpy.nanprod.
template <class = void>
Array nanprod(const typing::Arg& x, const typing::AxisList& axis = none,
              const typing::ReduceOptions& o = {});
Array nanprod(const typing::Arg& x, const typing::ReduceOptions& o);
template <detail::PlainDType D>
Array nanprod(const typing::Arg& x, const typing::AxisList& axis, D dtype);
template <detail::PlainDType D>
Array nanprod(const typing::Arg& x, D dtype);
// Returns the largest element over the axes (default: all), ignoring NaN; NaN where all elements
// are NaN. Source: jax.numpy.nanmax.
Array nanmax(const typing::Arg& x, const typing::AxisList& axis = none,
             const typing::ReduceOptions& o = {});
// Returns the smallest element over the axes (default: all), ignoring NaN; NaN where all elements
// are NaN. Source: jax.numpy.nanmin.
Array nanmin(const typing::Arg& x, const typing::AxisList& axis = none,
             const typing::ReduceOptions& o = {});
// Returns the mean over the axes (default: all), ignoring NaN; NaN where all elements are NaN.
// Source: jax.numpy.nanmean.
template <class = void>
Array nanmean(const typing::Arg& x, const typing::AxisList& axis = none,
              const typing::ReduceOptions& o = {});
Array nanmean(const typing::Arg& x, const typing::ReduceOptions& o);
template <detail::PlainDType D>
Array nanmean(const typing::Arg& x, const typing::AxisList& axis, D dtype);
template <detail::PlainDType D>
Array nanmean(const typing::Arg& x, D dtype);
// Returns the variance like var, ignoring NaN. It is NaN where at most ddof elements are not NaN.
// Source: jax.numpy.nanvar.
template <class = void>
Array nanvar(const typing::Arg& x, const typing::AxisList& axis = none,
             const typing::VarOptions& o = {});
Array nanvar(const typing::Arg& x, const typing::VarOptions& o);
template <detail::PlainDType D>
Array nanvar(const typing::Arg& x, const typing::AxisList& axis, D dtype);
template <detail::PlainDType D>
Array nanvar(const typing::Arg& x, D dtype);
// Returns the square root of nanvar. Raises DTypeError for an integer .dtype. Source:
// jax.numpy.nanstd.
template <class = void>
Array nanstd(const typing::Arg& x, const typing::AxisList& axis = none,
             const typing::VarOptions& o = {});
Array nanstd(const typing::Arg& x, const typing::VarOptions& o);
template <detail::PlainDType D>
Array nanstd(const typing::Arg& x, const typing::AxisList& axis, D dtype);
template <detail::PlainDType D>
Array nanstd(const typing::Arg& x, D dtype);

// Returns the index (I32) of the first largest element, ignoring NaN; -1 where all elements are
// NaN. If all elements are NaN or -inf, it returns the index of a -inf; JAX returns that of a NaN.
// Source: jax.numpy.nanargmax.
Array nanargmax(const typing::Arg& x, const typing::AxisList& axis = none,
                const typing::ArgOptions& o = {});
// Returns the index (I32) of the first smallest element, ignoring NaN; -1 where all elements are
// NaN. Source: jax.numpy.nanargmin.
Array nanargmin(const typing::Arg& x, const typing::AxisList& axis = none,
                const typing::ArgOptions& o = {});

namespace typing {
struct QuantileOptions {
  // How to interpolate between two elements: "linear", "lower", "higher", "nearest" (the lower one
  // of two equally near elements) or "midpoint". "inverted_cdf" is the least element such that the
  // fraction of elements up to it is at least q.
  std::string method = "linear";
  // True: the reduced axes stay in the result with size 1, after the axis of q.
  bool keepdims = false;
  // The weight of each element, of x's shape or that of the axes; only with "inverted_cdf".
  std::optional<Array> weights = {};
};
}  // namespace typing
// Returns the q-quantile over the axes (default: all): the element at position q (n - 1) of the n
// sorted elements. q is clipped to [0, 1]; it may be a vector, whose axis leads the result. The
// result is a float (F32 for integers, F64 for 64-bit integers), and NaN where there is a NaN. At
// the exact position of an element the result is that element, also if it is infinite; JAX's
// "linear" gives NaN there. Raises ShapeError for an empty axis, for another method, for weights
// with another method than "inverted_cdf", and for q with more than one axis. Raises DTypeError for
// complex numbers. Source: jax.numpy.quantile.
//
//     quantile(array({1., 2., 4.}), 0.75)  // array(3., dtype=float32)
Array quantile(const typing::Arg& x, const typing::Arg& q, const typing::AxisList& axis = none,
               const typing::QuantileOptions& o = {});
// Returns the quantile at q / 100. Source: jax.numpy.percentile.
//
//     percentile(array({1., 2., 4.}), 50)  // array(2., dtype=float32)
Array percentile(const typing::Arg& x, const typing::Arg& q, const typing::AxisList& axis = none,
                 const typing::QuantileOptions& o = {});
// Returns the median over the axes (default: all): the middle one of the sorted elements, or the
// mean of the middle two. It is NaN where there is a NaN. Integers are converted to floats. The
// only option is .keepdims; ShapeError for others. Source: jax.numpy.median.
//
//     median(array({4, 1, 2, 3}))  // array(2.5, dtype=float32)
Array median(const typing::Arg& x, const typing::AxisList& axis = none,
             const typing::ReduceOptions& o = {});
// Returns the quantile, ignoring NaN; NaN where all elements are NaN. Source:
// jax.numpy.nanquantile.
Array nanquantile(const typing::Arg& x, const typing::Arg& q, const typing::AxisList& axis = none,
                  const typing::QuantileOptions& o = {});
// Returns the percentile, ignoring NaN; NaN where all elements are NaN. Source:
// jax.numpy.nanpercentile.
Array nanpercentile(const typing::Arg& x, const typing::Arg& q, const typing::AxisList& axis = none,
                    const typing::QuantileOptions& o = {});
// Returns the median, ignoring NaN; NaN where all elements are NaN. Source: jax.numpy.nanmedian.
Array nanmedian(const typing::Arg& x, const typing::AxisList& axis = none,
                const typing::ReduceOptions& o = {});

namespace typing {
// ---- cumulative functions. By default x is flattened.
struct CumulativeOptions {
  // The dtype of the computation and of the result; default: x's, I32 for bools.
  std::optional<DType> dtype = {};
  // True: accumulates from the last element to the first.
  bool reverse = false;
};
}  // namespace typing
// Returns the cumulative sums along an axis or of x flattened, in x's dtype (I32 for bools).
// Source: jax.numpy.cumsum.
//
//     cumsum(array({1, 2, 3}))  // array([1, 3, 6], dtype=int32)
Array cumsum(const typing::Arg& x, typing::OneAxis axis = none,
             const typing::CumulativeOptions& o = {});
template <detail::PlainDType D>
Array cumsum(const typing::Arg& x, typing::OneAxis axis, D dtype);
template <detail::PlainDType D>
Array cumsum(const typing::Arg& x, D dtype);
template <class = void>
Array cumsum(const typing::Arg& x, const typing::CumulativeOptions& o);
// Returns the cumulative products along an axis or of x flattened, in x's dtype (I32 for bools).
// Source: jax.numpy.cumprod.
//
//     cumprod(array({1, 2, 3}))  // array([1, 2, 6], dtype=int32)
Array cumprod(const typing::Arg& x, typing::OneAxis axis = none,
              const typing::CumulativeOptions& o = {});
template <detail::PlainDType D>
Array cumprod(const typing::Arg& x, typing::OneAxis axis, D dtype);
template <detail::PlainDType D>
Array cumprod(const typing::Arg& x, D dtype);
template <class = void>
Array cumprod(const typing::Arg& x, const typing::CumulativeOptions& o);
// Returns the cumulative maxima along an axis or of x flattened. A NaN makes all later results NaN.
// Raises DTypeError for complex numbers. Source: jax.lax.cummax.
//
//     cummax(array({1, 3, 2}))  // array([1, 3, 3], dtype=int32)
Array cummax(const typing::Arg& x, typing::OneAxis axis = none,
             const typing::CumulativeOptions& o = {});
// Returns the cumulative minima along an axis or of x flattened. A NaN makes all later results NaN.
// Raises DTypeError for complex numbers. Source: jax.lax.cummin.
Array cummin(const typing::Arg& x, typing::OneAxis axis = none,
             const typing::CumulativeOptions& o = {});
// Returns cumsum with NaN replaced by 0. Source: jax.numpy.nancumsum.
Array nancumsum(const typing::Arg& x, typing::OneAxis axis = none,
                const typing::CumulativeOptions& o = {});
template <detail::PlainDType D>
Array nancumsum(const typing::Arg& x, typing::OneAxis axis, D dtype);
template <detail::PlainDType D>
Array nancumsum(const typing::Arg& x, D dtype);
template <class = void>
Array nancumsum(const typing::Arg& x, const typing::CumulativeOptions& o);
// Returns cumprod with NaN replaced by 1. Source: jax.numpy.nancumprod.
Array nancumprod(const typing::Arg& x, typing::OneAxis axis = none,
                 const typing::CumulativeOptions& o = {});
template <detail::PlainDType D>
Array nancumprod(const typing::Arg& x, typing::OneAxis axis, D dtype);
template <detail::PlainDType D>
Array nancumprod(const typing::Arg& x, D dtype);
template <class = void>
Array nancumprod(const typing::Arg& x, const typing::CumulativeOptions& o);
namespace typing {
struct CumulativeSumOptions {
  OneAxis axis = none;  // may be omitted for vectors
  // The dtype of the computation and of the result; default: x's, or I32 and U32 for smaller
  // integers.
  std::optional<DType> dtype = {};
  bool include_initial = false;  // the result starts with an additional 0 (or 1 for products)
};
}  // namespace typing
// Returns the cumulative sums along .axis, which may be omitted for vectors. Bools and integers of
// less than 32 bits are summed as I32 or U32. Raises ShapeError for a scalar, and if x has several
// axes and .axis is omitted. Source: jax.numpy.cumulative_sum.
//
//     cumulative_sum(array({1, 2}), {.include_initial = true})  // array([0, 1, 3], dtype=int32)
Array cumulative_sum(const typing::Arg& x, const typing::CumulativeSumOptions& o = {});
template <detail::PlainDType D>
Array cumulative_sum(const typing::Arg& x, D dtype) {
  return cumulative_sum(x, typing::CumulativeSumOptions{.dtype = dtype});
}
// Returns the cumulative products, otherwise like cumulative_sum. Source:
// jax.numpy.cumulative_prod.
Array cumulative_prod(const typing::Arg& x, const typing::CumulativeSumOptions& o = {});
template <detail::PlainDType D>
Array cumulative_prod(const typing::Arg& x, D dtype) {
  return cumulative_prod(x, typing::CumulativeSumOptions{.dtype = dtype});
}

// Returns the n-th differences of neighboring elements along an axis; for bools, true where they
// differ. `prepend` and `append` are first joined to the ends of x; a number stands for one element
// per row. The result has the promoted dtype of all three. Source: jax.numpy.diff.
Array diff(const typing::Arg& x, int64_t n = 1, int64_t axis = -1,
           const typing::MaybeArray& prepend = none, const typing::MaybeArray& append = none);
// Integrates y by the trapezoidal rule over the sample points x: a vector, or an array of y's
// shape. Without x the spacing is dx: one number, or one per interval. Source: jax.numpy.trapezoid.
Array trapezoid(const typing::Arg& y, const typing::MaybeArray& x = none,
                const typing::Arg& dx = 1., int64_t axis = -1);

}  // namespace weft
