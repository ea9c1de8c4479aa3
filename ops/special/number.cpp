// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/special/number.cpp: runs a program of scalars with the elements of arrays as lanes.
#include "ops/special/number.h"

#include "batching/batch_trace.h"

namespace weft::special::detail {

namespace {
// Applies f to the elements of arrays. Each array is a scalar or has all axes from `axis` on. These
// become lanes one axis at a time, so that later ops can still follow one axis.
Array each_element(const Arrays& x, const Shape& shape, int axis,
                   FunctionRef<Array(const Arrays&)> f) {
  if (axis == shape.ndim()) return f(x);
  MaybeAxes axes;
  for (const Array& v : x) axes.push_back(v.ndim() == 0 ? MaybeAxis() : MaybeAxis(0));
  const Batched b =
      vmap_flat([&](const Arrays& lane) { return Arrays{each_element(lane, shape, axis + 1, f)}; },
                x, axes, shape[axis]);
  return move_mapped(b.out[0], b.axis[0], 0, shape[axis]);
}
}  // namespace

Arrays over_lanes(const Arrays& x, const Type& t, FunctionRef<Array(const Arrays&)> f) {
  if (t.elements() == 0) return {base::zeros(t)};
  Arrays wide;
  for (const Array& v : x) wide.push_back(base::convert(v, F64));
  Array y = each_element(wide, t.shape(), 0, f);
  // Narrow floats are rounded from F32, as in the reference.
  if (itemsize(t.dtype()) < 4) y = base::convert(y, F32);
  return {base::convert(y, t.dtype(), t.weak())};
}

}  // namespace weft::special::detail
