// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/grad/symbolic_zeros.h: custom_jvp and custom_vjp with rules that receive which
// tangents and cotangents are symbolic zeros. The rules are called when the function is
// differentiated.
#pragma once
#include "weft/grad/custom_rules.h"
#include "weft/vmap/custom_vmap.h"

namespace weft {

namespace typing {
// The type of symbolic_zeros.
struct SymbolicZeros {
  explicit SymbolicZeros() = default;
};
}  // namespace typing
// Passed after the rules of custom_jvp and custom_vjp, it makes the rules receive which tangents
// and cotangents are zero.
inline constexpr typing::SymbolicZeros symbolic_zeros{};

namespace detail {

// The results of rules on flat lists; empty handles are zeros.
struct TangentsWithZeros {
  Arrays out, tangent;
  tree::detail::Skeleton out_tree, tangent_tree;
};
using BwdWithZeros =
    ir::Function<Arrays(const Arrays& residuals_and_ct, const std::vector<bool>& given)>;
struct ForwardWithZeros {
  Arrays out, residuals;
  tree::detail::Skeleton out_tree;
  BwdWithZeros bwd;
};
// arguments: x, dx (with zeros materialized), and which x are perturbed
using JvpWithZeros = ir::Function<TangentsWithZeros(const Arrays& x, const Arrays& dx,
                                                    const std::vector<bool>& perturbed)>;
using FwdWithZeros =
    ir::Function<ForwardWithZeros(const Arrays& x, const std::vector<bool>& perturbed)>;
Arrays run_custom_jvp_with_zeros(FlatFunction f, const JvpWithZeros& rule, const Arrays& x,
                                 TreeOf out);
Arrays run_custom_vjp_with_zeros(FlatFunction f, const FwdWithZeros& fwd, const Arrays& x,
                                 TreeOf args, TreeOf out);

template <class Args>
using MasksOf = std::array<tree::Mask, std::tuple_size_v<Args>>;

template <class Rule, class Args>
struct JvpOnLeaves {
  mutable Rule rule;
  Args like;
  typing::Location at;
  using Masks = MasksOf<Args>;
  static constexpr bool takes_array = std::invocable<Rule&, Args&, Args&, Masks&>;
  static auto call(Rule& rule, Args& x, Args& dx, Masks& perturbed) {
    if constexpr (takes_array) {
      return rule(x, dx, perturbed);
    } else {
      static_assert(
          std::tuple_size_v<Args> == 1 && std::invocable<Rule&, Args&, Args&, tree::Mask&>,
          "weft::custom_jvp: with symbolic_zeros the rule must take (tuple of primals, "
          "tuple of tangents, perturbed), with one tree::Mask an argument in perturbed");
      return rule(x, dx, perturbed[0]);
    }
  }
  TangentsWithZeros operator()(const Arrays& x, const Arrays& dx,
                               const std::vector<bool>& on) const {
    const ir::SourceScope source(at);
    Args primals = tree::detail::rebuild(like, x.data()),
         tangents = tree::detail::rebuild(like, dx.data());
    Masks perturbed = masks_by_argument(like, on);
    return taken(call(rule, primals, tangents, perturbed));
  }
  template <class Pair>
  static TangentsWithZeros taken(const Pair& result) {
    using R = typing::arrays_t<std::tuple_element_t<0, Pair>>;
    using T = std::tuple_element_t<1, Pair>;
    TangentsWithZeros r;
    const R out = tree::detail::convert<R>(std::get<0>(result));
    r.out = tree::leaves(out);
    r.out_tree = r.tangent_tree = tree::detail::skeleton(out);
    if constexpr (tree::detail::is_empty<T> && !tree::detail::is_empty<R>) {
      r.tangent.resize(r.out.size());
    } else {
      const R tangent = tree::detail::convert<R>(std::get<1>(result));
      r.tangent = tree::leaves(tangent);
      r.tangent_tree = tree::detail::skeleton(tangent);
    }
    return r;
  }
};

template <class F, class Rule>
class CustomJvpWithZeros : public CallOperator<CustomJvpWithZeros<F, Rule>, F> {
 public:
  CustomJvpWithZeros(F f, Rule rule, typing::Location at)
      : f_(std::move(f)), rule_(std::move(rule)), at_(at) {}
  template <class... P>
  auto call(const std::tuple<P...>& args) const {
    using Args = std::tuple<P...>;
    using R = result_t<F, P...>;
    using OnLeaves = JvpOnLeaves<Rule, Args>;
    using Pair =
        decltype(OnLeaves::call(std::declval<Rule&>(), std::declval<Args&>(), std::declval<Args&>(),
                                std::declval<typename OnLeaves::Masks&>()));
    static_assert(
        is_pair_of<R, Pair>,
        "weft::custom_jvp: the rule must return {out, tangent}, both of the type that the "
        "function returns (none: the tangent is zero)");
    const ir::SourceScope source(at_);
    Flat<F, Args, R> f(f_, args);
    const Arrays out = run_custom_jvp_with_zeros(
        f, OnLeaves{rule_, tree::detail::structure_only(args), at_}, tree::leaves(args), f.tree());
    return f.result(out);
  }
  bool weft_identify(KeyWriter& key) const { return identify(f_, key) && identify(rule_, key); }

