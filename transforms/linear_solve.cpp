// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// transforms/linear_solve.cpp: tracing a system, its transpose and how they are solved.
#include "weft/transforms/linear_solve.h"

#include <fmt/format.h>

#include "weft/autodiff/autodiff.h"
#include "weft/core/error.h"
#include "weft/ops/control/custom_flat.h"
#include "weft/tracer/base_ops.h"
#include "weft/tracer/types_of.h"

namespace weft::detail {
namespace {

// f on inputs like b, its results checked to be like b; behind them the aux that it appends.
Closed traced(const char* which, const Types& b, FunctionRef<Arrays(const Arrays&, Arrays* aux)> f,
              TreeOf tree) {
  return record(b, [&](const Arrays& x) {
    Arrays aux, y = f(x, &aux);
    if (y.size() != b.size())
      throw ShapeError(fmt::format("custom_linear_solve: {} returns {} arrays, b has {}", which,
                                   y.size(), b.size()));
    for (size_t k = 0; k < y.size(); ++k) {
      if (y[k].weak_type() && y[k].shape() == b[k].shape())
        y[k] = base::convert(y[k], b[k].dtype());
      if (y[k].type().strong() != b[k])
        throw ShapeError(fmt::format(
            "custom_linear_solve: {} must return what is like b: expected {} for {}, "
            "got {}",
            which, to_string(b[k]), tree::paths(tree(), "b")[k], to_string(y[k].type())));
    }
    y.insert(y.end(), aux.begin(), aux.end());
    return y;
  });
}

}  // namespace

Arrays run_linear_solve(FlatFunction matvec, FlatSolve solve, const FlatSolve* transpose_solve,
                        const LinearSolveOptions& o, const Arrays& right, TreeOf tree) {
  Types b;
  Arrays x;
  for (const Array& each : right) {
    if (!is_inexact(each.dtype()))
      throw DTypeError(
          fmt::format("custom_linear_solve: takes floating-point and complex b, got {}",
                      to_string(each.type())));
    b.push_back(each.type().strong());
    x.push_back(base::convert(each, each.dtype()));
  }
  LinearSystem s{
      traced(
          "solve", b, [&](const Arrays& y, Arrays* aux) { return solve(matvec, y, aux); }, tree),
      traced("matvec", b, [&](const Arrays& y, Arrays*) { return matvec(y); }, tree)};
  if (!transpose_solve && !o.symmetric) return linear_solve_flat(s, x);
  const auto transposed = [&](const Arrays& ct) {
    if (o.symmetric) return matvec(ct);
    Arrays zeros;
    for (const Type& t : b) zeros.push_back(base::zeros(t));
    const Linearized l = linearize_flat(matvec, zeros, std::vector<bool>(b.size(), true));
    Arrays out = l.linear.transpose(ct);
    for (size_t k = 0; k < out.size(); ++k)
      if (out[k].empty_handle()) out[k] = zeros[k];
    return out;
  };
  const FlatSolve& other = transpose_solve ? *transpose_solve : solve;
  const Closed vecmat = traced(
                   "the transpose of matvec", b,
                   [&](const Arrays& y, Arrays*) { return transposed(y); }, tree),
               solved = traced(
                   "transpose_solve", b,
                   [&](const Arrays& y, Arrays* aux) { return other(transposed, y, aux); }, tree);
  s.vecmat = &vecmat;
  s.transpose_solve = &solved;
  return linear_solve_flat(s, x);
}

}  // namespace weft::detail
