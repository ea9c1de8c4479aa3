// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// transforms/jacobian/jacobian.h: jacfwd, jacrev, jacobian, hessian, batch_jacobian, hvp, vhp.
#pragma once
#include "weft/autodiff/grad.h"
#include "weft/tracer/replace.h"
#include "weft/transforms/vmap.h"

namespace weft {

namespace typing {
// Whether a Jacobian is computed as one of which many elements are zero.
enum class Sparsity {
  dense,
  // Before it is computed, the program of f is searched for the elements that can be other than
  // zero, whatever the arguments are, and columns (or rows) that share no such row are computed in
  // one pass: of a banded Jacobian as many passes as it has diagonals. The result is the dense
  // Array. The search costs about what the dense Jacobian does, each time that f is traced: under
  // jit, once. What it cannot tell (an index that depends on the arguments) counts as not zero.
  detect
};
}  // namespace typing
// The value of JacobianOptions::sparsity, as it is written: jacobian(f, {.sparsity = detect}).
inline constexpr typing::Sparsity detect = typing::Sparsity::detect;

namespace typing {
struct JacobianOptions {
  // Columns (forward) or rows (reverse) at a time (0: all). What f prints, it prints once; of
  // jacfwd and hessian with this option, once for each chunk.
  int64_t chunk_size = 0;
  // f is promised to be holomorphic: arguments and results must be complex. Else arguments
  // (forward) or results (reverse) must be real.
  bool holomorphic = false;
  // detect: of jacfwd and hessian, columns share a pass, of jacrev rows, of jacobian whichever
  // takes fewer passes; chunk_size counts passes. Of batch_jacobian it is a DifferentiationError.
  Sparsity sparsity = Sparsity::dense;
};
}  // namespace typing

namespace detail {

// One Array for each leaf of the result and each chosen leaf: shape out.shape + in.shape.
using BlockRows = std::vector<Arrays>;
// rows: f maps a batch to a batch, row by row; the blocks are [batch, out…, in…].
enum class JacobianMode { forward, reverse, cheaper, rows };
struct JacobianResult {
  BlockRows rows;
  Arrays out;  // f's results, where `results` was given
};
// `results`: how many of f's first results are differentiated, known when f has run; null: all.
JacobianResult run_jacobian(JacobianMode mode, FlatFunction f, const Arrays& x,
                            const std::vector<bool>& wrt, const typing::JacobianOptions& o,
                            TreeOf args, const size_t* results = nullptr);

// The type of a Jacobian: out with each Array replaced by the type of the argument.
template <class Out, class In>
auto assemble_jacobian(const Out& out, const In& in, const BlockRows& rows) {
  if constexpr (std::same_as<In, Array>) {
    Arrays flat;
    for (const Arrays& r : rows) flat.push_back(r[0]);
    return tree::rebuild(out, flat.data());
  } else if constexpr (has_struct<Out>) {
    return tree::Blocks{rows, tree::paths(tree::skeleton(out), ""),
                        tree::paths(tree::skeleton(in), "")};
  } else {
    size_t k = 0;
    auto next = [&] { return tree::rebuild(in, rows[k++].data()); };
    return replace_leaves<typename Replaced<Out, In>::type>(out, next);
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
    const ir::Source source(at_);
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

// The Jacobian of f with respect to one argument, or, as jacfwd<0, 1>(f), to several: the type of
// f's result with each Array replaced by the type of the argument (a tuple of the arguments), whose
// Arrays have shape out.shape + in.shape; tree::Blocks where both are structs. Forward mode: a
// column at a time, all at once. DifferentiationError for arguments that are not real, unless
// holomorphic. Source: jax.jacfwd.
template <int... N, class F = typing::BinaryFunction>
auto jacfwd(F f, const typing::JacobianOptions& o = {},
            typing::Location at = typing::Location::here()) {
  return detail::Jacobian<detail::JacobianMode::forward, false, F, N...>(std::move(f), o, at);
}
// The same for a name that <cmath> has, too: jacfwd(tanh).
template <int... N, class F = typing::UnaryFunction>
  requires std::same_as<F, typing::UnaryFunction>
auto jacfwd(F f, const typing::JacobianOptions& o = {},
            typing::Location at = typing::Location::here()) {
  return detail::Jacobian<detail::JacobianMode::forward, false, F, N...>(f, o, at);
}
// The same in reverse mode: a row at a time, all at once. DifferentiationError for results that are
// not real, unless holomorphic. Source: jax.jacrev.
template <int... N, class F = typing::BinaryFunction>
auto jacrev(F f, const typing::JacobianOptions& o = {},
            typing::Location at = typing::Location::here()) {
  return detail::Jacobian<detail::JacobianMode::reverse, false, F, N...>(std::move(f), o, at);
}
// The same for a name that <cmath> has, too: jacrev(tanh).
template <int... N, class F = typing::UnaryFunction>
  requires std::same_as<F, typing::UnaryFunction>
auto jacrev(F f, const typing::JacobianOptions& o = {},
            typing::Location at = typing::Location::here()) {
  return detail::Jacobian<detail::JacobianMode::reverse, false, F, N...>(f, o, at);
}
// Whichever mode takes fewer passes: forward where the arguments have no more elements than the
// results; of complex arguments in reverse, and of complex results forward. Where f has a
// derivative in one mode only (a custom_vjp; a while_loop without max_trips), that one.
template <int... N, class F = typing::BinaryFunction>
auto jacobian(F f, const typing::JacobianOptions& o = {},
              typing::Location at = typing::Location::here()) {
  return detail::Jacobian<detail::JacobianMode::cheaper, false, F, N...>(std::move(f), o, at);
}
// The same for a name that <cmath> has, too: jacobian(tanh).
template <int... N, class F = typing::UnaryFunction>
  requires std::same_as<F, typing::UnaryFunction>
auto jacobian(F f, const typing::JacobianOptions& o = {},
              typing::Location at = typing::Location::here()) {
  return detail::Jacobian<detail::JacobianMode::cheaper, false, F, N...>(f, o, at);
}
// jacfwd of a function that returns {out, aux}, aux any tree: {Jacobian of out, aux}.
// Source: jax.jacfwd with has_aux.
template <int... N, class F>
auto jacfwd_with_aux(F f, const typing::JacobianOptions& o = {},
                     typing::Location at = typing::Location::here()) {
  return detail::Jacobian<detail::JacobianMode::forward, true, F, N...>(std::move(f), o, at);
}
// jacrev of a function that returns {out, aux}: {Jacobian of out, aux}. Source: jax.jacrev with
// has_aux.
template <int... N, class F>
auto jacrev_with_aux(F f, const typing::JacobianOptions& o = {},
                     typing::Location at = typing::Location::here()) {
  return detail::Jacobian<detail::JacobianMode::reverse, true, F, N...>(std::move(f), o, at);
}
// jacobian of a function that returns {out, aux}: {Jacobian of out, aux}.
template <int... N, class F>
auto jacobian_with_aux(F f, const typing::JacobianOptions& o = {},
                       typing::Location at = typing::Location::here()) {
  return detail::Jacobian<detail::JacobianMode::cheaper, true, F, N...>(std::move(f), o, at);
}
// The second derivatives of f, jacfwd<N…>(jacrev<N…>(f)): Arrays of shape out.shape + in.shape +
// in.shape; of several arguments a tuple of tuples. chunk_size counts columns of the outer
// Jacobian. Source: jax.hessian.
template <int... N, class F = typing::BinaryFunction>
auto hessian(F f, const typing::JacobianOptions& o = {},
             typing::Location at = typing::Location::here()) {
  return jacfwd<N...>(jacrev<N...>(std::move(f), {.holomorphic = o.holomorphic}, at), o, at);
}
// The same for a name that <cmath> has, too: hessian(tanh).
template <int... N, class F = typing::UnaryFunction>
  requires std::same_as<F, typing::UnaryFunction>
auto hessian(F f, const typing::JacobianOptions& o = {},
             typing::Location at = typing::Location::here()) {
  return jacfwd<N...>(jacrev<N...>(f, {.holomorphic = o.holomorphic}, at), o, at);
}
// hessian of a function that returns {out, aux}: {second derivatives of out, aux}.
// Source: jax.hessian with has_aux.
template <int... N, class F>
auto hessian_with_aux(F f, const typing::JacobianOptions& o = {},
                      typing::Location at = typing::Location::here()) {
  return jacfwd_with_aux<N...>(
      jacrev_with_aux<N...>(std::move(f), {.holomorphic = o.holomorphic}, at), o, at);
}
// f maps a batch to a batch, row by row: each Array of the chosen arguments and of the result has
// the batch as its leading axis (ShapeError), and row i of the result depends on row i of the
// arguments alone, which is not looked at. The Jacobian of each row, of the type that jacrev gives,
// with Arrays [batch, out…, in…], for the cost of one row. chunk_size counts rows of the Jacobian.
// Source: tf.GradientTape.batch_jacobian.
template <int... N, class F>
auto batch_jacobian(F f, const typing::JacobianOptions& o = {},
                    typing::Location at = typing::Location::here()) {
  return detail::Jacobian<detail::JacobianMode::rows, false, F, N...>(std::move(f), o, at);
}

namespace detail {

// The parameters of f and one more like the first.
template <class S>
struct AndVector {
  using type = UnknownParams;
};
template <class X, class... P>
struct AndVector<Params<X, P...>> {
  using type = Params<X, P..., X>;
};

// The Hessian with respect to argument 0 times v, the last argument: forward over reverse, or as a
// row, reverse over reverse.
template <bool row, class F>
class HessianVector
    : public CallOperator<HessianVector<row, F>, F, typename AndVector<params_of<F>>::type> {
 public:
  using weft_wrapped = HessianVector;  // the vector is no argument of f
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
    const ir::Source source(at_);
    if (const std::string d =
            tree::difference(tree::skeleton(std::get<0>(args)), tree::skeleton(v), "v");
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

// hvp(f)(x, …, v): the Hessian of the scalar function f by x, argument 0, times v, which is like x;
// of x's type. It takes about two gradients and does not make the Hessian. Forward over reverse
// mode. DifferentiationError as of grad and jvp. Source: jax.jvp(jax.grad(f), (x,), (v,))[1].
template <class F>
auto hvp(F f, typing::Location at = typing::Location::here()) {
  return detail::HessianVector<false, F>(std::move(f), at);
}
// vhp(f)(x, …, v): v times the Hessian, in reverse mode alone: for functions that have no forward
// derivative (custom_vjp). The Hessian is symmetric, so the numbers are those of hvp.
// Source: torch.autograd.functional.vhp.
template <class F>
auto vhp(F f, typing::Location at = typing::Location::here()) {
  return detail::HessianVector<true, F>(std::move(f), at);
}

}  // namespace weft
