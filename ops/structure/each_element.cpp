// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/structure/each_element.cpp: applies functions of scalars to whole arrays, as one map over a
// row.
#include "ops/structure/each_element.h"

#include "batching/batch_trace.h"
#include "ops/structure/structure.h"
#include "tracer/base_ops.h"
#include "tracer/record_trace.h"

namespace weft {

Arrays each_element(FunctionRef<Arrays(const Arrays&)> f, const Arrays& x) {
  const Shape s = x[0].shape();
  const int64_t n = s.elements();
  Arrays out;
  // A map over zero lanes does not run f, but the types of its results are needed.
  if (n == 0) {
    Types scalars;
    for (const Array& a : x) scalars.push_back(a.type().with_shape(Shape{}));
    for (const Type& t : record(scalars, [&](const Arrays& a) { return f(a); }).jaxpr->out_types())
      out.push_back(base::zeros(t.with_shape(s)));
    return out;
  }
  Arrays rows;
  for (const Array& a : x) rows.push_back(reshape_to(a, {n}));
  const Batched r = vmap_flat(f, rows, MaybeAxes(rows.size(), 0), n);
  for (size_t i = 0; i < r.out.size(); ++i)
    out.push_back(reshape_to(move_mapped(r.out[i], r.axis[i], 0, n), s));
  return out;
}

}  // namespace weft
