// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// interop/stablehlo/read/tr_window.cpp: reductions of windows. One that grows from an end of an
// axis is a running fold; the others are folded along one axis after another, by doubling.
#include <algorithm>
#include <functional>

#include "weft/interop/stablehlo/read/folds.h"
#include "weft/ops/structure/structure.h"
#include "weft/tracer/base_ops.h"

namespace weft::hlo {
namespace {

using Sizes = std::vector<int64_t>;

struct Window {
  Sizes size, stride, base_dilation, dilation, low, high;
};
constexpr int64_t most = int64_t{1} << 31;

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
    for (int64_t n : {w.size[a], w.stride[a], w.base_dilation[a], w.dilation[a]})
      if (n < 1 || n > most)
        t.fail(op, "sizes, strides and dilations of a window must be positive");
    for (int64_t n : {w.low[a], w.high[a]})
      if (n < -most || n > most) t.fail(op, "too much padding");
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

using Join = std::function<Arrays(const Arrays&, const Arrays&)>;

// Folds of `size` elements, `dilation` apart, from each element on that has so many behind it.
Arrays along(const Join& join, const Arrays& x, int axis, int64_t size, int64_t dilation) {
  const auto from = [&](Arrays a, int64_t offset, int64_t count) {
    for (Array& v : a) v = base::slice_axis(v, axis, offset, offset + count);
    return a;
  };
  const int64_t results = x[0].shape()[axis] - (size - 1) * dilation;
  Arrays power = x, out;  // folds of 2^k elements; of those done
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

Arrays windows(const Window& w, Arrays x, const Arrays& init, const Join& join) {
  Sizes interior = w.base_dilation;
  for (int64_t& n : interior) --n;
  const auto none = [](const Sizes& s) {
    return std::all_of(s.begin(), s.end(), [](int64_t n) { return n == 0; });
  };
  if (!none(w.low) || !none(w.high) || !none(interior))
    for (size_t i = 0; i < x.size(); ++i) x[i] = pad_with(x[i], init[i], w.low, w.high, interior);
  for (size_t a = 0; a < w.size.size(); ++a) {
    const int axis = static_cast<int>(a);
    if (x[0].shape()[axis] < (w.size[a] - 1) * w.dilation[a] + 1) {
      for (Array& v : x) v = base::slice_axis(v, axis, 0, 0);
    } else if (w.size[a] > 1) {
      x = along(join, x, axis, w.size[a], w.dilation[a]);
    }
    for (Array& v : x) v = base::slice_axis(v, axis, 0, v.shape()[axis], w.stride[a]);
  }
  return x;
}

Arrays reduce_window(Translator& t, const Op& op, const Arrays& x) {
  const auto half = static_cast<std::ptrdiff_t>(x.size() / 2);
  const Arrays in(x.begin(), x.begin() + half), init(x.begin() + half, x.end());
  if (in.empty() || in.size() != init.size())
    t.fail(op, "operands and initial values must be as many");
  for (size_t i = 0; i < in.size(); ++i)
    if (in[i].shape() != in[0].shape() || init[i].ndim() != 0)
      t.fail(op, "operands must have one shape, and scalars as initial values");
  const Region& body = t.only_region(op);
  const std::string name = only_op(body);
  const Window w = window_of(t, op, in[0]);
  if (const Fold f = in.size() == 1 ? fold_of(name, in[0].dtype()) : Fold{}; f.join) {
    const bool neutral = is_neutral(init[0], name);
    const auto r = running_axis(w, in[0].shape());
    if (r && f.running && neutral) return {f.running(in[0], r->axis, r->reverse)};
    const Array out = windows(w, in, init, [&](const Arrays& a, const Arrays& b) {
      return Arrays{f.join(a[0], b[0])};
    })[0];
    return {neutral ? out : f.join(out, init[0])};
  }
  if (!t.is_elementwise(body)) t.missing(op, "with this body");
  const Join join = [&](const Arrays& a, const Arrays& b) {
    Arrays both = a;
    both.insert(both.end(), b.begin(), b.end());
    return t.run_on_arrays(op, body, both, a.size());
  };
  return join(init, windows(w, in, init, join));
}

}  // namespace

void add_windows(Rules& r) {
  const Rules mine = {{"stablehlo.reduce_window", reduce_window}};
  r.insert(mine.begin(), mine.end());
}

}  // namespace weft::hlo
