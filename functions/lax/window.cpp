// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/lax/window.cpp: windows that slide over an array, with padding and options as users
// write them, and pooling layers.
#include "weft/lax/window.h"

#include <fmt/format.h>

#include "functions/body.h"
#include "functions/kit.h"
#include "functions/lax/padding.h"
#include "functions/lax/sums.h"
#include "ops/linear/conv.h"
#include "ops/structure/structure.h"
#include "ops/window/window.h"
#include "tracer/base_ops.h"
#include "weft/nn.h"
#include "weft/numpy/create.h"
#include "weft/numpy/math.h"

namespace weft {
namespace {

using lax::Sizes;
using Pads = std::vector<std::pair<int64_t, int64_t>>;

Sizes ones_or(const Sizes& given, size_t n) { return given.empty() ? Sizes(n, 1) : given; }

// Builds and checks a window on an operand of this shape.
Window window_on(const char* name, const Type& operand, const Sizes& dimensions,
                 const lax::WindowOptions& o) {
  const size_t n = dimensions.size();
  Window w{dimensions, ones_or(o.window_strides, n), {},
           {},         ones_or(o.base_dilation, n),  ones_or(o.window_dilation, n)};
  Pads pads = o.padding.amounts;
  if (!o.padding.kind.empty()) {
    const Shape& s = operand.shape();
    if (static_cast<int64_t>(n) != s.ndim() || w.window_dilation.size() != n)
      fn::fail_shape(fmt::format("{}: windows and dilations need one entry an axis, {}; got {}",
                                 name, s.ndim(), to_string(operand)));
    Sizes spans;
    for (size_t a = 0; a < n; ++a) spans.push_back(dilated(dimensions[a], w.window_dilation[a]));
    pads = fn::pads_of(name, s.sizes(), spans, w.window_strides, o.padding.kind);
  }
  for (const auto& [low, high] : pads) {
    w.low.push_back(low);
    w.high.push_back(high);
  }
  windowed_shape(name, operand, w);
  return w;
}

Array fold(const char* name, Array (*of_windows)(const Array&, const Window&), const Arg& x,
           const Sizes& dimensions, const lax::WindowOptions& o) {
  const SourceScope s(x.at());
  return of_windows(x, window_on(name, x->type(), dimensions, o));
}

// The op for sum, maximum or minimum if the function computes exactly that and init is its neutral
// element. Returns nullptr otherwise.
using OfWindows = Array (*)(const Array&, const Window&);
OfWindows monoid_of(const ClosedJaxpr& j, const Array& init) {
  const std::string op = fn::monoid_of(j, init);
  if (op == "add") return reduce_window_sum;
  if (op == "max") return reduce_window_max;
  return op == "min" ? reduce_window_min : nullptr;
}

Arrays general(const Arrays& operands, Arrays init, const Function<Arrays(Arrays, Arrays)>& f,
               const Sizes& dimensions, const lax::WindowOptions& o) {
  constexpr const char* name = "reduce_window";
  fn::check_initial(name, operands, &init);
  const Window w = window_on(name, operands[0].type(), dimensions, o);
  const ClosedJaxpr j = fn::traced(name, f, init);
  if (init.size() == 1)
    if (const OfWindows of_windows = monoid_of(j, init[0])) return {of_windows(operands[0], w)};
  const auto join = [&](const Arrays& a, const Arrays& b) { return fn::each(f, a, b); };
  return reduce_windows(operands, init, w, join);
}

struct Selection {
  bool largest;
  Window window;
};
Selection selection(const char* name, const Arg& operand, const Sizes& dimensions,
                    const lax::SelectWindowOptions& o) {
  if (o.select != "ge" && o.select != "le")
    fn::fail_shape(fmt::format("{}: select must be \"ge\" or \"le\", got \"{}\"", name, o.select));
  return {o.select == "ge",
          window_on(name, operand->type(), dimensions,
                    {o.window_strides, o.padding, o.base_dilation, o.window_dilation})};
}

// ---- pooling

// A window over the spatial axes, extended by the batch and feature axes.
struct Pool {
  Sizes dimensions;
  lax::WindowOptions options;
  double elements = 1;
};
Pool pool_of(const char* name, const Array& x, const Sizes& window_shape, const Sizes& strides,
             const lax::ConvPadding& padding) {
  const auto n = static_cast<int64_t>(window_shape.size());
  if (x.ndim() < n + 1)
    fn::fail_shape(
        fmt::format("{}: a window of {} axes needs x of (batch…, spatial…, features), "
                    "got {}",
                    name, n, to_string(x.type())));
  const auto around = [&](const Sizes& inner) {
    Sizes r(static_cast<size_t>(x.ndim() - n - 1), 1);
    r.insert(r.end(), inner.begin(), inner.end());
    r.push_back(1);
    return r;
  };
  const auto need = [&](const char* what, size_t have) {
    if (static_cast<int64_t>(have) != n)
      fn::fail_shape(fmt::format("{}: {} need one entry a spatial axis, {}", name, what, n));
  };
  const Sizes by = ones_or(strides, window_shape.size());
  need("strides", by.size());
  Pool p{around(window_shape), {.window_strides = around(by), .padding = padding}};
  if (padding.kind.empty()) {
    need("paddings", padding.amounts.size());
    Pads pads(static_cast<size_t>(x.ndim() - n - 1));
    pads.insert(pads.end(), padding.amounts.begin(), padding.amounts.end());
    pads.emplace_back();
    p.options.padding = pads;
  }
  for (int64_t i : window_shape) p.elements *= static_cast<double>(i);
  return p;
}

}  // namespace

Pads fn::pads_of(const char* name, const Sizes& in, const Sizes& window, const Sizes& strides,
                 const std::string& kind) {
  const bool lower = kind == "SAME_LOWER", valid = kind == "VALID";
  if (!valid && kind != "SAME" && !lower)
    fail_shape(
        fmt::format("{}: padding must be \"SAME\", \"SAME_LOWER\", \"VALID\" or pairs of "
                    "numbers, got \"{}\"",
                    name, kind));
  if (window.size() != in.size() || strides.size() != in.size())
    fail_shape(fmt::format("{}: sizes, windows and strides must be as many, got {}, {} and {}",
                           name, in.size(), window.size(), strides.size()));
  Pads pads;
  for (size_t d = 0; d < in.size(); ++d) {
    const int64_t n = in[d], stride = std::max<int64_t>(strides[d], 1);
    const int64_t places = n / stride + (n % stride ? 1 : 0);
    const int64_t reach = checked_mul(places - 1, stride) + window[d];
    const int64_t all = valid ? 0 : std::max<int64_t>(reach - n, 0);
    const int64_t low = lower ? all - all / 2 : all / 2;
    pads.emplace_back(low, all - low);
  }
  return pads;
}

namespace lax {

Array reduce_window_sum(const Arg& x, const Sizes& dimensions, const WindowOptions& o) {
  return fold("reduce_window_sum", weft::reduce_window_sum, x, dimensions, o);
}
Array reduce_window_max(const Arg& x, const Sizes& dimensions, const WindowOptions& o) {
  return fold("reduce_window_max", weft::reduce_window_max, x, dimensions, o);
}
Array reduce_window_min(const Arg& x, const Sizes& dimensions, const WindowOptions& o) {
  return fold("reduce_window_min", weft::reduce_window_min, x, dimensions, o);
}
Array reduce_window(const Arg& operand, const Arg& init_value,
                    const Function<Array(Array, Array)>& computation,
                    const Sizes& window_dimensions, const WindowOptions& o) {
  const SourceScope s(operand.at());
  return general({operand}, {init_value}, fn::listed(computation), window_dimensions, o)[0];
}
Arrays reduce_window(const Arrays& operands, const Arrays& init_values,
                     const Function<Arrays(Arrays, Arrays)>& computation,
                     const Sizes& window_dimensions, const WindowOptions& o, Location at) {
  const SourceScope s(at);
  return general(operands, init_values, computation, window_dimensions, o);
}
Pads padtype_to_pads(const Sizes& in_shape, const Sizes& window_shape, const Sizes& window_strides,
                     const std::string& padding, Location at) {
  const SourceScope s(at);
  return fn::pads_of("padtype_to_pads", in_shape, window_shape, window_strides, padding);
}
Shape reduce_window_shape_tuple(const Shape& operand_shape, const Sizes& window_dimensions,
                                const WindowOptions& o, Location at) {
  const SourceScope s(at);
  constexpr const char* name = "reduce_window_shape_tuple";
  const Type t(F32, operand_shape);
  return windowed_shape(name, t, window_on(name, t, window_dimensions, o));
}

Array select_and_scatter_add(const Arg& source, const Arg& operand, const Sizes& window_dimensions,
                             const SelectWindowOptions& o) {
  const SourceScope s(source.at());
  const Selection p = selection("select_and_scatter_add", operand, window_dimensions, o);
  return weft::select_and_scatter_add(source, operand, p.largest, p.window);
}
Array select_and_gather_add(const Arg& tangents, const Arg& operand, const Sizes& window_dimensions,
                            const SelectWindowOptions& o) {
  const SourceScope s(tangents.at());
  const Selection p = selection("select_and_gather_add", operand, window_dimensions, o);
  return weft::select_and_gather_add(tangents, operand, p.largest, p.window);
}
Array select_and_scatter(const Arg& operand, const Function<Array(Array, Array)>& select,
                         const Sizes& window_dimensions, const Sizes& window_strides,
                         const ConvPadding& padding, const Arg& source, const Arg& init_value,
                         const Function<Array(Array, Array)>& scatter) {
  const SourceScope s(operand.at());
  constexpr const char* name = "select_and_scatter";
  const DType d = operand->dtype();
  const Array init = init_value->type().weak() ? fn::as_dtype(init_value, d) : init_value.value();
  if (init.dtype() != d || source->dtype() != d)
    fn::fail_dtype("select_and_scatter: operand, source and initial value must have one dtype");
  const Window w = window_on(name, operand->type(), window_dimensions,
                             {.window_strides = window_strides, .padding = padding});
  const Shape windows = windowed_shape(name, operand->type(), w);
  if (init.ndim() != 0 || source->shape() != windows)
    fn::fail_shape(
        fmt::format("select_and_scatter: needs a scalar as initial value and a source "
                    "with an element a window, {}, got {} and {}",
                    to_string(windows), to_string(init.type()), to_string(source->type())));
  fn::traced(name, fn::listed(scatter), {init});
  const auto chooses = [&](const Array& a, const Array& b) {
    const Array keep = fn::each(fn::listed(select), {a}, {b})[0];
    if (!is_bool(keep.dtype())) fn::fail_dtype("select_and_scatter: select must give a bool");
    return keep;
  };
  const auto joins = [&](const Array& a, const Array& b) {
    return fn::each(fn::listed(scatter), {a}, {b})[0];
  };
  return weft::select_and_scatter(operand, source, init, w, chooses, joins);
}

}  // namespace lax

namespace nn {

Array max_pool(const Arg& x, const Sizes& window_shape, const PoolOptions& o) {
  const SourceScope s(x.at());
  const Pool p = pool_of("max_pool", x, window_shape, o.strides, o.padding);
  return reduce_window_max(x, window_on("max_pool", x->type(), p.dimensions, p.options));
}
Array min_pool(const Arg& x, const Sizes& window_shape, const PoolOptions& o) {
  const SourceScope s(x.at());
  const Pool p = pool_of("min_pool", x, window_shape, o.strides, o.padding);
  return reduce_window_min(x, window_on("min_pool", x->type(), p.dimensions, p.options));
}
Array avg_pool(const Arg& x, const Sizes& window_shape, const AvgPoolOptions& o) {
  const SourceScope s(x.at());
  const Array given = fn::inexact(x), v = fn::for_sums(given);
  const Pool p = pool_of("avg_pool", v, window_shape, o.strides, o.padding);
  const Window w = window_on("avg_pool", v.type(), p.dimensions, p.options);
  const Array sum = reduce_window_sum(v, w);
  const Array count = o.count_include_pad ? fn::number_like(v, p.elements)
                                          : reduce_window_sum(base::ones(v.type().strong()), w);
  return fn::rounded_like(divide(sum, count), given);
}

}  // namespace nn
}  // namespace weft
