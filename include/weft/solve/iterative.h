// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/solve/iterative.h: cg, bicgstab and gmres: linear systems solved with only products
// with the matrix. They are differentiated implicitly, through the solutions.
#pragma once
#include <string_view>

#include "weft/grad/linear_solve.h"

namespace weft {

namespace typing {
// A linear map of trees of type B: a function, or a square matrix if B is Array.
template <class B>
class LinearMap {
 public:
  LinearMap() = default;
  LinearMap(const Array& matrix)
    requires std::same_as<B, Array>
      : matrix_(matrix) {}
  template <class F>
    requires(!std::convertible_to<F, Array> && !std::same_as<std::decay_t<F>, LinearMap> &&
             std::is_invocable_v<const std::decay_t<F>&, B>)
  LinearMap(F&& f)
      : map_([g = std::forward<F>(f)](const B& x) { return tree::detail::convert<B>(g(x)); }) {}
  // Returns true if it is neither a function nor a matrix.
  bool empty() const { return !map_ && matrix_.empty_handle(); }
  const Array& matrix() const { return matrix_; }
  B operator()(const B& x) const { return map_(x); }

 private:
  Array matrix_;
  ir::Function<B(const B&)> map_;
};

// B: the type of b.
template <class B>
struct IterativeOptions {
  // The starting point, like b; none: zeros.
  std::optional<B> x0 = {};
  // The system counts as solved if norm(b - A x) is at most the larger of tol norm(b) and atol.
  double tol = 1e-5;
  // The absolute tolerance of norm(b - A x).
  double atol = 0;
  // The largest number of steps; none: ten times the number of elements of b.
  std::optional<int64_t> maxiter = {};
  // The preconditioner, an approximate inverse of A: a function or a matrix; none: the identity.
  LinearMap<B> M = {};
};
template <class B>
struct GmresOptions {
  // The starting point, like b; none: zeros.
  std::optional<B> x0 = {};
  // The system counts as solved if norm(M (b - A x)) is at most the larger of tol norm(b) and atol.
  double tol = 1e-5;
  // The absolute tolerance of norm(M (b - A x)).
  double atol = 0;
  // The number of products with A between restarts: the dimension of a Krylov space, at most that
  // of b.
  int64_t restart = 20;
  // The largest number of restarts; none: ten times the number of elements of b.
  std::optional<int64_t> maxiter = {};
  // The preconditioner, an approximate inverse of A: a function or a matrix; none: the identity.
  LinearMap<B> M = {};
  // How to solve the least-squares problem of a Krylov space. "batched" solves it for the whole
  // space. "incremental" applies one rotation per product and stops inside a space once the
  // tolerance is met.
  std::string_view solve_method = "batched";
};
}  // namespace typing

namespace detail {

struct FlatIterative {
  Arrays x0;  // empty: zeros
  double tol = 0, atol = 0;
  std::optional<int64_t> maxiter;
  const FlatFunction* M = nullptr;  // null: the identity
  int64_t restart = 0;
  std::string_view solve_method = {};
};
// x…, info.
Arrays run_cg(FlatFunction product, const Arrays& b, const FlatIterative& o, TreeOf tree);
Arrays run_bicgstab(FlatFunction product, const Arrays& b, const FlatIterative& o, TreeOf tree);
Arrays run_gmres(FlatFunction product, const Arrays& b, const FlatIterative& o, TreeOf tree);
// Raises ShapeError unless it is a square matrix.
void need_square(const char* who, const Array& matrix);
Array matrix_product(const Array& matrix, const Array& x);

template <class B>
struct FlatMap {
  const typing::LinearMap<B>* map;
  const B* like;
  Arrays operator()(const Arrays& x) const {
    if constexpr (std::same_as<B, Array>)
      if (!map->matrix().empty_handle()) return {matrix_product(map->matrix(), x[0])};
    return tree::leaves((*map)(tree::detail::rebuild(*like, x.data())));
  }
};

template <class B, class Options, class Run>
std::pair<B, Array> run_iterative(const char* who, const typing::LinearMap<B>& map, const B& b,
                                  const Options& o, Run run) {
  for (const typing::LinearMap<B>* each : {&map, &o.M})
    if (!each->matrix().empty_handle()) need_square(who, each->matrix());
  const FlatMap<B> product{&map, &b}, near_inverse{&o.M, &b};
  const FlatFunction near(near_inverse);
  FlatIterative flat{{}, o.tol, o.atol, o.maxiter, o.M.empty() ? nullptr : &near};
  if (o.x0) flat.x0 = tree::leaves(*o.x0);
  if constexpr (requires { o.restart; }) {
    flat.restart = o.restart;
    flat.solve_method = o.solve_method;
  }
  const Arrays out =
      run(FlatFunction(product), tree::leaves(b), flat, TreeOf(tree::detail::skeleton_of(b)));
  return {tree::detail::rebuild(b, out.data()), out.back()};
}

}  // namespace detail

// Returns {x, info}: the solution x of A x = b for Hermitian, positive definite A, by conjugate
// gradients (Hestenes and Stiefel, 1952). The preconditioner M must also be Hermitian and positive
// definite. One step is
//     alpha = r.z / p.Ap,   x += alpha p,   r -= alpha Ap,   z = M r,   p = z + (r.z / old r.z) p.
//
// A is a function of trees like b, or a matrix [n, n] for b of shape [n]. b holds floating-point or
// complex arrays, which together form one vector. info (I32) is 0 if the tolerance is met, else the
// number of steps, and -1 if the residual is NaN. Under vmap each lane stops on its own.
//
// The derivatives of x with respect to b and to the captures of A are those of the exact solution.
// They are computed by cg with the same options, and are correct if both systems are solved. Raises
// ShapeError if A is not a square matrix, or if its result or x0 does not have the structure of b.
// Source: jax.scipy.sparse.linalg.cg.
template <class A, class B>
std::pair<typing::arrays_t<B>, Array> cg(
    A matvec, const B& b,
    const typing::IterativeOptions<std::type_identity_t<typing::arrays_t<B>>>& options = {},
    typing::Location at = typing::Location::here()) {
  const ir::SourceScope source(at);
  using T = typing::arrays_t<B>;
  return detail::run_iterative("cg", typing::LinearMap<T>(std::move(matvec)),
                               tree::detail::convert<T>(b), options, detail::run_cg);
}

// Returns {x, info}: the solution x of A x = b for any invertible A, by stabilized biconjugate
// gradients (van der Vorst, 1992). It is preconditioned by M from the right. A, b, options and
// derivatives are as in cg. info (I32) is 0 if the tolerance is met. It is -10 or -11 if the method
// broke down, because a product by which it divides was 0. Otherwise it is the number of steps, and
// -1 if the residual is NaN. Source: jax.scipy.sparse.linalg.bicgstab.
template <class A, class B>
std::pair<typing::arrays_t<B>, Array> bicgstab(
    A matvec, const B& b,
    const typing::IterativeOptions<std::type_identity_t<typing::arrays_t<B>>>& options = {},
    typing::Location at = typing::Location::here()) {
  const ir::SourceScope source(at);
  using T = typing::arrays_t<B>;
  return detail::run_iterative("bicgstab", typing::LinearMap<T>(std::move(matvec)),
                               tree::detail::convert<T>(b), options, detail::run_bicgstab);
}

// Returns {x, info}: the solution x of A x = b for any invertible A. x is the vector of the Krylov
// space of M A with the smallest residual (Saad and Schultz, 1986). The method restarts from the x
// of the last space. A, b and derivatives are as in cg. info (I32) is 0 if the tolerance is met,
// else the number of spaces, and -1 if the residual is NaN. Raises Error for another
// `.solve_method`, and ShapeError for a `.restart` below 1. Source: jax.scipy.sparse.linalg.gmres.
template <class A, class B>
std::pair<typing::arrays_t<B>, Array> gmres(
    A matvec, const B& b,
    const typing::GmresOptions<std::type_identity_t<typing::arrays_t<B>>>& options = {},
    typing::Location at = typing::Location::here()) {
  const ir::SourceScope source(at);
  using T = typing::arrays_t<B>;
  return detail::run_iterative("gmres", typing::LinearMap<T>(std::move(matvec)),
                               tree::detail::convert<T>(b), options, detail::run_gmres);
}

}  // namespace weft
