// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/window/grid.cpp: slices and pads that represent all windows.
#include "ops/window/grid.h"

#include "ops/structure/structure.h"
#include "ops/window/window_positions.h"
#include "tracer/base_ops.h"

namespace weft::window {
namespace {
using Sizes = std::vector<int64_t>;
}

Grid::Grid(const Shape& operand, const Shape& windows, const Window& w)
    : w_(w), operand_(operand), windows_(windows), places_{Sizes(w.low.size(), 0)} {
  Sizes sizes;
  for (size_t a = 0; a < w.low.size(); ++a) {
    sizes.push_back(dilated(operand[static_cast<int64_t>(a)], w.base_dilation[a]) + w.low[a] +
                    w.high[a]);
    std::vector<Sizes> more;
    for (const Sizes& p : places_)
      for (int64_t i = 0; i < w.window_dimensions[a]; ++i) {
        more.push_back(p);
        more.back()[a] = i;
      }
    places_ = std::move(more);
  }
  padded_ = sizes;
}

bool Grid::has_gaps() const {
  for (size_t a = 0; a < w_.low.size(); ++a)
    if (w_.low[a] > 0 || w_.high[a] > 0 || w_.base_dilation[a] > 1) return true;
  return false;
}

Array Grid::padded(const Array& x) const {
  if (x.shape() == padded_) return x;
  Sizes interior = w_.base_dilation;
  for (int64_t& n : interior) --n;
  return pad_with(x, base::zeros(Type(x.dtype(), Shape{})), w_.low, w_.high, interior);
}

Sizes Grid::starts(const Sizes& place) const {
  Sizes s = place;
  for (size_t a = 0; a < s.size(); ++a) s[a] *= w_.window_dilation[a];
  return s;
}

Array Grid::taken(const Array& x, const Sizes& place) const {
  const Sizes start = starts(place);
  Sizes limit;
  for (size_t a = 0; a < start.size(); ++a)
    limit.push_back(start[a] + (windows_[static_cast<int64_t>(a)] - 1) * w_.window_strides[a] + 1);
  return slice_static(x, start, limit, w_.window_strides);
}

Array Grid::put(const Array& x, const Sizes& place) const {
  const Sizes low = starts(place);
  Sizes high, interior;
  for (size_t a = 0; a < low.size(); ++a) {
    const auto axis = static_cast<int64_t>(a);
    high.push_back(padded_[axis] - low[a] - (windows_[axis] - 1) * w_.window_strides[a] - 1);
    interior.push_back(w_.window_strides[a] - 1);
  }
  return pad_with(x, base::zeros(Type(x.dtype(), Shape{})), low, high, interior);
}

Array Grid::own(const Array& x, const Array& otherwise) const {
  if (operand_ == padded_) return x;
  Sizes low = w_.low, high = w_.high;
  for (int64_t& n : low) n = -n;
  for (int64_t& n : high) n = -n;
  const Sizes none(low.size(), 0);
  const Array dense = pad_with(x, otherwise, low, high, none);
  if (dense.shape() == operand_) return dense;
  return slice_static(dense, none, dense.shape().sizes(), w_.base_dilation);
}

}  // namespace weft::window
