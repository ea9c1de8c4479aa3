// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// interop/stablehlo/rules/tr_reduce.cpp: rules of reductions. A body of one op becomes a reduction
// of Weft, and so does a body that chooses the first of the largest elements. Any other body runs
// on pairs of elements until one element is left.
#include <set>

#include "interop/stablehlo/rules/arg_reduction.h"
#include "interop/stablehlo/rules/folds.h"
#include "ops/reduce/fold_axes.h"

namespace weft::hlo {
namespace {

using Axes = std::vector<int64_t>;

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
      if (a < 0 || a >= x[i].ndim()) t.fail(op, "dimensions are not axes of the operand");
  }
  if (n == 2 && axes.size() == 1)
    if (auto found = arg_reduction(t, op, x, axes[0])) return *std::move(found);
  const Fold r = n == 1 ? fold_of(name, x[0].dtype()) : Fold{};
  if (!r.over_axes)
    return fold_axes(Arrays(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(n)),
                     Arrays(x.begin() + static_cast<std::ptrdiff_t>(n), x.end()), axes,
                     [&](const Arrays& a, const Arrays& b) {
                       Arrays both = a;
                       both.insert(both.end(), b.begin(), b.end());
                       return t.run_on_arrays(op, body, both, n);
                     });
  // A reduction over no axes is one step, so that 0 + -0 = 0.
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
