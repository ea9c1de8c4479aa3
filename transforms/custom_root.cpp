// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// transforms/custom_root.cpp: traces an equation, its solver, and the solver of its tangent.
#include "weft/grad/custom_root.h"

#include "autodiff/autodiff.h"
#include "ops/control/custom_flat.h"
#include "tracer/base_ops.h"
#include "tracer/types_of.h"
#include "transforms/like.h"

namespace weft::detail {
namespace {

// Converts the numbers of the guess to the dtypes that f returns.
Arrays fitted_guess(FlatFunction f, const Arrays& guess) {
  Arrays r = guess;
  bool numbers = false;
  for (const Array& x : guess) numbers |= x.weak_type();
  if (!numbers) return r;
  const Types out = record(types_of(guess), guess, f).jaxpr->out_types();
  for (size_t k = 0; k < r.size() && out.size() == r.size(); ++k)
    if (r[k].weak_type() && is_inexact(out[k].dtype())) r[k] = base::convert(r[k], out[k].dtype());
  return r;
}

}  // namespace

Arrays run_custom_root(const char* who, FlatFunction f, FlatSolve solve, FlatSolve tangent_solve,
                       const Arrays& guess, TreeOf tree) {
  const LikeNames names{who, "initial_guess", tree};
  const Arrays x = inexact_values(names, fitted_guess(f, guess));
  const Types types = types_of(x);
  const size_t n = x.size();
  Types both = types;
  both.insert(both.end(), types.begin(), types.end());
  const auto tangent = [&](const Arrays& in, Arrays* aux) {
    const auto middle = in.begin() + static_cast<std::ptrdiff_t>(n);
    const Linearized l = linearize_flat(f, Arrays(in.begin(), middle), std::vector<bool>(n, true));
    const auto g = [&](const Arrays& dx) {
      Arrays out = l.linear.apply(dx);
      for (size_t k = 0; k < n; ++k) out[k] = instantiate(out[k], types[k]);
      return out;
    };
    Arrays unused;
    (void)aux;
    return tangent_solve(g, Arrays(middle, in.end()), &unused);
  };
  const ClosedJaxpr equation =
      traced_like(names, "f", types, types, [&](const Arrays& y, Arrays*) { return f(y); });
  const ClosedJaxpr solved = traced_like(
      names, "solve", types, types, [&](const Arrays& y, Arrays* aux) { return solve(f, y, aux); });
  return root_flat({solved, equation, traced_like(names, "tangent_solve", both, types, tangent)},
                   x);
}

}  // namespace weft::detail
