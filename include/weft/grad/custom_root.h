// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/grad/custom_root.h: custom_root: roots that are differentiated implicitly, through
// their equation, not through the steps of the solver.
#pragma once
#include "weft/grad/linear_solve.h"

namespace weft {
namespace detail {

// Returns x followed by the auxiliary results of solve. x and the result of f are like the guess.
// tangent_solve(g, b) returns the y with g(y) = b, where g is f linearized at x. Errors name `who`.
Arrays run_custom_root(const char* who, FlatFunction f, FlatSolve solve, FlatSolve tangent_solve,
                       const Arrays& guess, TreeOf tree);

// The function that custom_root passes to solve: the user's f rather than a flat function.
template <class X, class F, class Solve>
auto flat_root_solve(F& f, Solve& solve, const X& like) {
  return [&](FlatFunction, const Arrays& guess, Arrays*) {
    return tree::leaves(
        tree::detail::convert<X>(solve(f, tree::detail::rebuild(like, guess.data()))));
  };
}
template <class X, class F, class Solve, class Aux>
auto flat_root_solve_with_aux(F& f, Solve& solve, const X& like, std::optional<Aux>& out) {
  return [&](FlatFunction, const Arrays& guess, Arrays* aux) {
    auto [x, more] = solve(f, tree::detail::rebuild(like, guess.data()));
    Aux told = tree::detail::convert<Aux>(std::move(more));
    for (Array& a : tree::leaves(told)) aux->push_back(std::move(a));
    out = tree::detail::structure_only(std::move(told));
    return tree::leaves(tree::detail::convert<X>(x));
  };
}

}  // namespace detail

// Returns solve(f, initial_guess), which must be the x with f(x) = 0. x and the result of f are
// trees like initial_guess, of floating-point or complex numbers. The derivatives are those of x
// with respect to the captures of f, by the implicit function theorem, for any algorithm of solve.
// The captures of solve and the guess have no derivative. The tangent of x is
//     dx = -tangent_solve(g, df),   df: the change of f at x,   g: f linearized at x.
//
// tangent_solve(g, y) must return the x with g(x) = y, such as y / g(1.) for a scalar. It is
// differentiated itself. So for reverse mode it must consist of ops that can be transposed: a
// product, a linalg::solve, or custom_linear_solve with transpose_solve. A guess that is a number
// is converted to the dtype that f returns. Raises ShapeError if a result does not have the
// structure of the guess, and DTypeError for integers. Source: jax.lax.custom_root.
template <class F, class X, class Solve, class TangentSolve>
typing::arrays_t<X> custom_root(F f, const X& initial_guess, Solve solve,
                                TangentSolve tangent_solve,
                                typing::Location at = typing::Location::here()) {
  using T = typing::arrays_t<X>;
  const ir::SourceScope source(at);
  const T guess = tree::detail::convert<T>(initial_guess);
  static_assert(detail::can_call<F, T>, "weft::custom_root: f must take what is like the guess");
  const auto flat = detail::flat_matvec(f, guess);
  const auto solved = detail::flat_root_solve(f, solve, guess);
  const auto tangent = detail::flat_solve(tangent_solve, guess);
  return tree::detail::rebuild(
      guess,
      detail::run_custom_root("custom_root", flat, solved, tangent, tree::leaves(guess), [&] {
        return tree::detail::skeleton(guess);
      }).data());
}

// The same for a solve that returns {x, aux}, where aux is any tree, such as the number of steps.
// It returns {x, aux}. aux has no derivative: its tangent is zero. Source: jax.lax.custom_root with
// has_aux.
template <class F, class X, class Solve, class TangentSolve>
auto custom_root_with_aux(F f, const X& initial_guess, Solve solve, TangentSolve tangent_solve,
                          typing::Location at = typing::Location::here()) {
  using T = typing::arrays_t<X>;
  using Result = std::invoke_result_t<Solve&, F&, T>;
  using Aux = typing::arrays_t<std::tuple_element_t<1, Result>>;
  const ir::SourceScope source(at);
  const T guess = tree::detail::convert<T>(initial_guess);
  std::optional<Aux> like;
  const auto flat = detail::flat_matvec(f, guess);
  const auto solved = detail::flat_root_solve_with_aux(f, solve, guess, like);
  const auto tangent = detail::flat_solve(tangent_solve, guess);
  const Arrays out = detail::run_custom_root("custom_root", flat, solved, tangent,
                                             tree::leaves(guess), tree::detail::skeleton_of(guess));
  return std::pair<T, Aux>(tree::detail::rebuild(guess, out.data()),
                           tree::detail::rebuild(*like, out.data() + tree::count(guess)));
}

}  // namespace weft
