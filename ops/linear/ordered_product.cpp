// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/linear/ordered_product.cpp: tries one operand, the other one, and both.
#include "ops/linear/ordered_product.h"

#include <algorithm>

#include "ops/kit/axes.h"
#include "ops/kit/fold.h"
#include "ops/kit/lists.h"
#include "runtime/native/gemm.h"

namespace weft {
namespace {

using lax::DotDims;

bool is_native(const Shape& lhs, const Shape& rhs, const DotDims& d) {
  return native::matrix_product(lhs, d.lhs_batch, d.lhs_contract, rhs, d.rhs_batch, d.rhs_contract)
      .has_value();
}

// Sets the order in which batch axes come first, and contracted ones last.
Ints matrix_order(const Shape& s, Ints* batch, Ints* contract) {
  const Ints order = concat_lists(
      concat_lists(*batch, other_axes(s.ndim(), concat_lists(*contract, *batch))), *contract);
  *batch = axis_range(std::ssize(*batch));
  *contract = axis_range(s.ndim() - std::ssize(*contract), s.ndim());
  return order;
}

// Sorts both lists by the first one.
void sort_pairs(Ints* by, Ints* other) {
  Ints at = axis_range(std::ssize(*by));
  std::ranges::sort(at, {}, [&](int64_t k) { return (*by)[k]; });
  Ints first, second;
  for (int64_t k : at) first.push_back((*by)[k]), second.push_back((*other)[k]);
  *by = std::move(first);
  *other = std::move(second);
}

}  // namespace

Shape in_order(const Shape& s, const Ints& order) {
  if (order.empty()) return s;
  Ints sizes;
  for (int64_t a : order) sizes.push_back(s[a]);
  return Shape(sizes);
}

std::optional<OrderedProduct> ordered_product(const Shape& lhs, const Shape& rhs,
                                              const DotDims& d) {
  if (d.lhs_contract.empty() || is_native(lhs, rhs, d)) return {};
  std::optional<OrderedProduct> best;
  int64_t fewest = 0;
  for (const auto& [left, right] : {std::pair{true, false}, {false, true}, {true, true}}) {
    OrderedProduct o{{}, {}, d};
    if (left)
      sort_pairs(&o.dims.rhs_contract, &o.dims.lhs_contract);
    else
      sort_pairs(&o.dims.lhs_contract, &o.dims.rhs_contract);
    if (left) o.lhs_order = matrix_order(lhs, &o.dims.lhs_batch, &o.dims.lhs_contract);
    if (right) o.rhs_order = matrix_order(rhs, &o.dims.rhs_batch, &o.dims.rhs_contract);
    const int64_t moved = (left ? lhs.elements() : 0) + (right ? rhs.elements() : 0);
    const Shape x = in_order(lhs, o.lhs_order), y = in_order(rhs, o.rhs_order);
    if ((best && moved >= fewest) || !is_native(x, y, o.dims)) continue;
    fewest = moved;
    best = std::move(o);
  }
  return best;
}

}  // namespace weft
