// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/control/scatter_by.cpp: scatter with any function, as a loop over the indices that
// updates its carries in place. With unique indices it is one gather and one scatter.
#include "ops/control/scatter_by.h"

#include <algorithm>

#include "ops/control/control_flow.h"
#include "ops/kit/axes.h"
#include "ops/kit/kit.h"
#include "ops/structure/structure.h"
#include "tracer/base_ops.h"
#include "tracer/record_trace.h"
#include "tracer/types_of.h"

namespace weft {
namespace {

constexpr const char* name = "scatter";

// The sizes of a window, along all axes of the operand.
Ints window_sizes(const Type& x, const Type& updates, const WindowDims& d) {
  Ints sizes;
  size_t next = 0;
  for (int64_t a = 0; a < x.ndim(); ++a) {
    const bool gone = holds(d.collapsed, a) || holds(d.operand_batching, a);
    if (!gone && (next == d.window_dims.size() || d.window_dims[next] < 0 ||
                  d.window_dims[next] >= updates.ndim()))
      reject_shape(name, "update_window_dims are not axes of the updates", {x, updates});
    sizes.push_back(gone ? 1 : updates.shape()[d.window_dims[next++]]);
  }
  return sizes;
}

// Adds index components for the operand axes that are batched with axes of the indices.
Array with_batching(Array indices, WindowDims* d) {
  const int last = indices.ndim() - 1;
  if (itemsize(indices.dtype()) < 4) indices = base::convert(indices, I32);
  Arrays parts{indices};
  for (size_t k = 0; k < d->operand_batching.size(); ++k) {
    const Type column = indices.type().with_shape(indices.shape().with(last, 1));
    parts.push_back(base::iota(column, static_cast<int>(d->indices_batching[k])));
    d->index_map.push_back(d->operand_batching[k]);
    d->collapsed.push_back(d->operand_batching[k]);
  }
  std::sort(d->collapsed.begin(), d->collapsed.end());
  d->operand_batching.clear();
  d->indices_batching.clear();
  return parts.size() == 1 ? indices : base::concatenate(parts, last);
}

Arrays at_once(const Arrays& x, const Array& indices, const Arrays& updates, const WindowDims& d,
               OutOfBounds mode, IndexPromises promises,
               FunctionRef<Arrays(const Arrays&, const Arrays&)> join) {
  Arrays before, out;
  for (size_t k = 0; k < x.size(); ++k)
    before.push_back(
        gather_windows(x[k], indices, d, window_sizes(x[k].type(), updates[k].type(), d)));
  const Arrays after = join(before, updates);
  for (size_t k = 0; k < x.size(); ++k)
    out.push_back(scatter_windows(x[k], indices, after[k], d, Update::set, mode, promises));
  return out;
}

}  // namespace

Arrays scatter_by(const Arrays& x, const Array& indices, const Arrays& updates,
                  const WindowDims& dims, OutOfBounds mode, IndexPromises promises,
                  FunctionRef<Arrays(const Arrays&, const Arrays&)> join) {
  // The scatter of the updates reports errors in the dimension numbers.
  for (size_t k = 0; k < x.size(); ++k)
    record({x[k].type(), indices.type(), updates[k].type()}, [&](const Arrays& v) {
      return Arrays{scatter_windows(v[0], v[1], v[2], dims, Update::set, mode)};
    });
  const Shape places = indices.shape().erased(indices.ndim() - 1);
  const int64_t n = places.elements();
  if (n == 0 || x[0].size() == 0) return x;
  if (promises.unique || n == 1) return at_once(x, indices, updates, dims, mode, promises, join);
  WindowDims d = dims;
  const Array all = with_batching(indices, &d);
  const int64_t components = all.shape()[all.ndim() - 1];
  // One row per index: its components, then a window of each operand.
  Arrays rows{base::reshape(all, Shape{n, components})};
  for (const Array& u : updates) {
    Ints order, row{n};
    for (int64_t a = 0; a < u.ndim(); ++a)
      if (!holds(dims.window_dims, a)) order.push_back(a);
    for (int64_t a : dims.window_dims) {
      order.push_back(a);
      row.push_back(u.shape()[a]);
    }
    rows.push_back(base::reshape(transpose_axes(u, order), Shape(row)));
  }
  d.window_dims = axis_range(std::ssize(dims.window_dims));
  Types step = types_of(x);
  for (const Array& r : rows) step.push_back(r.type().with_shape(r.shape().erased(0)));
  const ClosedJaxpr body = record(step, [&](const Arrays& v) {
    const auto row = v.begin() + static_cast<std::ptrdiff_t>(x.size());
    return at_once(Arrays(v.begin(), row), *row, Arrays(row + 1, v.end()), d, mode,
                   {.unique = true, .sorted = true}, join);
  });
  return scan_flat(body, x, rows, n);
}

}  // namespace weft
