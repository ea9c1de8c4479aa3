// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/linear/device/convolution.cpp: transposes axes into the order of the library before a call,
// and into the order of the op after it.
#include "ops/linear/device/convolution.h"

#include <algorithm>
#include <limits>

#include "ops/kit/axes.h"
#include "ops/kit/kit.h"
#include "ops/kit/lists.h"
#include "ops/linear/device/calls.h"
#include "ops/structure/structure.h"
#include "runtime/cuda/libraries/dnn.h"
#include "weft/lax/convert.h"

namespace weft::device_calls {
namespace {

using namespace lax;

Ints extents(const Type& t, const Ints& axes) {
  Ints r;
  for (const int64_t a : axes) r.push_back(t.shape()[a]);
  return r;
}
// The library does not support a single spatial axis. A spatial axis of size 1 is inserted before
// it.
Ints in_space(Ints x, size_t leading, int64_t none) {
  if (x.size() == leading + 1) x.insert(x.begin() + static_cast<std::ptrdiff_t>(leading), none);
  return x;
}
// The library pads both ends equally. For other padding, the images themselves are padded.
bool pads_alike(const Conv& p) { return p.low == p.high; }

// The lanes, by the operands that have them. Lanes of lhs only become more images. Lanes of both
// become groups of channels. Lanes of rhs only become more outputs of each group.
struct Lanes {
  Ints images, both, filters;
  explicit Lanes(const Conv& p) {
    for (size_t k = 0; k < p.lanes(); ++k)
      (p.rhs_lanes[k] == -1   ? images
       : p.lhs_lanes[k] == -1 ? filters
                              : both)
          .push_back(static_cast<int64_t>(k));
  }
};
// The axes of an operand for these lanes.
Ints axes_of(const Ints& lanes, const Ints& axis) {
  Ints r;
  for (const int64_t k : lanes) r.push_back(axis[k]);
  return r;
}
int64_t product_of(const Ints& sizes) {
  int64_t n = 1;
  for (const int64_t k : sizes) n *= k;
  return n;
}
Ints behind(const Ints& x, size_t first) {
  return {x.begin() + static_cast<std::ptrdiff_t>(first), x.end()};
}

cuda::Convolution called(const Use<Conv>& u) {
  const Conv& p = u.params;
  const Lanes lanes(p);
  const int64_t both = product_of(extents(u.out[0], lanes.both)),
                filters = product_of(extents(u.out[0], lanes.filters));
  cuda::Convolution c;
  c.type = u.in[0].dtype();
  c.groups = both * p.feature_group_count;
  c.batch = product_of(extents(u.out[0], lanes.images)) * size_of(u.in[0], p.lhs_spec, 0);
  c.image = behind(extents(u.in[0], p.lhs_spec), 1);
  c.image[0] *= both;
  for (size_t d = 0; !pads_alike(p) && d < p.spatial(); ++d) c.image[d + 1] += p.low[d] + p.high[d];
  c.filter = extents(u.in[1], p.rhs_spec);
  c.filter[0] *= both * filters;
  c.result = behind(extents(u.out[0], p.out_spec), 1);
  c.result[0] *= both * filters;
  c.image = in_space(c.image, 1, 1);
  c.filter = in_space(c.filter, 2, 1);
  c.result = in_space(c.result, 1, 1);
  c.padding = in_space(pads_alike(p) ? p.low : Ints(p.spatial(), 0), 0, 0);
  c.strides = in_space(p.window_strides, 0, 1);
  c.dilation = in_space(p.rhs_dilation, 0, 1);
  return c;
}

// Transposes to (lanes of images, images; lanes of both, channels; spatial axes).
Array images_of(const Array& x, const Conv& p, const Type& to) {
  const Lanes lanes(p);
  const Ints order =
      concat_lists(concat_lists(axes_of(lanes.images, p.lhs_lanes), {p.lhs_spec[0]}),
                   concat_lists(axes_of(lanes.both, p.lhs_lanes), behind(p.lhs_spec, 1)));
  Array y = transpose_axes(x, order);
  if (!pads_alike(p)) {
    const Ints none(order.size() - p.spatial(), 0);
    y = pad_with(y, base::convert(Array(0.), y.dtype()), concat_lists(none, p.low),
                 concat_lists(none, p.high), Ints(order.size(), 0));
  }
  return reshape_to(y, to.shape());
}

// Transposes to (lanes of both, groups, lanes of filters, outputs of a group; channels, spatial
// axes).
Array filters_of(const Array& w, const Conv& p, const Type& to) {
  const Lanes lanes(p);
  const int64_t groups = p.feature_group_count;
  const Ints both = axes_of(lanes.both, p.rhs_lanes), own = axes_of(lanes.filters, p.rhs_lanes);
  const Array y = transpose_axes(w, concat_lists(concat_lists(both, own), p.rhs_spec));
  Ints sizes = y.shape().sizes();
  const size_t at = both.size() + own.size();  // axis of the outputs, which is split into groups
  sizes[at] /= groups;
  sizes.insert(sizes.begin() + static_cast<std::ptrdiff_t>(at), groups);
  Ints order = axis_range(static_cast<int64_t>(sizes.size()));
  order.erase(order.begin() + static_cast<std::ptrdiff_t>(at));
  order.insert(order.begin() + static_cast<std::ptrdiff_t>(both.size()), static_cast<int64_t>(at));
  return reshape_to(transpose_axes(reshape_to(y, Shape(sizes)), order), to.shape());
}

Array result_of(const Array& y, const Use<Conv>& u) {
  const Conv& p = u.params;
  const Lanes lanes(p);
  // The meaning of each axis, in the library's order: a lane by its number, other axes by negative
  // constants.
  constexpr int64_t image = -1, group = -2, output = -3, space = -4;
  Ints is = concat_lists(concat_lists(lanes.images, {image}), concat_lists(lanes.both, {group}));
  is = concat_lists(is, concat_lists(lanes.filters, {output}));
  for (size_t d = 0; d < p.spatial(); ++d) is.push_back(space - static_cast<int64_t>(d));
  Ints sizes, order, wanted(static_cast<size_t>(u.out[0].ndim()));
  for (const int64_t what : is)
    sizes.push_back(what >= 0       ? u.out[0].shape()[what]
                    : what == image ? size_of(u.out[0], p.out_spec, 0)
                    : what == group ? p.feature_group_count
                    : what == output
                        ? size_of(u.out[0], p.out_spec, 1) / p.feature_group_count
                        : size_of(u.out[0], p.out_spec, static_cast<size_t>(space - what) + 2));
  for (size_t k = 0; k < p.lanes(); ++k) wanted[k] = static_cast<int64_t>(k);
  for (size_t i = 0; i < p.out_spec.size(); ++i)
    wanted[p.out_spec[i]] = i == 0 ? image : i == 1 ? output : space - static_cast<int64_t>(i - 2);
  const auto place = [&](int64_t what) {
    return std::find(is.begin(), is.end(), what) - is.begin();
  };
  for (const int64_t what : wanted) {
    if (what == output) order.push_back(place(group));
    order.push_back(place(what));
  }
  return reshape_to(transpose_axes(reshape_to(y, Shape(sizes)), order), u.out[0].shape());
}

LayoutAdapters adapters(const Use<Conv>& u) {
  const cuda::Convolution c = called(u);
  const DType d = c.type;
  const Type images(d, Shape(concat_lists({c.batch}, c.image))), filters(d, Shape(c.filter)),
      results(d, Shape(concat_lists({c.batch}, c.result)));
  const auto before = [&](const Arrays& in) {
    return Arrays{images_of(in[0], u.params, images), filters_of(in[1], u.params, filters)};
  };
  const auto after = [&](const Arrays& in) { return Arrays{result_of(in[2], u)}; };
  return {program({u.in[0].strong(), u.in[1].strong()}, before),
          {results},
          program({images, filters, results}, after)};
}

}  // namespace

bool takes_convolution(const Use<Conv>& u) {
  const Conv& p = u.params;
  const DType d = u.in[0].dtype();
  if ((d != F32 && d != F64 && d != BF16 && d != F16) || u.in[1].dtype() != d ||
      u.out[0].dtype() != d || p.batch_group_count != 1)
    return false;
  if (p.spatial() < 1 || p.spatial() > 3) return false;
  constexpr int64_t most = std::numeric_limits<int>::max();
  for (const Type& t : {u.in[0], u.in[1], u.out[0]})
    if (t.elements() == 0 || t.elements() > most) return false;
  for (size_t k = 0; k < p.spatial(); ++k) {
    const int64_t window = (size_of(u.in[1], p.rhs_spec, k + 2) - 1) * p.rhs_dilation[k] + 1;
    if (p.lhs_dilation[k] != 1 || std::min(p.low[k], p.high[k]) < 0 ||
        std::max(p.low[k], p.high[k]) >= window)
      return false;
  }
  return true;
}

NativeCall convolution(const Use<Conv>& u) {
  NativeCall c;
  c.function = cuda::name_of_convolution;
  c.run = [made = cuda::make_convolver(called(u))](const NativeArgs& args) { made->run(args); };
  c.adapters = [in = u.in, out = u.out, p = u.params] { return adapters({in, out, p}); };
  return c;
}

}  // namespace weft::device_calls
