// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/linear/ragged_dot.cpp: ragged products as products with one copy of the rows for each
// group, in which the rows of other groups are zero.
#include "weft/lax/ragged_dot.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "ops/kit/axes.h"
#include "ops/kit/kit.h"
#include "ops/kit/lists.h"
#include "ops/structure/structure.h"
#include "tracer/base_ops.h"
#include "weft/lax/compare.h"
#include "weft/lax/convert.h"
#include "weft/lax/cumulative.h"
#include "weft/lax/elementwise.h"

namespace weft {
namespace {

constexpr const char* name = "ragged_dot_general";

Ints next(Ints axes) {
  for (int64_t& a : axes) ++a;
  return axes;
}
// The entries of a list that precede `end`.
Ints until(const Ints& list, int64_t end) {
  return Ints(list.begin(), std::find(list.begin(), list.end(), end));
}

// Returns one copy of x for each group along a new first axis, which is zero outside of the group's
// part of `axis`. Sizes are [g], or [outer…, g] for these axes of x.
Array by_group(const Array& x, int64_t axis, const Array& sizes, const Ints& outer) {
  const int last = sizes.ndim() - 1;
  const Array rows = base::insert_axis(x, 0, sizes.shape()[last]);
  const Array count = base::convert(sizes, I64);
  const Array end = lax::cumsum(count, last), start = lax::sub(end, count);
  // The axes of `rows` for the axes of sizes, in order. The group axis is the first.
  Ints axes = last == 0 ? Ints{0} : concat_lists(next(outer), {0}), order(axes.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int64_t i, int64_t j) { return axes[i] < axes[j]; });
  std::sort(axes.begin(), axes.end());
  const auto along = [&](const Array& v) {
    return broadcast_in_dim(transpose_axes(v, order), rows.shape(), axes);
  };
  const Array place = iota(I64, rows.shape(), axis + 1);
  const Array inside = lax::bitwise_and(lax::ge(place, along(start)), lax::lt(place, along(end)));
  return lax::select(inside, rows, base::zeros(rows.type()));
}

struct Checked {
  int64_t ragged;
  Ints outer;  // axes of lhs
  bool contracted, of_batch;
};
Checked checked(const Types& in, const lax::RaggedDotDimensionNumbers& d) {
  const auto& [contract, rhs_contract, batch, rhs_batch] = d.dot_dimension_numbers;
  if (d.lhs_ragged_dimensions.size() != 1 || d.lhs_ragged_dimensions[0] < 0 ||
      d.lhs_ragged_dimensions[0] >= in[0].ndim())
    reject_shape(name, "lhs_ragged_dimensions is one axis of the first factor", in);
  Checked c{d.lhs_ragged_dimensions[0], {}, false, false};
  c.contracted = holds(contract, c.ragged);
  c.of_batch = holds(batch, c.ragged);
  if (c.of_batch) {
    c.outer = until(batch, c.ragged);
  } else if (c.contracted) {
    c.outer = concat_lists(batch, until(contract, c.ragged));
  } else {
    c.outer = batch;
    for (int64_t a = 0; a < c.ragged; ++a)
      if (!holds(batch, a) && !holds(contract, a)) c.outer.push_back(a);
  }
  if (!is_integer(in[2].dtype())) reject_dtype(name, "takes sizes of groups as integers", in);
  const Shape& sizes = in[2].shape();
  if (sizes.ndim() == 0) reject_shape(name, "takes sizes of groups along an axis", in);
  if (sizes.ndim() > 1) {
    Ints want;
    for (int64_t a : c.outer) want.push_back(in[0].shape()[a]);
    want.push_back(sizes[sizes.ndim() - 1]);
    if (Shape(want) != sizes)
      reject_shape(
          name, fmt::format("sizes of groups must have the shape {}", to_string(Shape(want))), in);
  }
  const Ints& group = d.rhs_group_dimensions;
  if (c.contracted || c.of_batch) {
    if (!group.empty()) reject_shape(name, "rhs_group_dimensions must be empty", in);
  } else if (group.size() != 1 || group[0] < 0 || group[0] >= in[1].ndim() ||
             holds(rhs_contract, group[0]) || holds(rhs_batch, group[0]) ||
             in[1].shape()[group[0]] != sizes[sizes.ndim() - 1]) {
    reject_shape(name,
                 "rhs_group_dimensions is one axis of the second factor, as long as there "
                 "are groups, neither contracted nor of the batch",
                 in);
  }
  return c;
}

}  // namespace

Array lax::ragged_dot_general(const Arg& lhs, const Arg& rhs, const Arg& group_sizes,
                              const RaggedDotDimensionNumbers& d, std::optional<DType> preferred) {
  const SourceScope s(lhs.at());
  const Checked c = checked({lhs->type(), rhs->type(), group_sizes->type()}, d);
  DotDims dims = d.dot_dimension_numbers;
  if (c.of_batch) return dot_general(lhs, rhs, dims, preferred);
  const Array own = by_group(lhs, c.ragged, group_sizes, c.outer);
  dims.lhs_contract = next(dims.lhs_contract);
  dims.lhs_batch = next(dims.lhs_batch);
  if (!c.contracted) {
    dims.lhs_contract.push_back(0);
    dims.rhs_contract.push_back(d.rhs_group_dimensions[0]);
    return dot_general(own, rhs, dims, preferred);
  }
  // The elements of rhs for rows of other groups may be infinite, so they are masked, too.
  const DotDims& plain = d.dot_dimension_numbers;
  const auto at = std::find(plain.lhs_contract.begin(), plain.lhs_contract.end(), c.ragged) -
                  plain.lhs_contract.begin();
  if (at >= std::ssize(plain.rhs_contract))
    reject_shape(name, "as many axes of both factors must be contracted",
                 {lhs->type(), rhs->type()});
  const int64_t axis = plain.rhs_contract[at];
  const Array other =
      by_group(rhs, axis, group_sizes,
               concat_lists(plain.rhs_batch,
                            Ints(plain.rhs_contract.begin(), plain.rhs_contract.begin() + at)));
  dims.rhs_contract = next(dims.rhs_contract);
  dims.rhs_batch = next(dims.rhs_batch);
  dims.lhs_batch.insert(dims.lhs_batch.begin(), 0);
  dims.rhs_batch.insert(dims.rhs_batch.begin(), 0);
  return dot_general(own, other, dims, preferred);
}

Array lax::ragged_dot(const Arg& lhs, const Arg& rhs, const Arg& group_sizes,
                      std::optional<DType> preferred) {
  const SourceScope s(lhs.at());
  if (lhs->ndim() != 2 || rhs->ndim() != 3 || group_sizes->ndim() != 1)
    reject_shape("ragged_dot", "takes lhs[m, k], rhs[g, k, n] and the sizes of g groups",
                 {lhs->type(), rhs->type(), group_sizes->type()});
  return ragged_dot_general(lhs, rhs, group_sizes, {{{1}, {1}}, {0}, {0}}, preferred);
}

}  // namespace weft
