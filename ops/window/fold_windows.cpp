// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/window/fold_windows.cpp: folds windows along one axis after another, by doubling. The number
// of joins of whole arrays is the sum of the logarithms of the sizes.
#include <algorithm>

#include "ops/structure/structure.h"
#include "ops/window/window.h"
#include "tracer/base_ops.h"
#include "weft/lax/compare.h"
#include "weft/lax/elementwise.h"

namespace weft {
namespace {

using Sizes = std::vector<int64_t>;

// Folds of `size` elements, `dilation` apart, that start at each element with enough elements after
// it.
Arrays along(JoinArrays join, const Arrays& x, int axis, int64_t size, int64_t dilation) {
  const auto from = [&](Arrays a, int64_t offset, int64_t count) {
    for (Array& v : a) v = base::slice_axis(v, axis, offset, offset + count);
    return a;
  };
  const int64_t results = x[0].shape()[axis] - (size - 1) * dilation;
  Arrays power = x, out;  // power: folds of 2^k elements; out: folds of the first `done` elements
  int64_t done = 0;
  for (int64_t width = 1; width <= size; width *= 2) {
    if (size & width) {
      const Arrays part = from(power, done * dilation, results);
      out = done == 0 ? part : join(out, part);
      done += width;
    }
    if (2 * width <= size) {
      const int64_t left = power[0].shape()[axis] - width * dilation;
      power = join(from(power, 0, left), from(power, width * dilation, left));
    }
  }
  return out;
}

bool all_are(const Sizes& s, int64_t wanted) {
  return std::all_of(s.begin(), s.end(), [wanted](int64_t n) { return n == wanted; });
}
bool pads(const Window& w) {
  return !all_are(w.low, 0) || !all_are(w.high, 0) || !all_are(w.base_dilation, 1);
}

}  // namespace

Arrays fold_windows(const Arrays& operands, const Arrays& neutral, const Window& w,
                    JoinArrays join) {
  Arrays x = operands;
  Sizes interior = w.base_dilation;
  for (int64_t& n : interior) --n;
  if (pads(w))
    for (size_t i = 0; i < x.size(); ++i)
      x[i] = pad_with(x[i], neutral[i], w.low, w.high, interior);
  // Starts with the last axis, so that the elements of a window are joined in row-major order.
  for (size_t a = w.low.size(); a-- > 0;) {
    const int axis = static_cast<int>(a);
    if (x[0].shape()[axis] < (w.window_dimensions[a] - 1) * w.window_dilation[a] + 1) {
      for (Array& v : x) v = base::slice_axis(v, axis, 0, 0);
    } else if (w.window_dimensions[a] > 1) {
      x = along(join, x, axis, w.window_dimensions[a], w.window_dilation[a]);
    }
    if (w.window_strides[a] > 1)
      for (Array& v : x) v = base::slice_axis(v, axis, 0, v.shape()[axis], w.window_strides[a]);
  }
  return x;
}

Arrays reduce_windows(const Arrays& x, const Arrays& init, const Window& w, JoinArrays join) {
  const auto from_init = [&](const Arrays& folds) {
    Arrays first;
    for (const Array& v : init) first.push_back(broadcast_in_dim(v, folds[0].shape(), {}));
    return join(first, folds);
  };
  if (!pads(w)) return from_init(fold_windows(x, init, w, join));
  // The last array is true where a value exists. The join is used where both values exist.
  const auto values = [](const Arrays& a) { return Arrays(a.begin(), a.end() - 1); };
  const auto join_there = [&](const Arrays& a, const Arrays& b) {
    const Array both = lax::bitwise_and(a.back(), b.back());
    const Arrays joined = join(values(a), values(b));
    Arrays r;
    for (size_t i = 0; i < joined.size(); ++i)
      r.push_back(lax::select(both, joined[i], lax::select(a.back(), a[i], b[i])));
    r.push_back(lax::bitwise_or(a.back(), b.back()));
    return r;
  };
  Arrays all = x, padding = init;
  all.push_back(base::ones(Type(Bool, x[0].shape())));
  padding.push_back(base::zeros(Type(Bool, {})));
  const Arrays folds = fold_windows(all, padding, w, join_there);
  const Arrays whole = from_init(values(folds));
  Arrays r;
  for (size_t i = 0; i < whole.size(); ++i) {
    const Array alone = broadcast_in_dim(init[i], whole[i].shape(), {});
    r.push_back(lax::select(folds.back(), whole[i], alone));
  }
  return r;
}

}  // namespace weft