 private:
  template <class R, class Pair>
  static constexpr bool is_pair_of = [] {
    if constexpr (tree::detail::is_tuple<Pair>)
      return std::convertible_to<std::tuple_element_t<0, Pair>, R> &&
             (std::convertible_to<std::tuple_element_t<1, Pair>, R> ||
              tree::detail::is_empty<std::tuple_element_t<1, Pair>>);
    return false;
  }();
  mutable F f_;
  mutable Rule rule_;
  typing::Location at_;
};

// bwd with its last argument, `given`, bound.
template <class Bwd>
struct BwdOnMask {
  Bwd& bwd;
  tree::Mask given;
  template <class Res, class R>
  auto operator()(Res& residuals, R& ct) const {
    static_assert(
        std::invocable<Bwd&, Res&, R&, const tree::Mask&>,
        "weft::custom_vjp: with symbolic_zeros bwd must take (residuals, cotangent of the "
        "result, tree::Mask of the cotangent's leaves)");
    return bwd(residuals, ct, given);
  }
};

template <class Fwd, class Bwd, class R, class... P>
struct FwdOnLeaves {
  using Args = std::tuple<P...>;
  using Masks = MasksOf<Args>;
  mutable Fwd fwd;
  Bwd bwd;
  Args like;
  typing::Location at;
  static auto call(Fwd& fwd, Masks& perturbed, P&... x) {
    if constexpr (std::invocable<Fwd&, Masks&, P&...>) {
      return fwd(perturbed, x...);
    } else {
      static_assert(sizeof...(P) == 1 && std::invocable<Fwd&, tree::Mask&, P&...>,
                    "weft::custom_vjp: with symbolic_zeros fwd must take (perturbed, args…), with "
                    "one tree::Mask an argument in perturbed");
      return fwd(perturbed[0], x...);
    }
  }
  using Pair = decltype(call(std::declval<Fwd&>(), std::declval<Masks&>(), std::declval<P&>()...));
  static_assert(is_two<Pair>, "weft::custom_vjp: fwd must return a pair {out, residuals}");
  static_assert(
      tree::detail::converts<R, std::tuple_element_t<0, Pair>>(),
      "weft::custom_vjp: fwd must return {out, residuals} with out of the type of f's result");
  using Raw = std::tuple_element_t<1, Pair>;
  using Res = residuals_t<Bwd, Raw, R, tree::Mask>;
  static_assert(tree::detail::converts<Res, Raw>(),
                "weft::custom_vjp: bwd must take the residuals as fwd returns them");

