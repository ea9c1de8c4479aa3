// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/grad/jacobian.h: jacfwd, jacrev, jacobian, hessian, batch_jacobian, hvp and vhp.
#pragma once
#include "weft/grad.h"
#include "weft/vmap.h"

namespace weft {

namespace typing {
// How the zeros of a Jacobian are used.
enum class Sparsity {
  dense,
  // Searches the program of f for the elements that may be nonzero for some arguments, before the
  // Jacobian is computed. Columns (or rows) without a common nonzero row (or column) are then
  // computed in one pass. A banded Jacobian takes as many passes as it has diagonals. The result is
  // the dense Array. The search costs about as much as the dense Jacobian each time f is traced;
  // under jit that is once. Elements that the search cannot decide, such as an index that depends
  // on the arguments, count as nonzero.
  detect
};
}  // namespace typing
// The value of JacobianOptions::sparsity in user code: jacobian(f, {.sparsity = detect}).
inline constexpr typing::Sparsity detect = typing::Sparsity::detect;

namespace typing {
struct JacobianOptions {
  // The number of columns (forward mode) or rows (reverse mode) per pass (0: all). f prints once;
  // for jacfwd and hessian with this option it prints once per chunk.
  int64_t chunk_size = 0;
  // Promises that f is holomorphic: arguments and results must be complex. Otherwise arguments
  // (forward mode) or results (reverse mode) must be real.
  bool holomorphic = false;
  // With detect, columns share passes in jacfwd and hessian, and rows in jacrev. jacobian uses
  // whichever takes fewer passes. chunk_size counts passes. batch_jacobian raises
  // DifferentiationError.
  Sparsity sparsity = Sparsity::dense;
};
}  // namespace typing

namespace detail {

// One Array for each leaf of the result and each selected leaf: shape out.shape + in.shape.
using BlockRows = std::vector<Arrays>;
// rows: f maps a batch to a batch row by row; the blocks are [batch, out…, in…].
enum class JacobianMode { forward, reverse, cheaper, rows };
struct JacobianResult {
  BlockRows rows;
  Arrays out;  // the results of f, if `results` was given
};
// `results`: the number of leading results of f that are differentiated, set when f has run; null:
// all.
JacobianResult run_jacobian(JacobianMode mode, FlatFunction f, const Arrays& x,
                            const std::vector<bool>& wrt, const typing::JacobianOptions& o,
                            TreeOf args, const size_t* results = nullptr);

// The type of a Jacobian: Out with each Array replaced by the type of the argument.
template <class Out, class In>
auto assemble_jacobian(const Out& out, const In& in, const BlockRows& rows) {
  if constexpr (std::same_as<In, Array>) {
    Arrays flat;
    for (const Arrays& r : rows) flat.push_back(r[0]);
    return tree::detail::rebuild(out, flat.data());
  } else if constexpr (tree::detail::has_struct<Out>) {
    return tree::Blocks{rows, tree::detail::paths(tree::detail::skeleton(out), ""),
                        tree::detail::paths(tree::detail::skeleton(in), "")};
  } else {
    size_t k = 0;
    auto next = [&] { return tree::detail::rebuild(in, rows[k++].data()); };
    return tree::detail::replace_leaves<typename tree::detail::Replaced<Out, In>::type>(out, next);
  }
}

template <JacobianMode mode, bool aux, class F, int... N>
class Jacobian : public CallOperator<Jacobian<mode, aux, F, N...>, F> {
  using Wrt = Argnums<N...>;

 public:
  Jacobian(F f, const typing::JacobianOptions& o, typing::Location at)
      : f_(std::move(f)), options_(o), at_(at) {}
  template <class... P>
  auto call(const std::tuple<P...>& args) const {
    static_assert(Wrt::template fit<std::tuple<P...>>,
                  "weft: differentiating with respect to an argument number that large requires "
                  "more arguments");
    using R = result_t<F, P...>;
    const ir::SourceScope source(at_);
    if constexpr (aux) {
      FlatAux<F, std::tuple<P...>, R> flat(f_, args);
      const JacobianResult r = run(flat, args, &flat.results);
      using Out = typename OutAux<R>::out;
      auto j = assembled(Out(std::get<0>(flat.prototype())), args, r.rows);
      return std::pair<decltype(j), typename OutAux<R>::aux>{std::move(j),
                                                             std::get<1>(flat.result(r.out))};
    } else {
      Flat<F, std::tuple<P...>, R> flat(f_, args);
      const JacobianResult r = run(flat, args, nullptr);
      return assembled(flat.prototype(), args, r.rows);
    }
  }
  bool weft_identify(KeyWriter& key) const {
    key.add_static(options_.chunk_size);
    key.add_static(options_.holomorphic);
    key.add_static(options_.sparsity);
    return identify(f_, key);
  }

