// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/numpy/data/sampled.h: functions that are known at points: between them, their slopes.
// Differences of neighbours and integrals: diff, trapezoid (functions/numpy/reduce.h).
#pragma once
#include <string_view>

#include "weft/functions/axis.h"
#include "weft/tracer/array.h"

namespace weft {

namespace typing {
// What interp gives on one side of all points: none, the value at the last one; a value; or
// "extrapolate", the line through the last two.
struct InterpEdge {
  MaybeArray value;
  std::string_view text = {};
  InterpEdge(none_t) {}
  InterpEdge(const Array& x) : value(x) {}
  template <ir::Number T>
  InterpEdge(T x) : value(Array(x)) {}
  InterpEdge(const char* name) : text(name) {}
};
struct InterpOptions {
  InterpEdge left = none;    // for x < xp[0]
  InterpEdge right = none;   // for x > xp[n-1]
  MaybeArray period = none;  // fp repeats so; then the order of xp and the edges do not matter
};
}  // namespace typing
// The value at each x of the function whose graph joins the points (xp[i], fp[i]) by lines; xp must
// be ascending. Of x's shape; floats, complex fp too. At a point it is that point's value, also
// beside an infinite one, where JAX gives NaN; JAX also takes points for one that are closer than
// the square of epsilon. ShapeError unless xp and fp are vectors of one length, DTypeError for
// complex x. Source: jax.numpy.interp.
Array interp(const typing::Arg& x, const typing::Arg& xp, const typing::Arg& fp,
             const typing::InterpOptions& o = {});

// The slopes of f along each axis (named ones, or all of them), an array of f's shape for each:
// central differences, of second order where points lie unevenly, at the ends those of neighbours.
// spacing: none for 1, or for all axes or each of them a distance or the places of its points, a
// vector. ShapeError for an axis of less than two points and for spacings that do not fit. Source:
// jax.numpy.gradient, which gives one array where there is one axis.
Arrays gradient(const typing::Arg& f, const Arrays& spacing = {},
                const typing::AxisList& axis = none);

// x[i+1] - x[i] of x flattened; to_begin in front and to_end behind, in x's dtype. Source:
// jax.numpy.ediff1d.
Array ediff1d(const typing::Arg& x, const typing::MaybeArray& to_end = none,
              const typing::MaybeArray& to_begin = none);

}  // namespace weft
