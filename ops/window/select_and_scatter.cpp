// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/window/select_and_scatter.cpp: select_and_scatter with any bodies, as a program of ops on
// whole arrays: a few for each place of the window.
#include "weft/ops/elementwise/compare.h"
#include "weft/ops/elementwise/elementwise.h"
#include "weft/ops/kit/kit.h"
#include "weft/ops/structure/structure.h"
#include "weft/ops/window/window.h"

namespace weft {
namespace {

using Sizes = std::vector<int64_t>;

// The places of a window, row-major.
std::vector<Sizes> places_of(const Sizes& window) {
  std::vector<Sizes> all{Sizes(window.size(), 0)};
  for (size_t a = 0; a < window.size(); ++a) {
    std::vector<Sizes> more;
    for (const Sizes& p : all)
      for (int64_t i = 0; i < window[a]; ++i) {
        more.push_back(p);
        more.back()[a] = i;
      }
    all = std::move(more);
  }
  return all;
}

// The padded operand and the windows on it.
struct Grid {
  Shape padded, windows;
  Sizes strides;

  // Of each window the element at a place.
  Array taken(const Array& x, const Sizes& place) const {
    Sizes limit;
    for (size_t a = 0; a < place.size(); ++a)
      limit.push_back(place[a] + (windows[static_cast<int64_t>(a)] - 1) * strides[a] + 1);
    return slice_static(x, place, limit, strides);
  }
  // Elements, one a window, put at a place of it; zeros elsewhere.
  Array put(const Array& x, const Sizes& place) const {
    Sizes high, interior;
    for (size_t a = 0; a < place.size(); ++a) {
      const auto axis = static_cast<int64_t>(a);
      high.push_back(padded[axis] - place[a] - (windows[axis] - 1) * strides[a] - 1);
      interior.push_back(strides[a] - 1);
    }
    return pad_with(x, base::zeros(Type(x.dtype(), Shape{})), place, high, interior);
  }
};

}  // namespace

Array select_and_scatter(const Array& x, const Array& source, const Array& init, const Window& w,
                         JoinTwo select, JoinTwo scatter) {
  const Shape windows = windowed_shape("select_and_scatter", x.type(), w);
  const Array filled = broadcast_in_dim(init, x.shape(), {});
  if (windows.elements() == 0 || x.shape().elements() == 0) return filled;
  const Sizes none(w.low.size(), 0);
  const auto padded = [&](const Array& v) {
    return pad_with(v, base::zeros(Type(v.dtype(), Shape{})), w.low, w.high, none);
  };
  const Array all = padded(x), there = padded(base::ones(Type(Bool, x.shape())));
  const Grid grid{all.shape(), windows, w.window_strides};
  const std::vector<Sizes> places = places_of(w.window_dimensions);
  // Whether each window's scan ends with the element at a place.
  Arrays mine;
  Array has, found;
  for (const Sizes& place : places) {
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
  // The windows that hold an element come in their order when the places come from the last on.
  Array out = broadcast_in_dim(init, grid.padded, {});
  for (size_t k = places.size(); k-- > 0;)
    out = lax::select(grid.put(mine[k], places[k]), scatter(out, grid.put(source, places[k])), out);
  Sizes low = w.low, high = w.high;
  for (int64_t& n : low) n = -n;
  for (int64_t& n : high) n = -n;
  return pad_with(out, init, low, high, none);
}

}  // namespace weft
