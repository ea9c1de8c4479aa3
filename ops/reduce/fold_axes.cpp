// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/reduce/fold_axes.cpp: folds axes by halving: pairs of neighbors are joined until one element
// is left.
#include "ops/reduce/fold_axes.h"

#include <algorithm>

#include "ops/structure/structure.h"
#include "tracer/base_ops.h"

namespace weft {

using Sizes = std::vector<int64_t>;

Arrays fold_axes(const Arrays& x, const Arrays& init, const Sizes& axes,
                 FunctionRef<Arrays(const Arrays&, const Arrays&)> join) {
  const Shape& shape = x[0].shape();
  Sizes order = axes, rest, row{1};
  std::sort(order.begin(), order.end());
  for (int64_t a : axes) row[0] *= shape[a];
  for (int64_t a = 0; a < shape.ndim(); ++a)
    if (std::find(axes.begin(), axes.end(), a) == axes.end()) {
      order.push_back(a);
      rest.push_back(shape[a]);
    }
  row.insert(row.end(), rest.begin(), rest.end());
  const auto all_of = [](const Array& v, int64_t from, int64_t to, int64_t step = 1) {
    return base::slice_axis(v, 0, from, to, step);
  };
  Arrays rows;
  for (size_t i = 0; i < x.size(); ++i) {
    const Array head = broadcast_in_dim(init[i], Shape(row).with(0, 1), {});
    if (row[0] == 0)
      rows.push_back(head);
    else
      rows.push_back(
          base::concatenate({head, base::reshape(transpose_axes(x[i], order), Shape(row))}, 0));
  }
  for (int64_t n = rows[0].shape()[0]; n > 1; n = rows[0].shape()[0]) {
    const int64_t paired = n / 2 * 2;
    // Joins neighbors, so that the join need not commute.
    Arrays left, right;
    for (const Array& v : rows) {
      left.push_back(all_of(v, 0, paired, 2));
      right.push_back(all_of(v, 1, paired, 2));
    }
    const Arrays next = join(left, right);
    for (size_t i = 0; i < rows.size(); ++i)
      rows[i] = n % 2 ? base::concatenate({next[i], all_of(rows[i], n - 1, n)}, 0) : next[i];
  }
  for (Array& v : rows) v = base::reshape(v, Shape(rest));
  return rows;
}

}  // namespace weft
