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

// Functions that also take their options alone are templates where they take axes. GCC 12 finds
// both in var(x, {.ddof = 1}), and prefers those that are no templates, as in sum(x, {}).

// The sum over the axes (default: all), 0 of nothing. Bools and integers of less than 32 bits are
// summed as I32 or U32, BF16 and F16 in F32 and rounded once. IndexError for an axis that x has
// not, ShapeError for one named twice, as of all reductions. Source: jax.numpy.sum.
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
// The product over the axes (default: all), 1 of nothing. Bools and integers of less than 32 bits
// are multiplied as I32 or U32, BF16 and F16 in F32. Source: jax.numpy.prod.
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
// The largest element over the axes (default: all); a NaN wins, equals share the derivative;
// complex numbers go by real, then imaginary part. ShapeError of nothing without .initial, and for
// .where without it. Source: jax.numpy.max.
//
//     max(array({{1, 5}, {3, 4}}), 1)  // array([5, 4], dtype=int32)
template <class = void>
Array max(const typing::Arg& x, const typing::AxisList& axis = none,
          const typing::ReduceOptions& o = {});
Array max(const typing::Arg& x, const typing::ReduceOptions& o);
// The smallest element over the axes (default: all); as max else. Source: jax.numpy.min.
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
// Whether any element over the axes (default: all) is not zero: Bool, false of nothing. NaN is not
// zero. ShapeError for .dtype, DTypeError for keys. Source: jax.numpy.any.
//
//     any(array({{0, 1}, {0, 0}}), 1)  // array([ True, False])
template <class = void>
Array any(const typing::Arg& x, const typing::AxisList& axis = none,
          const typing::ReduceOptions& o = {});
Array any(const typing::Arg& x, const typing::ReduceOptions& o);
// Whether all elements over the axes (default: all) are not zero: Bool, true of nothing. NaN is not
// zero. ShapeError for .dtype, DTypeError for keys. Source: jax.numpy.all.
//
//     all(array({{1, 1}, {0, 1}}), 1)  // array([ True, False])
template <class = void>
Array all(const typing::Arg& x, const typing::AxisList& axis = none,
          const typing::ReduceOptions& o = {});
Array all(const typing::Arg& x, const typing::ReduceOptions& o);
// The sum over the axes (default: all) divided by the number of elements, NaN of nothing: a float
// or complex number of x's dtype (integers: F32, 64-bit ones F64). BF16 and F16 are summed in F32.
// ShapeError for .initial. Source: jax.numpy.mean.
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
// max(x, y) of two arrays or numbers does not compile: the larger of two is maximum(x, y).
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
  int64_t ddof = 0;  // the sum of squares is divided by the number of elements less this
  // The axes stay, of size 1.
  bool keepdims = false;
  // Of the elements that are computed with, and of the result.
  std::optional<DType> dtype = {};
  std::optional<Array> where = {};        // the elements that count
  std::optional<Array> mean = {};         // what the squares are about; default: the mean, keepdims
  std::optional<double> correction = {};  // ddof, which may be a fraction; not beside it
};
}  // namespace typing
// The mean of |x - mean|^2 over the axes (default: all): a real float of x's dtype (integers: F32,
// 64-bit ones F64); NaN where as many elements count as ddof says, or fewer. ShapeError for
// .correction beside .ddof, DTypeError for a real .dtype of complex numbers. F16 and BF16 are
// computed with in F32 and rounded once, as in all statistics; JAX's std of {-300, 300} in F16 is
// inf. Source: jax.numpy.var.
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
// The square root of var, with the same options. DTypeError for a .dtype of integers. Source:
// jax.numpy.std.
template <class = void>
Array std(const typing::Arg& x, const typing::AxisList& axis = none,
          const typing::VarOptions& o = {});
Array std(const typing::Arg& x, const typing::VarOptions& o);
template <detail::PlainDType D>
Array std(const typing::Arg& x, const typing::AxisList& axis, D dtype);
template <detail::PlainDType D>
Array std(const typing::Arg& x, D dtype);
// max(x) - min(x), with the same options. DTypeError for bools. Source: jax.numpy.ptp.
//
//     ptp(array({3, 7, 1}))  // array(6, dtype=int32)
Array ptp(const typing::Arg& x, const typing::AxisList& axis = none,
          const typing::ReduceOptions& o = {});
