// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/numpy/index.cpp: take, nonzero, segments.
#include "weft/functions/numpy/index.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "weft/functions/kit.h"
#include "weft/functions/numpy/create.h"
#include "weft/functions/numpy/indexing.h"
#include "weft/functions/numpy/math.h"
#include "weft/functions/numpy/reduce.h"
#include "weft/functions/numpy/shape.h"
#include "weft/ops/elementwise/compare.h"
#include "weft/ops/index/index.h"
#include "weft/ops/reduce/cumulative.h"
#include "weft/ops/structure/structure.h"
#include "weft/tracer/concrete.h"

namespace weft {
namespace {

using fn::IndexItem;

fn::IndexMode take_mode(const char* name, const std::string& mode) {
  if (mode == "fill" || mode.empty()) return {OutOfBounds::fill};
  if (mode == "clip") return {OutOfBounds::clip, false, true};
  if (mode == "wrap") return {OutOfBounds::clip, true};
  fn::fail_index(fmt::format("{}: mode is \"fill\", \"clip\" or \"wrap\", not \"{}\"", name, mode));
}
void need_integers(const char* name, const Array& i) {
  if (!is_integer(i.dtype()))
    fn::fail_dtype(fmt::format("{}: indices must be integers, got {}", name, to_string(i.type())));
}
// Indices as positions along an axis of n elements.
Array positions(const Array& i, int64_t n, const fn::IndexMode& m) {
  const DType d = fn::index_dtype(n);
  const Array v = itemsize(i.dtype()) < itemsize(d) ? fn::as_dtype(i, d) : i;
  if (m.modulo) return remainder(v, fn::as_dtype(scalar_of_int(I64, n), v.dtype()));
  return m.as_is ? v : fn::wrapped_index(v, n);
}
// Both arrays with the same sizes on all axes but one.
fn::Pair aligned(const char* name, const Array& x, const Array& i, int axis) {
  if (x.ndim() != i.ndim())
    fn::fail_shape(fmt::format("{}: indices must have the rank of the array, got {} and {}", name,
                               to_string(i.type()), to_string(x.type())));
  std::vector<int64_t> a = x.shape().sizes(), b = i.shape().sizes();
  for (size_t k = 0; k < a.size(); ++k) {
    if (static_cast<int>(k) == axis) continue;
    if (a[k] != b[k] && a[k] != 1 && b[k] != 1)
      fn::fail_shape(fmt::format("{}: {} and {} do not go together on axis {}", name,
                                 to_string(i.type()), to_string(x.type()), k));
    a[k] = b[k] = a[k] == 1 ? b[k] : a[k];
  }
  return {fn::broadcast(x, Shape(a)), fn::broadcast(i, Shape(b))};
}
}  // namespace

Array take(const Arg& x, const Arg& indices, OneAxis axis, const TakeOptions& o) {
  const Source s(x.at());
  need_integers("take", indices);
  const Array v = axis ? x.value() : ravel(x);
  const int a = fn::axis_of("take", axis.value_or(0), v.type().ndim());
  fn::IndexItems items = fn::checked_index(v, {});
  items[static_cast<size_t>(a)] = {IndexItem::Kind::array, a, 0, 1, 1, indices};
  return fn::get_items(v, items, take_mode("take", o.mode), o.fill_value);
}
Array take_along_axis(const Arg& x, const Arg& indices, OneAxis axis, const TakeOptions& o) {
  const Source s(x.at());
  need_integers("take_along_axis", indices);
  const Array v = axis ? x.value() : ravel(x);
  const int a = fn::axis_of("take_along_axis", axis.value_or(0), v.type().ndim());
  const auto [y, i] = aligned("take_along_axis", v, axis ? indices.value() : ravel(indices), a);
  fn::IndexMode m = take_mode("take_along_axis", o.mode);
  m.as_is = false;  // unlike in take, negative ones count from the end before they are clipped
  const int64_t n = y.shape()[a];
  const Array at = positions(i, n, m);
  const Array out = gather_along(y, at, a, m.bounds);
  if (m.bounds != OutOfBounds::fill || !o.fill_value) return out;
  const Array inside =
      logical_and(greater_equal(at, 0), less(at, fn::as_dtype(scalar_of_int(I64, n), at.dtype())));
  return where(inside, out, fn::as_dtype(*o.fill_value, y.dtype()));
}
Array put_along_axis(const Arg& x, const Arg& indices, const Arg& values, OneAxis axis) {
  const Source s(x.at());
  need_integers("put_along_axis", indices);
  const Array v = axis ? x.value() : ravel(x);
  const int a = fn::axis_of("put_along_axis", axis.value_or(0), v.type().ndim());
  const auto [y, i] = aligned("put_along_axis", v, axis ? indices.value() : ravel(indices), a);
  const Array at = positions(i, y.shape()[a], {OutOfBounds::zero});
  const Array component = reshape_to(at, at.shape().inserted(at.type().ndim(), 1));
  const Array updates = broadcast_to(fn::as_dtype(values, y.dtype()), at.shape());
  return reshape_to(
      scatter_windows(y, component, updates, along_dims(y.type().ndim(), a), Update::set),
      axis ? y.shape() : x->shape());
}
Array compress(const Arg& condition, const Arg& x, OneAxis axis) {
  const Source s(x.at());
  if (condition->ndim() != 1)
    fn::fail_shape("compress: the condition must be a vector, got " + to_string(condition->type()));
  const Array v = axis ? x.value() : ravel(x);
  const int a = fn::axis_of("compress", axis.value_or(0), v.type().ndim());
  const Array at = flatnonzero(condition);
  return take(v, at, a);
}
Array extract(const Arg& condition, const Arg& x) {
  const Source s(x.at());
  return compress(ravel(condition), x);
}

// ---- positions of what is not zero

Arrays nonzero(const Arg& x, const NonzeroOptions& o) {
  const Source s(x.at());
  const Array v = x->ndim() ? x.value() : reshape(x, 1);
  const Array mask = logical_not(logical_not(v));
  const DType d = fn::index_dtype(v.size());
  Array flat;
  if (!o.size) {
    if (!concrete_or_null(mask))
      throw ConcretizationError(
          "nonzero: the number of elements depends on the values of a traced array; give .size");
    const auto* bits = static_cast<const uint8_t*>(weft::concrete(mask).data());
    std::vector<int64_t> at;
    for (int64_t i = 0; i < mask.size(); ++i)
      if (bits[i]) at.push_back(i);
    flat = fn::as_dtype(array(at), d);
  } else {
    // Element k is behind as many others as have fewer than k + 1 nonzeros up to them.
    const Array seen = lax::cumsum(fn::as_dtype(ravel(mask), d), 0);
    flat = v.size() == 0
               ? zeros({*o.size}, d)
               : fn::as_dtype(lax::cumsum(bincount(seen, none, 0, {.length = o.size}), 0), d);
  }
  Arrays out = unravel_index(flat, v.shape());
  if (o.size) {
    const Array missing = greater_equal(iota(d, {*o.size}, 0), sum(fn::as_dtype(mask, d)));
    for (Array& a : out) a = where(missing, fn::as_dtype(scalar_of_int(I64, o.fill_value), d), a);
  }
  return out;
}
Array flatnonzero(const Arg& x, const NonzeroOptions& o) {
  const Source s(x.at());
  return nonzero(ravel(x), o)[0];
}
Array argwhere(const Arg& x, const NonzeroOptions& o) {
  const Source s(x.at());
  return stack(nonzero(x, o), 1);
}

Arrays unravel_index(const Arg& indices, const Shape& shape) {
  const Source s(indices.at());
  need_integers("unravel_index", indices);
  Array left = indices;
  Arrays out(shape.size());
  for (int a = shape.ndim(); a-- > 0;) {
    const Array n = fn::as_dtype(scalar_of_int(I64, std::max<int64_t>(shape[a], 1)), left.dtype());
    out[static_cast<size_t>(a)] = a ? remainder(left, n) : left;
    if (a) left = floor_divide(left, n);
  }
  return out;
}
namespace {
Arrays index_pairs(int64_t n, int64_t m, bool (*in)(int64_t, int64_t, int64_t), int64_t k) {
  std::vector<int32_t> rows, columns;
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < m; ++j)
      if (in(i, j, k)) {
        rows.push_back(static_cast<int32_t>(i));
        columns.push_back(static_cast<int32_t>(j));
      }
  return {array(rows), array(columns)};
}
}  // namespace
Arrays tril_indices(int64_t n, int64_t k, std::optional<int64_t> m, Location at) {
  const Source s(at);
  return index_pairs(
      n, m.value_or(n), [](int64_t i, int64_t j, int64_t d) { return j <= i + d; }, k);
}
Arrays triu_indices(int64_t n, int64_t k, std::optional<int64_t> m, Location at) {
  const Source s(at);
  return index_pairs(
      n, m.value_or(n), [](int64_t i, int64_t j, int64_t d) { return j >= i + d; }, k);
}
Arrays diag_indices(int64_t n, int64_t ndim, Location at) {
  const Source s(at);
  return Arrays(static_cast<size_t>(ndim), iota(I32, {n}, 0));
}

