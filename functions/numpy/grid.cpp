// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/numpy/grid.cpp: coordinates of grids, and indices of parts of matrices.
#include "weft/numpy/grid.h"

#include <fmt/format.h>

#include "functions/kit.h"
#include "ops/structure/structure.h"
#include "tracer/concrete.h"
#include "weft/numpy/create.h"
#include "weft/numpy/index.h"
#include "weft/numpy/math.h"
#include "weft/numpy/shape.h"

namespace weft {
namespace {

// Reshapes each vector so that it runs along its own axis of a grid.
Arrays open_grid(const Arrays& x) {
  Arrays out;
  for (size_t i = 0; i < x.size(); ++i) {
    std::vector<int64_t> shape(x.size(), 1);
    shape[i] = x[i].size();
    out.push_back(reshape_to(x[i], Shape(shape)));
  }
  return out;
}
Arrays points_of(const char* name, const std::vector<GridAxis>& axes) {
  Arrays out;
  for (const GridAxis& a : axes) {
    if (a.hi.empty_handle())
      fn::fail_index(fmt::format("{}: a slice of a grid needs its end: slice(0, 5)", name));
    out.push_back(a.points < 0 ? arange(a.lo, a.hi, a.step) : linspace(a.lo, a.hi, a.points));
  }
  return fn::same_dtype(out);
}
}  // namespace

GridAxis::GridAxis(const Slice& s)
    : lo(s.lo.v.value_or(0)), hi(s.hi.v ? Array(*s.hi.v) : Array()), step(s.step.v.value_or(1)) {}
GridAxis grid_points(const Array& lo, const Array& hi, int64_t n) {
  GridAxis a(lo, hi);
  a.points = n;
  return a;
}
Arrays ogrid(const std::vector<GridAxis>& axes, Location at) {
  const ApiNameScope s("ogrid", at);
  return open_grid(points_of("ogrid", axes));
}
Array mgrid(const std::vector<GridAxis>& axes, Location at) {
  const ApiNameScope s("mgrid", at);
  if (axes.empty()) return zeros({0}, I32);
  return stack(broadcast_arrays(open_grid(points_of("mgrid", axes))), 0);
}
Arrays sparse_indices(const Shape& shape, DType dtype, Location at) {
  const ApiNameScope s("sparse_indices", at);
  Arrays rows;
  for (int64_t n : shape) rows.push_back(iota(dtype, {n}, 0));
  return open_grid(rows);
}
Array indices(const Shape& shape, DType dtype, Location at) {
  const ApiNameScope s("indices", at);
  if (shape.empty()) return zeros({0}, dtype);
  return stack(broadcast_arrays(sparse_indices(shape, dtype)), 0);
}
Arrays ix_(const Arrays& x, Location at) {
  const ApiNameScope s("ix_", at);
  Arrays rows;
  for (const Array& a : x) {
    if (a.ndim() != 1) fn::fail_shape("ix_: needs vectors, got " + to_string(a.type()));
    rows.push_back(is_bool(a.dtype()) ? flatnonzero(a) : a);
  }
  return open_grid(rows);
}

namespace {
void need_matrix(const char* name, const Array& x) {
  if (x.ndim() != 2)
    fn::fail_shape(fmt::format("{}: needs a matrix, got {}", name, to_string(x.type())));
}
}  // namespace
Arrays tril_indices_from(const Arg& x, int64_t k) {
  const ApiNameScope s("tril_indices_from", x.at());
  need_matrix("tril_indices_from", x);
  return tril_indices(x->shape()[0], k, x->shape()[1]);
}
Arrays triu_indices_from(const Arg& x, int64_t k) {
  const ApiNameScope s("triu_indices_from", x.at());
  need_matrix("triu_indices_from", x);
  return triu_indices(x->shape()[0], k, x->shape()[1]);
}
Arrays diag_indices_from(const Arg& x) {
  const ApiNameScope s("diag_indices_from", x.at());
  bool square = x->ndim() >= 2;
  for (int64_t n : x->shape()) square = square && n == x->shape()[0];
  if (!square)
    fn::fail_shape("diag_indices_from: needs two axes or more of one size, got " +
                   to_string(x->type()));
  return diag_indices(x->shape()[0], x->ndim());
}
Arrays mask_indices(int64_t n, const Function<Array(Array, int64_t)>& mask_func, int64_t k,
                    const MaskIndicesOptions& o, Location at) {
  const SourceScope s(at);
  return nonzero(mask_func(ones({n, n}), k), {.size = o.size});
}

Array ravel_multi_index(const Arrays& multi_index, const Shape& dims, const RavelIndexOptions& o,
                        Location at) {
  const ApiNameScope s("ravel_multi_index", at);
  if (multi_index.empty() || multi_index.size() != dims.size())
    fn::fail_shape(fmt::format("ravel_multi_index: {} arrays of indices for shape {}",
                               multi_index.size(), to_string(dims)));
  if (o.order != "C" && o.order != "F")
    fn::fail_shape("ravel_multi_index: .order is \"C\" or \"F\", not \"" + o.order + "\"");
  if (o.mode != "raise" && o.mode != "wrap" && o.mode != "clip")
    fn::fail_index("ravel_multi_index: .mode is \"raise\", \"wrap\" or \"clip\", not \"" + o.mode +
                   "\"");
  const DType d = fn::index_dtype(dims.elements());
  Array out;
  for (int k = 0; k < dims.ndim(); ++k) {
    const int a = o.order == "C" ? k : dims.ndim() - 1 - k;
    const int64_t n = dims[a];
    Array i = multi_index[static_cast<size_t>(a)];
    if (!is_integer(i.dtype()))
      fn::fail_dtype("ravel_multi_index: indices must be integers, got " + to_string(i.type()));
    i = fn::as_dtype(i, d);
    if (o.mode == "raise") {
      if (!concrete_or_null(i))
        throw ConcretizationError(
            "ravel_multi_index: mode \"raise\" looks at the indices, and these are traced; give "
            "{.mode = \"wrap\"} or {.mode = \"clip\"}");
      for (int64_t v : i.to_vector<int64_t>())
        if (v < 0 || v >= n)
          fn::fail_index(fmt::format(
              "ravel_multi_index: index {} is out of bounds for axis {} with size {}", v, a, n));
    } else {
      i = o.mode == "wrap" ? remainder(i, n) : clip(i, 0, n - 1);
    }
    out = k ? add(multiply(out, n), i) : i;
  }
  return out;
}

}  // namespace weft