namespace typing {
struct AverageOptions {
  bool keepdims = false;  // the axes stay, of size 1
};
}  // namespace typing
// sum(w x) / sum(w) over the axes. Weights have x's shape, or that of the axes in the order named;
// none: the mean. Promoted together, integers become floats. ShapeError for other weights. Source:
// jax.numpy.average.
//
//     average(array({1., 4.}), 0, array({3., 1.}))  // array(1.75, dtype=float32)
Array average(const typing::Arg& x, const typing::AxisList& axis = none,
              const typing::MaybeArray& weights = none, const typing::AverageOptions& o = {});
// The average, and the sum of the weights beside it, of its shape; without weights the number of
// elements. Source: jax.numpy.average.
std::pair<Array, Array> average_returned(const typing::Arg& x, const typing::AxisList& axis = none,
                                         const typing::MaybeArray& weights = none,
                                         const typing::AverageOptions& o = {});
// How many elements over the axes (default: all) are not zero: I32. NaN is not zero. Source:
// jax.numpy.count_nonzero.
//
//     count_nonzero(array({3, 0, -1}))  // array(2, dtype=int32)
Array count_nonzero(const typing::Arg& x, const typing::AxisList& axis = none,
                    const typing::ReduceOptions& o = {});
// log(sum(e^x)) over the axes (default: all), without overflow; -inf of nothing; integers become
// floats. The largest elements share the derivative where they are infinite, where JAX's is NaN.
// ShapeError for .dtype and .initial. Source: jax.scipy.special.logsumexp.
Array logsumexp(const typing::Arg& x, const typing::AxisList& axis = none,
                const typing::ReduceOptions& o = {});

namespace typing {
struct ArgOptions {
  // The axis stays, of size 1; without an axis all of them.
  bool keepdims = false;
};
}  // namespace typing
// The place (I32) of the first largest element of an axis, or of x flattened, or of the first NaN
// if there is one. ShapeError of nothing and for several axes, DTypeError for complex numbers.
// Source: jax.numpy.argmax.
//
//     argmax(array({1, 3, 3}))  // array(1, dtype=int32)
Array argmax(const typing::Arg& x, const typing::AxisList& axis = none,
             const typing::ArgOptions& o = {});
// The place (I32) of the first smallest element, or of the first NaN if there is one; as argmax
// else. Source: jax.numpy.argmin.
Array argmin(const typing::Arg& x, const typing::AxisList& axis = none,
             const typing::ArgOptions& o = {});

// The sum over the axes (default: all) with 0 for NaN. Source: jax.numpy.nansum.
template <class = void>
Array nansum(const typing::Arg& x, const typing::AxisList& axis = none,
             const typing::ReduceOptions& o = {});
Array nansum(const typing::Arg& x, const typing::ReduceOptions& o);
template <detail::PlainDType D>
Array nansum(const typing::Arg& x, const typing::AxisList& axis, D dtype);
template <detail::PlainDType D>
Array nansum(const typing::Arg& x, D dtype);
// The product over the axes (default: all) with 1 for NaN. Source: jax.numpy.nanprod.
template <class = void>
Array nanprod(const typing::Arg& x, const typing::AxisList& axis = none,
              const typing::ReduceOptions& o = {});
Array nanprod(const typing::Arg& x, const typing::ReduceOptions& o);
template <detail::PlainDType D>
Array nanprod(const typing::Arg& x, const typing::AxisList& axis, D dtype);
template <detail::PlainDType D>
Array nanprod(const typing::Arg& x, D dtype);
// The largest element over the axes (default: all) that is no NaN, NaN where there is nothing else.
// Source: jax.numpy.nanmax.
Array nanmax(const typing::Arg& x, const typing::AxisList& axis = none,
             const typing::ReduceOptions& o = {});
// The smallest element over the axes (default: all) that is no NaN, NaN where there is nothing
// else. Source: jax.numpy.nanmin.
Array nanmin(const typing::Arg& x, const typing::AxisList& axis = none,
             const typing::ReduceOptions& o = {});
// The mean over the axes (default: all) of the elements that are no NaN, NaN where there are none.
// Source: jax.numpy.nanmean.
template <class = void>
Array nanmean(const typing::Arg& x, const typing::AxisList& axis = none,
              const typing::ReduceOptions& o = {});
