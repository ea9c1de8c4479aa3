// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/numpy/shape.h: functions that rearrange, join and repeat.
#pragma once
#include "weft/functions/axis.h"
#include "weft/tracer/array.h"

namespace weft {

// The elements, row-major, in another shape of as many (ShapeError); one size may be -1: what is
// left over. Source: jax.numpy.reshape.
//
//     reshape(array({{1, 2}, {3, 4}}), -1)  // array([1, 2, 3, 4], dtype=int32)
Array reshape(const typing::Arg& x, const typing::NewShape& shape);
// The elements, row-major, as a vector. Source: jax.numpy.ravel.
Array ravel(const typing::Arg& x);
// The axes in the order named: axis i of the result is axis axes[i] of x; by default reversed.
// ShapeError unless each is named once. Source: jax.numpy.transpose.
Array transpose(const typing::Arg& x, const std::vector<int64_t>& axes = {});
// The same as transpose. Source: jax.numpy.permute_dims.
Array permute_dims(const typing::Arg& x, const std::vector<int64_t>& axes);
// The last two axes exchanged: (…, n, m) -> (…, m, n). ShapeError for less than two. Source:
// jax.numpy.matrix_transpose.
Array matrix_transpose(const typing::Arg& x);
// x with axes a and b exchanged; negative ones count from the end. IndexError for an axis that x
// has not. Source: jax.numpy.swapaxes.
Array swapaxes(const typing::Arg& x, int64_t a, int64_t b);
// The axes `from` at the places `to` of the result, the others before, between and behind them in
// their order. ShapeError unless there are as many places as axes, each named once. Source:
// jax.numpy.moveaxis.
Array moveaxis(const typing::Arg& x, const typing::AxisList& from, const typing::AxisList& to);
// x with axes of size 1 put in where the result has them: (n, m), axis 1 -> (n, 1, m). ShapeError
// for one named twice, IndexError for one that the result has not. Source: jax.numpy.expand_dims.
Array expand_dims(const typing::Arg& x, const typing::AxisList& axis);
// x without these axes, which are of size 1 (ShapeError); by default without all of that size.
// Source: jax.numpy.squeeze.
Array squeeze(const typing::Arg& x, const typing::AxisList& axis = none);
// x repeated along axes of size 1, and along new ones in front, to this shape; ShapeError where a
// size is neither the same nor 1. Source: jax.numpy.broadcast_to.
//
//     broadcast_to(7, {3})  // array([7, 7, 7], dtype=int32)
Array broadcast_to(const typing::Arg& x, const Shape& shape);
// The arrays broadcast to their common shape; each keeps its dtype. ShapeError where there is none.
// Source: jax.numpy.broadcast_arrays.
Arrays broadcast_arrays(const Arrays& x, typing::Location at = typing::Location::here());
// x, a scalar as a vector of one element. Source: jax.numpy.atleast_1d.
//
//     atleast_1d(5)  // array([5], dtype=int32)
Array atleast_1d(const typing::Arg& x);
// x with axes of size 1 in front if it has less than two: (n) -> (1, n). Source:
// jax.numpy.atleast_2d.
Array atleast_2d(const typing::Arg& x);
// x with axes of size 1 if it has less than three: (n) -> (1, n, 1), (n, m) -> (n, m, 1). Source:
// jax.numpy.atleast_3d.
Array atleast_3d(const typing::Arg& x);
// x in another dtype. Floats become integers by truncation, and saturate; NaN gives 0; integers
// wrap; bool is x != 0; of complex numbers the real part. DTypeError for random keys. Source:
// jax.numpy.astype.
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

// Arrays joined along an axis that they have (none: all of them flattened), in the promoted dtype,
// or in `dtype`. ShapeError for none at all, for scalars and where another axis differs. Source:
// jax.numpy.concatenate, concat.
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
// Arrays of one shape (ShapeError) joined along a new axis, in the promoted dtype or in `dtype`: k
// times (…) -> (…, k, …). Source: jax.numpy.stack.
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
// Arrays joined along the first axis; vectors (n) and scalars are rows (1, n). In the promoted
// dtype or in `dtype`. ShapeError where another axis differs. Source: jax.numpy.vstack.
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
// Arrays joined along the second axis, vectors and scalars along the first. In the promoted dtype
// or in `dtype`. ShapeError where another axis differs. Source: jax.numpy.hstack.
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
// Arrays joined along the third axis, after vectors (n) became (1, n, 1) and matrices (n, m) became
// (n, m, 1). In the promoted dtype or in `dtype`. ShapeError where another axis differs. Source:
// jax.numpy.dstack.
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
// Arrays joined along the second axis; vectors (n) are columns (n, 1). In the promoted dtype.
// ShapeError where the first axis differs. Source: jax.numpy.column_stack.
Array column_stack(const Arrays& x, typing::Location at = typing::Location::here());
template <class A, class... More>
  requires detail::is_array<A>
Array column_stack(const A&, const More&...) {
  return detail::not_in_braces<A>();
}
// x with values behind it along an axis; none: both flattened. Source: jax.numpy.append.
Array append(const typing::Arg& x, const typing::Arg& values, typing::OneAxis axis = none);
// x cut along an axis into n equal parts (ShapeError where there are none); or before each of the
// positions, of which negative ones count from the end; ShapeError where they decrease or lie
// beyond the axis. Source: jax.numpy.split.
//
//     split(array({1, 2, 3, 4}), 2)[1]  // array([3, 4], dtype=int32)
Arrays split(const typing::Arg& x, int64_t n, int64_t axis = 0);
Arrays split(const typing::Arg& x, const std::vector<int64_t>& positions, int64_t axis = 0);
// As split, but the parts need not be equal: the first ones are longer by one element where n does
// not divide the axis. ShapeError for n < 1. Source: jax.numpy.array_split.
Arrays array_split(const typing::Arg& x, int64_t n, int64_t axis = 0);
// The slices of x along an axis, without it. Source: jax.numpy.unstack.
//
//     unstack(array({{1, 2}, {3, 4}}))[1]  // array([3, 4], dtype=int32)
Arrays unstack(const typing::Arg& x, int64_t axis = 0);

// x several times along each axis; the shorter one of x's shape and `reps` gets ones in front.
// ShapeError for a negative number. Source: jax.numpy.tile.
//
//     tile(array({1, 2}), 2)  // array([1, 2, 1, 2], dtype=int32)
Array tile(const typing::Arg& x, const std::vector<int64_t>& reps);
Array tile(const typing::Arg& x, int64_t reps);
// Each element (along an axis, default: of x flattened) several times, all of them as often, or
// each as often as the vector says. ShapeError for a negative number and for a vector that has not
// one number an element. Source: jax.numpy.repeat.
//
//     repeat(array({1, 2}), 2)  // array([1, 1, 2, 2], dtype=int32)
Array repeat(const typing::Arg& x, int64_t times, typing::OneAxis axis = none);
Array repeat(const typing::Arg& x, const std::vector<int64_t>& times, typing::OneAxis axis = none);
namespace typing {
struct RepeatOptions {
  // How many elements the axis has then: what is too much is left out, and what is missing is the
  // last element. Needed where `times` is traced.
  std::optional<int64_t> total_repeat_length = {};
};
}  // namespace typing
// The same, as often as an integer array says: one number, or one for each element. DTypeError for
// other dtypes, ConcretizationError for a traced one without the length. Source: jax.numpy.repeat.
Array repeat(const typing::Arg& x, const Array& times, typing::OneAxis axis = none,
             const typing::RepeatOptions& o = {});

namespace typing {
// Before and after each axis; one pair, or one number, stands for all axes.
struct PadWidth {
  std::vector<std::pair<int64_t, int64_t>> widths;
  template <ir::Integer I>
  PadWidth(I n) : widths{{static_cast<int64_t>(n), static_cast<int64_t>(n)}} {}
  PadWidth(int64_t before, int64_t after) : widths{{before, after}} {}
  PadWidth(std::vector<std::pair<int64_t, int64_t>> w) : widths(std::move(w)) {}
  PadWidth(std::initializer_list<std::pair<int64_t, int64_t>> w) : widths(w) {}
};
// Numbers before and after each axis; one pair, or one number, stands for all axes.
struct PadValues {
  std::vector<std::pair<Array, Array>> values;
  template <ir::Number T>
  PadValues(T x) : PadValues(Array(x)) {}
  PadValues(const Array& x);
  PadValues(const Array& before, const Array& after);
  PadValues(std::initializer_list<std::pair<Array, Array>> v);
};
struct PadOptions {
  // What stands before and after: "constant"; "edge", the last element; "reflect" and "symmetric",
  // the array turned round at its last element, or behind it; "wrap", the array again;
  // "linear_ramp", equal steps from the last element to .end_values; "maximum", "mean", "median",
  // "minimum" of the axis; "empty", zeros.
  std::string mode = "constant";
  PadValues constant_values = 0;  // "constant"
  PadValues end_values = 0;       // "linear_ramp"
  // Of how many elements at that end the maximum … is taken, as widths are given; default: all.
  std::optional<PadWidth> stat_length = {};
  // "reflect", "symmetric": "even", or "odd": twice the last element less the one turned round.
  std::string reflect_type = "even";
};
}  // namespace typing
// x with elements before and after each axis, one axis after another. ShapeError for another mode,
// for widths that do not fit, and for an option that the mode does not have. Source: jax.numpy.pad.
Array pad(const typing::Arg& x, const typing::PadWidth& width, const typing::PadOptions& o = {});
// Elements that leave at one end come in at the other: one shift, or one for each of the axes.
// Default: of x flattened. The shift may be traced; DTypeError unless it is an integer. Source:
// jax.numpy.roll.
//
//     roll(array({1, 2, 3}), 1)  // array([3, 1, 2], dtype=int32)
Array roll(const typing::Arg& x, const typing::Arg& shift, const typing::AxisList& axis = none);
// The elements in the opposite order along the axes (default: all). Source: jax.numpy.flip.
//
//     flip(array({1, 2, 3}))  // array([3, 2, 1], dtype=int32)
Array flip(const typing::Arg& x, const typing::AxisList& axis = none);
// flip along axis 1. IndexError for less than two axes. Source: jax.numpy.fliplr.
Array fliplr(const typing::Arg& x);
// flip along axis 0. IndexError for a scalar. Source: jax.numpy.flipud.
Array flipud(const typing::Arg& x);
// x turned by k quarters of a circle in the plane of two axes, from axis1 towards axis2. ShapeError
// for one axis twice. Source: jax.numpy.rot90.
Array rot90(const typing::Arg& x, int64_t k = 1, int64_t axis1 = 0, int64_t axis2 = 1);

}  // namespace weft
