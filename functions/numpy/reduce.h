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
struct VarOptions {
  int64_t ddof = 0;
  bool keepdims = false;
  std::optional<DType> dtype = {};
  std::optional<Array> where = {};
};
Array var(const Arg& x, const AxisList& axis = none, const VarOptions& o = {});
Array std(const Arg& x, const AxisList& axis = none, const VarOptions& o = {});
Array ptp(const Arg& x, const AxisList& axis = none, const ReduceOptions& o = {});  // max - min
Array average(const Arg& x, const AxisList& axis = none, const std::optional<Array>& weights = {});
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

// Quantiles by linear interpolation.
struct QuantileOptions {
  std::string method = "linear";  // "lower", "higher", "nearest", "midpoint"
  bool keepdims = false;
};
Array median(const Arg& x, const AxisList& axis = none, const ReduceOptions& o = {});
Array quantile(const Arg& x, const Arg& q, const AxisList& axis = none,
               const QuantileOptions& o = {});
Array percentile(const Arg& x, const Arg& q, const AxisList& axis = none,
                 const QuantileOptions& o = {});

// ---- running folds. Default: of x flattened.
struct CumulativeOptions {
  std::optional<DType> dtype = {};
  bool reverse = false;
};
Array cumsum(const Arg& x, OneAxis axis = none, const CumulativeOptions& o = {});
Array cumprod(const Arg& x, OneAxis axis = none, const CumulativeOptions& o = {});
Array cummax(const Arg& x, OneAxis axis = none, const CumulativeOptions& o = {});
Array cummin(const Arg& x, OneAxis axis = none, const CumulativeOptions& o = {});
// Differences of neighbours, n times.
Array diff(const Arg& x, int64_t n = 1, int64_t axis = -1);
// The integral of y over places x: a vector, or an array of y's shape; none: dx apart.
Array trapezoid(const Arg& y, const MaybeArray& x = none, double dx = 1, int64_t axis = -1);

}  // namespace weft
