// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// transforms/custom.h: custom_jvp and custom_vjp: functions with user-defined derivative rules. f
// and its rules are traced when the function is called.
#pragma once
#include "weft/tracer/callable.h"
#include "weft/tracer/tree.h"

namespace weft {
namespace detail {

using FlatFunction = ir::FunctionRef<Arrays(const Arrays&)>;
using TreeOf = ir::FunctionRef<tree::Skeleton()>;

// rule: (x…, dx…) -> (out…, tangent…)
Arrays run_custom_jvp(FlatFunction f, FlatFunction rule, const Arrays& x, TreeOf args, TreeOf out,
                      TreeOf rule_out, TreeOf rule_tangent);
// fwd: x -> (out…, residuals…); bwd: (residuals…, ct…) -> a cotangent of each x, where an empty
// handle is a zero cotangent
Arrays run_custom_vjp(FlatFunction f, FlatFunction fwd, FlatFunction bwd, const Arrays& x,
                      TreeOf args, TreeOf out, TreeOf fwd_out);
// Raises DifferentiationError if the structure of a cotangent differs from that of its argument.
void require_like_argument(size_t argument, const tree::Skeleton& want, const tree::Skeleton& got);

template <class F, class Rule>
class CustomJvp : public CallOperator<CustomJvp<F, Rule>, F> {
 public:
  CustomJvp(F f, Rule rule, typing::Location at)
      : f_(std::move(f)), rule_(std::move(rule)), at_(at) {}
  template <class... P>
  auto call(const std::tuple<P...>& args) const {
    using Args = std::tuple<P...>;
    static_assert(can_call<F, P...>,
                  "weft::custom_jvp: the function cannot be called with these arguments");
    static_assert(can_call<Rule, Args, Args>,
                  "weft::custom_jvp: the rule must take (tuple of primals, tuple of tangents)");
    using R = result_t<F, P...>;
    using Pair = result_t<Rule, Args, Args>;
    static_assert(tree::is_tuple<Pair>, "weft::custom_jvp: the rule must return {out, tangent}");
    static_assert(std::convertible_to<std::tuple_element_t<0, Pair>, R> &&
                      std::convertible_to<std::tuple_element_t<1, Pair>, R>,
                  "weft::custom_jvp: the rule must return {out, tangent}, both of the type that "
                  "the function returns");
    const ir::Source source(at_);
    const std::tuple<Args, Args> both(args, args);
    Flat<F, Args, R> f(f_, args);
    Flat<Rule, std::tuple<Args, Args>, std::pair<R, R>> rule(rule_, both);
    const Arrays out =
        run_custom_jvp(f, rule, tree::leaves(args), tree::detail::skeleton_of(args), f.tree(),
                       rule.template part_tree<0>(), rule.template part_tree<1>());
    return f.result(out);
  }
  bool weft_identify(KeyWriter& key) const { return identify(f_, key) && identify(rule_, key); }

