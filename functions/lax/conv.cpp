// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/lax/conv.cpp: convolutions with dimension numbers and padding as users write them.
#include "ops/linear/conv.h"

#include <fmt/format.h>

#include <algorithm>

#include "functions/kit.h"
#include "functions/lax/padding.h"
#include "ops/kit/axes.h"
#include "weft/lax.h"
#include "weft/lax/window.h"
#include "weft/nn.h"
#include "weft/numpy/math.h"
#include "weft/numpy/shape.h"

namespace weft {
namespace {

using lax::Sizes;

// The axes of the letters of a spec: first those of `pair`, then those of the other letters of rhs.
Sizes letter_axes(const char* what, const std::string& spec, const char* pair,
                  const std::string& rhs, int64_t rank) {
  Sizes axes;
  const auto put = [&](char c) {
    const size_t at = spec.find(c);
    if (at == std::string::npos || spec.find(c, at + 1) != std::string::npos)
      fn::fail_shape(fmt::format("conv_general_dilated: '{}' of {} must have the letter {} once",
                                 spec, what, c));
    axes.push_back(static_cast<int64_t>(at));
  };
  if (static_cast<int64_t>(spec.size()) != rank)
    fn::fail_shape(
        fmt::format("conv_general_dilated: '{}' of {} must have a letter for each of the {} axes",
                    spec, what, rank));
  put(pair[0]);
  put(pair[1]);
  for (char c : rhs)
    if (c != 'O' && c != 'I') put(c);
  return axes;
}
ConvAxes axes_of(const lax::ConvDimensions& d, int64_t rank) {
  if (d.lhs.empty() && d.rhs.empty() && d.out.empty()) {
    const Sizes axes = axis_range(rank);
    return {axes, axes, axes};
  }
  return {letter_axes("lhs", d.lhs, "NC", d.rhs, rank),
          letter_axes("rhs", d.rhs, "OI", d.rhs, rank),
          letter_axes("the result", d.out, "NC", d.rhs, rank)};
}
// The layouts are (batch, spatial…, features) for operand and result, and (spatial…, input
// features, output features) for the kernel.
ConvAxes features_last(int64_t rank) {
  Sizes x{0, rank - 1}, kernel{rank - 1, rank - 2};
  for (int64_t d = 0; d < rank - 2; ++d) {
    x.push_back(d + 1);
    kernel.push_back(d);
  }
  return {x, kernel, x};
}

// Computes the padding from its name, "SAME" or "VALID".
void set_padding(ConvWindow* w, const std::string& kind, const ConvAxes& axes, const Shape& lhs,
                 const Shape& rhs) {
  Sizes in, window;
  for (size_t d = 0; d < w->strides.size(); ++d) {
    in.push_back(lhs[axes.lhs[d + 2]]);
    window.push_back(dilated(rhs[axes.rhs[d + 2]], w->rhs_dilation[d]));
  }
  for (const auto& [low, high] :
       fn::pads_of("conv_general_dilated", in, window, w->strides, kind)) {
    w->low.push_back(low);
    w->high.push_back(high);
  }
  for (int64_t d : w->lhs_dilation)
    if (d != 1)
      fn::fail_shape(
          fmt::format("conv_general_dilated: padding \"{}\" does not go with a "
                      "lhs_dilation; give pairs of numbers",
                      kind));
}

Array conv_of(const Arg& lhs, const Arg& rhs, const Sizes& strides, const lax::ConvPadding& padding,
              const ConvAxes& axes, const lax::ConvDilatedOptions& o) {
  const size_t n = strides.size();
  const auto ones = [n](const Sizes& given) { return given.empty() ? Sizes(n, 1) : given; };
  ConvWindow w{strides, {}, {}, ones(o.lhs_dilation), ones(o.rhs_dilation)};
  if (w.lhs_dilation.size() != n || w.rhs_dilation.size() != n)
    fn::fail_shape(
        fmt::format("conv_general_dilated: dilations need one entry a spatial axis, {}", n));
  if (!padding.kind.empty()) set_padding(&w, padding.kind, axes, lhs->shape(), rhs->shape());
  for (const auto& [low, high] : padding.amounts) {
    w.low.push_back(low);
    w.high.push_back(high);
  }
  return convolution(lhs, rhs, w, axes, {o.feature_group_count, o.batch_group_count},
                     o.preferred_element_type.value_or(lhs->dtype()), o.precision);
}

// The padding of the ordinary convolution that computes a transposed convolution, for a kernel that
// spans k elements and for strides s. Source: jax.lax.conv_transpose.
std::pair<int64_t, int64_t> transposed_padding(int64_t k, int64_t s, const std::string& kind) {
  const bool same = kind == "SAME";
  const int64_t all = k + s - 2 + (same ? 0 : std::max<int64_t>(k - s, 0));
  const int64_t low = same && s <= k - 1 ? (all + 1) / 2 : k - 1;
  return {low, all - low};
}

struct Transposed {
  const char* name;
  ConvAxes axes;
  Sizes strides, rhs_dilation;
  bool transpose_kernel, consistent;
  std::optional<DType> out;
  lax::Precision precision = lax::Precision::DEFAULT;
};
Array transposed_conv(const Array& lhs, const Array& rhs, const Transposed& t,
                      lax::ConvPadding padding) {
  const size_t n = t.axes.lhs.size() - 2;
  const Sizes by = t.rhs_dilation.empty() ? Sizes(n, 1) : t.rhs_dilation;
  if (t.strides.size() != n || by.size() != n)
    fn::fail_shape(
        fmt::format("{}: strides and dilations need one entry a spatial axis, {}", t.name, n));
  const bool named = padding.kind == "SAME" || padding.kind == "VALID";
  if (!padding.kind.empty() && !named)
    fn::fail_shape(
        fmt::format("{}: padding must be \"SAME\", \"VALID\" or pairs of numbers, got "
                    "\"{}\"",
                    t.name, padding.kind));
  if (!named && padding.amounts.size() != n)
    fn::fail_shape(fmt::format("{}: padding needs one pair a spatial axis, {}", t.name, n));
  if (named) padding.amounts.resize(n);
  for (size_t d = 0; d < n; ++d) {
    if (t.strides[d] < 1 || by[d] < 1)
      fn::fail_shape(fmt::format("{}: strides and dilations must be positive", t.name));
    const int64_t k = dilated(rhs.shape()[t.axes.rhs[d + 2]], by[d]);
    auto& [low, high] = padding.amounts[d];
    if (named)
      padding.amounts[d] = transposed_padding(k, t.strides[d], padding.kind);
    else if (t.consistent)
      padding.amounts[d] = {k - low - 1, k - high - 1};
  }
  padding.kind.clear();
  Array kernel = rhs;
  if (t.transpose_kernel) {
    const Sizes& spec = t.axes.rhs;
    kernel = swapaxes(lax::rev(rhs, Sizes(spec.begin() + 2, spec.end())), spec[0], spec[1]);
  }
  lax::ConvDilatedOptions o;
  o.lhs_dilation = t.strides;
  o.rhs_dilation = by;
  o.preferred_element_type = t.out;
  o.precision = t.precision;
  return conv_of(lhs, kernel, Sizes(n, 1), padding, t.axes, o);
}

}  // namespace

Array lax::conv_general_dilated(const Arg& lhs, const Arg& rhs, const Sizes& window_strides,
                                const ConvPadding& padding, const ConvDilatedOptions& o) {
  const SourceScope s(lhs.at());
  const int64_t rank = lhs->ndim();
  if (rank != static_cast<int64_t>(window_strides.size()) + 2 || rhs->ndim() != rank)
    fn::fail_shape(fmt::format(
        "conv_general_dilated: {} window strides need operands of rank {}, got {} and {}",
        window_strides.size(), window_strides.size() + 2, to_string(lhs->type()),
        to_string(rhs->type())));
  return conv_of(lhs, rhs, window_strides, padding, axes_of(o.dimension_numbers, rank), o);
}

Array nn::conv(const Arg& x, const Arg& kernel, const ConvOptions& o) {
  const SourceScope s(x.at());
  const int64_t rank = x->ndim();
  if (rank < 2 || kernel->ndim() != rank)
    fn::fail_shape(
        fmt::format("conv: takes x (batch, spatial…, features) and kernel (spatial…, "
                    "features, out features), got {} and {}",
                    to_string(x->type()), to_string(kernel->type())));
  const size_t n = rank - 2;
  const Sizes strides = o.strides.empty() ? Sizes(n, 1) : o.strides;
  if (strides.size() != n)
    fn::fail_shape(fmt::format("conv: strides need one entry a spatial axis, {}", n));
  lax::ConvDilatedOptions more;
  more.lhs_dilation = o.input_dilation;
  more.rhs_dilation = o.kernel_dilation;
  more.feature_group_count = o.feature_group_count;
  const Array y = conv_of(x, kernel, strides, o.padding, features_last(rank), more);
  if (o.bias) fn::need_fit("conv", ".bias", *o.bias, y.shape());
  return o.bias ? add(y, *o.bias) : y;
}

Array lax::conv(const Arg& lhs, const Arg& rhs, const Sizes& window_strides,
                const ConvPadding& padding, std::optional<DType> preferred_element_type) {
  ConvDilatedOptions o;
  o.preferred_element_type = preferred_element_type;
  return conv_general_dilated(lhs, rhs, window_strides, padding, o);
}

Array lax::conv_with_general_padding(const Arg& lhs, const Arg& rhs, const Sizes& window_strides,
                                     const ConvPadding& padding, const ConvGeneralOptions& g) {
  ConvDilatedOptions o;
  o.lhs_dilation = g.lhs_dilation;
  o.rhs_dilation = g.rhs_dilation;
  o.preferred_element_type = g.preferred_element_type;
  o.precision = g.precision;
  return conv_general_dilated(lhs, rhs, window_strides, padding, o);
}

Array lax::conv_transpose(const Arg& lhs, const Arg& rhs, const Sizes& strides,
                          const ConvPadding& padding, const ConvTransposeOptions& o) {
  const SourceScope s(lhs.at());
  const int64_t rank = lhs->ndim();
  if (rank < 2 || rhs->ndim() != rank)
    fn::fail_shape(
        fmt::format("conv_transpose: takes operands of one rank, 2 or more, got {} and {}",
                    to_string(lhs->type()), to_string(rhs->type())));
  const ConvDimensions& d = o.dimension_numbers;
  const bool usual = d.lhs.empty() && d.rhs.empty() && d.out.empty();
  return transposed_conv(
      lhs, rhs,
      {"conv_transpose", usual ? features_last(rank) : axes_of(d, rank), strides, o.rhs_dilation,
       o.transpose_kernel, o.use_consistent_padding, o.preferred_element_type, o.precision},
      padding);
}

Array nn::conv_transpose(const Arg& x, const Arg& kernel, const ConvTransposeOptions& o) {
  const SourceScope s(x.at());
  const int64_t rank = x->ndim();
  if (rank < 2 || kernel->ndim() != rank)
    fn::fail_shape(
        fmt::format("conv_transpose: takes x (batch, spatial…, features) and kernel (spatial…, "
                    "features, out features), got {} and {}",
                    to_string(x->type()), to_string(kernel->type())));
  const Sizes strides = o.strides.empty() ? Sizes(static_cast<size_t>(rank - 2), 1) : o.strides;
  const Array y = transposed_conv(x, kernel,
                                  {"conv_transpose",
                                   features_last(rank),
                                   strides,
                                   o.kernel_dilation,
                                   o.transpose_kernel,
                                   false,
                                   {}},
                                  o.padding);
  if (o.bias) fn::need_fit("conv_transpose", ".bias", *o.bias, y.shape());
  return o.bias ? add(y, *o.bias) : y;
}

lax::ConvDimensionNumbers lax::conv_dimension_numbers(const Shape& lhs_shape,
                                                      const Shape& rhs_shape,
                                                      const ConvDimensions& dimension_numbers,
                                                      Location at) {
  const SourceScope s(at);
  if (lhs_shape.ndim() != rhs_shape.ndim() || lhs_shape.ndim() < 2)
    fn::fail_shape(
        fmt::format("conv_dimension_numbers: takes shapes of one rank, 2 or more, got {} "
                    "and {}",
                    to_string(lhs_shape), to_string(rhs_shape)));
  const ConvAxes axes = axes_of(dimension_numbers, lhs_shape.ndim());
  return {axes.lhs, axes.rhs, axes.out};
}

lax::ConvDimensionNumbers lax::conv_general_permutations(const ConvDimensions& d, Location at) {
  const SourceScope s(at);
  const ConvAxes axes = axes_of(d, std::ssize(d.rhs));
  return {axes.lhs, axes.rhs, axes.out};
}

namespace {

// Permutes sizes into the order of these axes. put_back is the inverse.
Sizes picked(const char* name, const Shape& s, const Sizes& axes) {
  if (std::ssize(axes) != s.ndim() || axes.size() < 2)
    fn::fail_shape(fmt::format("{}: {} must have an axis for each of {} letters, 2 or more", name,
                               to_string(s), axes.size()));
  Sizes r;
  for (int64_t a : axes) r.push_back(s[a]);
  return r;
}
Shape put_back(const Sizes& sizes, const Sizes& axes) {
  Sizes r(sizes.size());
  for (size_t k = 0; k < axes.size(); ++k) r[axes[k]] = sizes[k];
  return r;
}
// The shape of the result, from shapes whose axes are in the order of conv.
Sizes conv_sizes(const char* name, const Sizes& lhs, const Sizes& rhs, const Sizes& strides,
                 const lax::ConvPadding& padding) {
  const size_t n = strides.size();
  if (lhs.size() != n + 2 || rhs.size() != n + 2)
    fn::fail_shape(fmt::format("{}: {} strides need shapes of {} sizes, got ({}) and ({})", name, n,
                               n + 2, fmt::join(lhs, ", "), fmt::join(rhs, ", ")));
  auto pads = padding.amounts;
  if (!padding.kind.empty())
    pads = fn::pads_of(name, Sizes(lhs.begin() + 2, lhs.end()), Sizes(rhs.begin() + 2, rhs.end()),
                       strides, padding.kind);
  if (pads.size() != n)
    fn::fail_shape(fmt::format("{}: padding needs one pair a spatial axis, {}", name, n));
  Sizes out{lhs[0], rhs[0]};
  for (size_t d = 0; d < n; ++d) {
    const int64_t padded = lhs[d + 2] + pads[d].first + pads[d].second;
    if (strides[d] < 1 || padded < 0)
      fn::fail_shape(
          fmt::format("{}: strides must be positive, and padding must not crop more "
                      "than there is",
                      name));
    out.push_back(padded < rhs[d + 2] ? 0 : (padded - rhs[d + 2]) / strides[d] + 1);
  }
  return out;
}

}  // namespace

Shape lax::conv_shape_tuple(const Shape& lhs_shape, const Shape& rhs_shape, const Sizes& strides,
                            const ConvPadding& padding, int64_t batch_group_count, Location at) {
  const SourceScope s(at);
  constexpr const char* name = "conv_shape_tuple";
  Sizes out = conv_sizes(name, lhs_shape.sizes(), rhs_shape.sizes(), strides, padding);
  if (batch_group_count < 1 || out[0] % batch_group_count != 0)
    fn::fail_shape(fmt::format("{}: a batch of {} is not divided into {} groups", name, out[0],
                               batch_group_count));
  out[0] /= batch_group_count;
  return out;
}
Shape lax::conv_general_shape_tuple(const Shape& lhs_shape, const Shape& rhs_shape,
                                    const Sizes& window_strides, const ConvPadding& padding,
                                    const ConvDimensions& dimension_numbers, Location at) {
  const SourceScope s(at);
  constexpr const char* name = "conv_general_shape_tuple";
  const auto axes = conv_general_permutations(dimension_numbers, at);
  return put_back(conv_sizes(name, picked(name, lhs_shape, axes.lhs_spec),
                             picked(name, rhs_shape, axes.rhs_spec), window_strides, padding),
                  axes.out_spec);
}
Shape lax::conv_transpose_shape_tuple(const Shape& lhs_shape, const Shape& rhs_shape,
                                      const Sizes& window_strides, const ConvPadding& padding,
                                      const ConvDimensions& dimension_numbers, Location at) {
  const SourceScope s(at);
  constexpr const char* name = "conv_transpose_shape_tuple";
  const auto axes = conv_general_permutations(dimension_numbers, at);
  const Sizes lhs = picked(name, lhs_shape, axes.lhs_spec),
              rhs = picked(name, rhs_shape, axes.rhs_spec);
  const size_t n = lhs.size() - 2;
  const bool named = padding.kind == "SAME" || padding.kind == "VALID";
  if (!padding.kind.empty() && !named)
    fn::fail_shape(
        fmt::format("{}: padding must be \"SAME\", \"VALID\" or pairs of numbers, got "
                    "\"{}\"",
                    name, padding.kind));
  if (window_strides.size() != n || rhs.size() != n + 2 || (!named && padding.amounts.size() != n))
    fn::fail_shape(
        fmt::format("{}: strides and padding need one entry a spatial axis, {}", name, n));
  Sizes out{lhs[0], rhs[0]};
  for (size_t d = 0; d < n; ++d) {
    const int64_t k = rhs[d + 2], stride = window_strides[d];
    const auto [low, high] =
        named ? transposed_padding(k, stride, padding.kind) : padding.amounts[d];
    out.push_back((lhs[d + 2] - 1) * stride - k + 2 + low + high);
  }
  return put_back(out, axes.out_spec);
}

}  // namespace weft