// ---- segments

namespace {
Array segments(const char* name, const Arg& x, const Arg& ids, const SegmentOptions& o, Update u,
               double identity) {
  const Source s(x.at());
  need_integers(name, ids);
  if (x->ndim() == 0 || ids->ndim() != 1 || ids->shape()[0] != x->shape()[0])
    fn::fail_shape(fmt::format("{}: needs one id a row, got {} and {}", name,
                               to_string(ids->type()), to_string(x->type())));
  int64_t n = o.num_segments.value_or(-1);
  if (!o.num_segments) {
    if (!concrete_or_null(ids))
      throw ConcretizationError(std::string(name) + ": the ids are traced; give .num_segments");
    n = 0;
    for (int64_t i : ids->to_vector<int64_t>()) n = std::max(n, i + 1);
  }
  if (n < 0) fn::fail_shape(fmt::format("{}: {} segments", name, n));
  const Array start = full(x->shape().with(0, n), identity, x->dtype());
  fn::IndexItems items = fn::checked_index(start, {});
  items[0] = {IndexItem::Kind::array, 0, 0, 1, 1, ids};
  return fn::update_items(start, items, x, u, {OutOfBounds::zero, false, true}, o.unique_indices);
}
// The value that every other one replaces.
double extreme(DType d, bool lowest) {
  if (is_inexact(d))
    return lowest ? -std::numeric_limits<double>::infinity()
                  : std::numeric_limits<double>::infinity();
  double v = 0;
  with_dtype(d, [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    if constexpr (std::is_integral_v<T>)
      v = static_cast<double>(lowest ? std::numeric_limits<T>::lowest()
                                     : std::numeric_limits<T>::max());
  });
  return v;
}
}  // namespace
Array segment_sum(const Arg& x, const Arg& ids, const SegmentOptions& o) {
  return segments("segment_sum", x, ids, o, Update::add, 0);
}
Array segment_prod(const Arg& x, const Arg& ids, const SegmentOptions& o) {
  return segments("segment_prod", x, ids, o, Update::mul, 1);
}
Array segment_max(const Arg& x, const Arg& ids, const SegmentOptions& o) {
  const Source s(x.at());
  return segments("segment_max", x, ids, o, Update::max, extreme(x->dtype(), true));
}
Array segment_min(const Arg& x, const Arg& ids, const SegmentOptions& o) {
  const Source s(x.at());
  return segments("segment_min", x, ids, o, Update::min, extreme(x->dtype(), false));
}

