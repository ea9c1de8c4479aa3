// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/lax/patches.cpp: extracts the elements of each window as features, and convolves with a
// separate kernel for each place.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "functions/kit.h"
#include "functions/lax/padding.h"
#include "ops/linear/conv.h"
#include "ops/structure/structure.h"
#include "tracer/base_ops.h"
#include "weft/lax/window.h"
#include "weft/numpy/shape.h"

namespace weft {
namespace {

using lax::Sizes;

// The window along one spatial axis.
struct Slide {
  int64_t size, stride, dilation, places;
};
// Slices the elements at one place of the window, one for each place of the result. The layout of x
// is (batch, features, spatial…).
Array taken(const Array& x, const std::vector<Slide>& slides, int64_t place) {
  Sizes start(2, 0), limit{x.shape()[0], x.shape()[1]}, stride(2, 1);
  start.resize(slides.size() + 2);
  limit.resize(slides.size() + 2);
  stride.resize(slides.size() + 2);
  for (size_t d = slides.size(); d-- > 0; place /= slides[d].size) {
    const Slide& s = slides[d];
    start[d + 2] = place % s.size * s.dilation;
    limit[d + 2] = start[d + 2] + (s.places - 1) * s.stride + 1;
    stride[d + 2] = s.stride;
  }
  return slice_static(x, start, limit, stride);
}

Array patches(const char* name, const Array& lhs, const Sizes& filter, const Sizes& strides,
              const lax::ConvPadding& padding, const lax::ConvPatchesOptions& o,
              const lax::ConvDimensionNumbers& axes) {
  const size_t n = filter.size();
  const auto ones = [n](const Sizes& given) { return given.empty() ? Sizes(n, 1) : given; };
  const Sizes between = ones(o.lhs_dilation), apart = ones(o.rhs_dilation);
  for (const Sizes* v : {&filter, &strides, &between, &apart})
    if (v->size() != n || std::any_of(v->begin(), v->end(), [](int64_t i) { return i < 1; }))
      fn::fail_shape(
          fmt::format("{}: filter, strides and dilations need a positive entry a "
                      "spatial axis, {}",
                      name, n));
  const Array x = transpose_axes(lhs, axes.lhs_spec);
  Sizes in, spans;
  for (size_t d = 0; d < n; ++d) {
    in.push_back(x.shape()[static_cast<int64_t>(d) + 2]);
    spans.push_back(dilated(filter[d], apart[d]));
  }
  auto pads = padding.amounts;
  if (!padding.kind.empty()) pads = fn::pads_of(name, in, spans, strides, padding.kind);
  if (pads.size() != n)
    fn::fail_shape(fmt::format("{}: padding needs one pair a spatial axis, {}", name, n));
  Sizes low(2, 0), high(2, 0), interior(2, 0), sizes{x.shape()[0], 0};
  std::vector<Slide> slides;
  int64_t places = 1;
  for (size_t d = 0; d < n; ++d) {
    low.push_back(pads[d].first);
    high.push_back(pads[d].second);
    interior.push_back(between[d] - 1);
    const int64_t padded = dilated(in[d], between[d]) + low.back() + high.back();
    slides.push_back({filter[d], strides[d], apart[d],
                      padded < spans[d] ? 0 : (padded - spans[d]) / strides[d] + 1});
    sizes.push_back(slides.back().places);
    places *= filter[d];
  }
  sizes[1] = x.shape()[1] * places;
  Sizes back(n + 2);
  for (size_t i = 0; i < n + 2; ++i) back[axes.out_spec[i]] = static_cast<int64_t>(i);
  if (Shape(sizes).elements() == 0)
    return transpose_axes(base::zeros(Type(x.dtype(), Shape(sizes))), back);
  const Array zero = base::zeros(Type(x.dtype(), Shape{}));
  const Array padded = pad_with(x, zero, low, high, interior);
  Arrays parts;
  for (int64_t k = 0; k < places; ++k)
    parts.push_back(base::insert_axis(taken(padded, slides, k), 2, 1));
  return transpose_axes(reshape_to(fn::joined(parts, 2), Shape(sizes)), back);
}

lax::ConvDimensionNumbers axes_of(const char* name, const Array& lhs, const Sizes& filter,
                                  const lax::ConvPatchesOptions& o, Location at) {
  if (lhs.ndim() != static_cast<int64_t>(filter.size()) + 2)
    fn::fail_shape(fmt::format("{}: a filter of {} axes needs lhs of rank {}, got {}", name,
                               filter.size(), filter.size() + 2, to_string(lhs.type())));
  return lax::conv_dimension_numbers(lhs.shape(), Shape(Sizes(filter.size() + 2, 1)),
                                     o.dimension_numbers, at);
}

}  // namespace

Array lax::conv_general_dilated_patches(const Arg& lhs, const Sizes& filter_shape,
                                        const Sizes& window_strides, const ConvPadding& padding,
                                        const ConvPatchesOptions& o) {
  const SourceScope s(lhs.at());
  constexpr const char* name = "conv_general_dilated_patches";
  return patches(name, lhs, filter_shape, window_strides, padding, o,
                 axes_of(name, lhs, filter_shape, o, lhs.at()));
}

Array lax::conv_general_dilated_local(const Arg& lhs, const Arg& rhs, const Sizes& window_strides,
                                      const ConvPadding& padding, const Sizes& filter_shape,
                                      const ConvPatchesOptions& o) {
  const SourceScope s(lhs.at());
  constexpr const char* name = "conv_general_dilated_local";
  const ConvDimensionNumbers axes = axes_of(name, lhs, filter_shape, o, lhs.at());
  const Array x = patches(name, lhs, filter_shape, window_strides, padding, o, axes);
  bool fits =
      rhs->ndim() == x.ndim() && rhs->shape()[axes.rhs_spec[1]] == x.shape()[axes.out_spec[1]];
  for (size_t d = 2; fits && d < axes.out_spec.size(); ++d)
    fits = rhs->shape()[axes.rhs_spec[d]] == x.shape()[axes.out_spec[d]];
  if (!fits)
    fn::fail_shape(
        fmt::format("{}: rhs must have the features and the places of the patches {}, "
                    "got {}",
                    name, to_string(x.type()), to_string(rhs->type())));
  // The spatial axes, sorted by their position in the result.
  Sizes order(filter_shape.size());
  std::iota(order.begin(), order.end(), 2);
  std::sort(order.begin(), order.end(),
            [&](int64_t a, int64_t b) { return axes.out_spec[a] < axes.out_spec[b]; });
  Sizes places_x, places_rhs;
  for (int64_t d : order) {
    places_x.push_back(axes.out_spec[d]);
    places_rhs.push_back(axes.rhs_spec[d]);
  }
  const Array out =
      dot_general(x, rhs, {{axes.out_spec[1]}, {axes.rhs_spec[1]}, places_x, places_rhs});
  // dot_general returns (places…, batch, features). The transpose moves batch and features to their
  // axes in out_spec.
  Sizes back;
  int64_t next = 0;
  for (int64_t a = 0; a < out.ndim(); ++a)
    back.push_back(a == axes.out_spec[0]   ? out.ndim() - 2
                   : a == axes.out_spec[1] ? out.ndim() - 1
                                           : next++);
  return transpose_axes(out, back);
}

}  // namespace weft
