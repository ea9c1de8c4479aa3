// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/window/select_and_scatter.cpp: select_and_scatter with any bodies, as a program with a few
// ops on whole arrays for each position of the window.
#include "ops/kit/kit.h"
#include "ops/structure/structure.h"
#include "ops/window/grid.h"
#include "weft/lax/compare.h"
#include "weft/lax/elementwise.h"

namespace weft {
Array select_and_scatter(const Array& x, const Array& source, const Array& init, const Window& w,
                         JoinTwo select, JoinTwo scatter) {
  const Shape windows = windowed_shape("select_and_scatter", x.type(), w);
  const Array filled = broadcast_in_dim(init, x.shape(), {});
  if (windows.elements() == 0 || x.shape().elements() == 0) return filled;
  const window::Grid grid(x.shape(), windows, w);
  const Array all = grid.padded(x), there = grid.padded(base::ones(Type(Bool, x.shape())));
  const std::vector<std::vector<int64_t>>& places = grid.places();
  // True if the scan of a window ends with the element at this position.
  Arrays mine;
  Array has, found;
  for (const std::vector<int64_t>& place : places) {
    const Array next = grid.taken(all, place), valid = grid.taken(there, place);
    if (mine.empty()) {
      mine.push_back(valid);
      has = next;
      found = valid;
      continue;
    }
    const Array leaves = lax::bitwise_not(lax::bitwise_and(found, select(has, next)));
    const Array taken = lax::bitwise_and(valid, leaves), kept = lax::bitwise_not(taken);
    for (Array& m : mine) m = lax::bitwise_and(m, kept);
    mine.push_back(taken);
    has = lax::select(taken, next, has);
    found = lax::bitwise_or(found, valid);
  }
  // Going through the positions from the last, the windows that contain an element come in their
  // order.
  Array out = broadcast_in_dim(init, grid.shape(), {});
  for (size_t k = places.size(); k-- > 0;)
    out = lax::select(grid.put(mine[k], places[k]), scatter(out, grid.put(source, places[k])), out);
  return grid.own(out, init);
}

}  // namespace weft
