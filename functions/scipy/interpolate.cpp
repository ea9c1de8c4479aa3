// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/scipy/interpolate.cpp: interpolation between samples, and the nearest of several codes.
#include <fmt/format.h>

#include "functions/kit.h"
#include "functions/special/kit.h"
#include "weft/numpy/create.h"
#include "weft/numpy/index.h"
#include "weft/numpy/math.h"
#include "weft/numpy/reduce.h"
#include "weft/numpy/shape.h"
#include "weft/numpy/sort.h"
#include "weft/scipy.h"

namespace weft {
namespace {

// Indexes x with one array of integers for each leading axis.
Array at_places(const Array& x, const Arrays& places) {
  std::vector<Index> index;
  for (const Array& p : places) index.emplace_back(p);
  return At(x, index, {}).get({.mode = "clip"});
}
Array away_from_zero(const Array& x) { return sign(x) * floor(abs(x) + 0.5); }
// Calls f for each corner of a cell in k dimensions, with a function that tells on which side the
// corner is along an axis.
template <class F>
void each_corner(size_t k, F&& f) {
  for (size_t bits = 0; bits < size_t{1} << k; ++bits)
    f([bits, k](size_t axis) { return (bits >> (k - 1 - axis) & 1) != 0; });
}

}  // namespace

namespace scipy::ndimage {
namespace {

Array mirrored(const Array& i, int64_t size) {
  if (size == 1) return zeros_like(i);
  const auto s = static_cast<int32_t>(size - 1);
  return abs((i + s) % (2 * s) - s);
}
// Maps indices out of range into the range, as `mode` continues an axis.
Array continued(const Array& i, int64_t size, const std::string& mode) {
  const auto n = static_cast<int32_t>(size);
  if (mode == "constant") return i;
  if (mode == "nearest") return clip(i, 0, n - 1);
  if (mode == "wrap") return i % n;
  if (mode == "mirror") return mirrored(i, size);
  if (mode == "reflect") return floor_divide(mirrored(2 * i + 1, 2 * size + 1) - 1, 2);
  fn::fail_index(fmt::format(
      "map_coordinates: .mode must be \"constant\", \"nearest\", \"wrap\", \"mirror\" or "
      "\"reflect\", not \"{}\"",
      mode));
}

}  // namespace

Array map_coordinates(const Arg& input, const Arrays& coordinates, int64_t order,
                      const MapOptions& options) {
  const SourceScope at(input.at());
  const char* const name = "map_coordinates";
  const size_t k = coordinates.size();
  if (static_cast<int64_t>(k) != input->ndim())
    fn::fail_shape(
        fmt::format("{}: {} arrays of coordinates for {}", name, k, to_string(input->type())));
  if (order != 0 && order != 1)
    fn::fail_index(fmt::format("{}: order must be 0 or 1, not {}", name, order));
  if (k == 0) return input;
  const Arrays c = fn::reals_of(name, coordinates);
  Arrays low, upper;
  for (const Array& x : c) {
    const Array first = order == 0 ? away_from_zero(x) : floor(x);
    low.push_back(fn::as_dtype(first, I32));
    upper.push_back(order == 0 ? zeros_like(x) : x - first);
  }
  const Array cval = fn::as_dtype(options.cval, input->dtype());
  Array total;
  each_corner(order == 0 ? 0 : k, [&](const auto& high) {
    Arrays places;
    Array weight, inside;
    const auto join = [](Array& all, const Array& x, Array (*f)(const Arg&, const Arg&)) {
      all = all.empty_handle() ? x : f(all, x);
    };
    for (size_t a = 0; a < k; ++a) {
      const bool up = order == 1 && high(a);
      const int64_t size = input->shape()[static_cast<int>(a)];
      const Array i = up ? low[a] + 1 : low[a];
      places.push_back(continued(i, size, options.mode));
      if (order == 1) join(weight, up ? upper[a] : 1 - upper[a], multiply);
      if (options.mode == "constant")
        join(inside, (i >= 0) & (i < static_cast<int32_t>(size)), bitwise_and);
    }
    Array value = at_places(input, places);
    if (!inside.empty_handle()) value = where(inside, value, cval);
    join(total, weight.empty_handle() ? value : weight * value, add);
  });
  if (is_integer(input->dtype()) && is_inexact(total.dtype())) total = away_from_zero(total);
  return fn::as_dtype(total, input->dtype());
}

}  // namespace scipy::ndimage

namespace scipy::interpolate {
namespace {

void need_method(const std::string& method) {
  if (method != "linear" && method != "nearest")
    fn::fail_index(fmt::format(
        "RegularGridInterpolator: method must be \"linear\" or \"nearest\", not \"{}\"", method));
}
// The index of the cell that contains x along one axis, the position in the cell from 0 to 1, and a
// flag for x outside of all cells.
struct Cell {
  Array index, fraction, outside;
};
Cell cell_of(const Array& grid, const Array& x) {
  const auto last = static_cast<int32_t>(grid.size() - 2);
  const Array i = clip(searchsorted(grid, x) - 1, 0, last);
  const auto at = [&](const Array& p) { return take(grid, p, 0, {.mode = "clip"}); };
  const Array low = at(i);
  return {i, (x - low) / (at(i + 1) - low), (x < grid[0]) | (x > grid[-1])};
}
Array between(const Array& values, const std::vector<Cell>& cells) {
  const size_t k = cells.size();
  const int behind = static_cast<int>(values.ndim()) - static_cast<int>(k);
  Array total;
  each_corner(k, [&](const auto& high) {
    Arrays places;
    Array weight;
    for (size_t a = 0; a < k; ++a) {
      places.push_back(high(a) ? cells[a].index + 1 : cells[a].index);
      const Array w = high(a) ? cells[a].fraction : 1 - cells[a].fraction;
      weight = a == 0 ? w : weight * w;
    }
    std::vector<int64_t> column(static_cast<size_t>(behind + 1), 1);
    column[0] = weight.size();
    const Array term = at_places(values, places) * reshape(weight, column);
    total = total.empty_handle() ? term : total + term;
  });
  return total;
}

}  // namespace

RegularGridInterpolator::RegularGridInterpolator(const Arrays& points, const Arg& given,
                                                 const GridOptions& options)
    : method(options.method) {
  const SourceScope at(given.at());
  const char* const name = "RegularGridInterpolator";
  need_method(method);
  values = fn::inexact(given);
  if (points.empty() || static_cast<int64_t>(points.size()) > values.ndim())
    fn::fail_shape(fmt::format("{}: {} vectors of points for values {}", name, points.size(),
                               to_string(given->type())));
  for (size_t i = 0; i < points.size(); ++i) {
    const Array p = fn::real_of(name, points[i]);
    if (p.ndim() != 1 || p.size() < 2 || p.size() != values.shape()[static_cast<int>(i)])
      fn::fail_shape(fmt::format(
          "{}: the points of axis {} must be a vector of two or more, as many as values "
          "{} has there, got {}",
          name, i, to_string(given->type()), to_string(points[i].type())));
    grid.push_back(p);
  }
  if (options.fill_value) {
    if (options.fill_value->ndim() != 0)
      fn::fail_shape(fmt::format("{}: .fill_value must be a scalar, got {}", name,
                                 to_string(options.fill_value->type())));
    fill_value = fn::as_dtype(*options.fill_value, values.dtype());
  }
}

Array RegularGridInterpolator::operator()(const Arg& xi, const std::string& how) const {
  const SourceScope at(xi.at());
  const auto k = static_cast<int64_t>(grid.size());
  need_method(how.empty() ? method : how);
  Array x = fn::real_of("RegularGridInterpolator", xi);
  if (k == 1 && (x.ndim() < 2 || x.shape()[-1] != 1)) x = expand_dims(x, -1);
  if (x.ndim() < 1 || x.shape()[-1] != k)
    fn::fail_shape(fmt::format("RegularGridInterpolator: points of {} coordinates, got {}", k,
                               to_string(xi->type())));
  const Shape out = x.shape().erased(x.ndim() - 1);
  const Array rows = reshape(x, {x.size() / k, k});
  std::vector<Cell> cells;
  Array outside;
  for (int64_t a = 0; a < k; ++a) {
    cells.push_back(cell_of(grid[static_cast<size_t>(a)], rows[{slice(), a}]));
    outside = a == 0 ? cells.back().outside : outside | cells.back().outside;
  }
  Array result;
  if ((how.empty() ? method : how) == "linear") {
    result = between(values, cells);
  } else {
    Arrays places;
    for (const Cell& c : cells) places.push_back(where(c.fraction <= 0.5, c.index, c.index + 1));
    result = at_places(values, places);
  }
  if (fill_value) {
    std::vector<int64_t> column(static_cast<size_t>(result.ndim()), 1);
    column[0] = rows.shape()[0];
    result = where(reshape(outside, column), *fill_value, result);
  }
  std::vector<int64_t> sizes = out.sizes();
  for (int i = static_cast<int>(k); i < values.ndim(); ++i) sizes.push_back(values.shape()[i]);
  return reshape(result, sizes);
}
Array RegularGridInterpolator::operator()(const Arrays& xi, const std::string& how,
                                          Location at) const {
  const SourceScope s(at);
  if (xi.size() != grid.size())
    fn::fail_shape(fmt::format("RegularGridInterpolator: {} arrays of coordinates for a grid of {}",
                               xi.size(), grid.size()));
  return (*this)(Arg(stack(fn::reals_of("RegularGridInterpolator", xi), -1), at), how);
}

}  // namespace scipy::interpolate

namespace scipy::cluster {

Codes vq(const Arg& obs, const Arg& code_book) {
  const SourceScope at(obs.at());
  const Arrays both = fn::same_dtype({fn::inexact(obs), fn::inexact(code_book)});
  Array x = both[0], codes = both[1];
  const auto rank = x.ndim();
  if (rank == 1 && codes.ndim() == 1) {
    x = expand_dims(x, 1);
    codes = expand_dims(codes, 1);
  }
  if (x.ndim() != 2 || codes.ndim() != 2 || x.shape()[1] != codes.shape()[1] ||
      codes.shape()[0] == 0)
    fn::fail_shape(fmt::format("vq: takes (n, d) and (k, d), or two vectors, got {} and {}",
                               to_string(obs->type()), to_string(code_book->type())));
  const Array apart = abs(expand_dims(x, 1) - expand_dims(codes, 0));
  const Array squares = sum(square(apart), -1), code = argmin(squares, -1);
  const Array nearest = squeeze(take_along_axis(squares, expand_dims(code, -1), -1), -1);
  return {code, sqrt(nearest)};
}

}  // namespace scipy::cluster
}  // namespace weft
