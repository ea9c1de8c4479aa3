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

// Joins along an axis that they have, or a new one. DTypes are promoted.
Array concatenate(const Arrays& x, int64_t axis = 0, Location at = Location::here());
Array stack(const Arrays& x, int64_t axis = 0, Location at = Location::here());
Array vstack(const Arrays& x, Location at = Location::here());
Array hstack(const Arrays& x, Location at = Location::here());
Array dstack(const Arrays& x, Location at = Location::here());
Array column_stack(const Arrays& x, Location at = Location::here());
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

// Before and after each axis; one pair, or one number, stands for all axes.
struct PadWidth {
  std::vector<std::pair<int64_t, int64_t>> widths;
  template <Integer I>
  PadWidth(I n) : widths{{static_cast<int64_t>(n), static_cast<int64_t>(n)}} {}
  PadWidth(int64_t before, int64_t after) : widths{{before, after}} {}
  PadWidth(std::vector<std::pair<int64_t, int64_t>> w) : widths(std::move(w)) {}
  PadWidth(std::initializer_list<std::pair<int64_t, int64_t>> w) : widths(w) {}
};
struct PadOptions {
  std::string mode = "constant";  // "edge", "reflect", "symmetric", "wrap"
  std::optional<Array> constant_value = {};
};
Array pad(const Arg& x, const PadWidth& width, const PadOptions& o = {});
// Elements that leave at one end come in at the other. Default: of x flattened.
Array roll(const Arg& x, const Arg& shift, const AxisList& axis = none);
Array flip(const Arg& x, const AxisList& axis = none);
Array fliplr(const Arg& x);
Array flipud(const Arg& x);
Array rot90(const Arg& x, int64_t k = 1, int64_t axis1 = 0, int64_t axis2 = 1);

}  // namespace weft
