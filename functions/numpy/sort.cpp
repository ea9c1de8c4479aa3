// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/numpy/sort.cpp: sorting and searching.
#include "weft/numpy/sort.h"

#include <fmt/format.h>

#include "functions/kit.h"
#include "ops/index/sort.h"
#include "ops/structure/structure.h"
#include "tracer/concrete.h"
#include "weft/lax/compare.h"
#include "weft/lax/elementwise.h"
#include "weft/numpy/index.h"
#include "weft/numpy/math.h"
#include "weft/numpy/reduce.h"
#include "weft/numpy/shape.h"

namespace weft {
namespace {
// The array and the axis to sort along. Without an axis, x is flattened.
std::pair<Array, int> along(const char* name, const Array& x, const AxisList& axis) {
  if (!axis.all && axis.axes.size() != 1) fn::fail_shape(std::string(name) + ": takes one axis");
  const Array v = axis.all ? ravel(x) : x;
  return {v, fn::axis_of(name, axis.all ? 0 : axis.axes[0], v.type().ndim())};
}
Array places(const Array& x, int axis) {
  return iota(fn::index_dtype(x.shape()[axis]), x.shape(), axis);
}
}  // namespace

Array sort(const Arg& x, const AxisList& axis, const SortOptions& o) {
  const ApiNameScope s("sort", x.at());
  const auto [v, a] = along("sort", x, axis);
  const Array out = sort_arrays({v}, a, 1, o.stable)[0];
  return o.descending ? reverse(out, {a}) : out;
}
Array argsort(const Arg& x, const AxisList& axis, const ArgsortOptions& o) {
  const ApiNameScope s("argsort", x.at());
  if (o.dtype && !is_integer(*o.dtype))
    fn::fail_dtype(
        fmt::format("argsort: .dtype must be an integer type, got {}", short_name(*o.dtype)));
  const auto [v, a] = along("argsort", x, axis);
  // For a stable descending order, the reversed array is sorted and its positions are counted from
  // the end.
  const bool turn = o.descending && o.stable;
  const Array key = turn ? reverse(v, {a}) : v;
  const Array place = turn ? reverse(places(v, a), {a}) : places(v, a);
  Array out = sort_arrays({key, place}, a, 1, o.stable)[1];
  if (o.descending) out = reverse(out, {a});
  return o.dtype ? fn::as_dtype(out, *o.dtype) : out;
}
Array lexsort(const Arrays& keys, int64_t axis, Location at) {
  const ApiNameScope s("lexsort", at);
  if (keys.empty()) fn::fail_shape("lexsort: needs at least one key");
  const int a = fn::axis_of("lexsort", axis, keys[0].type().ndim());
  Arrays x(keys.rbegin(), keys.rend());
  x.push_back(places(keys[0], a));
  return sort_arrays(x, a, static_cast<int64_t>(keys.size())).back();
}
std::pair<Array, Array> top_k(const Arg& x, int64_t k, int64_t axis) {
  const ApiNameScope s("top_k", x.at());
  return top_k_along(x, k, fn::axis_of("top_k", axis, x->type().ndim()));
}
Array partition(const Arg& x, int64_t k, int64_t axis) {
  const ApiNameScope s("partition", x.at());
  const int a = fn::axis_of("partition", axis, x->type().ndim());
  if (k < -x->shape()[a] || k >= x->shape()[a])
    fn::fail_index(
        fmt::format("partition: place {} is out of range for {}", k, to_string(x->type())));
  return sort(x, a);
}
Array argpartition(const Arg& x, int64_t k, int64_t axis) {
  const ApiNameScope s("argpartition", x.at());
  const int a = fn::axis_of("argpartition", axis, x->type().ndim());
  if (k < -x->shape()[a] || k >= x->shape()[a])
    fn::fail_index(
        fmt::format("argpartition: place {} is out of range for {}", k, to_string(x->type())));
  return argsort(x, a);
}

Array searchsorted(const Arg& a, const Arg& v, const SearchOptions& o) {
  const ApiNameScope s("searchsorted", a.at());
  if (a->ndim() != 1)
    fn::fail_shape("searchsorted: the sorted array must be a vector, got " + to_string(a->type()));
  if (o.side != "left" && o.side != "right")
    fn::fail_shape("searchsorted: side is \"left\" or \"right\", not \"" + o.side + "\"");
  const bool left = o.side == "left";
  if (o.sorter && (o.sorter->shape() != a->shape() || !is_integer(o.sorter->dtype())))
    fn::fail_shape(fmt::format("searchsorted: .sorter must have an integer for each of {}, got {}",
                               to_string(a->type()), to_string(o.sorter->type())));
  const Arrays same = fn::same_dtype({o.sorter ? take(a, *o.sorter, 0) : a.value(), v});
  const Array &keys = same[0], &wanted = same[1];
  const int64_t n = keys.size();
  const DType d = fn::index_dtype(n);
  const auto constant = [&](int64_t i) { return scalar_of_int(d, i); };
  // NaN is greater than every number, but not than another NaN.
  const auto before = [&](const Array& x, const Array& y) {
    const Array less = lax::lt(x, y);
    return is_inexact(x.dtype()) ? logical_or(less, logical_and(isnan(y), logical_not(isnan(x))))
                                 : less;
  };
  if (n == 0) return broadcast_to(constant(0), wanted.shape());
  // Binary search. `lo` counts the elements known to be before v. All v run the same number of
  // steps.
  Array lo = broadcast_to(constant(0), wanted.shape()),
        hi = broadcast_to(constant(n), wanted.shape());
  for (int64_t width = n; width > 0; width /= 2) {
    const Array mid = lax::add(lo, lax::div(lax::sub(hi, lo), constant(2)));
    const Array at = take(keys, lax::min(mid, constant(n - 1)), 0, {.mode = "clip"});
    const Array open = lax::lt(lo, hi);
    const Array up = logical_and(open, left ? before(at, wanted) : logical_not(before(wanted, at)));
    hi = lax::select(logical_and(open, logical_not(up)), mid, hi);
    lo = lax::select(up, lax::add(mid, constant(1)), lo);
  }
  return lo;
}
Array digitize(const Arg& x, const Arg& bins, bool right) {
  const ApiNameScope s("digitize", x.at());
  if (bins->ndim() != 1)
    fn::fail_shape("digitize: the bins must be a vector, got " + to_string(bins->type()));
  const std::string side = right ? "left" : "right";
  const int64_t n = bins->size();
  if (n == 0) return broadcast_to(scalar_of_int(I32, 0), x->shape());
  const Array first = squeeze_axes(fn::sliced(bins, 0, 0, 1), {0}),
              last = squeeze_axes(fn::sliced(bins, 0, n - 1, n), {0});
  const Array up = searchsorted(bins, x, {side}), down = searchsorted(flip(bins, 0), x, {side});
  return where(greater_equal(last, first), up, subtract(scalar_of_int(up.dtype(), n), down));
}

}  // namespace weft
