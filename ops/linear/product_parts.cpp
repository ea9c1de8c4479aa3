// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/linear/product_parts.cpp: parts of equal length as a batch of products, and the remaining
// terms.
#include "ops/linear/product_parts.h"

#include <algorithm>

#include "core/loops/accumulator.h"
#include "ops/kit/axes.h"
#include "ops/structure/structure.h"
#include "tracer/base_ops.h"
#include "weft/lax/elementwise.h"

namespace weft {
namespace {

using lax::DotDims;

// terms_of_part is a multiple of the terms loaded together, and large compared with the result of a
// part. max_elements are the elements of as many tiles as a large device needs.
constexpr int64_t terms_of_part = 2048, max_elements = 1 << 19;

// Returns the index, in both lists, of the longest contracted axis.
size_t axis_in_parts(const DotDims& d, const Shape& lhs) {
  size_t at = 0;
  for (size_t k = 1; k < d.lhs_contract.size(); ++k)
    if (lhs[d.lhs_contract[k]] > lhs[d.lhs_contract[at]]) at = k;
  return at;
}

// Splits an axis into a batch axis of `parts` and the contracted axis after it.
Array in_parts(const Array& x, int64_t axis, int64_t parts) {
  const int a = static_cast<int>(axis);
  std::vector<int64_t> shape = x.shape().sizes();
  shape[axis] = terms_of_part;
  shape.insert(shape.begin() + axis, parts);
  return reshape_to(base::slice_axis(x, a, 0, parts * terms_of_part), Shape(shape));
}
// The positions of axes after a new axis is inserted.
Ints behind(Ints axes, int64_t added) {
  for (int64_t& a : axes) a += a >= added;
  return axes;
}
void add_parts(Ints* contract, Ints* batch, int64_t axis) {
  *contract = behind(std::move(*contract), axis);
  *batch = behind(std::move(*batch), axis);
  batch->insert(batch->begin(), axis);
}

}  // namespace

bool has_parts(const DotDims& d, const Shape& lhs, int64_t elements) {
  return !d.lhs_contract.empty() && elements <= max_elements &&
         lhs[d.lhs_contract[axis_in_parts(d, lhs)]] >= 2 * terms_of_part;
}

Array product_in_parts(const Array& x, const Array& y, const DotDims& d, DType out) {
  const size_t k = axis_in_parts(d, x.shape());
  const int64_t left = d.lhs_contract[k], right = d.rhs_contract[k], terms = x.shape()[left],
                parts = terms / terms_of_part;
  const DType sum = accumulator_dtype(out);
  DotDims by_part = d;
  add_parts(&by_part.lhs_contract, &by_part.lhs_batch, left);
  add_parts(&by_part.rhs_contract, &by_part.rhs_batch, right);
  Array r = base::reduce_sum(
      lax::dot_general(in_parts(x, left, parts), in_parts(y, right, parts), by_part, sum), {0});
  if (const int64_t done = parts * terms_of_part; done < terms) {
    const auto rest = [&](const Array& of, int64_t axis) {
      return base::slice_axis(of, static_cast<int>(axis), done, terms);
    };
    r = lax::add(r, lax::dot_general(rest(x, left), rest(y, right), d, sum));
  }
  return base::convert(r, out, x.type().weak() && y.type().weak());
}

}  // namespace weft
