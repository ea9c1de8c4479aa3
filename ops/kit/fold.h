// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/kit/fold.h: helpers for the axes of reductions, cumulative ops and products.
#pragma once
#include "core/loops/fold_order.h"
#include "ops/kit/kit.h"

namespace weft {

// Returns the offsets, in elements, of all points of the sub-grid spanned by `axes`, in row-major
// order.
std::vector<int64_t> offsets_along(const Shape& s, const Ints& axes);
// Returns the axes 0 … rank - 1 that are not in `axes`.
Ints other_axes(int64_t rank, const Ints& axes);
// Makes the axes non-negative and sorts them. Throws IndexError for an axis out of bounds and
// ShapeError for a duplicate.
Ints canonical_axes(const char* op, const Ints& axes, int64_t rank);

struct Reduce {
  Ints axes;
  WEFT_FIELDS(axes)
};
// Returns the shape without these axes, which must increase and be axes of the operand.
Shape reduced_shape(const char* op, const Types& in, const Ints& axes);
Types reduce_type(const char* op, const Types& in, const Ints& axes, unsigned classes);
// shifted_axes returns the axes of a reduction, and axis_after the mapped axis of its result, if
// `at` is the mapped axis of the operand.
Ints shifted_axes(const Ints& axes, int at);
int axis_after(const Ints& axes, int at);
// Broadcasts the result of a reduction along the axes that were reduced.
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
