// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// interop/stablehlo/rules/tr_window.cpp: rules of reductions of windows, and of scatters to the
// elements that windows select. A window that extends to an end of an axis becomes a cumulative op.
// Bodies other than one known op run on whole arrays.
#include <algorithm>

#include "interop/stablehlo/rules/folds.h"
#include "ops/structure/structure.h"
#include "ops/window/window.h"
#include "tracer/base_ops.h"
#include "weft/lax/elementwise.h"

namespace weft::hlo {
namespace {

using Sizes = std::vector<int64_t>;

Window window_of(Translator& t, const Op& op, const Array& x) {
  const auto rank = static_cast<size_t>(x.ndim());
  Window w;
  w.window_dimensions = t.ints(op, "window_dimensions", rank, 1);
  w.window_strides = t.ints(op, "window_strides", rank, 1);
  w.base_dilation = t.ints(op, "base_dilations", rank, 1);
  w.window_dilation = t.ints(op, "window_dilations", rank, 1);
  const Sizes padding = t.ints(op, "padding", 2 * rank, 0);
  for (size_t a = 0; a < rank; ++a) {
    w.low.push_back(padding[2 * a]);
    w.high.push_back(padding[2 * a + 1]);
  }
  windowed_shape("reduce_window", x.type(), w);
  return w;
}

// The axis along which the window extends from each element to an end, and which end it is.
struct Running {
  int64_t axis;
  bool reverse;
};
std::optional<Running> running_axis(const Window& w, const Shape& s) {
  std::optional<Running> found;
  for (size_t a = 0; a < w.low.size(); ++a) {
    if (w.window_strides[a] != 1 || w.base_dilation[a] != 1) return {};
    if (w.window_dimensions[a] == 1 && w.low[a] == 0 && w.high[a] == 0) continue;
    const int64_t n = s[static_cast<int64_t>(a)];
    const bool forward = w.low[a] == n - 1 && w.high[a] == 0;
    const bool backward = w.low[a] == 0 && w.high[a] == n - 1;
    if (found || w.window_dimensions[a] != n || w.window_dilation[a] != 1 || !(forward || backward))
      return {};
    found = Running{static_cast<int64_t>(a), backward};
  }
  return found;
}

using OfWindows = Array (*)(const Array& x, const Window& w);
OfWindows windows_of(const Fold& f) {
  if (f.join == lax::add) return reduce_window_sum;
  if (f.join == lax::max) return reduce_window_max;
  if (f.join == lax::min) return reduce_window_min;
  return nullptr;
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
    if (const OfWindows weft_name = windows_of(f);
        weft_name && (neutral || !is_complex(in[0].dtype()))) {
      const Array out = weft_name(in[0], w);
      return {neutral ? out : f.join(broadcast_in_dim(init[0], out.shape(), {}), out)};
    }
    const auto join = [&](const Arrays& a, const Arrays& b) { return Arrays{f.join(a[0], b[0])}; };
    return neutral ? fold_windows(in, init, w, join) : reduce_windows(in, init, w, join);
  }
  // As in XLA, init is combined once with each window, and padding is not combined. The StableHLO
  // specification pads with init instead.
  return reduce_windows(in, init, w, [&](const Arrays& a, const Arrays& b) {
    Arrays both = a;
    both.insert(both.end(), b.begin(), b.end());
    return t.run_on_arrays(op, body, both, a.size());
  });
}

// Returns the direction of a body that only compares its two scalars, such as "GE". Returns an
// empty text for other bodies.
std::string comparison_of(Translator& t, const Region& body) {
  if (only_op(body) != "stablehlo.compare") return {};
  return t.word(body.blocks[0].ops[0], "comparison_direction");
}

Arrays select_and_scatter(Translator& t, const Op& op, const Arrays& x) {
  if (x.size() != 3 || op.regions.size() != 2)
    t.fail(op, "needs an operand, a source, an initial value and two regions");
  const Array &operand = x[0], &source = x[1], &init = x[2];
  if (init.ndim() != 0 || init.dtype() != operand.dtype() || source.dtype() != operand.dtype())
    t.fail(op, "operand, source and a scalar as initial value must have one dtype");
  const Window w = window_of(t, op, operand);
  if (source.shape() != windowed_shape("select_and_scatter", operand.type(), w))
    t.fail(op, "the source must have an element a window");
  const Region &select = op.regions[0], &scatter = op.regions[1];
  const std::string how = comparison_of(t, select), name = only_op(scatter);
  const bool ordered = is_integer(operand.dtype()) || is_floating(operand.dtype());
  if (ordered && (how == "GE" || how == "LE") && name == "stablehlo.add" && is_neutral(init, name))
    return {select_and_scatter_add(source, operand, how == "GE", w)};
  const auto run = [&](const Region& body) {
    return [&t, &op, &body](const Array& a, const Array& b) {
      return t.run_on_arrays(op, body, {a, b}, 1)[0];
    };
  };
  const auto chooses = run(select), joins = run(scatter);
  return {weft::select_and_scatter(operand, source, init, w, chooses, joins)};
}

}  // namespace

void add_windows(Rules& r) {
  const Rules mine = {{"stablehlo.reduce_window", reduce_window},
                      {"stablehlo.select_and_scatter", select_and_scatter}};
  r.insert(mine.begin(), mine.end());
}

}  // namespace weft::hlo
