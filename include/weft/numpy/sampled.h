// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/numpy/sampled.h: interpolation and slopes of functions that are known at points.
// Differences of neighbors and integrals are diff and trapezoid (include/weft/numpy/reduce.h).
#pragma once
#include <string_view>

#include "weft/array.h"
#include "weft/axis.h"

namespace weft {

namespace typing {
// The value of interp on one side of all points. none is the value at the outermost point. It can
// also be a given value, or "extrapolate": the line through the two outermost points.
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
  InterpEdge left = none;   // value for x < xp[0]
  InterpEdge right = none;  // value for x > xp[n-1]
  // the period of fp; xp need not be sorted then, and the edges are ignored
  MaybeArray period = none;
};
}  // namespace typing
// Interpolates linearly between the points (xp[i], fp[i]) at each x. xp must be ascending. The
// result has the shape of x; it is a float, or complex for complex fp. At a point it is the value
// of that point, also next to an infinite value, where JAX gives NaN. JAX also merges points that
// are closer than the square of epsilon. Raises ShapeError unless xp and fp are vectors of one
// length, and DTypeError for complex x. Source: jax.numpy.interp.
Array interp(const typing::Arg& x, const typing::Arg& xp, const typing::Arg& fp,
             const typing::InterpOptions& o = {});

// Returns the slopes of f along each of the given axes (default: all), one array of f's shape per
// axis. The interior uses central differences, of second order also for uneven spacing; the ends
// use one-sided differences. spacing is a distance or a vector of coordinates, one for all axes or
// one per axis; none means 1. Raises ShapeError for an axis of fewer than two points and for
// spacings that do not match. Source: jax.numpy.gradient, which gives one array where there is one
// axis.
Arrays gradient(const typing::Arg& f, const Arrays& spacing = {},
                const typing::AxisList& axis = none);

// Returns x[i+1] - x[i] of x flattened, preceded by to_begin and followed by to_end, in x's dtype.
// Source: jax.numpy.ediff1d.
Array ediff1d(const typing::Arg& x, const typing::MaybeArray& to_end = none,
              const typing::MaybeArray& to_begin = none);

}  // namespace weft
