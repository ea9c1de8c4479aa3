// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/window/grid.h: all windows at once, as ops on whole arrays: of each window the element at one
// place, and elements put back there.
#pragma once
#include "weft/ops/window/window.h"

namespace weft::window {

class Grid {
 public:
  Grid(const Shape& operand, const Shape& windows, const Window& w);
  // All places of a window, row-major.
  const std::vector<std::vector<int64_t>>& places() const { return places_; }
  // Whether some place of a window holds no element of the operand.
  bool has_gaps() const;
  // The operand padded and dilated, with zeros for what is not its own.
  Array padded(const Array& x) const;
  // Of each window of a padded operand the element at a place.
  Array taken(const Array& padded, const std::vector<int64_t>& place) const;
  // Elements, one a window, put there; zeros elsewhere.
  Array put(const Array& x, const std::vector<int64_t>& place) const;
  // What lies at the operand's own elements; where they were cropped `otherwise`, a scalar.
  Array own(const Array& padded, const Array& otherwise) const;
  // Of the padded operand.
  const Shape& shape() const { return padded_; }

 private:
  std::vector<int64_t> starts(const std::vector<int64_t>& place) const;
  Window w_;
  Shape operand_, windows_, padded_;
  std::vector<std::vector<int64_t>> places_;
};

}  // namespace weft::window
