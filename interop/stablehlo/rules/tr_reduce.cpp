// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// interop/stablehlo/rules/tr_reduce.cpp: reductions. A body of one op is a reduction of ours; any
// other body of elementwise ops runs on the two halves of the operands until one element is left.
#include <algorithm>
#include <set>

#include "weft/interop/stablehlo/rules/folds.h"
#include "weft/ops/structure/structure.h"
#include "weft/tracer/base_ops.h"

namespace weft::hlo {
namespace {

using Axes = std::vector<int64_t>;

// The body on pairs of elements, along the first axis.
Arrays folded(Translator& t, const Op& op, Arrays x) {
  for (int64_t n = x[0].shape()[0]; n > 1; n = x[0].shape()[0]) {
    const int64_t half = n / 2;
    Arrays pairs;
    // Neighbours, so that the body need not commute.
    for (const Array& a : x) pairs.push_back(base::slice_axis(a, 0, 0, 2 * half, 2));
    for (const Array& a : x) pairs.push_back(base::slice_axis(a, 0, 1, 2 * half, 2));
    const Arrays next = t.run_on_arrays(op, t.only_region(op), pairs, x.size());
    for (size_t i = 0; i < x.size(); ++i)
      x[i] = n % 2 ? base::concatenate({next[i], base::slice_axis(x[i], 0, n - 1, n)}, 0) : next[i];
  }
  return x;
}

Arrays general(Translator& t, const Op& op, const Arrays& x, const Arrays& init, const Axes& axes) {
  const Shape& shape = x[0].shape();
  Axes order = axes, rest;
  for (int64_t a = 0; a < shape.ndim(); ++a)
    if (std::find(axes.begin(), axes.end(), a) == axes.end()) {
      order.push_back(a);
      rest.push_back(shape[a]);
    }
  int64_t n = 1;
  for (int64_t a : axes) n *= shape[a];
  Axes row = rest;
  row.insert(row.begin(), n);
  Arrays rows;
  for (size_t i = 0; i < x.size(); ++i) {
    Axes first = rest;
    first.insert(first.begin(), 1);
    const Array head = broadcast_in_dim(init[i], Shape(first), {});
    const Array all = base::reshape(transpose_axes(x[i], order), Shape(row));
    rows.push_back(n == 0 ? head : base::concatenate({head, all}, 0));
  }
  Arrays out = folded(t, op, rows);
  for (Array& a : out) a = base::reshape(a, Shape(rest));
  return out;
}

Arrays reduce(Translator& t, const Op& op, const Arrays& x) {
  const size_t n = x.size() / 2;
  if (n == 0 || x.size() % 2) t.fail(op, "operands and initial values must be as many");
  const Axes axes = t.ints(op, "dimensions");
  if (std::set<int64_t>(axes.begin(), axes.end()).size() != axes.size())
    t.fail(op, "dimensions are there twice");
  const Region& body = t.only_region(op);
  const std::string name = only_op(body);
  for (size_t i = 0; i < n; ++i) {
    if (x[n + i].ndim() != 0 || x[n + i].dtype() != x[i].dtype() || x[i].shape() != x[0].shape())
      t.fail(op, "operands must have one shape, and scalars as initial values");
    for (int64_t a : axes)
      if (a < 0 || a >= x[i].ndim()) t.fail(op, "dimensions are no axes of the operand");
  }
  const Fold r = n == 1 ? fold_of(name, x[0].dtype()) : Fold{};
  if (!r.over_axes && !t.is_elementwise(body)) t.missing(op, "with this body");
  if (!r.over_axes)
    return general(t, op, Arrays(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(n)),
                   Arrays(x.begin() + static_cast<std::ptrdiff_t>(n), x.end()), axes);
  // Over no axes it is one step, 0 + -0 = 0.
  if (axes.empty()) return {r.join(x[0], x[1])};
  const Array out = r.over_axes(x[0], axes);
  return {is_neutral(x[1], name) ? out : r.join(out, x[1])};
}

}  // namespace

void add_reductions(Rules& r) {
  const Rules mine = {{"stablehlo.reduce", reduce}};
  r.insert(mine.begin(), mine.end());
}

}  // namespace weft::hlo
