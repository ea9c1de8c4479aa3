// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/scipy.h: interpolation, sampling of images, vector quantization and integrals, as
// in jax.scipy.
#pragma once
#include <limits>
#include <string>
#include <vector>

#include "weft/array.h"
#include "weft/axis.h"
#include "weft/numpy/reduce.h"
#include "weft/scipy/signal.h"
#include "weft/tree.h"

namespace weft::scipy::ndimage {

struct MapOptions {
  // The values beyond the ends: cval ("constant"), the last sample ("nearest") or the opposite end
  // ("wrap"). "mirror" mirrors the samples at the last one, "reflect" behind it.
  std::string mode = "constant";
  // The value beyond the ends, with "constant".
  Array cval = 0.;
};
// Samples an input of n axes at n arrays of coordinates, broadcast together. Order 0 takes the
// nearest sample, order 1 interpolates linearly. The result has the shape of the coordinates and
// the dtype of the input; integers are rounded half away from 0. Raises IndexError for another
// order or mode, and ShapeError for another number of coordinates. Source:
// jax.scipy.ndimage.map_coordinates.
Array map_coordinates(const typing::Arg& input, const Arrays& coordinates, int64_t order,
                      const MapOptions& options = {});

}  // namespace weft::scipy::ndimage

namespace weft::scipy::interpolate {

// The options of RegularGridInterpolator.
struct GridOptions {
  std::string method = "linear";  // "linear" or "nearest"
  // The value outside the grid; none: extrapolates the outermost cell.
  typing::MaybeArray fill_value = std::numeric_limits<double>::quiet_NaN();
};
// Interpolates a function of k numbers from its values (n1, …, nk, …) on a grid. points are k
// vectors of n1, …, nk ascending numbers. The object is a tree of the grid and the values. Raises
// ShapeError for other sizes and for a vector of fewer than two points, and IndexError for another
// method. Source: jax.scipy.interpolate.RegularGridInterpolator.
class RegularGridInterpolator {
 public:
  Arrays grid;
  Array values;
  std::optional<Array> fill_value;
  std::string method = "linear";

  RegularGridInterpolator() = default;
  RegularGridInterpolator(const Arrays& points, const typing::Arg& values,
                          const GridOptions& options = {});

  // Evaluates at points xi (…, k), or (…) if k is 1. The result has the leading axes and the axes
  // of the values after those of the grid. A nonempty `method` replaces that of the object. Raises
  // ShapeError for another number of coordinates, and IndexError for another method. Source:
  // jax.scipy.interpolate.RegularGridInterpolator.
  Array operator()(const typing::Arg& xi, const std::string& method = {}) const;
  // Evaluates at k arrays of coordinates, broadcast together.
  Array operator()(const Arrays& xi, const std::string& method = {},
                   typing::Location at = typing::Location::here()) const;

  WEFT_TREE(RegularGridInterpolator, grid, values, fill_value, method);
};

}  // namespace weft::scipy::interpolate

namespace weft::scipy::cluster {

// The results of vq.
struct Codes {
  Array code, dist;
};
// Returns the nearest code of each observation and its distance: obs (n, d), code_book (k, d) ->
// code (n) I32, dist (n). If both have one axis, d is 1. Raises ShapeError for other shapes.
// Source: jax.scipy.cluster.vq.vq.
Codes vq(const typing::Arg& obs, const typing::Arg& code_book);

WEFT_TREE(Codes, code, dist);

}  // namespace weft::scipy::cluster

namespace weft::scipy::integrate {

// The same as weft::trapezoid. Source: jax.scipy.integrate.trapezoid.
using weft::trapezoid;

}  // namespace weft::scipy::integrate
