// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// transforms/custom_root.h: custom_root: roots that are differentiated by the equation they solve,
// not by how they are found.
#pragma once
#include "weft/transforms/linear_solve.h"

namespace weft {
namespace detail {

// x, and behind it what solve says besides. f and x are like the guess; tangent_solve(g, b) gives
// the y with g(y) = b, where g is f linearized at x. `who` is named by errors.
Arrays run_custom_root(const char* who, FlatFunction f, FlatSolve solve, FlatSolve tangent_solve,
                       const Arrays& guess, TreeOf tree);

// What custom_root calls solve with: the user's f, not a flat one.
template <class X, class F, class Solve>
auto flat_root_solve(F& f, Solve& solve, const X& like) {
  return [&](FlatFunction, const Arrays& guess, Arrays*) {
    return tree::leaves(tree::convert<X>(solve(f, tree::rebuild(like, guess.data()))));
  };
}
template <class X, class F, class Solve, class Aux>
auto flat_root_solve_with_aux(F& f, Solve& solve, const X& like, std::optional<Aux>& out) {
  return [&](FlatFunction, const Arrays& guess, Arrays* aux) {
    auto [x, more] = solve(f, tree::rebuild(like, guess.data()));
    Aux told = tree::convert<Aux>(std::move(more));
    for (Array& a : tree::leaves(told)) aux->push_back(std::move(a));
    out = tree::structure_only(std::move(told));
    return tree::leaves(tree::convert<X>(x));
  };
}

}  // namespace detail

// solve(f, initial_guess), which must be the x with f(x) = 0; x and what f returns are trees like
// initial_guess, of floating-point or complex numbers. Derivatives are those of that x by what f
// captured (by the implicit function theorem), whatever solve does to find it; what solve captured
// and the guess have none:
//   dx = -tangent_solve(g, df),   df: the change of f at x,   g: f linearized at x,
// where tangent_solve(g, y) must return the x with g(x) = y, such as y / g(1.) of a scalar. It is
// differentiated itself, so in reverse it must be made of what has a transpose: a product, a
// linalg::solve, or custom_linear_solve with transpose_solve. A guess that is a number takes the
// dtype that f returns. ShapeError where something returned is not like the guess, DTypeError for
// integers. Source: jax.lax.custom_root.
template <class F, class X, class Solve, class TangentSolve>
typing::arrays_t<X> custom_root(F f, const X& initial_guess, Solve solve,
                                TangentSolve tangent_solve,
                                typing::Location at = typing::Location::here()) {
  using T = typing::arrays_t<X>;
  const ir::Source source(at);
  const T guess = tree::convert<T>(initial_guess);
  static_assert(detail::can_call<F, T>, "weft::custom_root: f must take what is like the guess");
  const auto flat = detail::flat_matvec(f, guess);
  const auto solved = detail::flat_root_solve(f, solve, guess);
  const auto tangent = detail::flat_solve(tangent_solve, guess);
  return tree::rebuild(
      guess,
      detail::run_custom_root("custom_root", flat, solved, tangent, tree::leaves(guess), [&] {
        return tree::skeleton(guess);
      }).data());
}

// The same where solve returns {x, aux}, aux any tree, such as the number of steps; it returns
// {x, aux}. The aux has no derivative: its tangent is zero. Source: jax.lax.custom_root with
// has_aux.
template <class F, class X, class Solve, class TangentSolve>
auto custom_root_with_aux(F f, const X& initial_guess, Solve solve, TangentSolve tangent_solve,
                          typing::Location at = typing::Location::here()) {
  using T = typing::arrays_t<X>;
  using Result = std::invoke_result_t<Solve&, F&, T>;
  using Aux = typing::arrays_t<std::tuple_element_t<1, Result>>;
  const ir::Source source(at);
  const T guess = tree::convert<T>(initial_guess);
  std::optional<Aux> like;
  const auto flat = detail::flat_matvec(f, guess);
  const auto solved = detail::flat_root_solve_with_aux(f, solve, guess, like);
  const auto tangent = detail::flat_solve(tangent_solve, guess);
  const Arrays out = detail::run_custom_root("custom_root", flat, solved, tangent,
                                             tree::leaves(guess), tree::detail::skeleton_of(guess));
  return std::pair<T, Aux>(tree::rebuild(guess, out.data()),
                           tree::rebuild(*like, out.data() + tree::count(guess)));
}

}  // namespace weft
