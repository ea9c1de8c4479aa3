// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/conv.cpp: convolutions with dimension numbers and padding as users write them.
#include "weft/ops/linear/conv.h"

#include <fmt/format.h>

#include <algorithm>

#include "weft/functions/kit.h"
#include "weft/functions/lax.h"
#include "weft/functions/nn.h"
#include "weft/functions/numpy/math.h"
#include "weft/ops/kit/axes.h"

namespace weft {
namespace {

using lax::Sizes;

// The axes of the letters of a spec: of a pair, then of the other letters of rhs.
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
// (batch, spatial…, features), (spatial…, features taken, features given)
ConvAxes features_last(int64_t rank) {
  Sizes x{0, rank - 1}, kernel{rank - 1, rank - 2};
  for (int64_t d = 0; d < rank - 2; ++d) {
    x.push_back(d + 1);
    kernel.push_back(d);
  }
  return {x, kernel, x};
}

// Padding by name. Of SAME the result has a place for each stride of lhs.
void set_padding(ConvWindow* w, const std::string& kind, const ConvAxes& axes, const Shape& lhs,
                 const Shape& rhs) {
  const bool lower = kind == "SAME_LOWER", valid = kind == "VALID";
  if (!valid && kind != "SAME" && !lower)
    fn::fail_shape(
        fmt::format("conv_general_dilated: padding must be \"SAME\", \"SAME_LOWER\", "
                    "\"VALID\" or pairs of numbers, got \"{}\"",
                    kind));
  for (size_t d = 0; d < w->strides.size(); ++d) {
    if (w->lhs_dilation[d] != 1)
      fn::fail_shape(
          fmt::format("conv_general_dilated: padding \"{}\" does not go with a "
                      "lhs_dilation; give pairs of numbers",
                      kind));
    const int64_t n = lhs[axes.lhs[d + 2]], stride = std::max<int64_t>(w->strides[d], 1),
                  window = dilated(rhs[axes.rhs[d + 2]], w->rhs_dilation[d]);
    const int64_t places = n / stride + (n % stride ? 1 : 0);
    const int64_t reach = checked_mul(places - 1, stride) + window;
    const int64_t all = valid ? 0 : std::max<int64_t>(reach - n, 0);
    w->low.push_back(lower ? all - all / 2 : all / 2);
    w->high.push_back(all - w->low.back());
  }
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
                     o.preferred_element_type.value_or(lhs->dtype()));
}

}  // namespace

Array lax::conv_general_dilated(const Arg& lhs, const Arg& rhs, const Sizes& window_strides,
                                const ConvPadding& padding, const ConvDilatedOptions& o) {
  const Source s(lhs.at());
  const int64_t rank = lhs->ndim();
  if (rank != static_cast<int64_t>(window_strides.size()) + 2 || rhs->ndim() != rank)
    fn::fail_shape(fmt::format(
        "conv_general_dilated: {} window strides need operands of rank {}, got {} and {}",
        window_strides.size(), window_strides.size() + 2, to_string(lhs->type()),
        to_string(rhs->type())));
  return conv_of(lhs, rhs, window_strides, padding, axes_of(o.dimension_numbers, rank), o);
}

Array nn::conv(const Arg& x, const Arg& kernel, const ConvOptions& o) {
  const Source s(x.at());
  const int64_t rank = x->ndim();
  if (rank < 2 || kernel->ndim() != rank)
    fn::fail_shape(
        fmt::format("conv: takes x (batch, spatial…, features) and kernel (spatial…, "
                    "features, out features), got {} and {}",
                    to_string(x->type()), to_string(kernel->type())));
  const size_t n = static_cast<size_t>(rank - 2);
  const Sizes strides = o.strides.empty() ? Sizes(n, 1) : o.strides;
  if (strides.size() != n)
    fn::fail_shape(fmt::format("conv: strides need one entry a spatial axis, {}", n));
  lax::ConvDilatedOptions more;
  more.lhs_dilation = o.input_dilation;
  more.rhs_dilation = o.kernel_dilation;
  more.feature_group_count = o.feature_group_count;
  const Array y = conv_of(x, kernel, strides, o.padding, features_last(rank), more);
  return o.bias ? add(y, *o.bias) : y;
}

}  // namespace weft
