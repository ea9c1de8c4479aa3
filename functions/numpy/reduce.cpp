// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/numpy/reduce.cpp: reductions, statistics and cumulative functions.
#include "weft/numpy/reduce.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "functions/kit.h"
#include "functions/lax/sums.h"
#include "ops/control/custom_flat.h"
#include "tracer/concrete.h"
#include "weft/lax/compare.h"
#include "weft/lax/convert.h"
#include "weft/lax/cumulative.h"
#include "weft/lax/elementary.h"
#include "weft/lax/elementwise.h"
#include "weft/lax/reduce.h"
#include "weft/lax/rounding.h"
#include "weft/numpy/math.h"
#include "weft/numpy/shape.h"

namespace weft {
namespace {

using fn::number_like;
using Sizes = std::vector<int64_t>;
using ReduceOp = Array (*)(const Arg&, const Sizes&);
using FoldOp = Array (*)(const Arg&, int64_t, bool);
constexpr double inf = std::numeric_limits<double>::infinity();

// The dtype in which bools and small integers are summed, as in NumPy.
DType counting(DType d) {
  if (is_bool(d) || (is_signed(d) && itemsize(d) < 4)) return I32;
  return is_unsigned(d) && itemsize(d) < 4 ? U32 : d;
}
Array keep(const Array& x, const Sizes& axes, bool keepdims) {
  return keepdims && !axes.empty() ? expand_dims(x, axes) : x;
}
// Keys are passed to the op even without axes, because the op refuses them.
Array reduced(ReduceOp op, const Array& x, const Sizes& axes) {
  return axes.empty() && !is_key(x.dtype()) ? x : op(x, axes);
}
// Raises a ShapeError that names the function and the option.
void need_common_shape(const char* name, const char* option, const Array& x, const Array& y) {
  fn::common_shape(fmt::format("{}: {}", name, option).c_str(), x.shape(), y.shape());
}
// Replaces the masked elements of x. The mask may broadcast x to a larger shape.
Array masked(const char* name, const Array& x, const std::optional<Array>& mask,
             const Array& identity) {
  if (!mask) return x;
  need_common_shape(name, ".where", x, *mask);
  return where(*mask, x, identity);
}
// Combines the result with .initial, if it is given.
using Combine = Array (*)(const Arg&, const Arg&);
Array with_initial(const char* name, const Array& out, const ReduceOptions& o, DType d,
                   Combine combine) {
  if (!o.initial) return out;
  need_common_shape(name, ".initial", out, *o.initial);
  return combine(out, fn::as_dtype(*o.initial, d));
}
int64_t count_of(const Array& x, const Sizes& axes) {
  int64_t n = 1;
  for (int64_t a : axes) n *= x.shape()[a];
  return n;
}

// Raises an error for an option that this function does not support.
void refuse(const char* name, const char* option, bool given) {
  if (given) fn::fail_shape(fmt::format("{}: there is no option .{} here", name, option));
}

// Reduces x in the dtype of the computation and converts the result to d.
Array summed(const Array& x, const Sizes& axes, DType d, ReduceOp op) {
  // Narrow floats are reduced in F32 and rounded once.
  const DType wide = accumulator_dtype(d);
  return fn::as_dtype(reduced(op, fn::as_dtype(x, wide, x.weak_type()), axes), d, x.weak_type());
}
Array fold_numbers(const char* name, const Arg& x, const AxisList& axis, const ReduceOptions& o,
                   ReduceOp op, double identity, Combine combine) {
  const ApiNameScope s(name, x.at());
  const DType d = o.dtype.value_or(counting(x->dtype()));
  Array v = fn::as_dtype(x, d, x->weak_type());
  v = masked(name, v, o.where, number_like(v, identity));
  const Sizes axes = fn::axes_of(name, v, axis);
  return with_initial(name, keep(summed(v, axes, d, op), axes, o.keepdims), o, d, combine);
}
Array sum_as(const char* name, const Arg& x, const AxisList& axis, const ReduceOptions& o) {
  return fold_numbers(name, x, axis, o, lax::reduce_sum, 0, add);
}
Array prod_as(const char* name, const Arg& x, const AxisList& axis, const ReduceOptions& o) {
  return fold_numbers(name, x, axis, o, lax::reduce_prod, 1, multiply);
}
Array extremum(const char* name, const Arg& x, const AxisList& axis, const ReduceOptions& o,
               ReduceOp numbers, Combine combine, bool largest) {
  const ApiNameScope s(name, x.at());
  const Array given = o.dtype ? fn::as_dtype(x, *o.dtype) : x.value();
  if (o.where && !o.initial)
    fn::fail_shape(fmt::format("{}: .where needs .initial, the value where nothing counts", name));
  const ReduceOp op = !is_bool(given.dtype()) ? numbers
                      : largest               ? lax::reduce_or
                                              : lax::reduce_and;
  // Masked elements become the result of an empty reduction. If they became .initial, they would
  // share its derivative.
  const Array v = o.where ? masked(name, given, o.where,
                                   op(fn::broadcast(fn::as_dtype(0, given.dtype()), Shape{0}), {0}))
                          : given;
  const Sizes axes = fn::axes_of(name, v, axis);
  if (count_of(v, axes) == 0 && !o.initial)
    fn::fail_shape(
        fmt::format("zero-size array to reduction operation {} which has no identity: {}", name,
                    to_string(x->type())));
  const Array out = keep(reduced(op, v, axes), axes, o.keepdims);
  return with_initial(name, out, o, v.dtype(), combine);
}
Array max_as(const char* name, const Arg& x, const AxisList& axis, const ReduceOptions& o) {
  return extremum(name, x, axis, o, lax::reduce_max, maximum, true);
}
Array min_as(const char* name, const Arg& x, const AxisList& axis, const ReduceOptions& o) {
  return extremum(name, x, axis, o, lax::reduce_min, minimum, false);
}
// Implements any and all.
Array truths(const char* name, const Arg& x, const AxisList& axis, const ReduceOptions& o,
             ReduceOp op, bool identity, Combine combine) {
  const ApiNameScope s(name, x.at());
  refuse(name, "dtype", o.dtype.has_value());
  const Array v = masked(name, fn::truth(name, x), o.where, fn::as_dtype(identity, Bool));
  const Sizes axes = fn::axes_of(name, v, axis);
  return with_initial(name, keep(reduced(op, v, axes), axes, o.keepdims), o, Bool, combine);
}
}  // namespace

template <class>
Array sum(const Arg& x, const AxisList& axis, const ReduceOptions& o) {
  return sum_as("sum", x, axis, o);
}
template Array sum<void>(const Arg&, const AxisList&, const ReduceOptions&);
Array sum(const Arg& x, const ReduceOptions& o) { return sum(x, {none, x.at()}, o); }
template <class>
Array prod(const Arg& x, const AxisList& axis, const ReduceOptions& o) {
  return prod_as("prod", x, axis, o);
}
template Array prod<void>(const Arg&, const AxisList&, const ReduceOptions&);
Array prod(const Arg& x, const ReduceOptions& o) { return prod(x, {none, x.at()}, o); }
template <class>
Array max(const Arg& x, const AxisList& axis, const ReduceOptions& o) {
  return max_as("max", x, axis, o);
}
template Array max<void>(const Arg&, const AxisList&, const ReduceOptions&);
Array max(const Arg& x, const ReduceOptions& o) { return max(x, {none, x.at()}, o); }
template <class>
Array min(const Arg& x, const AxisList& axis, const ReduceOptions& o) {
  return min_as("min", x, axis, o);
}
template Array min<void>(const Arg&, const AxisList&, const ReduceOptions&);
Array min(const Arg& x, const ReduceOptions& o) { return min(x, {none, x.at()}, o); }
Array amax(const Arg& x, const AxisList& axis, const ReduceOptions& o) {
  return max_as("amax", x, axis, o);
}
Array amin(const Arg& x, const AxisList& axis, const ReduceOptions& o) {
  return min_as("amin", x, axis, o);
}
template <class>
Array any(const Arg& x, const AxisList& axis, const ReduceOptions& o) {
  return truths("any", x, axis, o, lax::reduce_or, false, logical_or);
}
template Array any<void>(const Arg&, const AxisList&, const ReduceOptions&);
Array any(const Arg& x, const ReduceOptions& o) { return any(x, {none, x.at()}, o); }
template <class>
Array all(const Arg& x, const AxisList& axis, const ReduceOptions& o) {
  return truths("all", x, axis, o, lax::reduce_and, true, logical_and);
}
template Array all<void>(const Arg&, const AxisList&, const ReduceOptions&);
Array all(const Arg& x, const ReduceOptions& o) { return all(x, {none, x.at()}, o); }

namespace {
// The number of unmasked elements, as a float.
Array normalizer(const char* name, const Array& x, const Sizes& axes, DType d,
                 const std::optional<Array>& mask) {
  if (!mask) return fn::as_dtype(scalar_of(F64, static_cast<double>(count_of(x, axes))), d);
  const Array counts = fn::as_dtype(broadcast_to(fn::truth(name, *mask), x.shape()), d);
  return reduced(lax::reduce_sum, counts, axes);
}
Array mean_as(const char* name, const Arg& x, const AxisList& axis, const ReduceOptions& o) {
  const ApiNameScope s(name, x.at());
  refuse(name, "initial", o.initial.has_value());
  const DType d = o.dtype.value_or(to_inexact(x->dtype())), c = accumulator_dtype(to_inexact(d));
  const Array v = fn::as_dtype(x, c, x->weak_type());
  const Sizes axes = fn::axes_of(name, v, axis);
  const Array total = reduced(lax::reduce_sum, masked(name, v, o.where, number_like(v, 0)), axes);
  return keep(
      fn::as_dtype(lax::div(total, normalizer(name, v, axes, c, o.where)), d, x->weak_type()), axes,
      o.keepdims);
}

// The variance before its final conversion. Narrow floats are computed in F32.
Array wide_var(const char* name, const Arg& x, const AxisList& axis, const VarOptions& o) {
  fn::need_numbers(name, x);
  if (o.dtype && (is_key(*o.dtype) || is_bool(*o.dtype)))
    fn::fail_dtype(
        fmt::format("{}: .dtype must be one of numbers, got {}", name, short_name(*o.dtype)));
  if (o.dtype && is_complex(x->dtype()) && !is_complex(*o.dtype))
    fn::fail_dtype(
        fmt::format("{}: .dtype of complex numbers must be complex, got {} for {}; take "
                    "real(), imag() or abs() first",
                    name, short_name(*o.dtype), to_string(x->type())));
  const DType d = o.dtype.value_or(to_inexact(x->dtype())), c = accumulator_dtype(to_inexact(d));
  const Array v = fn::as_dtype(x, c, x->weak_type());
  const Sizes axes = fn::axes_of(name, v, axis);
  ReduceOptions about;
  about.keepdims = true;
  about.where = o.where;
  if (o.correction && o.ddof != 0)
    fn::fail_shape(
        fmt::format("{}: ddof and correction are two names of one number; give one of them", name));
  // Masked elements are replaced before the square: the derivative of the square of a NaN is NaN.
  const Array apart =
      subtract(v, o.mean ? fn::as_dtype(*o.mean, c) : mean_as(name, v, axes, about));
  const Array centered = masked(name, apart, o.where, number_like(apart, 0));
  const Array squares =
      is_complex(c) ? lax::real(lax::mul(centered, lax::conj(centered))) : lax::square(centered);
  const DType r = real_part(c);
  const Array n = normalizer(name, v, axes, r, o.where);
  const Array total = reduced(lax::reduce_sum, squares, axes);
  const double less = o.correction.value_or(static_cast<double>(o.ddof));
  const Array degrees = lax::sub(n, number_like(n, less));
  Array out = lax::div(total, degrees);
  if (less > 0)
    out = where(lax::gt(degrees, number_like(n, 0)), out,
                number_like(out, std::numeric_limits<double>::quiet_NaN()));
  return keep(out, axes, o.keepdims);
}
using Variance = Array (*)(const char*, const Arg&, const AxisList&, const VarOptions&);
// Converts a computed value to the dtype of the function's result.
Array rounded(const Array& v, const Arg& x, const VarOptions& o) {
  const DType d = o.dtype.value_or(to_inexact(x->dtype()));
  return fn::as_dtype(v, real_part(d), x->weak_type());
}
Array var_as(const char* name, const Arg& x, const AxisList& axis, const VarOptions& o,
             Variance variance) {
  const ApiNameScope s(name, x.at());
  return rounded(variance(name, x, axis, o), x, o);
}
// The square root of a variance.
Array deviation(const char* name, const Arg& x, const AxisList& axis, const VarOptions& o,
                Variance variance) {
  const ApiNameScope s(name, x.at());
  if (o.dtype && !is_inexact(*o.dtype))
    fn::fail_dtype(
        fmt::format("{}: .dtype must be inexact (F32, F64, …), got {}; convert the "
                    "result with astype()",
                    name, short_name(*o.dtype)));
  return rounded(sqrt(variance(name, x, axis, o)), x, o);
}
}  // namespace

template <class>
Array mean(const Arg& x, const AxisList& axis, const ReduceOptions& o) {
  return mean_as("mean", x, axis, o);
}
template Array mean<void>(const Arg&, const AxisList&, const ReduceOptions&);
Array mean(const Arg& x, const ReduceOptions& o) { return mean(x, {none, x.at()}, o); }
template <class>
Array var(const Arg& x, const AxisList& axis, const VarOptions& o) {
  return var_as("var", x, axis, o, wide_var);
}
template Array var<void>(const Arg&, const AxisList&, const VarOptions&);
Array var(const Arg& x, const VarOptions& o) { return var(x, {none, x.at()}, o); }
template <class>
Array std(const Arg& x, const AxisList& axis, const VarOptions& o) {
  return deviation("std", x, axis, o, wide_var);
}
template Array std<void>(const Arg&, const AxisList&, const VarOptions&);
Array std(const Arg& x, const VarOptions& o) { return std(x, {none, x.at()}, o); }
Array ptp(const Arg& x, const AxisList& axis, const ReduceOptions& o) {
  const ApiNameScope s("ptp", x.at());
  return subtract(max_as("ptp", x, axis, o), min_as("ptp", x, axis, o));
}
Array count_nonzero(const Arg& x, const AxisList& axis, const ReduceOptions& o) {
  const ApiNameScope s("count_nonzero", x.at());
  return sum_as("count_nonzero", fn::as_dtype(fn::truth("count_nonzero", x), I32), axis, o);
}

namespace fn {
ShiftedExp shifted_exp(const Array& v, const Sizes& axes) {
  const Array largest = reduced(lax::reduce_max, is_complex(v.dtype()) ? lax::real(v) : v, axes);
  const Array top =
      lax::stop_gradient(where(lax::is_finite(largest), largest, number_like(largest, 0)));
  return {exp(subtract(v, axes.empty() ? top : expand_dims(top, axes))), top};
}
}  // namespace fn
namespace {
Array log_sum_exp(const Array& v, const Sizes& axes) {
  const fn::ShiftedExp e = fn::shifted_exp(v, axes);
  return add(log(sum(e.terms, axes)), e.top);
}
// Value and tangent. If the largest term is infinite, the finite terms count as 0, and equal
// infinite terms share the derivative.
Arrays log_sum_exp_rule(const Array& v, const Array& dv, const Sizes& axes) {
  const Array largest = lax::stop_gradient(reduced(lax::reduce_max, v, axes));
  const Array endless = isinf(largest), top = where(isnan(largest), number_like(v, 0), largest);
  const Array wide = expand_dims(largest, axes), shift = expand_dims(top, axes);
  const Array alone = where(equal(v, wide), number_like(v, 0), number_like(v, -inf));
  const Array e = exp(where(expand_dims(endless, axes), alone, subtract(v, shift)));
  const Array total = sum(e, axes);
  const Array tangent = divide(sum(multiply(e, dv), axes), total);
  return {add(log(total), top), fn::as_dtype(tangent, total.dtype())};
}
}  // namespace
Array logsumexp(const Arg& x, const AxisList& axis, const ReduceOptions& o) {
  const ApiNameScope s("logsumexp", x.at());
  refuse("logsumexp", "dtype", o.dtype.has_value());
  refuse("logsumexp", "initial", o.initial.has_value());
  const Array given = fn::inexact(x);
  Array v = fn::for_sums(given);
  v = masked("logsumexp", v, o.where, number_like(v, -inf));
  const Sizes axes = fn::axes_of("logsumexp", v, axis);
  if (axes.empty()) return fn::rounded_like(v, given);
  const auto value = [&](const Arrays& in) { return Arrays{log_sum_exp(in[0], axes)}; };
  if (is_complex(v.dtype())) return keep(fn::rounded_like(value({v})[0], given), axes, o.keepdims);
  const auto rule = [&](const Arrays& in) { return log_sum_exp_rule(in[0], in[1], axes); };
  const Arrays r =
      custom_jvp_flat(record({v.type()}, value), record({v.type(), v.type().strong()}, rule), {v},
                      "logsumexp", true);
  return keep(fn::rounded_like(r[0], given), axes, o.keepdims);
}

namespace {
Array place(const char* name, const Arg& x, const AxisList& axis, const ArgOptions& o,
            Array (*op)(const Arg&, int64_t, DType)) {
  const ApiNameScope s(name, x.at());
  const Array given = is_bool(x->dtype()) ? fn::as_dtype(x, U8) : x.value();
  const Array v = axis.all ? ravel(given) : given;
  if (!axis.all && axis.axes.size() != 1)
    fn::fail_shape(std::string(name) + ": takes one axis, or none for all");
  const int a = fn::axis_of(name, axis.all ? 0 : axis.axes[0], v.type().ndim());
  if (v.shape()[a] == 0)
    fn::fail_shape(
        fmt::format("attempt to get {} of an empty sequence: {}", name, to_string(x->type())));
  const Array out = op(v, a, fn::index_dtype(v.shape()[a]));
  if (!o.keepdims) return out;
  return axis.all ? reshape(out, Sizes(x->shape().size(), 1)) : expand_dims(out, a);
}
}  // namespace
Array argmax(const Arg& x, const AxisList& axis, const ArgOptions& o) {
  return place("argmax", x, axis, o, lax::argmax);
}
Array argmin(const Arg& x, const AxisList& axis, const ArgOptions& o) {
  return place("argmin", x, axis, o, lax::argmin);
}

// ---- without NaNs

namespace {
Array place_without_nan(const char* name, const Arg& x, const AxisList& axis, const ArgOptions& o,
                        Array (*op)(const Arg&, int64_t, DType), double last) {
  const ApiNameScope s(name, x.at());
  if (!is_inexact(x->dtype())) return place(name, x, axis, o, op);
  const Array lost = isnan(x), there = logical_not(lost), end = number_like(x, last);
  const ReduceOptions r{.keepdims = o.keepdims};
  // If all elements of a row are NaN or equal to the replacement of NaN, the place of the first
  // number is used.
  const Array at = place(name, where(lost, end, x), axis, o, op);
  const Array first = place(name, there, axis, o, lax::argmax);
  const Array only = all(logical_or(lost, lax::eq(x, end)), axis, r);
  return where(all(lost, axis, r), number_like(at, -1), where(only, first, at));
}
Array replaced(const Array& x, double v) {
  return is_inexact(x.dtype()) ? where(lax::ne(x, x), number_like(x, v), x) : x;
}
// True for elements that are not NaN and not masked.
Array counting_mask(const char* name, const Array& x, const std::optional<Array>& mask) {
  const Array there = logical_not(isnan(x));
  if (!mask) return there;
  need_common_shape(name, ".where", x, *mask);
  return logical_and(*mask, there);
}
// Restores NaN where all elements were NaN.
Array unless_nothing(const Array& out, const Array& x, const AxisList& axis,
                     const ReduceOptions& o) {
  if (!is_inexact(x.dtype())) return out;
  return where(all(isnan(x), axis, o), number_like(out, std::numeric_limits<double>::quiet_NaN()),
               out);
}
}  // namespace
Array nanargmax(const Arg& x, const AxisList& axis, const ArgOptions& o) {
  return place_without_nan("nanargmax", x, axis, o, lax::argmax, -inf);
}
Array nanargmin(const Arg& x, const AxisList& axis, const ArgOptions& o) {
  return place_without_nan("nanargmin", x, axis, o, lax::argmin, inf);
}
template <class>
Array nansum(const Arg& x, const AxisList& axis, const ReduceOptions& o) {
  const ApiNameScope s("nansum", x.at());
  return sum_as("nansum", replaced(x, 0), axis, o);
}
template Array nansum<void>(const Arg&, const AxisList&, const ReduceOptions&);
Array nansum(const Arg& x, const ReduceOptions& o) { return nansum(x, {none, x.at()}, o); }
template <class>
Array nanprod(const Arg& x, const AxisList& axis, const ReduceOptions& o) {
  const ApiNameScope s("nanprod", x.at());
  return prod_as("nanprod", replaced(x, 1), axis, o);
}
template Array nanprod<void>(const Arg&, const AxisList&, const ReduceOptions&);
Array nanprod(const Arg& x, const ReduceOptions& o) { return nanprod(x, {none, x.at()}, o); }
Array nanmax(const Arg& x, const AxisList& axis, const ReduceOptions& o) {
  const ApiNameScope s("nanmax", x.at());
  return unless_nothing(max_as("nanmax", replaced(x, -inf), axis, o), x, axis,
                        {.keepdims = o.keepdims});
}
Array nanmin(const Arg& x, const AxisList& axis, const ReduceOptions& o) {
  const ApiNameScope s("nanmin", x.at());
  return unless_nothing(min_as("nanmin", replaced(x, inf), axis, o), x, axis,
                        {.keepdims = o.keepdims});
}
template <class>
Array nanmean(const Arg& x, const AxisList& axis, const ReduceOptions& o) {
  const ApiNameScope s("nanmean", x.at());
  ReduceOptions p = o;
  p.where = counting_mask("nanmean", x, o.where);
  return mean_as("nanmean", x, axis, p);
}
template Array nanmean<void>(const Arg&, const AxisList&, const ReduceOptions&);
Array nanmean(const Arg& x, const ReduceOptions& o) { return nanmean(x, {none, x.at()}, o); }
namespace {
Array wide_nanvar(const char* name, const Arg& x, const AxisList& axis, const VarOptions& o) {
  VarOptions p = o;
  p.where = counting_mask(name, x, o.where);
  return wide_var(name, x, axis, p);
}
}  // namespace
template <class>
Array nanvar(const Arg& x, const AxisList& axis, const VarOptions& o) {
  return var_as("nanvar", x, axis, o, wide_nanvar);
}
template Array nanvar<void>(const Arg&, const AxisList&, const VarOptions&);
Array nanvar(const Arg& x, const VarOptions& o) { return nanvar(x, {none, x.at()}, o); }
template <class>
Array nanstd(const Arg& x, const AxisList& axis, const VarOptions& o) {
  return deviation("nanstd", x, axis, o, wide_nanvar);
}
template Array nanstd<void>(const Arg&, const AxisList&, const VarOptions&);
Array nanstd(const Arg& x, const VarOptions& o) { return nanstd(x, {none, x.at()}, o); }

// ---- cumulative functions

namespace {
Array running(const char* name, const Arg& x, OneAxis axis, const CumulativeOptions& o, FoldOp op) {
  const ApiNameScope s(name, x.at());
  const DType d = o.dtype.value_or(is_bool(x->dtype()) ? I32 : x->dtype());
  const Array v = fn::as_dtype(axis ? x.value() : ravel(x), d, x->weak_type());
  const int a = fn::axis_of(name, axis.value_or(0), v.type().ndim());
  return op(v, a, o.reverse);
}
}  // namespace
Array cumsum(const Arg& x, OneAxis axis, const CumulativeOptions& o) {
  return running("cumsum", x, axis, o, lax::cumsum);
}
Array cumprod(const Arg& x, OneAxis axis, const CumulativeOptions& o) {
  return running("cumprod", x, axis, o, lax::cumprod);
}
Array cummax(const Arg& x, OneAxis axis, const CumulativeOptions& o) {
  return running("cummax", x, axis, o, lax::cummax);
}
Array cummin(const Arg& x, OneAxis axis, const CumulativeOptions& o) {
  return running("cummin", x, axis, o, lax::cummin);
}

Array nancumsum(const Arg& x, OneAxis axis, const CumulativeOptions& o) {
  const ApiNameScope s("nancumsum", x.at());
  return running("nancumsum", replaced(x, 0), axis, o, lax::cumsum);
}
Array nancumprod(const Arg& x, OneAxis axis, const CumulativeOptions& o) {
  const ApiNameScope s("nancumprod", x.at());
  return running("nancumprod", replaced(x, 1), axis, o, lax::cumprod);
}

namespace {
Array cumulative(const char* name, const Arg& x, const CumulativeSumOptions& o, FoldOp op,
                 double first) {
  const ApiNameScope s(name, x.at());
  if (x->ndim() == 0) fn::fail_shape(std::string(name) + ": a scalar has no axis to go along");
  if (x->ndim() > 1 && !o.axis)
    fn::fail_shape(fmt::format("{}: {} has several axes; say which: {{.axis = 0}}", name,
                               to_string(x->type())));
  const int a = fn::axis_of(name, o.axis.value_or(0), x->type().ndim());
  const DType d = o.dtype.value_or(counting(x->dtype()));
  const Array v = fn::as_dtype(x, d, x->weak_type()), out = op(v, a, false);
  if (!o.include_initial) return out;
  return fn::joined({fn::broadcast(number_like(out, first), v.shape().with(a, 1)), out}, a);
}
}  // namespace
Array cumulative_sum(const Arg& x, const CumulativeSumOptions& o) {
  return cumulative("cumulative_sum", x, o, lax::cumsum, 0);
}
Array cumulative_prod(const Arg& x, const CumulativeSumOptions& o) {
  return cumulative("cumulative_prod", x, o, lax::cumprod, 1);
}

}  // namespace weft
