// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/window/grid.h: processes all windows together as ops on whole arrays. For one position in the
// window, it reads or writes the element of each window at that position.
#pragma once
#include "ops/window/window.h"

namespace weft::window {

class Grid {
 public:
  Grid(const Shape& operand, const Shape& windows, const Window& w);
  // All positions in a window, in row-major order.
  const std::vector<std::vector<int64_t>>& places() const { return places_; }
  // Returns true if a window may contain a position without an element of the operand.
  bool has_gaps() const;
  // The padded and dilated operand, with zeros at positions that are not its elements.
  Array padded(const Array& x) const;
  // The element at a position of each window of a padded operand.
  Array taken(const Array& padded, const std::vector<int64_t>& place) const;
  // Writes one element for each window to that position, with zeros elsewhere.
  Array put(const Array& x, const std::vector<int64_t>& place) const;
  // Reads the positions of the operand's elements. Cropped elements are `otherwise`, a scalar.
  Array own(const Array& padded, const Array& otherwise) const;
  // The shape of the padded operand.
  const Shape& shape() const { return padded_; }

 private:
  std::vector<int64_t> starts(const std::vector<int64_t>& place) const;
  Window w_;
  Shape operand_, windows_, padded_;
  std::vector<std::vector<int64_t>> places_;
};

}  // namespace weft::window
