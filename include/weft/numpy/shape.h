// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/numpy/shape.h: functions that rearrange, join and repeat arrays.
#pragma once
#include "weft/array.h"
#include "weft/axis.h"

namespace weft {

// Returns the elements of x in row-major order in another shape with the same number of elements
// (ShapeError otherwise). One size may be -1; it is computed from the others. Source:
// jax.numpy.reshape.
//
//     reshape(array({{1, 2}, {3, 4}}), -1)  // array([1, 2, 3, 4], dtype=int32)
Array reshape(const typing::Arg& x, const typing::NewShape& shape);
// Returns the elements of x in row-major order as a vector. Source: jax.numpy.ravel.
Array ravel(const typing::Arg& x);
// Permutes the axes: axis i of the result is axis axes[i] of x. By default the order is reversed.
// Raises ShapeError unless each axis is named once. Source: jax.numpy.transpose.
Array transpose(const typing::Arg& x, const std::vector<int64_t>& axes = {});
// The same as transpose. Source: jax.numpy.permute_dims.
Array permute_dims(const typing::Arg& x, const std::vector<int64_t>& axes);
// Exchanges the last two axes: (…, n, m) -> (…, m, n). Raises ShapeError for fewer than two axes.
// Source: jax.numpy.matrix_transpose.
Array matrix_transpose(const typing::Arg& x);
// Exchanges axes a and b of x; negative axes count from the end. Raises IndexError for an axis that
// x does not have. Source: jax.numpy.swapaxes.
Array swapaxes(const typing::Arg& x, int64_t a, int64_t b);
// Moves the axes `from` of x to the positions `to` of the result. The other axes keep their order.
// Raises ShapeError unless both lists have the same length and name each axis once. Source:
// jax.numpy.moveaxis.
Array moveaxis(const typing::Arg& x, const typing::AxisList& from, const typing::AxisList& to);
// Inserts axes of size 1 at the given positions of the result: (n, m), axis 1 -> (n, 1, m). Raises
// ShapeError for an axis named twice, and IndexError for an axis that the result does not have.
// Source: jax.numpy.expand_dims.
Array expand_dims(const typing::Arg& x, const typing::AxisList& axis);
// Removes these axes, which must have size 1 (ShapeError). By default it removes all axes of
// size 1. Source: jax.numpy.squeeze.
Array squeeze(const typing::Arg& x, const typing::AxisList& axis = none);
// Broadcasts x to this shape: x is repeated along axes of size 1 and along new leading axes. Raises
// ShapeError where a size is neither equal nor 1. Source: jax.numpy.broadcast_to.
//
//     broadcast_to(7, {3})  // array([7, 7, 7], dtype=int32)
Array broadcast_to(const typing::Arg& x, const Shape& shape);
// Broadcasts the arrays to their common shape; each keeps its dtype. Raises ShapeError if they do
// not broadcast together. Source: jax.numpy.broadcast_arrays.
Arrays broadcast_arrays(const Arrays& x, typing::Location at = typing::Location::here());
// Returns x, or a vector of one element for a scalar. Source: jax.numpy.atleast_1d.
//
//     atleast_1d(5)  // array([5], dtype=int32)
Array atleast_1d(const typing::Arg& x);
// Returns x with leading axes of size 1 if it has fewer than two axes: (n) -> (1, n). Source:
// jax.numpy.atleast_2d.
Array atleast_2d(const typing::Arg& x);
// Returns x with axes of size 1 if it has fewer than three axes: (n) -> (1, n, 1), (n, m) -> (n, m,
// 1). Source: jax.numpy.atleast_3d.
Array atleast_3d(const typing::Arg& x);
// Converts x to another dtype. Floats are truncated to integers and saturate; NaN gives 0. Integers
// wrap. Bool gives x != 0. A complex number converted to a real dtype gives its real part. Raises
// DTypeError for random keys. Source: jax.numpy.astype.
//
//     astype(array({1.5, -1.5}), I32)  // array([ 1, -1], dtype=int32)
Array astype(const typing::Arg& x, DType d);

namespace detail {
template <class A>
inline constexpr bool is_array = std::is_same_v<A, Array>;
template <class A>
Array not_in_braces() {
  static_assert(!is_array<A>,
                "weft: the arrays are one list, in braces: concatenate({a, b}), stack({a, b})");
  return Array();
}
}  // namespace detail

// Concatenates arrays along an existing axis (none: all of them flattened). The result has the
// promoted dtype, or `dtype`. Raises ShapeError for an empty list, for scalars, and where another
// axis differs. Source: jax.numpy.concatenate, concat.
Array concatenate(const Arrays& x, typing::OneAxis axis = 0, std::optional<DType> dtype = {},
                  typing::Location at = typing::Location::here());
template <class = void>
Array concatenate(const Arrays& x, const typing::DTypeOption& o,
                  typing::Location at = typing::Location::here());
template <class = void>
Array concatenate(const Arrays& x, typing::OneAxis axis, const typing::DTypeOption& o,
                  typing::Location at = typing::Location::here());
template <detail::PlainDType D>
Array concatenate(const Arrays& x, D dtype, typing::Location at = typing::Location::here());
template <class A, class... More>
  requires detail::is_array<A>
Array concatenate(const A&, const More&...) {  // does not compile: the arrays are one list
  return detail::not_in_braces<A>();
}
// The same as concatenate. Source: jax.numpy.concat.
Array concat(const Arrays& x, typing::OneAxis axis = 0,
             typing::Location at = typing::Location::here());
template <class A, class... More>
  requires detail::is_array<A>
Array concat(const A&, const More&...) {
  return detail::not_in_braces<A>();
}
// Stacks arrays of one shape (ShapeError) along a new axis: k times (…) -> (…, k, …). The result
// has the promoted dtype, or `dtype`. Source: jax.numpy.stack.
Array stack(const Arrays& x, int64_t axis = 0, std::optional<DType> dtype = {},
            typing::Location at = typing::Location::here());
template <class = void>
Array stack(const Arrays& x, const typing::DTypeOption& o,
            typing::Location at = typing::Location::here());
template <class = void>
Array stack(const Arrays& x, int64_t axis, const typing::DTypeOption& o,
            typing::Location at = typing::Location::here());
template <detail::PlainDType D>
Array stack(const Arrays& x, D dtype, typing::Location at = typing::Location::here());
template <class A, class... More>
  requires detail::is_array<A>
Array stack(const A&, const More&...) {
  return detail::not_in_braces<A>();
}
// Concatenates arrays along the first axis; vectors (n) and scalars become rows (1, n). The result
// has the promoted dtype, or `dtype`. Raises ShapeError where another axis differs. Source:
// jax.numpy.vstack.
Array vstack(const Arrays& x, std::optional<DType> dtype = {},
             typing::Location at = typing::Location::here());
template <class = void>
Array vstack(const Arrays& x, const typing::DTypeOption& o,
             typing::Location at = typing::Location::here());
template <class A, class... More>
  requires detail::is_array<A>
Array vstack(const A&, const More&...) {
  return detail::not_in_braces<A>();
}
// Concatenates arrays along the second axis, or along the first for vectors and scalars. The result
// has the promoted dtype, or `dtype`. Raises ShapeError where another axis differs. Source:
// jax.numpy.hstack.
//
//     hstack({array({1, 2}), array({3})})  // array([1, 2, 3], dtype=int32)
Array hstack(const Arrays& x, std::optional<DType> dtype = {},
             typing::Location at = typing::Location::here());
template <class = void>
Array hstack(const Arrays& x, const typing::DTypeOption& o,
             typing::Location at = typing::Location::here());
template <class A, class... More>
  requires detail::is_array<A>
Array hstack(const A&, const More&...) {
  return detail::not_in_braces<A>();
}
// Concatenates arrays along the third axis. Vectors (n) become (1, n, 1), and matrices (n, m)
// become (n, m, 1). The result has the promoted dtype, or `dtype`. Raises ShapeError where another
// axis differs. Source: jax.numpy.dstack.
Array dstack(const Arrays& x, std::optional<DType> dtype = {},
             typing::Location at = typing::Location::here());
template <class = void>
Array dstack(const Arrays& x, const typing::DTypeOption& o,
             typing::Location at = typing::Location::here());
template <class A, class... More>
  requires detail::is_array<A>
Array dstack(const A&, const More&...) {
  return detail::not_in_braces<A>();
}
// Concatenates arrays along the second axis; vectors (n) become columns (n, 1). The result has the
// promoted dtype. Raises ShapeError where the first axis differs. Source: jax.numpy.column_stack.
Array column_stack(const Arrays& x, typing::Location at = typing::Location::here());
template <class A, class... More>
  requires detail::is_array<A>
Array column_stack(const A&, const More&...) {
  return detail::not_in_braces<A>();
}
// Appends values to x along an axis; none: both are flattened. Source: jax.numpy.append.
Array append(const typing::Arg& x, const typing::Arg& values, typing::OneAxis axis = none);
// Splits x along an axis into n equal parts, or before each of the given positions. ShapeError if n
// does not divide the axis. Negative positions count from the end. ShapeError if positions decrease
// or exceed the axis. Source: jax.numpy.split.
//
//     split(array({1, 2, 3, 4}), 2)[1]  // array([3, 4], dtype=int32)
Arrays split(const typing::Arg& x, int64_t n, int64_t axis = 0);
Arrays split(const typing::Arg& x, const std::vector<int64_t>& positions, int64_t axis = 0);
// Splits x like split, but the parts may differ in size: if n does not divide the axis, the first
// parts have one more element. Raises ShapeError for n < 1. Source: jax.numpy.array_split.
Arrays array_split(const typing::Arg& x, int64_t n, int64_t axis = 0);
// Returns the slices of x along an axis; they do not have that axis. Source: jax.numpy.unstack.
//
//     unstack(array({{1, 2}, {3, 4}}))[1]  // array([3, 4], dtype=int32)
Arrays unstack(const typing::Arg& x, int64_t axis = 0);

// Repeats x as a whole along each axis. The shorter one of x's shape and `reps` is extended with
// leading ones. Raises ShapeError for a negative number. Source: jax.numpy.tile.
//
//     tile(array({1, 2}), 2)  // array([1, 2, 1, 2], dtype=int32)
Array tile(const typing::Arg& x, const std::vector<int64_t>& reps);
Array tile(const typing::Arg& x, int64_t reps);
// Repeats each element along an axis (by default of x flattened). `times` is one number for all
// elements, or a vector with a number for each. Raises ShapeError for a negative number, and for a
// vector that does not have one number per element. Source: jax.numpy.repeat.
//
//     repeat(array({1, 2}), 2)  // array([1, 1, 2, 2], dtype=int32)
Array repeat(const typing::Arg& x, int64_t times, typing::OneAxis axis = none);
Array repeat(const typing::Arg& x, const std::vector<int64_t>& times, typing::OneAxis axis = none);
namespace typing {
struct RepeatOptions {
  // The resulting size of the axis. Surplus elements are dropped; missing ones are filled with the
  // last element. Required where `times` is traced.
  std::optional<int64_t> total_repeat_length = {};
};
}  // namespace typing
// Repeats each element as often as an integer array gives: one number for all elements, or one for
// each. Raises DTypeError for other dtypes, and ConcretizationError for traced times without
// .total_repeat_length. Source: jax.numpy.repeat.
Array repeat(const typing::Arg& x, const Array& times, typing::OneAxis axis = none,
             const typing::RepeatOptions& o = {});

namespace typing {
// The widths before and after each axis. One pair or one number applies to all axes.
struct PadWidth {
  std::vector<std::pair<int64_t, int64_t>> widths;
  template <ir::Integer I>
  PadWidth(I n) : widths{{static_cast<int64_t>(n), static_cast<int64_t>(n)}} {}
  PadWidth(int64_t before, int64_t after) : widths{{before, after}} {}
  PadWidth(std::vector<std::pair<int64_t, int64_t>> w) : widths(std::move(w)) {}
  PadWidth(std::initializer_list<std::pair<int64_t, int64_t>> w) : widths(w) {}
};
// The values before and after each axis. One pair or one number applies to all axes.
struct PadValues {
  std::vector<std::pair<Array, Array>> values;
  template <ir::Number T>
  PadValues(T x) : PadValues(Array(x)) {}
  PadValues(const Array& x);
  PadValues(const Array& before, const Array& after);
  PadValues(std::initializer_list<std::pair<Array, Array>> v);
};
struct PadOptions {
  // How the padding is filled. "constant" uses .constant_values, and "edge" the outermost element.
  // "reflect" mirrors the array at its outermost element; "symmetric" mirrors it behind that
  // element. "wrap" repeats the array. "linear_ramp" interpolates from the outermost element to
  // .end_values. "maximum", "mean", "median" and "minimum" use that statistic of the axis. "empty"
  // uses zeros.
  std::string mode = "constant";
  PadValues constant_values = 0;  // used by "constant"
  PadValues end_values = 0;       // used by "linear_ramp"
  // The number of elements at each end for the statistics, in the form of widths; by default all.
  std::optional<PadWidth> stat_length = {};
  // For "reflect" and "symmetric": "even", or "odd": twice the outermost element minus the mirrored
  // one.
  std::string reflect_type = "even";
};
}  // namespace typing
// Pads x before and after each axis, one axis after another. Raises ShapeError for another mode,
// for widths that do not match, and for an option that the mode does not use. Source:
// jax.numpy.pad.
Array pad(const typing::Arg& x, const typing::PadWidth& width, const typing::PadOptions& o = {});
// Shifts the elements along the axes cyclically, by one shift or by one for each axis. By default x
// is flattened first and then restored. The shift may be traced. Raises DTypeError unless it is an
// integer. Source: jax.numpy.roll.
//
//     roll(array({1, 2, 3}), 1)  // array([3, 1, 2], dtype=int32)
Array roll(const typing::Arg& x, const typing::Arg& shift, const typing::AxisList& axis = none);
// Reverses the order of the elements along the axes (by default all). Source: jax.numpy.flip.
//
//     flip(array({1, 2, 3}))  // array([3, 2, 1], dtype=int32)
Array flip(const typing::Arg& x, const typing::AxisList& axis = none);
// Reverses axis 1. Raises IndexError for fewer than two axes. Source: jax.numpy.fliplr.
Array fliplr(const typing::Arg& x);
// Reverses axis 0. Raises IndexError for a scalar. Source: jax.numpy.flipud.
Array flipud(const typing::Arg& x);
// Rotates x by k times 90 degrees in the plane of two axes, from axis1 towards axis2. Raises
// ShapeError if both are the same axis. Source: jax.numpy.rot90.
Array rot90(const typing::Arg& x, int64_t k = 1, int64_t axis1 = 0, int64_t axis2 = 1);

}  // namespace weft
