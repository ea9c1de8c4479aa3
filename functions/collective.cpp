// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/collective.cpp: checks of names and axes, means, and gathering over several axes.
#include "weft/functions/collective.h"

#include <fmt/format.h>

#include <algorithm>

#include "weft/functions/kit.h"
#include "weft/ops/collective/collective.h"
#include "weft/ops/elementwise/elementwise.h"
#include "weft/ops/structure/structure.h"

namespace weft {
namespace {

// The number of lanes of all named axes; AxisNameError for one that is not bound or named twice.
int64_t lanes_of(const char* who, const std::vector<std::string>& names) {
  if (names.empty()) throw AxisNameError(fmt::format("{}: no axis is named", who));
  int64_t n = 1;
  for (size_t i = 0; i < names.size(); ++i) {
    if (std::find(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(i), names[i]) !=
        names.begin() + static_cast<std::ptrdiff_t>(i))
      throw AxisNameError(fmt::format("{}: axis '{}' is named twice", who, names[i]));
    n *= named_axis_size(names[i]);
  }
  return n;
}

// Axes k and k+1 as one.
Array merged(const Array& x, int k) {
  std::vector<int64_t> s = x.shape().sizes();
  s[static_cast<size_t>(k)] *= s[static_cast<size_t>(k) + 1];
  s.erase(s.begin() + k + 1);
  return reshape_to(x, Shape(s));
}

}  // namespace

namespace detail {

Array across(Across what, const Array& x, const AxisNames& names, Location at) {
  constexpr const char* who[] = {"psum", "pmean", "pmax", "pmin"};
  const Source s(at);
  const int64_t n = lanes_of(who[static_cast<int>(what)], names.names());
  switch (what) {
    case Across::sum: return psum_over(fn::numeric(x), names.names());
    case Across::max: return pmax_over(fn::numeric(x), names.names());
    case Across::min: return pmin_over(fn::numeric(x), names.names());
    case Across::mean: break;
  }
  const Array total = fn::inexact(psum_over(fn::numeric(x), names.names()));
  // Of no lanes there is no mean, and nobody reads it; but 0 / 0 would reach the gradients of what
  // all of them share.
  const auto lanes = static_cast<double>(std::max<int64_t>(n, 1));
  return lax::div(total, fn::number_like(total, lanes));
}

Array gather_lanes(const Array& x, const AxisNames& names, const GatherOptions& o, Location at) {
  const Source s(at);
  lanes_of("all_gather", names.names());
  const int axis =
      fn::axis_of("all_gather", o.axis, static_cast<int>(x.ndim()) + (o.tiled ? 0 : 1));
  Array r = x;
  // The last name counts fastest, so it is gathered first.
  for (size_t i = names.names().size(); i-- > 0;) {
    const std::string& name = names.names()[i];
    r = all_gather_over(r, name, named_axis_size(name), axis);
    if (o.tiled || i + 1 < names.names().size()) r = merged(r, axis);
  }
  return r;
}

}  // namespace detail

Array axis_index(const AxisNames& names, Location at) {
  const Source s(at);
  lanes_of("axis_index", names.names());
  Array r;
  for (const std::string& name : names.names()) {
    const Array i = axis_index_of(name);
    r = r.empty_handle()
            ? i
            : lax::add(lax::mul(r, fn::number_like(r, static_cast<double>(named_axis_size(name)))),
                       i);
  }
  return r;
}

int64_t axis_size(const AxisNames& names, Location at) {
  const Source s(at);
  return lanes_of("axis_size", names.names());
}

}  // namespace weft
