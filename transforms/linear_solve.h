// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// transforms/linear_solve.h: custom_linear_solve: systems that are differentiated by what they say,
// not by how they are solved.
#pragma once
#include "weft/tracer/callable.h"
#include "weft/tracer/tree.h"

namespace weft {

struct LinearSolveOptions {
  // matvec is its own transpose, so that solve stands for transpose_solve.
  bool symmetric = false;
};

namespace detail {

using FlatFunction = FunctionRef<Arrays(const Arrays&)>;
using FlatSolve = FunctionRef<Arrays(FlatFunction matvec, const Arrays& b)>;
using TreeOf = FunctionRef<tree::Skeleton()>;

// transpose_solve: null if there is none.
Arrays run_linear_solve(FlatFunction matvec, FlatSolve solve, const FlatSolve* transpose_solve,
                        const LinearSolveOptions& o, const Arrays& b, TreeOf tree);

template <class B, class Solve>
auto flat_solve(Solve& solve, const B& b) {
  return [&](FlatFunction matvec, const Arrays& right) {
    const auto apply = [&](const B& x) { return tree::rebuild(b, matvec(tree::leaves(x)).data()); };
    return tree::leaves(tree::convert<B>(solve(apply, tree::rebuild(b, right.data()))));
  };
}
template <class B, class Matvec>
auto flat_matvec(Matvec& matvec, const B& b) {
  return [&](const Arrays& x) {
    return tree::leaves(tree::convert<B>(matvec(tree::rebuild(b, x.data()))));
  };
}

}  // namespace detail

// solve(matvec, b), which must be the x with matvec(x) = b; x and what matvec, which is linear, and
// solve return are trees like b. Derivatives are those of that x, by b and by what matvec captured:
// forward by solve once more, in reverse by transpose_solve(vecmat, ct), where vecmat is the
// transpose of matvec. Without one a derivative in reverse is a DifferentiationError, unless
// `symmetric`. ShapeError where something returned is not like b. Source:
// jax.lax.custom_linear_solve.
template <class Matvec, class B, class Solve>
B custom_linear_solve(Matvec matvec, const B& b, Solve solve, const LinearSolveOptions& o = {},
                      Location at = Location::here()) {
  const Source source(at);
  const auto flat = detail::flat_solve(solve, b);
  return tree::rebuild(
      b, detail::run_linear_solve(detail::flat_matvec(matvec, b), flat, nullptr, o, tree::leaves(b),
                                  [&] { return tree::skeleton(b); })
             .data());
}
template <class Matvec, class B, class Solve, class TransposeSolve>
  requires(!std::same_as<TransposeSolve, LinearSolveOptions>)
B custom_linear_solve(Matvec matvec, const B& b, Solve solve, TransposeSolve transpose_solve,
                      const LinearSolveOptions& o = {}, Location at = Location::here()) {
  const Source source(at);
  const auto flat = detail::flat_solve(solve, b), other = detail::flat_solve(transpose_solve, b);
  const detail::FlatSolve transposed(other);
  return tree::rebuild(
      b, detail::run_linear_solve(detail::flat_matvec(matvec, b), flat, &transposed, o,
                                  tree::leaves(b), [&] { return tree::skeleton(b); })
             .data());
}

}  // namespace weft
