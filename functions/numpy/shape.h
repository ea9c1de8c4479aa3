// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/numpy/shape.h: functions that rearrange, join and repeat.
#pragma once
#include "weft/functions/axis.h"
#include "weft/tracer/array.h"

namespace weft {

Array reshape(const Arg& x, const NewShape& shape);  // one size may be -1
Array ravel(const Arg& x);
Array transpose(const Arg& x, const std::vector<int64_t>& axes = {});  // default: axes reversed
Array permute_dims(const Arg& x, const std::vector<int64_t>& axes);
Array matrix_transpose(const Arg& x);  // the last two axes
Array swapaxes(const Arg& x, int64_t a, int64_t b);
Array moveaxis(const Arg& x, const AxisList& from, const AxisList& to);
Array expand_dims(const Arg& x, const AxisList& axis);
Array squeeze(const Arg& x, const AxisList& axis = none);  // default: all axes of size 1
Array broadcast_to(const Arg& x, const Shape& shape);
Arrays broadcast_arrays(const Arrays& x, Location at = Location::here());
Array atleast_1d(const Arg& x);
Array atleast_2d(const Arg& x);
Array atleast_3d(const Arg& x);
Array astype(const Arg& x, DType d);

// Arrays joined along an axis that they have (none: all of them flattened), in the promoted dtype,
// or in `dtype`. ShapeError for none at all, for scalars and where another axis differs. Source:
// jax.numpy.concatenate, concat.
Array concatenate(const Arrays& x, OneAxis axis = 0, std::optional<DType> dtype = {},
                  Location at = Location::here());
Array concat(const Arrays& x, OneAxis axis = 0, Location at = Location::here());
// Arrays of one shape joined along a new axis; along the first axis of what has two or more, the
// second, the third; vectors as columns. Source: jax.numpy.stack, vstack, hstack, dstack,
// column_stack.
Array stack(const Arrays& x, int64_t axis = 0, std::optional<DType> dtype = {},
            Location at = Location::here());
Array vstack(const Arrays& x, std::optional<DType> dtype = {}, Location at = Location::here());
Array hstack(const Arrays& x, std::optional<DType> dtype = {}, Location at = Location::here());
Array dstack(const Arrays& x, std::optional<DType> dtype = {}, Location at = Location::here());
Array column_stack(const Arrays& x, Location at = Location::here());
// x with values behind it along an axis; none: both flattened. Source: jax.numpy.append.
Array append(const Arg& x, const Arg& values, OneAxis axis = none);
// Into n equal parts; or before each of the given positions.
Arrays split(const Arg& x, int64_t n, int64_t axis = 0);
Arrays split(const Arg& x, const std::vector<int64_t>& positions, int64_t axis = 0);
Arrays array_split(const Arg& x, int64_t n, int64_t axis = 0);  // parts may differ by one
Arrays unstack(const Arg& x, int64_t axis = 0);

Array tile(const Arg& x, const std::vector<int64_t>& reps);
Array tile(const Arg& x, int64_t reps);
// Each element (along an axis, default: of x flattened) several times.
Array repeat(const Arg& x, int64_t times, OneAxis axis = none);
Array repeat(const Arg& x, const std::vector<int64_t>& times, OneAxis axis = none);
struct RepeatOptions {
  // How many elements the axis has then: what is too much is left out, and what is missing is the
  // last element. Needed where `times` is traced.
  std::optional<int64_t> total_repeat_length = {};
};
// The same, as often as an integer array says: one number, or one for each element. DTypeError for
// other dtypes, ConcretizationError for a traced one without the length. Source: jax.numpy.repeat.
Array repeat(const Arg& x, const Array& times, OneAxis axis = none, const RepeatOptions& o = {});

// Before and after each axis; one pair, or one number, stands for all axes.
struct PadWidth {
  std::vector<std::pair<int64_t, int64_t>> widths;
  template <Integer I>
  PadWidth(I n) : widths{{static_cast<int64_t>(n), static_cast<int64_t>(n)}} {}
  PadWidth(int64_t before, int64_t after) : widths{{before, after}} {}
  PadWidth(std::vector<std::pair<int64_t, int64_t>> w) : widths(std::move(w)) {}
  PadWidth(std::initializer_list<std::pair<int64_t, int64_t>> w) : widths(w) {}
};
// Numbers before and after each axis; one pair, or one number, stands for all axes.
struct PadValues {
  std::vector<std::pair<Array, Array>> values;
  template <Number T>
  PadValues(T x) : values{{Array(x), Array(x)}} {}
  PadValues(const Array& x) : values{{x, x}} {}
  PadValues(const Array& before, const Array& after) : values{{before, after}} {}
  PadValues(std::initializer_list<std::pair<Array, Array>> v) : values(v) {}
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
// x with elements before and after each axis, one axis after another. ShapeError for another mode,
// for widths that do not fit, and for an option that the mode does not have. Source: jax.numpy.pad.
Array pad(const Arg& x, const PadWidth& width, const PadOptions& o = {});
// Elements that leave at one end come in at the other. Default: of x flattened.
Array roll(const Arg& x, const Arg& shift, const AxisList& axis = none);
Array flip(const Arg& x, const AxisList& axis = none);
Array fliplr(const Arg& x);
Array flipud(const Arg& x);
Array rot90(const Arg& x, int64_t k = 1, int64_t axis1 = 0, int64_t axis2 = 1);

}  // namespace weft
