// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/vmap/custom_vmap.h: custom_vmap and sequential_vmap: functions with user-defined
// batching rules.
#pragma once
#include "weft/detail/callable.h"

namespace weft {
namespace detail {

// A rule on flat lists: (size, mapped leaves, x) -> out. It appends to its last argument which
// leaves of out are mapped.
using FlatVmapRule =
    ir::Function<Arrays(int64_t, const std::vector<bool>&, const Arrays&, std::vector<bool>&)>;
// rule may be null: the lanes then run one after another.
Arrays run_custom_vmap(ir::FunctionRef<Arrays(const Arrays&)> f, const FlatVmapRule* rule,
                       const Arrays& x, ir::FunctionRef<tree::detail::Skeleton()> args);

// Reads which leaves of a result are mapped: one bool for all, a Mask, or a tree of bools.
struct ReadBools : tree::detail::IgnoreRest {
  std::vector<bool>* out;
  explicit ReadBools(std::vector<bool>* o) : out(o) {}
  void leaf(const Array&) {}
  template <class S>
  void value(const S& x) {
    add(static_cast<bool>(x));
  }
  void add(bool x);
};
template <class M>
void read_mapped(const M& m, size_t leaves, std::vector<bool>& out) {
  if constexpr (std::same_as<M, bool>) {
    out.assign(leaves, m);
  } else if constexpr (std::same_as<M, tree::Mask>) {
    for (size_t i = 0; i < m.size(); ++i) out.push_back(m[i]);
  } else {
    ReadBools v(&out);
    tree::detail::walk(m, v);
  }
}

// Converts one bool per leaf to one Mask per argument.
template <class... P>
std::array<tree::Mask, sizeof...(P)> masks_by_argument(const std::tuple<P...>& like,
                                                       const std::vector<bool>& leaves) {
  std::array<tree::Mask, sizeof...(P)> masks;
  auto next = leaves.begin();
  size_t k = 0;
  const auto add = [&](const auto& a) {
    const auto end = next + static_cast<std::ptrdiff_t>(tree::count(a));
    masks[k++] = tree::Mask(std::vector<bool>(next, end));
    next = end;
  };
  std::apply([&](const auto&... a) { (add(a), ...); }, like);
  return masks;
}

template <class Rule, class R, class... P>
struct RuleOnLeaves {
  // the rule cannot be called with these arguments, and a static_assert has reported it
  struct NotCalled {};
  mutable Rule rule;
  std::tuple<P...> like;
  Arrays operator()(int64_t size, const std::vector<bool>& mapped, const Arrays& x,
                    std::vector<bool>& out_mapped) const {
    std::tuple<P...> args = tree::detail::rebuild(like, x.data());
    const auto masks = masks_by_argument(like, mapped);
    constexpr auto all = std::index_sequence_for<P...>();
    if constexpr (is_rule_result<decltype(call(size, masks, args, all))>()) {
      const auto result = call(size, masks, args, all);
      const R out = tree::detail::convert<R>(std::get<0>(result));
      read_mapped(std::get<1>(result), tree::count(out), out_mapped);
      return tree::leaves(out);
    } else {
      return {};
    }
  }

 private:
  using Masks = std::array<tree::Mask, sizeof...(P)>;
  template <size_t... I>
  auto call(int64_t size, const Masks& masks, std::tuple<P...>& args,
            std::index_sequence<I...>) const {
    using MasksAsTuple = decltype(std::make_tuple(masks[I]...));
    if constexpr (std::invocable<Rule&, int64_t, Masks, P&...>) {
      return rule(size, masks, std::get<I>(args)...);
    } else if constexpr (sizeof...(P) == 1 && std::invocable<Rule&, int64_t, tree::Mask, P&...>) {
      return rule(size, masks[0], std::get<I>(args)...);
    } else if constexpr (std::invocable<Rule&, int64_t, std::vector<tree::Mask>, P&...>) {
      return rule(size, std::vector<tree::Mask>(masks.begin(), masks.end()), std::get<I>(args)...);
    } else {  // tried last, because it compiles a rule with an `auto` parameter
      constexpr bool takes_tuple = std::invocable<Rule&, int64_t, MasksAsTuple, P&...>;
      static_assert(takes_tuple,
                    "weft::custom_vmap: the rule must take (size, mapped, args…), with one "
                    "tree::Mask an argument in mapped: [](int64_t size, tree::Mask mapped, "
                    "Array x) of one argument");
      if constexpr (takes_tuple)
        return rule(size, MasksAsTuple(masks[I]...), std::get<I>(args)...);
      else
        return NotCalled();
    }
  }
  template <class Result>
  static consteval bool is_rule_result() {
    if constexpr (std::same_as<Result, NotCalled>) {
      return false;
    } else if constexpr (is_two<Result>) {
      constexpr bool out = tree::detail::converts<R, std::tuple_element_t<0, Result>>();
      static_assert(out,
                    "weft::custom_vmap: the first thing that the rule returns must have the type "
                    "of the function's result: std::pair{out, out_mapped}");
      return out;
    } else {
      static_assert(
          is_two<Result>,
          "weft::custom_vmap: the rule must return {out, out_mapped}, in which out_mapped "
          "is a bool, a tree::Mask or a tree of bools: std::pair{out, true}");
      return false;
    }
  }
};

struct NoRule {};

template <class F, class Rule>
class CustomVmapped : public CallOperator<CustomVmapped<F, Rule>, F> {
 public:
  CustomVmapped(F f, Rule rule, typing::Location at)
      : f_(std::move(f)), rule_(std::move(rule)), at_(at) {}
  template <class... P>
  auto call(const std::tuple<P...>& args) const {
    using R = result_t<F, P...>;
    const ir::SourceScope source(at_);
    Flat<F, std::tuple<P...>, R> flat(f_, args);
    if constexpr (std::same_as<Rule, NoRule>) {
      return flat.result(
          run_custom_vmap(flat, nullptr, tree::leaves(args), tree::detail::skeleton_of(args)));
    } else {
      const FlatVmapRule rule(
          RuleOnLeaves<Rule, R, P...>{rule_, tree::detail::structure_only(args)});
      return flat.result(
          run_custom_vmap(flat, &rule, tree::leaves(args), tree::detail::skeleton_of(args)));
    }
  }
  bool weft_identify(KeyWriter& key) const { return identify(f_, key) && identify(rule_, key); }

 private:
  mutable F f_;
  Rule rule_;
  typing::Location at_;
};

}  // namespace detail

// Returns f with the batching rule rule(size, mapped, args…) -> {out, out_mapped}. Mapped arguments
// have their lanes along axis 0. `mapped` has one tree::Mask per argument; out_mapped is a bool, a
// Mask or a tree of bools. The rule runs once for all lanes, so its output is printed in the order
// of the rule. In a branch or loop that only some lanes run, a rule with prints or callbacks is not
// used. Instead f runs for each active lane. Raises BatchingError if out does not match out_mapped,
// or if f captures a mapped value. Source: jax.custom_batching.custom_vmap.
template <class F, class Rule>
auto custom_vmap(F f, Rule rule, typing::Location at = typing::Location::here()) {
  return detail::CustomVmapped<F, Rule>(std::move(f), std::move(rule), at);
}
// Returns f with lanes that run one after another; they print in the order in which they run.
// Source: jax.custom_batching.sequential_vmap.
template <class F>
auto sequential_vmap(F f, typing::Location at = typing::Location::here()) {
  return detail::CustomVmapped<F, detail::NoRule>(std::move(f), {}, at);
}

}  // namespace weft