 private:
  mutable F f_;
  mutable Rule rule_;
  typing::Location at_;
};

// The types in which bwd takes the residuals that fwd returns. The parameter type of bwd decides
// whether a number is static or an Array; residuals for `auto` parameters are treated like
// arguments. More: the parameters after the residuals.
template <class Bwd, class Raw, class... More>
using residuals_t = std::tuple_element_t<0, arguments_t<Bwd, Raw, More...>>;

// bwd on flat lists of Arrays.
template <class Bwd, class Args, class Res, class R>
struct FlatBwd {
  Bwd& bwd;
  const Args& args;
  const Res& residuals;
  const R& out;
  Arrays operator()(const Arrays& x) const {
    Res res = tree::rebuild(residuals, x.data());
    R ct = tree::rebuild(out, x.data() + tree::count(residuals));
    using Raw = raw_result_t<Bwd, Res, R>;
    Arrays leaves;
    if constexpr (tree::is_tuple<Raw> && (std::tuple_size_v<Args> != 1 ||
                                          !std::same_as<Raw, std::tuple_element_t<0, Args>>)) {
      static_assert(std::tuple_size_v<Raw> == std::tuple_size_v<Args>,
                    "weft::custom_vjp: bwd must return one cotangent an argument");
      const Raw cts = bwd(res, ct);
      [&]<size_t... I>(std::index_sequence<I...>) {
        (add<I>(std::get<I>(cts), leaves), ...);
      }(std::make_index_sequence<std::tuple_size_v<Args>>{});
    } else {
      static_assert(std::tuple_size_v<Args> == 1,
                    "weft::custom_vjp: bwd must return a tuple of one cotangent an argument");
      add<0>(bwd(res, ct), leaves);
    }
    return leaves;
  }
  template <size_t I, class C>
  void add(const C& ct, Arrays& leaves) const {
    using P = std::tuple_element_t<I, Args>;
    const P& arg = std::get<I>(args);
    if constexpr (tree::is_empty<C> && !tree::is_empty<P>) {
      leaves.resize(leaves.size() + tree::count(arg));
    } else {
      const P as_arg = tree::convert<P>(ct);
      // An argument without Arrays has no cotangent, so any value in its place is ignored.
      if constexpr (tree::detail::holds_array<P>)
        require_like_argument(I, tree::skeleton(arg), tree::skeleton(as_arg));
      tree::flatten(as_arg, leaves);
    }
  }
};

template <class F, class Fwd, class Bwd>
class CustomVjp : public CallOperator<CustomVjp<F, Fwd, Bwd>, F> {
 public:
  CustomVjp(F f, Fwd fwd, Bwd bwd, typing::Location at)
      : f_(std::move(f)), fwd_(std::move(fwd)), bwd_(std::move(bwd)), at_(at) {}
  template <class... P>
  auto call(const std::tuple<P...>& args) const {
    using Args = std::tuple<P...>;
    static_assert(can_call<F, P...> && can_call<Fwd, P...>,
                  "weft::custom_vjp: f and fwd must take these arguments");
    using R = result_t<F, P...>;
    using Pair = raw_result_t<Fwd, P...>;
    static_assert(is_two<Pair>, "weft::custom_vjp: fwd must return a pair {out, residuals}");
    static_assert(
        tree::converts<R, std::tuple_element_t<0, Pair>>(),
        "weft::custom_vjp: fwd must return {out, residuals} with out of the type of f's result");
    using Raw = std::tuple_element_t<1, Pair>;
    using Res = residuals_t<Bwd, Raw, R>;
    static_assert(tree::converts<Res, Raw>() && can_call<Bwd, Res, R>,
                  "weft::custom_vjp: bwd must take (residuals, cotangent of the result), the "
                  "residuals as fwd returns them");
    const ir::Source source(at_);
    Flat<F, Args, R> f(f_, args);
    Flat<Fwd, Args, std::pair<R, Res>> fwd(fwd_, args);
    const auto bwd = [&](const Arrays& x) {
      const std::pair<R, Res> like = fwd.prototype();
      return FlatBwd<Bwd, Args, Res, R>{bwd_, args, like.second, like.first}(x);
    };
    const Arrays out =
        run_custom_vjp(f, fwd, bwd, tree::leaves(args), tree::detail::skeleton_of(args), f.tree(),
                       fwd.template part_tree<0>());
    return f.result(out);
  }
  bool weft_identify(KeyWriter& key) const {
    return identify(f_, key) && identify(fwd_, key) && identify(bwd_, key);
  }

 private:
  mutable F f_;
  mutable Fwd fwd_;
  mutable Bwd bwd_;
  typing::Location at_;
};

}  // namespace detail

// Returns f with the derivative rule(tuple of primals, tuple of tangents) -> {out, tangent}. The
// tangent must be linear in the tangents; reverse mode transposes it. Raises DifferentiationError
// if the rule returns another structure or other types than f, and LeakedTracerError if it captures
// a traced value. Source: jax.custom_jvp.
template <class F, class Rule>
auto custom_jvp(F f, Rule rule, typing::Location at = typing::Location::here()) {
  return detail::CustomJvp<F, Rule>(std::move(f), std::move(rule), at);
}
// Returns f with the reverse-mode rule fwd(args…) -> {out, residuals} and bwd(residuals, ct) -> a
// tuple with one cotangent per argument (none: zero). The residuals are a tree. A residual that bwd
// takes as a number, or as another static value, is passed as fwd returned it. The function has no
// forward-mode derivative. Raises DifferentiationError if out does not have the types of f's
// result. It also raises it if a cotangent does not have the types and structure of its argument.
// Source: jax.custom_vjp.
template <class F, class Fwd, class Bwd>
auto custom_vjp(F f, Fwd fwd, Bwd bwd, typing::Location at = typing::Location::here()) {
  return detail::CustomVjp<F, Fwd, Bwd>(std::move(f), std::move(fwd), std::move(bwd), at);
}

}  // namespace weft
