// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/scipy/scipy.h: interpolation, images as samples, codes and integrals, as jax.scipy has
// them.
#pragma once
#include <limits>
#include <string>
#include <vector>

#include "weft/functions/axis.h"
#include "weft/functions/numpy/reduce.h"
#include "weft/functions/scipy/signal.h"
#include "weft/tracer/array.h"
#include "weft/tracer/tree.h"

namespace weft::scipy::ndimage {

struct MapOptions {
  // Beyond the ends: cval ("constant"), the last sample ("nearest"), the other end ("wrap"), the
  // samples mirrored at the last one ("mirror") or behind it ("reflect").
  std::string mode = "constant";
  // What stands beyond the ends, with "constant".
  Array cval = 0.;
};
// The samples of an input of n axes at n arrays of coordinates, broadcast together: the nearest
// (order 0) or linearly interpolated between neighbours (order 1) -> the shape of the coordinates,
// the dtype of the input; integers are rounded half away from 0. IndexError for another order or
// mode, ShapeError for another number of coordinates. Source: jax.scipy.ndimage.map_coordinates.
Array map_coordinates(const typing::Arg& input, const Arrays& coordinates, int64_t order,
                      const MapOptions& options = {});

}  // namespace weft::scipy::ndimage

namespace weft::scipy::interpolate {

struct GridOptions {
  std::string method = "linear";  // "nearest"
  // The value outside the grid; none: what the outermost cell goes on to.
  typing::MaybeArray fill_value = std::numeric_limits<double>::quiet_NaN();
};
// A function of k numbers from its values (n1, …, nk, …) on a grid: points are k vectors of
// n1, …, nk ascending numbers. A tree of the grid and the values. ShapeError for other sizes and
// fewer than two points of a vector, IndexError for another method. Source:
// jax.scipy.interpolate.RegularGridInterpolator.
class RegularGridInterpolator {
 public:
  Arrays grid;
  Array values;
  std::optional<Array> fill_value;
  std::string method = "linear";

  RegularGridInterpolator() = default;
  RegularGridInterpolator(const Arrays& points, const typing::Arg& values,
                          const GridOptions& options = {});

  // At points xi (…, k), of k = 1 also (…) -> (…) and the axes of the values behind the grid;
  // `method`, where it is not empty, instead of that of the grid. ShapeError for another number of
  // coordinates, IndexError for another method. Source:
  // jax.scipy.interpolate.RegularGridInterpolator.
  Array operator()(const typing::Arg& xi, const std::string& method = {}) const;
  // At k arrays of coordinates, broadcast together.
  Array operator()(const Arrays& xi, const std::string& method = {},
                   typing::Location at = typing::Location::here()) const;

  WEFT_TREE(RegularGridInterpolator, grid, values, fill_value, method);
};

}  // namespace weft::scipy::interpolate

namespace weft::scipy::cluster {

// What vq gives.
struct Codes {
  Array code, dist;
};
// The nearest code of each observation, and its distance: obs (n, d), code_book (k, d) -> code (n)
// I32, dist (n); both of one axis: d = 1. ShapeError for other shapes. Source:
// jax.scipy.cluster.vq.vq.
Codes vq(const typing::Arg& obs, const typing::Arg& code_book);

WEFT_TREE(Codes, code, dist);

}  // namespace weft::scipy::cluster

namespace weft::scipy::integrate {

// The same as weft::trapezoid. Source: jax.scipy.integrate.trapezoid.
using weft::trapezoid;

}  // namespace weft::scipy::integrate
