// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/reduce/stages.cpp: rewrites large reductions as reductions of reductions.
#include "ops/reduce/stages.h"

#include <algorithm>

#include "ops/structure/structure.h"

namespace weft {
namespace {

using fold_order::block_terms;

// Makes the reduced axes adjacent and merges them into one, at `*axis`.
Array joined_axes(const Array& x, const Ints& axes, int64_t* axis) {
  const auto n = static_cast<int64_t>(axes.size());
  const bool together = axes.back() - axes.front() == n - 1;
  Ints order, sizes;
  for (int64_t a = 0; a < x.ndim(); ++a)
    if (std::find(axes.begin(), axes.end(), a) == axes.end()) order.push_back(a);
  *axis = together ? axes.front() : static_cast<int64_t>(order.size());
  int64_t terms = 1;
  for (int64_t a : axes) terms *= x.shape()[a];
  for (int64_t a : order) sizes.push_back(x.shape()[a]);
  order.insert(order.begin() + *axis, axes.begin(), axes.end());
  sizes.insert(sizes.begin() + *axis, terms);
  return reshape_to(together ? x : transpose_axes(x, order), Shape(sizes));
}

bool many(const Type& t, const Ints& axes) {
  // Narrow floats are rounded once, at the end.
  if (is_inexact(t.dtype()) && !(t.dtype() == F32 || t.dtype() == F64)) return false;
  int64_t terms = 1;
  for (int64_t n : extents_of(t.shape(), axes)) terms *= n;
  return terms >= fold_order::many_terms;
}

struct Stages {
  const Primitive<Reduce>& op;
  Join join;

  Array over(const Ints& axes, const Array& x) const {
    return many(x.type(), axes) ? write(x, axes) : op({x}, {axes});
  }
  Array write(const Array& x, const Ints& axes) const {
    if (const size_t first = fold_order::first_axes(extents_of(x.shape(), axes))) {
      // The first axes keep their positions, because they come before the others.
      const auto at = axes.begin() + static_cast<std::ptrdiff_t>(first);
      return over({axes.begin(), at}, over({at, axes.end()}, x));
    }
    int64_t a = 0;
    const Array row = joined_axes(x, axes, &a);
    const int64_t n = row.shape()[a], whole = n / block_terms, rest = n % block_terms;
    Ints sizes = row.shape().sizes();
    sizes[a] = block_terms;
    sizes.insert(sizes.begin() + a, whole);
    const int axis = static_cast<int>(a);
    const Array blocks =
        reshape_to(rest ? base::slice_axis(row, axis, 0, n - rest) : row, Shape(sizes));
    const Array all = over({a}, op({blocks}, {{a + 1}}));
    return rest ? join(all, op({base::slice_axis(row, axis, n - rest, n)}, {{a}})) : all;
  }
};

}  // namespace

Arrays in_stages(const SplitArgs<Reduce>& s, Join join) {
  const Array& x = s.x[0];
  return many(x.type(), s.params.axes) ? Arrays{Stages{s.op, join}.write(x, s.params.axes)}
                                       : Arrays{};
}

}  // namespace weft
