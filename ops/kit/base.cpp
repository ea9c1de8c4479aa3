// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/kit/base.cpp: structural ops for the layers below, and stop_gradient.
#include "ops/kit/kit.h"
#include "ops/structure/structure.h"

namespace weft {
namespace {

Def<None> stop_gradient_def() {
  Def<None> d = elementwise<DTypes::inexact, 1>(
      "stop_gradient", "Returns the operand. Its derivative is taken to be zero.",
      [](auto x) { return x; });
  d.jvp = zero_jvp;
  d.simplify = [](const SimplifyArgs<None>& s) { return Arrays{s.x[0]}; };
  d.forwards_operand = true;
  return d;
}
const Primitive<None>& stop_gradient_op = define_elementwise(stop_gradient_def());

}  // namespace

namespace base {

Array reshape(const Array& x, const Shape& s) { return x.shape() == s ? x : reshape_to(x, s); }

Array slice_axis(const Array& x, int axis, int64_t lo, int64_t hi, int64_t step) {
  if (lo == 0 && step == 1 && hi == x.shape()[axis]) return x;
  const size_t n = x.ndim();
  Ints start(n, 0), limit = x.shape().sizes(), stride(n, 1);
  const size_t k = axis;
  start[k] = lo;
  limit[k] = hi;
  stride[k] = step;
  return slice_static(x, start, limit, stride);
}

Array concatenate(const Arrays& x, int axis) {
  return x.size() == 1 ? x[0] : concatenate_arrays(x, axis);
}
Array flip(const Array& x, int axis) { return reverse(x, {axis}); }
Array stop_gradient(const Array& x) { return is_inexact(x.dtype()) ? stop_gradient_op({x}) : x; }

}  // namespace base
}  // namespace weft