  ForwardWithZeros operator()(const Arrays& x, const std::vector<bool>& on) const {
    const ir::SourceScope source(at);
    Args args = tree::detail::rebuild(like, x.data());
    Masks perturbed = masks_by_argument(like, on);
    const Pair result = std::apply([&](auto&... a) { return call(fwd, perturbed, a...); }, args);
    const R out = tree::detail::convert<R>(std::get<0>(result));
    const Res residuals = tree::detail::convert<Res>(std::get<1>(result));
    ForwardWithZeros r{tree::leaves(out), tree::leaves(residuals), tree::detail::skeleton(out), {}};
    r.bwd = [bwd = bwd, like = like, res = tree::detail::structure_only(residuals),
             ct = tree::detail::structure_only(out),
             at = at](const Arrays& leaves, const std::vector<bool>& given) {
      const ir::SourceScope back(at);
      Bwd rule = bwd;
      BwdOnMask<Bwd> on_mask{rule, tree::Mask(given)};
      return FlatBwd<BwdOnMask<Bwd>, Args, Res, R>{on_mask, like, res, ct}(leaves);
    };
    return r;
  }
};

template <class F, class Fwd, class Bwd>
class CustomVjpWithZeros : public CallOperator<CustomVjpWithZeros<F, Fwd, Bwd>, F> {
 public:
  CustomVjpWithZeros(F f, Fwd fwd, Bwd bwd, typing::Location at)
      : f_(std::move(f)), fwd_(std::move(fwd)), bwd_(std::move(bwd)), at_(at) {}
  template <class... P>
  auto call(const std::tuple<P...>& args) const {
    using Args = std::tuple<P...>;
    using R = result_t<F, P...>;
    const ir::SourceScope source(at_);
    Flat<F, Args, R> f(f_, args);
    const Arrays out = run_custom_vjp_with_zeros(
        f, FwdOnLeaves<Fwd, Bwd, R, P...>{fwd_, bwd_, tree::detail::structure_only(args), at_},
        tree::leaves(args), tree::detail::skeleton_of(args), f.tree());
    return f.result(out);
  }
  bool weft_identify(KeyWriter& key) const {
    return identify(f_, key) && identify(fwd_, key) && identify(bwd_, key);
  }

 private:
  mutable F f_;
  Fwd fwd_;
  Bwd bwd_;
  typing::Location at_;
};

}  // namespace detail

// Returns f with the derivative rule(primals, tangents, perturbed) -> {out, tangent}. perturbed has
// one tree::Mask per argument, with one bool per leaf. The bool is false where the tangent is a
// symbolic zero. This holds for arguments that are not differentiated, and for values that depend
// only on such arguments. These tangents are passed as arrays of zeros. A returned tangent may be
// none, or an empty Array in it; both are symbolic zeros. The rule is called each time f is
// differentiated. Errors are those of custom_jvp, raised at that time. Source: jax.custom_jvp,
// defjvp(symbolic_zeros=True).
//
//     auto f = custom_jvp([](Array x, Array y) { return x * y; },
//                         [](auto p, auto t, auto perturbed) {
//                           auto [x, y] = p;
//                           auto [dx, dy] = t;
//                           Array sum = dx * y;
//                           if (perturbed[1].any()) sum = sum + x * dy;
//                           return std::pair{x * y, sum};
//                         },
//                         symbolic_zeros);
//     grad(f)(2., 3.)  // array(3., dtype=float32)
template <class F, class Rule>
auto custom_jvp(F f, Rule rule, typing::SymbolicZeros,
                typing::Location at = typing::Location::here()) {
  return detail::CustomJvpWithZeros<F, Rule>(std::move(f), std::move(rule), at);
}
// Returns f with the reverse-mode rule fwd(perturbed, args…) -> {out, residuals} and bwd(residuals,
// ct, given) -> cotangents. The cotangents are a tuple with one per argument; none or empty Arrays
// are zeros. perturbed has one tree::Mask per argument, which is true for the leaves that are
// differentiated. Cotangents of other leaves are ignored. given is true for the leaves of the
// result whose cotangent is not a symbolic zero; the other cotangents are passed as arrays of
// zeros. Both are called each time f is differentiated. Errors are those of custom_vjp, raised at
// that time. Source: jax.custom_vjp, defvjp(symbolic_zeros=True).
template <class F, class Fwd, class Bwd>
auto custom_vjp(F f, Fwd fwd, Bwd bwd, typing::SymbolicZeros,
                typing::Location at = typing::Location::here()) {
  return detail::CustomVjpWithZeros<F, Fwd, Bwd>(std::move(f), std::move(fwd), std::move(bwd), at);
}

}  // namespace weft
