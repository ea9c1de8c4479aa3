// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/numpy/index.cpp: take, put, nonzero and segment reductions.
#include "weft/numpy/index.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "functions/kit.h"
#include "functions/lax/sums.h"
#include "functions/numpy/basic_indexing.h"
#include "ops/index/index.h"
#include "ops/structure/structure.h"
#include "tracer/concrete.h"
#include "weft/lax/compare.h"
#include "weft/lax/cumulative.h"
#include "weft/numpy/create.h"
#include "weft/numpy/math.h"
#include "weft/numpy/reduce.h"
#include "weft/numpy/shape.h"

namespace weft {
namespace {

using fn::IndexItem;

fn::IndexMode take_mode(const char* name, const std::string& mode) {
  if (mode == "fill" || mode == "drop" || mode.empty()) return {OutOfBounds::fill};
  if (mode == "clip") return {OutOfBounds::clip, false, true};
  if (mode == "wrap") return {OutOfBounds::clip, true};
  if (mode == "promise_in_bounds" || mode == "check") return {OutOfBounds::clip};
  fn::fail_index(
      fmt::format("{}: mode is \"fill\", \"drop\", \"clip\", \"wrap\", "
                  "\"promise_in_bounds\" or \"check\", not \"{}\"",
                  name, mode));
}
// The mode for writes, which drop values whose index is out of range.
fn::IndexMode put_mode(const char* name, const std::string& mode) {
  if (mode == "check")
    fn::fail_index(fmt::format("{}: mode \"check\" is of take, take_along_axis and x.at(i)", name));
  fn::IndexMode m = take_mode(name, mode);
  m.as_is = false;
  if (m.bounds == OutOfBounds::fill) m.bounds = OutOfBounds::zero;
  return m;
}
void need_integers(const char* name, const Array& i) {
  if (!is_integer(i.dtype()))
    fn::fail_dtype(fmt::format("{}: indices must be integers, got {}", name, to_string(i.type())));
}
// Converts indices to positions along an axis of n elements.
Array positions(const Array& i, int64_t n, const fn::IndexMode& m) {
  const DType d = fn::index_dtype(n);
  const Array v = itemsize(i.dtype()) < itemsize(d) ? fn::as_dtype(i, d) : i;
  if (m.modulo) return remainder(v, fn::as_dtype(scalar_of_int(I64, n), v.dtype()));
  return m.as_is ? v : fn::wrapped_index(v, n);
}
// Broadcasts both arrays so that all axes but one have equal sizes.
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
  const ApiNameScope s("take", x.at());
  need_integers("take", indices);
  const Array v = axis ? x.value() : ravel(x);
  const int a = fn::axis_of("take", axis.value_or(0), v.type().ndim());
  fn::IndexItems items = fn::checked_index(v, {});
  items[static_cast<size_t>(a)] = {IndexItem::Kind::array, a, 0, 1, 1, indices};
  if (o.mode == "check") fn::check_index(indices, v.shape()[a], a);
  return fn::get_items(v, items, take_mode("take", o.mode), o.fill_value,
                       {o.unique_indices, o.indices_are_sorted});
}
Array take_along_axis(const Arg& x, const Arg& indices, OneAxis axis, const TakeOptions& o) {
  const ApiNameScope s("take_along_axis", x.at());
  need_integers("take_along_axis", indices);
  const Array v = axis ? x.value() : ravel(x);
  const int a = fn::axis_of("take_along_axis", axis.value_or(0), v.type().ndim());
  const auto [y, i] = aligned("take_along_axis", v, axis ? indices.value() : ravel(indices), a);
  fn::IndexMode m = take_mode("take_along_axis", o.mode);
  m.as_is = false;  // unlike in take, negative indices count from the end before they are clipped
  const int64_t n = y.shape()[a];
  if (o.mode == "check") fn::check_index(i, n, a);
  const Array at = positions(i, n, m);
  const Array out = gather_along(y, at, a, m.bounds);
  if (m.bounds != OutOfBounds::fill || !o.fill_value) return out;
  const Array inside =
      logical_and(greater_equal(at, 0), less(at, fn::as_dtype(scalar_of_int(I64, n), at.dtype())));
  return where(inside, out, fn::as_dtype(*o.fill_value, y.dtype()));
}
Array put_along_axis(const Arg& x, const Arg& indices, const Arg& values, OneAxis axis,
                     const PutOptions& o) {
  const ApiNameScope s("put_along_axis", x.at());
  need_integers("put_along_axis", indices);
  const Array v = axis ? x.value() : ravel(x);
  const int a = fn::axis_of("put_along_axis", axis.value_or(0), v.type().ndim());
  const auto [y, i] = aligned("put_along_axis", v, axis ? indices.value() : ravel(indices), a);
  const fn::IndexMode m = put_mode("put_along_axis", o.mode);
  const Array at = positions(i, y.shape()[a], m);
  const Array component = reshape_to(at, at.shape().inserted(at.type().ndim(), 1));
  const Array updates = broadcast_to(fn::as_dtype(values, y.dtype()), at.shape());
  return reshape_to(
      scatter_windows(y, component, updates, along_dims(y.type().ndim(), a), Update::set, m.bounds),
      axis ? y.shape() : x->shape());
}
namespace {
// Repeats the values cyclically up to n values.
Array repeated(const char* name, const Array& values, const Array& like, int64_t n) {
  const Array v = fn::as_dtype(ravel(values), like.dtype());
  const int64_t own = v.size();
  if (own == 0 && n > 0) fn::fail_shape(std::string(name) + ": there are no values to be put");
  return own == n ? v : fn::sliced(tile(v, own ? (n + own - 1) / own : 0), 0, 0, n);
}
Array put_flat(const Array& x, const Array& at, const Array& values, const fn::IndexMode& m) {
  const Array row = ravel(x);
  fn::IndexItems items = fn::checked_index(row, {});
  items[0] = {IndexItem::Kind::array, 0, 0, 1, 1, at};
  return reshape_to(fn::update_items(row, items, values, Update::set, m, {}), x.shape());
}
}  // namespace
Array put(const Arg& x, const Arg& indices, const Arg& values, const PutOptions& o) {
  const ApiNameScope s("put", x.at());
  need_integers("put", indices);
  const Array at = ravel(indices);
  fn::IndexMode m = o.mode.empty() ? fn::IndexMode{OutOfBounds::clip} : put_mode("put", o.mode);
  m.as_is = o.mode == "clip";
  return put_flat(x, at, repeated("put", values, x, at.size()), m);
}
Array place(const Arg& x, const Arg& mask, const Arg& values) {
  const ApiNameScope s("place", x.at());
  const int64_t n = x->size();
  if (mask->size() != n)
    fn::fail_shape(fmt::format("place: the mask must have as many elements as {}, got {}",
                               to_string(x->type()), to_string(mask->type())));
  const Array v = repeated("place", values, x, n);
  const Array at = flatnonzero(mask, {.size = n, .fill_value = n});
  return put_flat(x, at, v, {OutOfBounds::zero, false, true});
}
Array putmask(const Arg& x, const Arg& mask, const Arg& values) {
  const ApiNameScope s("putmask", x.at());
  if (!(mask->shape() == x->shape()))
    fn::fail_shape(fmt::format("putmask: the mask must have the shape of {}, got {}",
                               to_string(x->type()), to_string(mask->type())));
  return where(mask, reshape_to(repeated("putmask", values, x, x->size()), x->shape()), x);
}
Array fill_diagonal(const Arg& x, const Arg& value, bool wrap) {
  const ApiNameScope s("fill_diagonal", x.at());
  const Shape& shape = x->shape();
  bool fits = shape.ndim() >= 2;
  for (int i = 0; shape.ndim() > 2 && i < shape.ndim(); ++i) fits = fits && shape[i] == shape[0];
  if (!fits)
    fn::fail_shape("fill_diagonal: needs a matrix, or more axes of one size, got " +
                   to_string(x->type()));
  int64_t step = 0;
  for (int64_t stride : row_major(shape)) step += stride;
  const int64_t n = x->size(), columns = shape[-1];
  const int64_t end = shape.ndim() == 2 && !wrap ? std::min(n, columns * columns) : n;
  const int64_t count = end > 0 ? (end - 1) / step + 1 : 0;
  const Array at = multiply(iota(fn::index_dtype(n), {count}, 0), step);
  return put_flat(x, at, repeated("fill_diagonal", value, x, count), {OutOfBounds::zero});
}
Array choose(const Arg& a, const Arrays& choices, const std::string& mode) {
  const ApiNameScope s("choose", a.at());
  need_integers("choose", a);
  const auto n = static_cast<int64_t>(choices.size());
  if (n == 0) fn::fail_shape("choose: needs at least one choice");
  if (mode != "raise" && mode != "wrap" && mode != "clip")
    fn::fail_index("choose: mode is \"raise\", \"wrap\" or \"clip\", not \"" + mode + "\"");
  Array i = fn::as_dtype(a, itemsize(a->dtype()) < 4 ? I32 : a->dtype());
  if (mode == "raise") {
    if (!concrete_or_null(i))
      throw ConcretizationError(
          "choose: mode \"raise\" looks at the indices, and these are traced; give \"wrap\" or "
          "\"clip\"");
    for (int64_t v : i.to_vector<int64_t>())
      if (v < 0 || v >= n)
        fn::fail_index(fmt::format("choose: index {} is out of bounds for {} choices", v, n));
  } else {
    i = mode == "wrap" ? remainder(i, n) : clip(i, 0, n - 1);
  }
  Shape full = i.shape();
  for (const Array& c : choices) full = fn::common_shape("choose", full, c.shape());
  const Arrays same = fn::same_dtype(choices);
  Array out = fn::broadcast(same[0], full);
  for (int64_t k = 1; k < n; ++k) out = where(equal(i, k), same[static_cast<size_t>(k)], out);
  return out;
}

Array compress(const Arg& condition, const Arg& x, OneAxis axis, const CompressOptions& o) {
  const ApiNameScope s("compress", x.at());
  if (condition->ndim() != 1)
    fn::fail_shape("compress: the condition must be a vector, got " + to_string(condition->type()));
  const Array v = axis ? x.value() : ravel(x);
  const int a = fn::axis_of("compress", axis.value_or(0), v.type().ndim());
  const int64_t n = v.shape()[a];
  if (condition->size() > n)
    fn::fail_index(fmt::format("compress: a condition of {} elements for axis {} of {}",
                               condition->size(), a, to_string(v.type())));
  const Array at = flatnonzero(condition, {.size = o.size, .fill_value = n});
  return take(v, at, a, {.fill_value = fn::as_dtype(o.fill_value, v.dtype())});
}
Array extract(const Arg& condition, const Arg& x, const CompressOptions& o) {
  const ApiNameScope s("extract", x.at());
  return compress(ravel(condition), x, none, o);
}

// ---- positions of nonzero elements

namespace {
// Converts row-major element numbers to an index for each axis. An element number beyond the array
// gives an index beyond the first axis.
Arrays places(Array left, const Shape& shape) {
  Arrays out(shape.size());
  for (int a = shape.ndim(); a-- > 0;) {
    const Array n = fn::as_dtype(scalar_of_int(I64, std::max<int64_t>(shape[a], 1)), left.dtype());
    out[static_cast<size_t>(a)] = a ? remainder(left, n) : left;
    if (a) left = floor_divide(left, n);
  }
  return out;
}
}  // namespace
Arrays nonzero(const Arg& x, const NonzeroOptions& o) {
  const ApiNameScope s("nonzero", x.at());
  const Array v = x->ndim() ? x.value() : reshape(x, 1);
  const DType d = fn::index_dtype(v.size());
  const bool known = !o.size && concrete_or_null(v) && !is_complex(v.dtype());
  const Array mask = known ? Array() : logical_not(logical_not(v));
  Array flat;
  if (!o.size) {
    if (!known && !concrete_or_null(mask))
      throw ConcretizationError(
          "nonzero: the number of elements depends on the values of a traced array; give .size");
    // A concrete array is inspected directly. Its mask would be a tracer while a trace is active.
    const auto bits = (known ? v : mask).to_vector<double>();
    std::vector<int64_t> at;
    for (size_t i = 0; i < bits.size(); ++i)
      if (bits[i] != 0) at.push_back(static_cast<int64_t>(i));
    flat = fn::as_dtype(array(at), d);
  } else {
    // The position of nonzero element k is the number of positions that have fewer than k + 1
    // nonzeros up to and including them.
    const Array seen = lax::cumsum(fn::as_dtype(ravel(mask), d), 0);
    flat = v.size() == 0
               ? zeros({*o.size}, d)
               : fn::as_dtype(lax::cumsum(bincount(seen, none, 0, {.length = o.size}), 0), d);
  }
  Arrays out = places(flat, v.shape());
  if (o.size) {
    const Arrays& fill = o.fill_value.values;
    if (fill.size() != 1 && fill.size() != out.size())
      fn::fail_shape(fmt::format("nonzero: {} fill values for {} axes", fill.size(), out.size()));
    const Array missing = greater_equal(iota(d, {*o.size}, 0), sum(fn::as_dtype(mask, d)));
    for (size_t i = 0; i < out.size(); ++i)
      out[i] = where(missing, fn::as_dtype(fill[fill.size() == 1 ? 0 : i], d), out[i]);
  }
  return out;
}
Arrays where(const Arg& condition, const NonzeroOptions& o) { return nonzero(condition, o); }
Array flatnonzero(const Arg& x, const NonzeroOptions& o) {
  const ApiNameScope s("flatnonzero", x.at());
  return nonzero(ravel(x), o)[0];
}
Array argwhere(const Arg& x, const NonzeroOptions& o) {
  const ApiNameScope s("argwhere", x.at());
  const Arrays places = nonzero(x, o);
  // A scalar has no axes, so its rows are empty.
  return x->ndim() == 0 ? zeros({places[0].size(), 0}, places[0].dtype()) : stack(places, 1);
}

Arrays unravel_index(const Arg& indices, const Shape& shape) {
  const ApiNameScope s("unravel_index", indices.at());
  need_integers("unravel_index", indices);
  if (shape.elements() == 0) return Arrays(shape.size(), zeros_like(indices));
  const DType d = indices->dtype(), wide = itemsize(d) < 4 ? I32 : d;
  Arrays out = places(fn::as_dtype(indices, wide), shape);
  if (out.empty()) return out;
  const auto number = [&](int64_t n) { return fn::as_dtype(scalar_of_int(I64, n), wide); };
  const Array row = out[0], rows = number(shape[0]);
  const Array high = greater_equal(row, rows), low = less(row, negative(rows));
  out[0] = remainder(row, rows);
  for (int a = 0; a < shape.ndim(); ++a) {
    Array& place = out[static_cast<size_t>(a)];
    place = where(high, number(shape[a] - 1), place);
    if (!is_unsigned(d)) place = where(low, number(0), place);
    place = fn::as_dtype(place, d);
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
  const ApiNameScope s("tril_indices", at);
  return index_pairs(
      n, m.value_or(n), [](int64_t i, int64_t j, int64_t d) { return j <= i + d; }, k);
}
Arrays triu_indices(int64_t n, int64_t k, std::optional<int64_t> m, Location at) {
  const ApiNameScope s("triu_indices", at);
  return index_pairs(
      n, m.value_or(n), [](int64_t i, int64_t j, int64_t d) { return j >= i + d; }, k);
}
Arrays diag_indices(int64_t n, int64_t ndim, Location at) {
  const ApiNameScope s("diag_indices", at);
  return Arrays(static_cast<size_t>(ndim), iota(I32, {n}, 0));
}

// ---- segments

namespace {
Array segments(const char* name, const Arg& x, const Arg& ids, const SegmentOptions& o, Update u,
               double identity, Array (*combine)(const Arg&, const Arg&)) {
  const ApiNameScope s(name, x.at());
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
  if (n < 0 || o.bucket_size < 0)
    fn::fail_shape(fmt::format("{}: {} segments, buckets of {} rows", name, n, o.bucket_size));
  const bool folds = u == Update::add || u == Update::mul;
  if (const Array wide = is_inexact(x->dtype()) ? fn::for_sums(x) : x.value();
      folds && wide.dtype() != x->dtype())
    // Narrow floats are rounded once, after the segments are summed.
    return fn::as_dtype(segments(name, {wide, x.at()}, ids, o, u, identity, combine), x->dtype());
  fn::IndexMode m = take_mode(name, o.mode);
  m.as_is = !m.modulo;
  if (m.bounds == OutOfBounds::fill) m.bounds = OutOfBounds::zero;
  const Array start = full(x->shape().with(0, n), identity, x->dtype());
  const int64_t rows = x->shape()[0],
                bucket = o.bucket_size ? o.bucket_size : std::max<int64_t>(rows, 1);
  Array out;
  for (int64_t lo = 0; lo < rows || out.empty_handle(); lo += bucket) {
    const int64_t hi = std::min(rows, lo + bucket);
    fn::IndexItems items = fn::checked_index(start, {});
    items[0] = {IndexItem::Kind::array, 0, 0, 1, 1, fn::sliced(ids, 0, lo, hi)};
    const Array part = fn::update_items(start, items, fn::sliced(x, 0, lo, hi), u, m,
                                        {o.unique_indices, o.indices_are_sorted});
    out = out.empty_handle() ? part : combine(out, part);
  }
  return out;
}
// The neutral element of maximum (`lowest`) or minimum.
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
  return segments("segment_sum", x, ids, o, Update::add, 0, add);
}
Array segment_prod(const Arg& x, const Arg& ids, const SegmentOptions& o) {
  return segments("segment_prod", x, ids, o, Update::mul, 1, multiply);
}
Array segment_max(const Arg& x, const Arg& ids, const SegmentOptions& o) {
  const ApiNameScope s("segment_max", x.at());
  return segments("segment_max", x, ids, o, Update::max, extreme(x->dtype(), true), maximum);
}
Array segment_min(const Arg& x, const Arg& ids, const SegmentOptions& o) {
  const ApiNameScope s("segment_min", x.at());
  return segments("segment_min", x, ids, o, Update::min, extreme(x->dtype(), false), minimum);
}

Array bincount(const Arg& x, const MaybeArray& weights, int64_t minlength,
               const BincountOptions& o) {
  const ApiNameScope s("bincount", x.at());
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
  return segment_sum(w, ids, {.num_segments = n});
}

}  // namespace weft