Array bincount(const Arg& x, const MaybeArray& weights, int64_t minlength,
               const BincountOptions& o) {
  const Source s(x.at());
  need_integers("bincount", x);
  if (x->ndim() != 1) fn::fail_shape("bincount: needs a vector, got " + to_string(x->type()));
  if (weights && !(weights->shape() == x->shape()))
    fn::fail_shape(
        fmt::format("bincount: needs one weight an element of {}, got {}; a length is an "
                    "option: bincount(x, none, 0, {{.length = n}})",
                    to_string(x->type()), to_string(weights->type())));
  if (minlength < 0 || (o.length && *o.length < 0))
    fn::fail_shape(fmt::format("bincount: the length must not be negative, got {}",
                               minlength < 0 ? minlength : *o.length));
  // Negative numbers count as 0, as in JAX.
  const Array ids = is_unsigned(x->dtype()) ? x.value() : maximum(x, fn::number_like(x, 0));
  int64_t n = o.length.value_or(minlength);
  if (!o.length) {
    if (!concrete_or_null(ids))
      throw ConcretizationError(
          "bincount: x is traced; say how long the result is: "
          "bincount(x, none, 0, {.length = n})");
    for (int64_t i : ids.to_vector<int64_t>()) n = std::max(n, i + 1);
  }
  const Array w = weights ? *weights : broadcast_to(scalar_of_int(I32, 1), x->shape());
  return segment_sum(w, ids, {.num_segments = n, .unique_indices = false});
}

}  // namespace weft
