// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/linalg/pattern.cpp: builds matrices from a pattern, and multiplies by such matrices.
#include <fmt/format.h>

#include "functions/kit.h"
#include "functions/linalg/kit.h"
#include "ops/index/index.h"
#include "ops/linear/matrix.h"
#include "ops/structure/structure.h"
#include "tracer/base_ops.h"
#include "weft/lax/elementwise.h"
#include "weft/linalg.h"
#include "weft/numpy/create.h"

namespace weft::linalg {

Array block_diag(const Arrays& matrices, Location at) {
  const ApiNameScope s("block_diag", at);
  if (matrices.empty()) return base::zeros(Type(F32, {1, 0}));
  Arrays x = fn::same_dtype(matrices);
  int64_t columns = 0;
  for (size_t k = 0; k < x.size(); ++k) {
    if (x[k].ndim() > 2)
      fn::fail_shape(fmt::format("block_diag: argument {} must have two axes or fewer, got {}", k,
                                 to_string(x[k].type())));
    while (x[k].ndim() < 2) x[k] = base::insert_axis(x[k], 0, 1);
    columns += x[k].shape()[1];
  }
  Arrays rows;
  int64_t before = 0;
  for (const Array& m : x) {
    const int64_t n = m.shape()[1];
    rows.push_back(
        pad_with(m, fn::number_like(m, 0), {0, before}, {0, columns - before - n}, {0, 0}));
    before += n;
  }
  return fn::joined(rows, 0);
}

Array toeplitz(const Arg& c, const std::optional<Array>& r) {
  const ApiNameScope s("toeplitz", c.at());
  const Array& column = c;
  const Arrays both = fn::same_dtype({column, r ? *r : matrix::conj(column)});
  for (const Array& x : both)
    if (x.ndim() < 1) fn::fail_shape("toeplitz: takes vectors along the last axis, got a scalar");
  const auto lead = [](const Array& x) {
    std::vector<int64_t> sizes = x.shape().sizes();
    sizes.pop_back();
    return Shape(sizes);
  };
  const Shape batch = broadcast_shapes(lead(both[0]), lead(both[1]));
  const Array down = kit::with_batch(both[0], batch, 1),
              across = kit::with_batch(both[1], batch, 1);
  const int last = down.ndim() - 1;
  const int64_t m = down.shape()[last], n = across.shape()[last];
  const Shape shape = down.shape().inserted(last + 1, n);
  if (m == 0 || n == 0) return base::zeros(Type(down.dtype(), shape));
  // c in reverse, followed by the row without its first number. Element (i, j) is number m - 1 - i
  // + j.
  const Array all =
      base::concatenate({base::flip(down, last), base::slice_axis(across, last, 1, n)}, last);
  const Array i = iota(I32, shape, last), j = iota(I32, shape, last + 1);
  const Array place =
      lax::add(lax::sub(j, i), matrix::all(Array(static_cast<int32_t>(m - 1)), shape));
  const Array flat = base::reshape(place, Shape(shape).erased(last + 1).with(last, m * n));
  return base::reshape(gather_along(all, flat, last), shape);
}

Array outer(const Arg& x, const Arg& y) {
  const ApiNameScope s("outer", x.at());
  if (x->ndim() != 1 || y->ndim() != 1)
    fn::fail_shape(fmt::format("outer: takes two vectors, got {} and {}", to_string(x->type()),
                               to_string(y->type())));
  return weft::outer(x, y);
}

Array diagonal(const Arg& x, int64_t offset) {
  const ApiNameScope s("diagonal", x.at());
  kit::require_matrices("diagonal", x);
  return weft::diagonal(x, offset, -2, -1);
}

}  // namespace weft::linalg
