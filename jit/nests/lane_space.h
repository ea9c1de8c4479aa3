// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/nests/lane_space.h: the indices of a lane: its place in the grid, coordinates and offsets.
//
// It knows types and grid axes, but not where values are. It writes only arithmetic on indices: no
// loads, stores or loops. A new way to index the elements of a value is a method of LaneSpace, and
// a new property of an axis is part of LaneType.
#pragma once
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/loops/lower.h"
#include "core/scalar/number.h"
#include "weft/type.h"

namespace weft::compiler {

// The type of a value, and the grid axis of each of its axes (-1: none). A lane has one index along
// an axis that is in the grid, and holds the elements along the others, the inner axes.
class LaneType {
 public:
  LaneType(const Type& type, std::vector<int> grid_axes)
      : type_(type), grid_axes_(std::move(grid_axes)) {}
  const Shape& shape() const { return type_.shape(); }
  DType dtype() const { return type_.dtype(); }
  int grid_axis(int axis) const { return grid_axes_[axis]; }
  std::vector<int> inner_axes() const;
  std::vector<int64_t> inner_extents() const;
  int64_t inner_elements() const;

 private:
  Type type_;
  std::vector<int> grid_axes_;
};

class LaneSpace {
 public:
  // The grid, outermost axis first. Its last `together` axes are one run-time axis, which fills
  // vectors. The others, if there are any, are another one.
  LaneSpace(nest::Builder& b, const std::vector<int64_t>& grid, size_t together);
  int rank() const { return static_cast<int>(extents_.size()); }    // run-time axes
  const std::vector<int64_t>& extents() const { return extents_; }  // of the run-time axes
  const Coords& grid() const { return grid_; }  // the lane's index along each grid axis

  // Returns the row-major digits of a flat index, and records that together they are that index.
  Coords split(nest::Id flat, const std::vector<int64_t>& extents);
  // These return the coordinates of an element over all axes, including those of the grid: at a
  // constant flat inner index, at inner coordinates, or at a flat inner index. `except`: leaves out
  // this axis.
  Coords coords_at(const LaneType& t, int64_t flat) const;
  Coords coords_with(const LaneType& t, const Coords& inner, int except = -1) const;
  Coords coords_of_flat(const LaneType& t, nest::Id flat, int except = -1);
  // These return the row-major offset of an element, over all axes or over the inner axes.
  num::Ir<int64_t> offset(const Coords& at, const Shape& s) const;
  num::Ir<int64_t> inner_offset(const LaneType& t, const Coords& at) const;

 private:
  // An index, and the row-major digits into which it was split.
  struct Digits {
    Coords coords;
    std::vector<int64_t> extents;
    nest::Id flat;
  };
  num::Ir<int64_t> row_major(const Coords& c, const std::vector<int64_t>& extents) const;

  std::vector<int64_t> extents_;
  std::unordered_map<nest::Id, std::vector<Digits>> digits_;  // by the first coordinate
  Coords grid_;
};

}  // namespace weft::compiler