 private:
  template <class Args>
  JacobianResult run(FlatFunction f, const Args& args, const size_t* results) const {
    return run_jacobian(mode, f, tree::leaves(args), Wrt::mask(args), options_,
                        tree::detail::skeleton_of(args), results);
  }
  template <class Out, class Args>
  static auto assembled(const Out& out, const Args& args, const BlockRows& rows) {
    BlockRows in_order;
    for (const Arrays& r : rows) in_order.push_back(Wrt::in_order(args, r.data()));
    return assemble_jacobian(out, Wrt::chosen(args), in_order);
  }
  mutable F f_;
  typing::JacobianOptions options_;
  typing::Location at_;
};

}  // namespace detail

// Computes the Jacobian of f with respect to one argument, or with jacfwd<0, 1>(f) to several. Its
// type is that of f's result with each Array replaced by the type of the argument (a tuple for
// several arguments). Its Arrays have shape out.shape + in.shape; if both types are structs it is
// tree::Blocks. It uses forward mode and computes all columns together. Raises DifferentiationError
// for arguments that are not real, unless holomorphic. Source: jax.jacfwd.
template <int... N, class F = typing::BinaryFunction>
auto jacfwd(F f, const typing::JacobianOptions& o = {},
            typing::Location at = typing::Location::here()) {
  return detail::Jacobian<detail::JacobianMode::forward, false, F, N...>(std::move(f), o, at);
}
// The same for a name that <cmath> also declares: jacfwd(tanh).
template <int... N, class F = typing::UnaryFunction>
  requires std::same_as<F, typing::UnaryFunction>
auto jacfwd(F f, const typing::JacobianOptions& o = {},
            typing::Location at = typing::Location::here()) {
  return detail::Jacobian<detail::JacobianMode::forward, false, F, N...>(f, o, at);
}
// Computes the Jacobian like jacfwd, but in reverse mode, all rows together. Raises
// DifferentiationError for results that are not real, unless holomorphic. Source: jax.jacrev.
template <int... N, class F = typing::BinaryFunction>
auto jacrev(F f, const typing::JacobianOptions& o = {},
            typing::Location at = typing::Location::here()) {
  return detail::Jacobian<detail::JacobianMode::reverse, false, F, N...>(std::move(f), o, at);
}
// The same for a name that <cmath> also declares: jacrev(tanh).
template <int... N, class F = typing::UnaryFunction>
  requires std::same_as<F, typing::UnaryFunction>
auto jacrev(F f, const typing::JacobianOptions& o = {},
            typing::Location at = typing::Location::here()) {
  return detail::Jacobian<detail::JacobianMode::reverse, false, F, N...>(f, o, at);
}
// Computes the Jacobian in the mode with fewer passes: forward if the arguments do not have more
// elements than the results. It uses reverse mode for complex arguments and forward mode for
// complex results. If f has a derivative in only one mode (a custom_vjp; a while_loop without
// max_trips), it uses that mode.
template <int... N, class F = typing::BinaryFunction>
auto jacobian(F f, const typing::JacobianOptions& o = {},
              typing::Location at = typing::Location::here()) {
  return detail::Jacobian<detail::JacobianMode::cheaper, false, F, N...>(std::move(f), o, at);
}
// The same for a name that <cmath> also declares: jacobian(tanh).
template <int... N, class F = typing::UnaryFunction>
  requires std::same_as<F, typing::UnaryFunction>
auto jacobian(F f, const typing::JacobianOptions& o = {},
              typing::Location at = typing::Location::here()) {
  return detail::Jacobian<detail::JacobianMode::cheaper, false, F, N...>(f, o, at);
}
// Computes jacfwd of a function that returns {out, aux}, where aux is any tree: {Jacobian of out,
// aux}. Source: jax.jacfwd with has_aux.
template <int... N, class F>
auto jacfwd_with_aux(F f, const typing::JacobianOptions& o = {},
                     typing::Location at = typing::Location::here()) {
  return detail::Jacobian<detail::JacobianMode::forward, true, F, N...>(std::move(f), o, at);
}
// Computes jacrev of a function that returns {out, aux}: {Jacobian of out, aux}. Source: jax.jacrev
// with has_aux.
template <int... N, class F>
auto jacrev_with_aux(F f, const typing::JacobianOptions& o = {},
                     typing::Location at = typing::Location::here()) {
  return detail::Jacobian<detail::JacobianMode::reverse, true, F, N...>(std::move(f), o, at);
}
// Computes jacobian of a function that returns {out, aux}: {Jacobian of out, aux}.
template <int... N, class F>
auto jacobian_with_aux(F f, const typing::JacobianOptions& o = {},
                       typing::Location at = typing::Location::here()) {
  return detail::Jacobian<detail::JacobianMode::cheaper, true, F, N...>(std::move(f), o, at);
}
// Computes the second derivatives of f, jacfwd<N…>(jacrev<N…>(f)): Arrays of shape out.shape +
// in.shape + in.shape, or a tuple of tuples for several arguments. chunk_size counts columns of the
// outer Jacobian. Source: jax.hessian.
template <int... N, class F = typing::BinaryFunction>
auto hessian(F f, const typing::JacobianOptions& o = {},
             typing::Location at = typing::Location::here()) {
  return jacfwd<N...>(jacrev<N...>(std::move(f), {.holomorphic = o.holomorphic}, at), o, at);
}
// The same for a name that <cmath> also declares: hessian(tanh).
template <int... N, class F = typing::UnaryFunction>
  requires std::same_as<F, typing::UnaryFunction>
auto hessian(F f, const typing::JacobianOptions& o = {},
             typing::Location at = typing::Location::here()) {
  return jacfwd<N...>(jacrev<N...>(f, {.holomorphic = o.holomorphic}, at), o, at);
}
// Computes hessian of a function that returns {out, aux}: {second derivatives of out, aux}. Source:
// jax.hessian with has_aux.
template <int... N, class F>
auto hessian_with_aux(F f, const typing::JacobianOptions& o = {},
                      typing::Location at = typing::Location::here()) {
  return jacfwd_with_aux<N...>(
      jacrev_with_aux<N...>(std::move(f), {.holomorphic = o.holomorphic}, at), o, at);
}
// Computes the Jacobian of each row of a function that maps a batch to a batch row by row, for the
// cost of one row. Each Array of the selected arguments and of the result has the batch as its
// leading axis (ShapeError). Row i of the result must depend only on row i of the arguments, which
// is not checked. The result has the type that jacrev returns, with Arrays [batch, out…, in…].
// chunk_size counts rows of the Jacobian. Source: tf.GradientTape.batch_jacobian.
template <int... N, class F>
auto batch_jacobian(F f, const typing::JacobianOptions& o = {},
                    typing::Location at = typing::Location::here()) {
  return detail::Jacobian<detail::JacobianMode::rows, false, F, N...>(std::move(f), o, at);
}

namespace detail {

// The parameters of f, followed by one more like the first.
template <class S>
struct AndVector {
  using type = UnknownParams;
};
template <class X, class... P>
struct AndVector<Params<X, P...>> {
  using type = Params<X, P..., X>;
};

// The Hessian with respect to argument 0 times v, the last argument: forward over reverse mode, or
// with `row` reverse over reverse mode.
template <bool row, class F>
class HessianVector
    : public CallOperator<HessianVector<row, F>, F, typename AndVector<params_of<F>>::type> {
 public:
  using weft_wrapped = HessianVector;  // the vector is not an argument of f
  HessianVector(F f, typing::Location at) : f_(std::move(f)), at_(at) {}
  template <class... P>
  auto call(const std::tuple<P...>& all) const {
    static_assert(sizeof...(P) >= 2,
                  "weft::hvp, vhp: call it with the arguments of f and the vector, hvp(f)(x, v)");
    return product(all, std::make_index_sequence<sizeof...(P) - 1>{});
  }
  bool weft_identify(KeyWriter& key) const { return identify(f_, key); }

 private:
  template <class T, size_t... I>
  auto product(const T& all, std::index_sequence<I...>) const {
    using X = std::tuple_element_t<0, T>;
    static_assert(
        std::convertible_to<std::tuple_element_t<sizeof...(I), T>, X>,
        "weft::hvp, vhp: the vector, the last argument, must be of the type of the first");
    const std::tuple<std::tuple_element_t<I, T>...> args(std::get<I>(all)...);
    const X v = std::get<sizeof...(I)>(all);
    const auto slope = [&](X x) {
      auto with = args;
      std::get<0>(with) = std::move(x);
      return std::apply(grad(f_, {}, at_), with);
    };
    const ir::SourceScope source(at_);
    if (const std::string d = tree::detail::difference(tree::detail::skeleton(std::get<0>(args)),
                                                       tree::detail::skeleton(v), "v");
        !d.empty())
      throw DifferentiationError(std::string(row ? "vhp" : "hvp") +
                                 ": argument 0 and v must have the same tree structure: " + d);
    if constexpr (row)
      return std::get<0>(vjp_at(at_, slope, std::get<0>(args)).second(v, at_));
    else
      return jvp(slope, std::tuple<X>(std::get<0>(args)), std::tuple<X>(v), at_).second;
  }
  F f_;
  typing::Location at_;
};
}  // namespace detail

// Returns hvp(f)(x, …, v): the Hessian of the scalar function f with respect to x, argument 0,
// times v. v and the result have the type of x. It costs about two gradients and does not compute
// the Hessian. It uses forward over reverse mode. Raises DifferentiationError as grad and jvp.
// Source: jax.jvp(jax.grad(f), (x,), (v,))[1].
template <class F>
auto hvp(F f, typing::Location at = typing::Location::here()) {
  return detail::HessianVector<false, F>(std::move(f), at);
}
// Returns vhp(f)(x, …, v): v times the Hessian, using only reverse mode, for functions without a
// forward-mode derivative (custom_vjp). The Hessian is symmetric, so the values are those of hvp.
// Source: torch.autograd.functional.vhp.
template <class F>
auto vhp(F f, typing::Location at = typing::Location::here()) {
  return detail::HessianVector<true, F>(std::move(f), at);
}

}  // namespace weft
