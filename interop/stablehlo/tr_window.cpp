// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// interop/stablehlo/tr_window.cpp: reductions of windows. One that grows from an end of an axis is
// a running fold; the others are folded along one axis after another, by doubling.
#include <algorithm>

#include "weft/interop/stablehlo/folds.h"
#include "weft/ops/structure.h"
#include "weft/tracer/base_ops.h"

namespace weft::hlo {
namespace {

using Sizes = std::vector<int64_t>;

struct Window {
  Sizes size, stride, base_dilation, dilation, low, high;
};
Window window_of(Translator& t, const Op& op, const Array& x) {
  const size_t rank = x.shape().size();
  Window w;
  w.size = t.ints(op, "window_dimensions", rank, 1);
  w.stride = t.ints(op, "window_strides", rank, 1);
  w.base_dilation = t.ints(op, "base_dilations", rank, 1);
  w.dilation = t.ints(op, "window_dilations", rank, 1);
  const Sizes padding = t.ints(op, "padding", 2 * rank, 0);
  for (size_t a = 0; a < rank; ++a) {
    w.low.push_back(padding[2 * a]);
    w.high.push_back(padding[2 * a + 1]);
    if (w.size[a] < 1 || w.stride[a] < 1 || w.base_dilation[a] < 1 || w.dilation[a] < 1)
      t.fail(op, "sizes, strides and dilations of a window must be positive");
  }
  return w;
}

// The axis along which the window reaches from each element to an end of it, and which end.
struct Running {
  int64_t axis;
  bool reverse;
};
std::optional<Running> running_axis(const Window& w, const Shape& s) {
  std::optional<Running> found;
  for (size_t a = 0; a < w.size.size(); ++a) {
    if (w.stride[a] != 1 || w.base_dilation[a] != 1) return {};
    if (w.size[a] == 1 && w.low[a] == 0 && w.high[a] == 0) continue;
    const int64_t n = s[static_cast<int64_t>(a)];
    const bool forward = w.low[a] == n - 1 && w.high[a] == 0;
    const bool backward = w.low[a] == 0 && w.high[a] == n - 1;
    if (found || w.size[a] != n || w.dilation[a] != 1 || !(forward || backward)) return {};
    found = Running{static_cast<int64_t>(a), backward};
  }
  return found;
}

// Folds of `size` elements, `dilation` apart, from each element on that has so many behind it.
Array along(const Fold& f, const Array& x, int axis, int64_t size, int64_t dilation) {
  const auto from = [&](const Array& a, int64_t offset, int64_t count) {
    return base::slice_axis(a, axis, offset, offset + count);
  };
  const int64_t n = x.shape()[axis], results = n - (size - 1) * dilation;
  Array power = x;  // folds of 2^k elements
  Array out;
  int64_t done = 0;
  for (int64_t width = 1; width <= size; width *= 2) {
    if (size & width) {
      const Array part = from(power, done * dilation, results);
      out = done == 0 ? part : f.join(out, part);
      done += width;
    }
    if (2 * width <= size) {
      const int64_t left = power.shape()[axis] - width * dilation;
      power = f.join(from(power, 0, left), from(power, width * dilation, left));
    }
  }
  return out;
}

Arrays reduce_window(Translator& t, const Op& op, const Arrays& x) {
  if (x.size() != 2) t.missing(op, "of several operands");
  const std::string name = only_op(t.only_region(op));
  const Fold f = fold_of(name, x[0].dtype());
  if (!f.join) t.missing(op, "with this body");
  const Window w = window_of(t, op, x[0]);
  const bool neutral = is_neutral(x[1], name);
  if (const auto r = running_axis(w, x[0].shape()); r && f.running && neutral)
    return {f.running(x[0], r->axis, r->reverse)};
  Sizes interior = w.base_dilation;
  for (int64_t& n : interior) --n;
  const auto zero = [](int64_t n) { return n == 0; };
  const bool as_is = std::all_of(w.low.begin(), w.low.end(), zero) &&
                     std::all_of(w.high.begin(), w.high.end(), zero) &&
                     std::all_of(interior.begin(), interior.end(), zero);
  Array out = as_is ? x[0] : pad_with(x[0], x[1], w.low, w.high, interior);
  for (size_t a = 0; a < w.size.size(); ++a) {
    const int axis = static_cast<int>(a);
    const int64_t n = out.shape()[axis];
    if (n < (w.size[a] - 1) * w.dilation[a] + 1)
      out = base::slice_axis(out, axis, 0, 0);
    else if (w.size[a] > 1)
      out = along(f, out, axis, w.size[a], w.dilation[a]);
    out = base::slice_axis(out, axis, 0, out.shape()[axis], w.stride[a]);
  }
  return {neutral ? out : f.join(out, x[1])};
}

}  // namespace

void add_windows(Rules& r) {
  const Rules mine = {{"stablehlo.reduce_window", reduce_window}};
  r.insert(mine.begin(), mine.end());
}

}  // namespace weft::hlo
