// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/grad/custom_rules.h: custom_jvp and custom_vjp: functions with user-defined
// derivative rules. f and its rules are traced when the function is called.
#pragma once
#include "weft/detail/callable.h"
#include "weft/tree.h"

namespace weft {
namespace detail {

using FlatFunction = ir::FunctionRef<Arrays(const Arrays&)>;
using TreeOf = ir::FunctionRef<tree::detail::Skeleton()>;

// rule: (x…, dx…) -> (out…, tangent…)
Arrays run_custom_jvp(FlatFunction f, FlatFunction rule, const Arrays& x, TreeOf args, TreeOf out,
                      TreeOf rule_out, TreeOf rule_tangent);
// fwd: x -> (out…, residuals…); bwd: (residuals…, ct…) -> a cotangent of each x, where an empty
// handle is a zero cotangent
Arrays run_custom_vjp(FlatFunction f, FlatFunction fwd, FlatFunction bwd, const Arrays& x,
                      TreeOf args, TreeOf out, TreeOf fwd_out);
// Raises DifferentiationError if the structure of a cotangent differs from that of its argument.
void require_like_argument(size_t argument, const tree::detail::Skeleton& want,
                           const tree::detail::Skeleton& got);

template <class F, class Rule>
class CustomJvp : public CallOperator<CustomJvp<F, Rule>, F> {
 public:
  CustomJvp(F f, Rule rule, typing::Location at)
      : f_(std::move(f)), rule_(std::move(rule)), at_(at) {}
  template <class... P>
  auto call(const std::tuple<P...>& args) const {
    using Args = std::tuple<P...>;
    using R = result_t<F, P...>;
    if constexpr (rule_fits<R, Args>()) {
      const ir::SourceScope source(at_);
      const std::tuple<Args, Args> both(args, args);
      Flat<F, Args, R> f(f_, args);
      Flat<Rule, std::tuple<Args, Args>, std::pair<R, R>> rule(rule_, both);
      const Arrays out =
          run_custom_jvp(f, rule, tree::leaves(args), tree::detail::skeleton_of(args), f.tree(),
                         rule.template part_tree<0>(), rule.template part_tree<1>());
      return f.result(out);
    } else {
      return never<R>();
    }
  }
  bool weft_identify(KeyWriter& key) const { return identify(f_, key) && identify(rule_, key); }

 private:
  // One check after another, so that only the first that fails says something.
  template <class R, class Args>
  static consteval bool rule_fits() {
    constexpr bool takes = can_call<Rule, Args, Args>;
    static_assert(takes,
                  "weft::custom_jvp: the rule must take (tuple of primals, tuple of tangents)");
    if constexpr (!takes) {
      return false;
    } else {
      using Pair = result_t<Rule, Args, Args>;
      constexpr bool two = is_two<Pair>;
      static_assert(two, "weft::custom_jvp: the rule must return {out, tangent}");
      if constexpr (!two) {
        return false;
      } else {
        constexpr bool like = std::is_convertible_v<std::tuple_element_t<0, Pair>, R> &&
                              std::is_convertible_v<std::tuple_element_t<1, Pair>, R>;
        static_assert(like,
                      "weft::custom_jvp: the rule must return {out, tangent}, both of the type "
                      "that the function returns");
        return like;
      }
    }
  }
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
    Res res = tree::detail::rebuild(residuals, x.data());
    R ct = tree::detail::rebuild(out, x.data() + tree::count(residuals));
    using Raw = raw_result_t<Bwd, Res, R>;
    Arrays leaves;
    if constexpr (tree::detail::is_tuple<Raw> &&
                  (std::tuple_size_v<Args> != 1 ||
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
    if constexpr (tree::detail::is_empty<C> && !tree::detail::is_empty<P>) {
      leaves.resize(leaves.size() + tree::count(arg));
    } else {
      const P as_arg = tree::detail::convert<P>(ct);
      // An argument without Arrays has no cotangent, so any value in its place is ignored.
      if constexpr (tree::detail::holds_array<P>)
        require_like_argument(I, tree::detail::skeleton(arg), tree::detail::skeleton(as_arg));
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
    using R = result_t<F, P...>;
    if constexpr (rules_fit<R, P...>()) {
      using Res = residuals_t<Bwd, std::tuple_element_t<1, raw_result_t<Fwd, P...>>, R>;
      const ir::SourceScope source(at_);
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
    } else {
      return never<R>();
    }
  }
  bool weft_identify(KeyWriter& key) const {
    return identify(f_, key) && identify(fwd_, key) && identify(bwd_, key);
  }

 private:
  // One check after another, so that only the first that fails says something.
  template <class R, class... P>
  static consteval bool rules_fit() {
    constexpr bool takes = can_call<Fwd, P...>;
    static_assert(takes, "weft::custom_vjp: fwd must take the arguments of f");
    if constexpr (!takes) {
      return false;
    } else {
      using Pair = raw_result_t<Fwd, P...>;
      constexpr bool two = is_two<Pair>;
      static_assert(two, "weft::custom_vjp: fwd must return a pair {out, residuals}");
      if constexpr (!two) {
        return false;
      } else {
        constexpr bool like = tree::detail::converts<R, std::tuple_element_t<0, Pair>>();
        static_assert(like,
                      "weft::custom_vjp: fwd must return {out, residuals} with out of the type of "
                      "f's result");
        using Raw = std::tuple_element_t<1, Pair>;
        using Res = residuals_t<Bwd, Raw, R>;
        constexpr bool back = tree::detail::converts<Res, Raw>() && can_call<Bwd, Res, R>;
        static_assert(back,
                      "weft::custom_vjp: bwd must take (residuals, cotangent of the result), the "
                      "residuals as fwd returns them");
        return like && back;
      }
    }
  }
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