Array nanmean(const typing::Arg& x, const typing::ReduceOptions& o);
template <detail::PlainDType D>
Array nanmean(const typing::Arg& x, const typing::AxisList& axis, D dtype);
template <detail::PlainDType D>
Array nanmean(const typing::Arg& x, D dtype);
// var of the elements that are no NaN; NaN where as many of them count as ddof says, or fewer.
// Source: jax.numpy.nanvar.
template <class = void>
Array nanvar(const typing::Arg& x, const typing::AxisList& axis = none,
             const typing::VarOptions& o = {});
Array nanvar(const typing::Arg& x, const typing::VarOptions& o);
template <detail::PlainDType D>
Array nanvar(const typing::Arg& x, const typing::AxisList& axis, D dtype);
template <detail::PlainDType D>
Array nanvar(const typing::Arg& x, D dtype);
// The square root of nanvar. DTypeError for a .dtype of integers. Source: jax.numpy.nanstd.
template <class = void>
Array nanstd(const typing::Arg& x, const typing::AxisList& axis = none,
             const typing::VarOptions& o = {});
Array nanstd(const typing::Arg& x, const typing::VarOptions& o);
template <detail::PlainDType D>
Array nanstd(const typing::Arg& x, const typing::AxisList& axis, D dtype);
template <detail::PlainDType D>
Array nanstd(const typing::Arg& x, D dtype);

// The place (I32) of the first largest element that is no NaN, -1 where there are NaNs alone.
// Beside NaN alone -inf counts, where JAX gives the place of the NaN. Source: jax.numpy.nanargmax.
Array nanargmax(const typing::Arg& x, const typing::AxisList& axis = none,
                const typing::ArgOptions& o = {});
// The place (I32) of the first smallest element that is no NaN, -1 where there are NaNs alone.
// Source: jax.numpy.nanargmin.
Array nanargmin(const typing::Arg& x, const typing::AxisList& axis = none,
                const typing::ArgOptions& o = {});

namespace typing {
struct QuantileOptions {
  // What stands between two elements: "linear", "lower", "higher", "nearest" (of two equally near
  // ones the lower), "midpoint"; "inverted_cdf": the least element up to which there is a share q.
  std::string method = "linear";
  // The axes stay, of size 1, behind that of q.
  bool keepdims = false;
  // How much each element counts, of x's shape or that of the axes; with "inverted_cdf" alone.
  std::optional<Array> weights = {};
};
}  // namespace typing
// The element at place q (n - 1) of the n that the axes (default: all) have in ascending order, for
// a q in [0, 1] (others are cut to it) or a vector of them, whose axis stands in front of the
// result; floats (integers become F32, 64-bit ones F64), NaN where there is one. At an element's
// own place it is that element, also an infinite one, where JAX's "linear" gives NaN. ShapeError of
// nothing, for another method, for weights beside it and for more axes of q, DTypeError for complex
// numbers. Source: jax.numpy.quantile.
//
//     quantile(array({1., 2., 4.}), 0.75)  // array(3., dtype=float32)
Array quantile(const typing::Arg& x, const typing::Arg& q, const typing::AxisList& axis = none,
               const typing::QuantileOptions& o = {});
// quantile at q / 100. Source: jax.numpy.percentile.
//
//     percentile(array({1., 2., 4.}), 50)  // array(2., dtype=float32)
Array percentile(const typing::Arg& x, const typing::Arg& q, const typing::AxisList& axis = none,
                 const typing::QuantileOptions& o = {});
// The middle one of the elements that the axes (default: all) have in ascending order, or the mean
// of the middle two; NaN where there is one; integers become floats. Of the options .keepdims
// alone, ShapeError for others. Source: jax.numpy.median.
//
//     median(array({4, 1, 2, 3}))  // array(2.5, dtype=float32)
Array median(const typing::Arg& x, const typing::AxisList& axis = none,
             const typing::ReduceOptions& o = {});
// quantile of what is no NaN; NaN where there is nothing else. Source: jax.numpy.nanquantile.
Array nanquantile(const typing::Arg& x, const typing::Arg& q, const typing::AxisList& axis = none,
                  const typing::QuantileOptions& o = {});
