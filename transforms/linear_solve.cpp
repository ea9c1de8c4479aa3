// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// transforms/linear_solve.cpp: traces a linear system, its transpose, and the solvers of both.
#include "weft/grad/linear_solve.h"

#include "autodiff/autodiff.h"
#include "ops/control/custom_flat.h"
#include "tracer/base_ops.h"
#include "tracer/initialized.h"
#include "tracer/types_of.h"
#include "transforms/like.h"

namespace weft::detail {

Arrays run_linear_solve(const char* who, FlatFunction matvec, FlatSolve solve,
                        const FlatSolve* transpose_solve, const LinearSolveOptions& o,
                        const Arrays& right, TreeOf tree) {
  const LikeNames names{who, "b", tree};
  require_initialized(who, right, tree, "b");
  const Arrays x = inexact_values(names, right);
  const Types b = types_of(x);
  const auto traced = [&](const char* which, FunctionRef<Arrays(const Arrays&, Arrays*)> f) {
    return traced_like(names, which, b, b, f);
  };
  // matvec is traced first, so that an error names an invalid matvec rather than solve.
  const ClosedJaxpr product = traced("matvec", [&](const Arrays& y, Arrays*) { return matvec(y); });
  LinearSystem s{
      traced("solve", [&](const Arrays& y, Arrays* aux) { return solve(matvec, y, aux); }),
      product};
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
  const ClosedJaxpr vecmat = traced("the transpose of matvec",
                                    [&](const Arrays& y, Arrays*) { return transposed(y); }),
                    solved = traced("transpose_solve", [&](const Arrays& y, Arrays* aux) {
                      return other(transposed, y, aux);
                    });
  s.vecmat = &vecmat;
  s.transpose_solve = &solved;
  return linear_solve_flat(s, x);
}

}  // namespace weft::detail
