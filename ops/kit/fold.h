// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/kit/fold.h: what reductions, running folds and products share: the axes they run along.
#pragma once
#include "weft/core/loops/fold_order.h"
#include "weft/ops/kit/kit.h"

namespace weft {

// The offsets, in elements, of the points of the sub-grid that `axes` span, row-major.
std::vector<int64_t> offsets_along(const Shape& s, const Ints& axes);
// The axes of a rank that are not in the list.
Ints other_axes(int64_t rank, const Ints& axes);
// Axes made non-negative and sorted; IndexError if one is out of bounds, ShapeError if one is there
// twice.
Ints canonical_axes(const char* op, const Ints& axes, int64_t rank);

struct Reduce {
  Ints axes;
  WEFT_FIELDS(axes)
};
// Axes must increase and be axes of the operand. The shape without them.
Shape reduced_shape(const char* op, const Types& in, const Ints& axes);
Types reduce_type(const char* op, const Types& in, const Ints& axes, unsigned classes);
// Where the axes of a reduction and its result stand when there is a mapped axis at `at`.
Ints shifted_axes(const Ints& axes, int at);
int axis_after(const Ints& axes, int at);
// A result of a reduction repeated along the axes that it lost.
Array spread(const Array& x, const Shape& full, const Ints& axes);
template <class P>
Batched batch_reduce(const BatchArgs<P>& b) {
  P p = b.params;
  p.axes = shifted_axes(p.axes, *b.axis[0]);
  Arrays out = b.op.bind(b.x, p);
  MaybeAxes axis(out.size(), axis_after(b.params.axes, *b.axis[0]));
  return {std::move(out), std::move(axis)};
}

}  // namespace weft
