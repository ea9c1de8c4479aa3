// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/kit/fold.cpp: the axes of reductions.
#include "ops/kit/fold.h"

#include <fmt/format.h>

#include "ops/structure/structure.h"

namespace weft {

std::vector<int64_t> offsets_along(const Shape& s, const Ints& axes) {
  const auto strides = row_major(s);
  std::vector<int64_t> out{0};
  for (int64_t a : axes) {
    std::vector<int64_t> next;
    next.reserve(out.size() * static_cast<size_t>(s[a]));
    for (int64_t o : out)
      for (int64_t i = 0; i < s[a]; ++i) next.push_back(o + i * strides[a]);
    out = std::move(next);
  }
  return out;
}

Ints other_axes(int64_t rank, const Ints& axes) {
  Ints r;
  for (int64_t i = 0; i < rank; ++i)
    if (std::find(axes.begin(), axes.end(), i) == axes.end()) r.push_back(i);
  return r;
}

Ints canonical_axes(const char* op, const Ints& axes, int64_t rank) {
  Ints r;
  for (int64_t a : axes) r.push_back(canonical_axis(a, rank, op));
  std::sort(r.begin(), r.end());
  if (std::adjacent_find(r.begin(), r.end()) != r.end())
    throw ShapeError(fmt::format("{}: duplicate value in 'axis'", op));
  return r;
}

Shape reduced_shape(const char* op, const Types& in, const Ints& axes) {
  for (size_t i = 0; i < axes.size(); ++i)
    if (axes[i] < 0 || axes[i] >= in[0].ndim() || (i && axes[i] <= axes[i - 1]))
      reject_shape(op, "axes must increase and be axes of the operand", in);
  std::vector<int64_t> out;
  for (int64_t a : other_axes(in[0].ndim(), axes)) out.push_back(in[0].shape()[a]);
  return Shape(out);
}

Types reduce_type(const char* op, const Types& in, const Ints& axes, unsigned classes) {
  require_operands(op, in, 1);
  if (!dtype_in(in[0].dtype(), classes))
    reject_dtype(op, "takes " + class_names(classes) + " operands", in);
  return {in[0].with_shape(reduced_shape(op, in, axes))};
}

Ints shifted_axes(const Ints& axes, int at) {
  Ints r;
  for (int64_t a : axes) r.push_back(a >= at ? a + 1 : a);
  return r;
}

int axis_after(const Ints& axes, int at) {
  // `at` counts axes of the mapped operand. It equals the number of per-lane axes before the mapped
  // axis, so the reduced axes before it are those below `at`.
  return at - static_cast<int>(
                  std::count_if(axes.begin(), axes.end(), [at](int64_t a) { return a < at; }));
}

Array spread(const Array& x, const Shape& full, const Ints& axes) {
  return broadcast_in_dim(x, full, other_axes(full.ndim(), axes));
}

}  // namespace weft
