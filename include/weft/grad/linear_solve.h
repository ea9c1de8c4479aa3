// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/grad/linear_solve.h: custom_linear_solve: linear systems that are differentiated
// implicitly, through their equation, not through the steps of the solver.
#pragma once
#include <optional>
#include <utility>

#include "weft/detail/callable.h"
#include "weft/tree.h"

namespace weft {

namespace typing {
struct LinearSolveOptions {
  // matvec is its own transpose, so solve also serves as transpose_solve.
  bool symmetric = false;
};
}  // namespace typing

namespace detail {

using FlatFunction = ir::FunctionRef<Arrays(const Arrays&)>;
// Returns x, and appends the auxiliary results to `aux`.
using FlatSolve = ir::FunctionRef<Arrays(FlatFunction matvec, const Arrays& b, Arrays* aux)>;
using TreeOf = ir::FunctionRef<tree::detail::Skeleton()>;

// Returns x followed by the auxiliary results of solve. transpose_solve: null if not given. `who`:
// the name of the calling function in errors.
Arrays run_linear_solve(const char* who, FlatFunction matvec, FlatSolve solve,
                        const FlatSolve* transpose_solve, const typing::LinearSolveOptions& o,
                        const Arrays& b, TreeOf tree);

// The linear function that solve is called with, on trees like `like`.
template <class B>
struct LinearFunction {
  FlatFunction flat;
  const B* like;
  B operator()(const B& x) const {
    return tree::detail::rebuild(*like, flat(tree::leaves(x)).data());
  }
};
template <class B, class Solve>
auto flat_solve(Solve& solve, const B& b) {
  return [&](FlatFunction matvec, const Arrays& right, Arrays*) {
    const LinearFunction<B> apply{matvec, &b};
    return tree::leaves(
        tree::detail::convert<B>(solve(apply, tree::detail::rebuild(b, right.data()))));
  };
}
// The same for a solve that returns {x, aux}; it stores the structure of aux in `like`.
template <class B, class Solve, class Aux>
auto flat_solve_with_aux(Solve& solve, const B& b, std::optional<Aux>& like) {
  return [&](FlatFunction matvec, const Arrays& right, Arrays* aux) {
    auto [x, more] = solve(LinearFunction<B>{matvec, &b}, tree::detail::rebuild(b, right.data()));
    for (Array& a : tree::leaves(more)) aux->push_back(std::move(a));
    like = tree::detail::structure_only(more);
    return tree::leaves(tree::detail::convert<B>(x));
  };
}
template <class B, class Matvec>
auto flat_matvec(Matvec& matvec, const B& b) {
  return [&](const Arrays& x) {
    return tree::leaves(tree::detail::convert<B>(matvec(tree::detail::rebuild(b, x.data()))));
  };
}

template <class B, class Solve>
using aux_of_solve = std::tuple_element_t<1, std::invoke_result_t<Solve&, LinearFunction<B>, B>>;
template <class Matvec, class B, class Solve>
auto linear_solve_with_aux(Matvec& matvec, const B& b, Solve& solve, const FlatSolve* transposed,
                           const typing::LinearSolveOptions& o) {
  using Aux = aux_of_solve<B, Solve>;
  std::optional<Aux> like;
  const auto flat = flat_solve_with_aux(solve, b, like);
  const Arrays out = run_linear_solve("custom_linear_solve", flat_matvec(matvec, b), flat,
                                      transposed, o, tree::leaves(b), tree::detail::skeleton_of(b));
  return std::pair<B, Aux>(tree::detail::rebuild(b, out.data()),
                           tree::detail::rebuild(*like, out.data() + tree::count(b)));
}

}  // namespace detail

// Returns solve(matvec, b), which must be the solution x of matvec(x) = b. matvec is linear. x and
// the results of matvec and solve are trees like b.
//
// The derivatives are those of x with respect to b and to the captures of matvec. Forward mode
// calls solve once more. Reverse mode calls transpose_solve(vecmat, ct), where vecmat is the
// transpose of matvec. Without transpose_solve, reverse mode raises DifferentiationError unless
// .symmetric is set. Raises ShapeError if a result does not have the structure of b. Source:
// jax.lax.custom_linear_solve.
template <class Matvec, class B, class Solve>
B custom_linear_solve(Matvec matvec, const B& b, Solve solve,
                      const typing::LinearSolveOptions& o = {},
                      typing::Location at = typing::Location::here()) {
  const ir::SourceScope source(at);
  const auto flat = detail::flat_solve(solve, b);
  return tree::detail::rebuild(
      b, detail::run_linear_solve("custom_linear_solve", detail::flat_matvec(matvec, b), flat,
                                  nullptr, o, tree::leaves(b), tree::detail::skeleton_of(b))
             .data());
}
template <class Matvec, class B, class Solve, class TransposeSolve>
  requires(!std::same_as<TransposeSolve, typing::LinearSolveOptions>)
B custom_linear_solve(Matvec matvec, const B& b, Solve solve, TransposeSolve transpose_solve,
                      const typing::LinearSolveOptions& o = {},
                      typing::Location at = typing::Location::here()) {
  const ir::SourceScope source(at);
  const auto flat = detail::flat_solve(solve, b);
  const auto other = detail::flat_solve(transpose_solve, b);
  const detail::FlatSolve transposed(other);
  return tree::detail::rebuild(
      b, detail::run_linear_solve("custom_linear_solve", detail::flat_matvec(matvec, b), flat,
                                  &transposed, o, tree::leaves(b), tree::detail::skeleton_of(b))
             .data());
}

// The same for solve and transpose_solve that return {x, aux}, where aux is any tree, such as the
// number of steps and the residual. It returns {x, aux}. aux has no derivative: its tangent is
// zero, and the aux of transpose_solve is ignored. Source: jax.lax.custom_linear_solve with
// has_aux.
template <class Matvec, class B, class Solve>
auto custom_linear_solve_with_aux(Matvec matvec, const B& b, Solve solve,
                                  const typing::LinearSolveOptions& o = {},
                                  typing::Location at = typing::Location::here()) {
  const ir::SourceScope source(at);
  return detail::linear_solve_with_aux(matvec, b, solve, nullptr, o);
}
template <class Matvec, class B, class Solve, class TransposeSolve>
  requires(!std::same_as<TransposeSolve, typing::LinearSolveOptions>)
auto custom_linear_solve_with_aux(Matvec matvec, const B& b, Solve solve,
                                  TransposeSolve transpose_solve,
                                  const typing::LinearSolveOptions& o = {},
                                  typing::Location at = typing::Location::here()) {
  const ir::SourceScope source(at);
  std::optional<detail::aux_of_solve<B, TransposeSolve>> unused;
  const auto other = detail::flat_solve_with_aux(transpose_solve, b, unused);
  const detail::FlatSolve transposed(other);
  return detail::linear_solve_with_aux(matvec, b, solve, &transposed, o);
}

}  // namespace weft
