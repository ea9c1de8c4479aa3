// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/numpy/edit.cpp: deletes and inserts rows by gathers at computed positions.
#include "weft/numpy/edit.h"

#include <fmt/format.h>

#include <algorithm>

#include "functions/kit.h"
#include "functions/numpy/basic_indexing.h"
#include "ops/structure/structure.h"
#include "tracer/concrete.h"
#include "weft/numpy/index.h"
#include "weft/numpy/math.h"
#include "weft/numpy/reduce.h"
#include "weft/numpy/shape.h"
#include "weft/numpy/sort.h"

namespace weft {
namespace {

using Sizes = std::vector<int64_t>;

Array vector_of(const Sizes& v, DType d) { return fn::as_dtype(array(v), d); }
// The positions that a slice selects.
Sizes places_of(const Slice& s, int64_t n) {
  const fn::IndexItem i = fn::checked_index(zeros({n}, Bool), {s})[0];
  Sizes out;
  for (int64_t k = 0; k < i.count; ++k) out.push_back(i.lo + k * i.step);
  return out;
}
// The array whose rows are edited, and the axis of its rows.
std::pair<Array, int> along(const char* name, const Array& x, OneAxis axis) {
  const Array v = axis ? x : ravel(x);
  return {v, fn::axis_of(name, axis.value_or(0), v.type().ndim())};
}
[[noreturn]] void bad_index(const char* name, const Array& i) {
  fn::fail_index(fmt::format("{}: takes an integer, a slice or a vector of integers, got {}", name,
                             to_string(i.type())));
}

// Removes the rows at unique positions, which may be traced. Each remaining row moves up by the
// number of deleted rows before it.
Array without_unique(const Array& x, const Array& at, int axis) {
  const int64_t n = x.shape()[axis], gone = at.size();
  if (gone == 0) return x;
  const DType d = fn::index_dtype(n);
  const Array i = sort(clip(fn::wrapped_index(fn::as_dtype(ravel(at), d), n), 0, n));
  const Array before = subtract(i, iota(d, {gone}, 0));
  const Array left = iota(d, {std::max<int64_t>(0, n - gone)}, 0);
  return take(x, add(left, searchsorted(before, left, {.side = "right"})), axis, {.mode = "clip"});
}
}  // namespace

Array delete_(const Arg& x, const Index& obj, OneAxis axis, const DeleteOptions& o) {
  const ApiNameScope s("delete_", x.at());
  const auto [v, a] = along("delete_", x, axis);
  const int64_t n = v.shape()[a];
  std::vector<bool> gone(static_cast<size_t>(n));
  const auto drop = [&](int64_t i) {
    if (i < -n || i >= n)
      fn::fail_index(
          fmt::format("delete_: index {} is out of bounds for axis {} with size {}", i, a, n));
    gone[static_cast<size_t>(i < 0 ? i + n : i)] = true;
  };
  switch (obj.kind) {
    case Index::Kind::integer: drop(obj.integer); break;
    case Index::Kind::slice:
      for (int64_t i : places_of(obj.slice, n)) drop(i);
      break;
    case Index::Kind::array: {
      const Array& i = obj.array;
      const bool mask = is_bool(i.dtype());
      if ((!mask && !is_integer(i.dtype())) || (mask && i.shape() != Shape{n}))
        fn::fail_index(
            fmt::format("delete_: takes integers or a mask of {}, got {}", n, to_string(i.type())));
      if (!mask && o.assume_unique_indices) return without_unique(v, i, a);
      if (!concrete_or_null(i))
        throw ConcretizationError(
            "delete_: the number of rows that are left depends on a traced array of indices; "
            "promise that no index occurs twice: {.assume_unique_indices = true}");
      const auto numbers = i.to_vector<int64_t>();
      for (size_t k = 0; k < numbers.size(); ++k)
        if (!mask) {
          drop(numbers[k]);
        } else if (numbers[k] != 0) {
          drop(static_cast<int64_t>(k));
        }
      break;
    }
    default: fn::fail_index("delete_: takes an integer, a slice, or an array of integers or bools");
  }
  Sizes left;
  for (int64_t i = 0; i < n; ++i)
    if (!gone[static_cast<size_t>(i)]) left.push_back(i);
  return fn::take_known(v, left, a);
}

Array insert(const Arg& x, const Index& obj, const Arg& values, OneAxis axis) {
  const ApiNameScope s("insert", x.at());
  const auto [v, a] = along("insert", x, axis);
  const int64_t n = v.shape()[a];
  const int rank = v.type().ndim();
  Array at;
  switch (obj.kind) {
    case Index::Kind::integer:
      at = fn::as_dtype(scalar_of_int(I64, obj.integer), fn::index_dtype(n));
      break;
    case Index::Kind::slice: at = vector_of(places_of(obj.slice, n), fn::index_dtype(n)); break;
    case Index::Kind::array: at = obj.array; break;
    default: fn::fail_index("insert: takes an integer, a slice, or an array of integers");
  }
  if (!is_integer(at.dtype()) || at.ndim() > 1) bad_index("insert", at);
  Array rows = fn::as_dtype(values, v.dtype());
  if (rows.ndim() > rank)
    fn::fail_shape(fmt::format("insert: values {} have more axes than {}", to_string(rows.type()),
                               to_string(v.type())));
  while (rows.ndim() < rank) rows = expand_dims(rows, 0);
  if (at.ndim() == 0) rows = moveaxis(rows, 0, a);
  const int64_t given = rows.shape()[a], places = at.ndim() == 0 ? 1 : at.size();
  const int64_t count = places == 1 ? given : places;
  if (given != 1 && given != count)
    fn::fail_shape(fmt::format("insert: {} rows for {} places", given, places));
  rows = broadcast_to(rows, v.shape().with(a, count));
  const DType d = fn::index_dtype(n + count);
  at = broadcast_to(clip(fn::wrapped_index(fn::as_dtype(at, d), n), 0, n), {count});
  // A stable sort of new and old rows by position places new rows before the old row of that
  // position.
  const Array keys = fn::joined({at, iota(d, {n}, 0)}, 0);
  return take(fn::joined({rows, v}, a), argsort(keys), a, {.mode = "clip"});
}

Array resize(const Arg& x, const Shape& shape) {
  const ApiNameScope s("resize", x.at());
  const int64_t n = shape.elements(), own = x->size();
  if (n == 0 || own == 0) return zeros(shape, x->dtype());
  const Array row = own < n ? tile(ravel(x), (n + own - 1) / own) : ravel(x);
  return reshape_to(fn::sliced(row, 0, 0, n), shape);
}

namespace {
// The range from the first to the last nonzero element of a concrete mask.
std::pair<int64_t, int64_t> kept_range(const Array& mask, bool front, bool back) {
  const auto bits = mask.to_vector<int64_t>();
  int64_t lo = 0, hi = static_cast<int64_t>(bits.size());
  const auto is_zero = [&](int64_t i) { return bits[static_cast<size_t>(i)] == 0; };
  if (std::all_of(bits.begin(), bits.end(), [](int64_t b) { return b == 0; })) return {0, 0};
  while (front && is_zero(lo)) ++lo;
  while (back && is_zero(hi - 1)) --hi;
  return {lo, hi};
}
Array trimmed_vector(const Array& x, bool front, bool back, int64_t size, const Array& fill) {
  const int64_t n = x.size();
  const Array mask = not_equal(x, 0), nothing = logical_not(any(mask));
  const Array lo = front ? argmax(mask) : scalar_of_int(I32, 0);
  const Array hi =
      where(nothing, lo, back ? subtract(n, argmax(flip(mask))) : scalar_of_int(I32, n));
  const Array at = add(iota(I32, {size}, 0), lo);
  return where(less(at, hi), take(x, at, 0, {.mode = "clip"}), fn::as_dtype(fill, x.dtype()));
}
}  // namespace
Array trim_zeros(const Arg& x, const TrimOptions& o) {
  const ApiNameScope s("trim_zeros", x.at());
  bool front = false, back = false;
  for (char c : o.trim) {
    if (c != 'f' && c != 'b' && c != 'F' && c != 'B')
      fn::fail_shape(
          fmt::format("trim_zeros: .trim is \"f\", \"b\" or \"fb\", not \"{}\"", o.trim));
    front |= c == 'f' || c == 'F';
    back |= c == 'b' || c == 'B';
  }
  if (o.size) {
    if (x->ndim() != 1 || *o.size < 0 || x->size() == 0)
      fn::fail_shape(
          fmt::format("trim_zeros: .size ({}) goes with vectors that are not empty, got {}",
                      *o.size, to_string(x->type())));
    return trimmed_vector(x, front, back, *o.size, o.fill_value ? *o.fill_value : Array(0));
  }
  if (!concrete_or_null(x))
    throw ConcretizationError(
        "trim_zeros: how many elements are left depends on those of a traced array; of a vector "
        "say "
        "how many are given: {.size = n}");
  const int n = x->type().ndim();
  const Sizes axes =
      o.axes.empty() ? fn::axes_of("trim_zeros", x, none) : fn::axes_of("trim_zeros", o.axes, n);
  Array out = x;
  for (int64_t a : axes) {
    Sizes others;
    for (int64_t i = 0; i < n; ++i)
      if (i != a) others.push_back(i);
    const auto [lo, hi] = kept_range(any(not_equal(x, 0), others), front, back);
    out = fn::sliced(out, a, lo, hi);
  }
  return out;
}

namespace {
int split_axis(const char* name, const Array& x, int axis) {
  const int64_t least = axis == 1 ? 1 : axis == 0 ? 2 : 3;
  if (x.ndim() < least)
    fn::fail_shape(fmt::format("{}: needs an array of {} or more axes, got {}", name, least,
                               to_string(x.type())));
  return axis == 1 && x.ndim() == 1 ? 0 : axis;
}
// Splits along an axis: into n parts, or at positions.
template <class Places>
Arrays split_on(const char* name, const Arg& x, const Places& places, int axis) {
  const ApiNameScope s(name, x.at());
  return split(x, places, split_axis(name, x, axis));
}
}  // namespace
Arrays hsplit(const Arg& x, int64_t n) { return split_on("hsplit", x, n, 1); }
Arrays hsplit(const Arg& x, const Sizes& positions) { return split_on("hsplit", x, positions, 1); }
Arrays vsplit(const Arg& x, int64_t n) { return split_on("vsplit", x, n, 0); }
Arrays vsplit(const Arg& x, const Sizes& positions) { return split_on("vsplit", x, positions, 0); }
Arrays dsplit(const Arg& x, int64_t n) { return split_on("dsplit", x, n, 2); }
Arrays dsplit(const Arg& x, const Sizes& positions) { return split_on("dsplit", x, positions, 2); }
Array rollaxis(const Arg& x, int64_t axis, int64_t start) {
  const ApiNameScope s("rollaxis", x.at());
  const int n = x->type().ndim(), a = fn::axis_of("rollaxis", axis, n);
  if (start < -n || start > n)
    fn::fail_index(fmt::format("rollaxis: start {} is out of range for {} axes", start, n));
  const int64_t to = start < 0 ? start + n : start;
  return moveaxis(x, a, to > a ? to - 1 : to);
}

namespace {
using Kind = Nested::Kind;
int depth_of(const Nested& n) {
  if (n.kind != Kind::list) return 0;
  if (n.children.empty()) fn::fail_shape("block: an empty list is not an array");
  const int d = depth_of(n.children[0]);
  for (const Nested& k : n.children)
    if (depth_of(k) != d) fn::fail_shape("block: lists must have one depth throughout");
  return d + 1;
}
Array block_leaf(const Nested& n) {
  switch (n.kind) {
    case Kind::boolean: return n.i != 0;
    case Kind::real: return n.r;
    case Kind::array: return n.a;
    default: return n.i;
  }
}
int64_t max_axes(const Nested& n) {
  if (n.kind != Kind::list) return block_leaf(n).ndim();
  int64_t most = 0;
  for (const Nested& k : n.children) most = std::max(most, max_axes(k));
  return most;
}
Array blocks(const Nested& n, int depth, int64_t rank) {
  if (n.kind != Kind::list) {
    Array x = block_leaf(n);
    while (x.ndim() < rank) x = expand_dims(x, 0);
    return x;
  }
  Arrays parts;
  for (const Nested& k : n.children) parts.push_back(blocks(k, depth - 1, rank));
  return concatenate(parts, -depth);
}
}  // namespace
Array block(const Nested& arrays, Location at) {
  const ApiNameScope s("block", at);
  const int depth = depth_of(arrays);
  return blocks(arrays, depth, std::max<int64_t>(depth, max_axes(arrays)));
}

}  // namespace weft