// percentile of what is no NaN; NaN where there is nothing else. Source: jax.numpy.nanpercentile.
Array nanpercentile(const typing::Arg& x, const typing::Arg& q, const typing::AxisList& axis = none,
                    const typing::QuantileOptions& o = {});
// median of what is no NaN; NaN where there is nothing else. Source: jax.numpy.nanmedian.
Array nanmedian(const typing::Arg& x, const typing::AxisList& axis = none,
                const typing::ReduceOptions& o = {});

namespace typing {
// ---- running folds. Default: of x flattened.
struct CumulativeOptions {
  // Of the elements that are folded, and of the result; default: x's, I32 for bools.
  std::optional<DType> dtype = {};
  // The fold begins at the last element.
  bool reverse = false;
};
}  // namespace typing
// The sums of all elements up to each, along an axis or of x flattened, in x's dtype (bools: I32).
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
// The products of all elements up to each, along an axis or of x flattened, in x's dtype (bools:
// I32). Source: jax.numpy.cumprod.
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
// The largest of all elements up to each, along an axis or of x flattened; a NaN wins. DTypeError
// for complex numbers. Source: jax.lax.cummax.
//
//     cummax(array({1, 3, 2}))  // array([1, 3, 3], dtype=int32)
Array cummax(const typing::Arg& x, typing::OneAxis axis = none,
             const typing::CumulativeOptions& o = {});
// The smallest of all elements up to each, along an axis or of x flattened; a NaN wins. DTypeError
// for complex numbers. Source: jax.lax.cummin.
Array cummin(const typing::Arg& x, typing::OneAxis axis = none,
             const typing::CumulativeOptions& o = {});
// cumsum with 0 for NaN. Source: jax.numpy.nancumsum.
Array nancumsum(const typing::Arg& x, typing::OneAxis axis = none,
                const typing::CumulativeOptions& o = {});
template <detail::PlainDType D>
Array nancumsum(const typing::Arg& x, typing::OneAxis axis, D dtype);
template <detail::PlainDType D>
Array nancumsum(const typing::Arg& x, D dtype);
template <class = void>
Array nancumsum(const typing::Arg& x, const typing::CumulativeOptions& o);
// cumprod with 1 for NaN. Source: jax.numpy.nancumprod.
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
  OneAxis axis = none;  // may be left out for vectors
  // Of the elements that are folded, and of the result; default: x's, or I32 and U32 for smaller
  // integers.
  std::optional<DType> dtype = {};
  bool include_initial = false;  // 0 (1) in front: one element more
};
}  // namespace typing
// The sums of all elements up to each along .axis, which may be left out for vectors; bools and
// integers of less than 32 bits are summed as I32 or U32. ShapeError for a scalar, and without an
// axis where x has several. Source: jax.numpy.cumulative_sum.
//
//     cumulative_sum(array({1, 2}), {.include_initial = true})  // array([0, 1, 3], dtype=int32)
Array cumulative_sum(const typing::Arg& x, const typing::CumulativeSumOptions& o = {});
template <detail::PlainDType D>
Array cumulative_sum(const typing::Arg& x, D dtype) {
  return cumulative_sum(x, typing::CumulativeSumOptions{.dtype = dtype});
}
// As cumulative_sum, the products. Source: jax.numpy.cumulative_prod.
Array cumulative_prod(const typing::Arg& x, const typing::CumulativeSumOptions& o = {});
template <detail::PlainDType D>
Array cumulative_prod(const typing::Arg& x, D dtype) {
  return cumulative_prod(x, typing::CumulativeSumOptions{.dtype = dtype});
}

// Differences of neighbours along an axis, n times, of bools whether they differ; first `prepend`
// and `append` are joined to x's ends: arrays, or numbers that stand for one element a row. x's
// dtype, promoted with theirs. Source: jax.numpy.diff.
Array diff(const typing::Arg& x, int64_t n = 1, int64_t axis = -1,
           const typing::MaybeArray& prepend = none, const typing::MaybeArray& append = none);
// The integral of y over places x: a vector, or an array of y's shape; none: dx apart, a number or
// one a gap. Source: jax.numpy.trapezoid.
Array trapezoid(const typing::Arg& y, const typing::MaybeArray& x = none,
                const typing::Arg& dx = 1., int64_t axis = -1);

}  // namespace weft
